package sim

import (
	"fmt"
	"strings"
	"time"

	"github.com/mprof/mprof/sim/armv7m"
	"github.com/mprof/mprof/sim/truth"
)

// tracing is the shadow call stack on the core.
type tracing struct {
	truth *truth.Truth
	calls []truth.Call
}

// instrumentHooks are called by code that is compiled with
// -finstrument-functions.
var instrumentHooks = []string{"__cyg_profile_func_enter", "__cyg_profile_func_exit"}

// record keeps the calls of functions, from the next reset on.
func (c *cpu) record(functions, hooks []string) error {
	if len(functions) == 0 {
		return nil
	}
	if hooks == nil {
		hooks = instrumentHooks
	}
	unknown := c.truth.Record(functions, hooks, func(call truth.Call) { c.calls = append(c.calls, call) })
	if len(unknown) > 0 {
		return fmt.Errorf("sim: calls of %s: the program has no such function", strings.Join(unknown, ", "))
	}
	return nil
}

// Calls are the calls of the functions of Options.Calls that have ended so far, in
// that order. It must not be read while packets are under way on another
// goroutine.
func (b *Board) Calls() []truth.Call { return b.calls }

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
