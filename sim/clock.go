package sim

import (
	"context"
	"time"

	"github.com/mprof/mprof/sim/wire"
)

// Now is the host's time since the board was powered, on the virtual clock.
func (b *Board) Now() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pace.open > 0 {
		b.follow()
	}
	return b.now.Duration()
}

// Sleep lets d of virtual time pass on the host while the target runs and the
// probe works on what it was sent. It does not wait for wall time but while a
// paced transport is open; its only error is that of a ctx that has ended.
func (b *Board) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b.mu.Lock()
	if b.pace.open > 0 {
		b.mu.Unlock()
		return b.sleepPaced(ctx, d)
	}
	defer b.mu.Unlock()
	if d > 0 {
		b.elapse(b.now + wire.Span(d))
	}
	return nil
}

// elapse brings the host to a later time. Packets that the probe begins before
// then are executed, each at its time; the last may end later.
func (b *Board) elapse(to wire.Instant) {
	b.pump(to)
	b.advance(to)
	b.now = max(b.now, to)
}

// advance runs the target up to an instant, stopping on the way for what the
// script has for a certain time.
func (b *Board) advance(to wire.Instant) {
	for b.at < to {
		next, fault := b.faults.nextTimed(to)
		next = max(next, b.at)
		b.run(next)
		if fault == nil {
			return
		}
		b.strike(fault)
	}
}

// run advances the target's clock, or only time while nRESET is low or the
// target has no power.
func (b *Board) run(to wire.Instant) {
	if b.pins.resetting() || b.faults.dark {
		b.stood += to - b.at
		b.at = to
		return
	}
	b.at = to
	b.runTo((to - b.stood).Count(b.hz))
}

// cycles is the time of n core cycles.
func (b *Board) cycles(n uint64) time.Duration { return wire.Cycles(n, b.hz).Duration() }

// debugCycles is the clock of the debug domain, which goes on while nRESET holds
// the core: the debug port answers and its registers can be set (DDI 0403E,
// B1.5.5: a system reset leaves the debug logic alone).
func (b *Board) debugCycles() uint64 { return b.core.Cycles() + b.stood.Count(b.hz) }
