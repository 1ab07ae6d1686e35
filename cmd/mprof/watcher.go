package main

import (
	"context"

	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session"
	"github.com/mprof/mprof/session/sampling"
	"github.com/mprof/mprof/session/tracing"
)

// watcher looks at the run of a command while it goes on: a page, or a terminal.
type watcher interface {
	model() *live.Model                      // that the run feeds; nil: none
	samples(sampling.Options, *sampling.Run) // a run of samples begins
	calls(tracing.Options, *tracing.Run)     // a traced run begins
	advised(sampling.Advice)
	finished(*profile.Profile, error) // the run is over
	wait(ctx context.Context, recorded bool)
	close()
}

// watch begins to look at a run that is about to begin. The context that it returns is the run's: who
// watches may end it.
type watch func(ctx context.Context, a *app, c session.Connect) (context.Context, watcher, error)
