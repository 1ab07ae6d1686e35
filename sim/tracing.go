package sim

import (
	"time"

	"github.com/mprof/mprof/sim/armv7m"
	"github.com/mprof/mprof/sim/truth"
)

// tracing is the shadow call stack on the core.
type tracing struct{ truth *truth.Truth }

// trace makes the shadow stack and hooks it into the core to be.
func (c *cpu) trace(cfg *armv7m.Config, img *image) {
	c.truth = truth.New(functions(img))
	cfg.Tracer = c.truth
	cfg.Leaves = c.truth.Leaves
}

// attachTruth starts the account at reset, and again at every reset.
func (c *cpu) attachTruth() {
	c.truth.Attach(c.core)
	restart := func() {
		pc, _ := c.core.ReadReg(regPC)
		sp, _ := c.core.ReadReg(regSP)
		c.truth.Reset(pc, sp)
	}
	restart()
	c.core.OnReset(restart)
}

// Truth is what the program really did: cycles per function and per call path.
// It must not be read while packets are under way on another goroutine.
func (b *Board) Truth() *truth.Truth { return b.truth }

// OnHalt has f called at every halt that the debug port asked for, at the very
// moment: Core and Truth then show what a sample should find. at is the time on
// the board's clock. f must not call methods of the board that touch its clock
// or its packets.
func (b *Board) OnHalt(f func(at time.Duration)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unit.OnHalt(func() { f(b.at.Duration()) })
}
