package sim

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/mprof/mprof/sim/wire"
)

// pace makes the board's clock follow the wall clock while a paced host is
// open: a transport, a UART, or whoever called RunPaced.
type pace struct {
	open    int           // hosts
	slow    time.Duration // the wall clock goes so many times as fast; 0: as fast
	zero    time.Time     // when the board's clock would have shown 0
	lost    wire.Instant
	stopped chan struct{} // closed when the target no longer runs by itself
}

const (
	// paceTick is how often the target is brought to the present while nobody
	// sends: what a packet finds to catch up with is no more than this.
	paceTick = 500 * time.Microsecond
	// paceSlice is how much of the target runs in one piece, so that a packet
	// that arrives meanwhile need not wait long.
	paceSlice = 250 * time.Microsecond
	// mostLag is how far the target may be behind the wall clock. Beyond that
	// the board's clock stands until the target has caught up.
	mostLag = 10 * time.Millisecond
)

// Lag is how much time the board's clock has lost against the wall clock in
// all, because the machine was too slow to simulate the target in real time.
// What happens on the board's own clock is exact all the same.
func (b *Board) Lag() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.pace.lost.Duration()
}

// Hold runs f while the board stands still, so that Core and Truth may be read
// while a paced transport is open. f must not call methods of the board that
// touch its clock or its packets.
func (b *Board) Hold(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}

// SlowMotion makes the clock of a paced board go n times slower than the wall
// clock: to its target and its probe the host seems so many times as fast. It
// has to be said before the first paced transport opens.
func (b *Board) SlowMotion(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pace.slow = time.Duration(n)
}

// RunPaced lets the board run by the wall clock until stop is called, whether or
// not a paced host is open.
func (b *Board) RunPaced() (stop func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.joinPace()
	return sync.OnceFunc(func() {
		b.mu.Lock()
		stopped := b.leavePace()
		b.mu.Unlock()
		wait(stopped)
	})
}

// joinPace is one paced host more.
func (b *Board) joinPace() {
	if b.pace.open++; b.pace.open == 1 {
		b.startPace()
	}
	b.follow()
}

// leavePace is one less. What it returns the caller waits for without the lock.
func (b *Board) leavePace() (stopped chan struct{}) {
	b.moved.Broadcast()
	if b.pace.open--; b.pace.open == 0 {
		stopped = b.pace.stopped
	}
	return stopped
}

// wait waits until the board no longer runs by itself; nil: it may.
func wait(stopped chan struct{}) {
	if stopped != nil {
		<-stopped
	}
}

// startPace lets the clock go on from where it stands.
func (b *Board) startPace() {
	p := &b.pace
	p.slow = max(p.slow, 1)
	p.zero = time.Now().Add(-max(b.now, b.at).Duration() * p.slow)
	p.stopped = make(chan struct{})
	go b.keepPace(p.stopped)
}

// keepPace runs the target while nobody sends.
func (b *Board) keepPace(stopped chan struct{}) {
	defer close(stopped)
	for {
		b.mu.Lock()
		if b.pace.open == 0 || b.pace.stopped != stopped {
			b.mu.Unlock()
			return
		}
		now := b.follow()
		step := min(now, b.at+wire.Span(paceSlice))
		b.pump(step)
		b.advance(step)
		behind := b.at < now
		b.mu.Unlock()
		if behind {
			runtime.Gosched()
			continue
		}
		doze(paceTick)
	}
}

// follow brings the host's clock to the wall's and says what it shows. Where
// the target is too far behind, the clock loses what is too much.
func (b *Board) follow() wire.Instant {
	p := &b.pace
	now := wire.Span(time.Since(p.zero) / p.slow)
	if late := now - b.at - wire.Span(mostLag); late > 0 {
		p.zero = p.zero.Add(late.Duration() * p.slow)
		p.lost += late
		now -= late
	}
	b.now = max(b.now, now)
	return b.now
}

// waitFor lets the wall clock come nearer to an instant of the board's, by a
// millisecond at most: the caller looks again at what has changed meanwhile.
// The lock is free while it waits.
func (b *Board) waitFor(at wire.Instant) {
	const longest = time.Millisecond
	until := b.pace.zero.Add((at.Duration() + time.Nanosecond) * b.pace.slow)
	b.mu.Unlock()
	defer b.mu.Lock()
	if latest := time.Now().Add(longest); until.After(latest) {
		doze(longest)
		return
	}
	sleepUntil(until)
}

// sleepPaced is Sleep by the wall clock.
func (b *Board) sleepPaced(ctx context.Context, d time.Duration) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for end := b.follow() + wire.Span(d); b.follow() < end; b.waitFor(end) {
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// spin is how long before its time a sleep ends and is waited out awake: the
// kernel wakes a thread about 20 us late.
const spin = 30 * time.Microsecond

// sleepUntil waits for a moment as exactly as the machine allows.
func sleepUntil(t time.Time) {
	if d := time.Until(t) - spin; d > 0 {
		doze(d)
	}
	for time.Now().Before(t) {
		runtime.Gosched()
	}
}
