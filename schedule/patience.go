package schedule

import (
	"context"
	"sync"
	"time"
)

// patienceParts is what a patience is cut into: a standstill of this machine takes one of them at most.
const patienceParts = 10

// Patience is context.WithTimeout for a wait for somebody's answer. Time that passes while this machine itself stands
// still (stopped, suspended, too busy to run us) is no delay of others: each standstill counts for a tenth of d at
// most, and behind one the wait goes on for a tenth of d, so that the answer that came meanwhile is found. Only on a
// machine that stands still ten times in one wait it may end with a standstill.
//
// On a machine that runs it ends after d. Deadline tells when that would be; the wait may go on behind it, so what
// must end with it looks at Done.
func Patience(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return patienceBy(parent, d, system)
}

// timers are a clock and what it wakes.
type timers struct {
	now   func() time.Time
	after func(d time.Duration, f func()) timer
}

type timer interface {
	Reset(d time.Duration) bool
	Stop() bool
}

var system = timers{time.Now, func(d time.Duration, f func()) timer { return time.AfterFunc(d, f) }}

func patienceBy(parent context.Context, d time.Duration, by timers) (context.Context, context.CancelFunc) {
	p := &patience{parent: parent, done: make(chan struct{}), part: max(d/patienceParts, 1), left: patienceParts, now: by.now, begun: by.now()}
	p.deadline = p.begun.Add(d)
	if end, ok := parent.Deadline(); ok && end.Before(p.deadline) {
		p.deadline = end
	}
	p.mu.Lock()
	p.timer = by.after(p.part, p.over)
	if parent.Done() != nil {
		p.unlink = context.AfterFunc(parent, p.follow)
	}
	p.mu.Unlock()
	if parent.Err() != nil {
		p.follow()
	}
	return p, p.cancel
}

// patience is that context.
type patience struct {
	parent   context.Context
	deadline time.Time
	done     chan struct{}
	part     time.Duration
	now      func() time.Time

	mu     sync.Mutex
	left   int       // parts; below 0: those that were added because the one before was late
	begun  time.Time // of the part
	timer  timer
	unlink func() bool // from the parent; nil: it never ends
	hooks  map[*func()]struct{}
	err    error
}

// over ends a part. The last one must have been no longer than it should: else this machine stood still in it, and it
// takes one more, but no more of them than there were.
func (p *patience) over() {
	p.mu.Lock()
	if p.err != nil {
		p.mu.Unlock()
		return
	}
	now := p.now()
	late := now.Sub(p.begun) > p.part+p.part/2
	if p.left--; p.left > 0 || late && p.left > -patienceParts {
		p.begun = now
		p.timer.Reset(p.part)
		p.mu.Unlock()
		return
	}
	p.mu.Unlock()
	p.end(context.DeadlineExceeded)
}

func (p *patience) follow() { p.end(p.parent.Err()) }
func (p *patience) cancel() { p.end(context.Canceled) }

// end ends the wait, once.
func (p *patience) end(err error) {
	p.mu.Lock()
	if p.err != nil {
		p.mu.Unlock()
		return
	}
	p.err = err
	p.timer.Stop()
	hooks := p.hooks
	p.hooks = nil
	close(p.done)
	p.mu.Unlock()
	if p.unlink != nil {
		p.unlink()
	}
	for f := range hooks {
		go (*f)()
	}
}

func (p *patience) Deadline() (time.Time, bool) { return p.deadline, true }
func (p *patience) Done() <-chan struct{}       { return p.done }
func (p *patience) Value(key any) any           { return p.parent.Value(key) }

// Err is that of a parent that has ended at once, as with the contexts of package context.
func (p *patience) Err() error {
	if p.parent.Err() != nil {
		p.follow()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// AfterFunc is what package context looks for in a context that is not its own.
func (p *patience) AfterFunc(f func()) (stop func() bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		go f()
		return func() bool { return false }
	}
	if p.hooks == nil {
		p.hooks = map[*func()]struct{}{}
	}
	p.hooks[&f] = struct{}{}
	return func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		_, waits := p.hooks[&f]
		delete(p.hooks, &f)
		return waits
	}
}
