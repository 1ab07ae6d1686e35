// Package page is the live page. In: a session that it may drive. Out: a web page
// that shows its model while it changes, and files to save.
package page

import (
	"context"

	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session"
)

// Control is the session behind the page. Its methods may be called from several goroutines;
// those that take long end with their context.
type Control interface {
	Choices(ctx context.Context) session.Choices
	Connect(ctx context.Context, c session.Connect) error
	Start(ctx context.Context, s session.Start) error
	Stop(ctx context.Context) error  // the run ends; what it collected stays
	Reset(ctx context.Context) error // forgets what was collected; of a traced target its buffer, too
	Disconnect(ctx context.Context) error
	State() session.State
	Watch(ctx context.Context) <-chan struct{} // something of State changed
	Model() *live.Model                        // of the run that is, or was the latest; never nil
	// Profile is what was collected until now, for saving; also while the run goes on.
	Profile(ctx context.Context) (*profile.Profile, error)
	// Source is a file that the program's debug information names.
	Source(file string) (string, bool)
}
