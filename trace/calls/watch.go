package calls

import (
	"sync"
	"time"

	"github.com/mprof/mprof/profile"
)

// Watcher sees a builder at work, so that somebody can look at a run that goes on. It is
// locked while the builder changes, and its methods are called locked, from the
// goroutine of the run. Times are those of the builder's clock, see Counts.
type Watcher interface {
	sync.Locker
	// Returned takes a call when it returns, long before its callers may be known.
	Returned(context int, f profile.FunctionIndex, entry, elapsed time.Duration, depth uint16)
	Event(e profile.Event)
	// Finish is called when nothing comes any more, before the profile is made.
	Finish()
}

// Watch lets w see what comes from now on.
func (b *Builder) Watch(w Watcher) { b.watcher = w }

// Gap is what gets lost right now: it lasts until the next record.
func (b *Builder) Gap() (profile.Event, bool) {
	x := &b.losses
	if !x.open || x.from == 0 {
		return profile.Event{}, false
	}
	return profile.Event{Time: time.Duration(x.from), Name: "Lost", Detail: "until the next record", Off: true}, true
}

func (b *Builder) lock() {
	if b.watcher != nil {
		b.watcher.Lock()
	}
}

func (b *Builder) unlock() {
	if b.watcher != nil {
		b.watcher.Unlock()
	}
}
