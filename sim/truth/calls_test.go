package truth_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/sim/armv7m"
	"github.com/mprof/mprof/sim/truth"
)

var _ truth.Counter = (*armv7m.Core)(nil)

// counter is a clock with instructions: half as many as cycles.
type counter struct {
	clock
	entries uint64
}

func (c *counter) Instructions() uint64 { return (c.cycles - c.entries) / 2 }
func (c *counter) EntryCycles() uint64  { return c.entries }

// callRig records a, b and other; c is the hook.
type callRig struct {
	*testing.T
	counter
	*truth.Truth
	calls []truth.Call
}

func newCallRig(t *testing.T) *callRig {
	r := &callRig{T: t, Truth: truth.New(functions)}
	unknown := r.Record([]string{"a", "b", "other", "absent"}, []string{"c"}, func(c truth.Call) { r.calls = append(r.calls, c) })
	if len(unknown) != 1 || unknown[0] != "absent" {
		t.Errorf("unknown: %q", unknown)
	}
	r.Attach(&r.counter)
	r.Reset(reset, 0x1000)
	return r
}

func (r *callRig) spend(cycles uint64) *callRig {
	r.cycles += cycles
	return r
}

// entry is the cycles of an exception entry.
func (r *callRig) entry() *callRig {
	r.cycles += 12
	r.entries += 12
	return r
}

func (r *callRig) want(want ...truth.Call) {
	r.Helper()
	if diff := cmp.Diff(want, r.calls); diff != "" {
		r.Errorf("calls (-want +got):\n%s", diff)
	}
}

// cost is cycles with half as many instructions.
func cost(cycles uint64) truth.Cost { return truth.Cost{Cycles: cycles, Instructions: cycles / 2} }

// A hook and what it calls are taken apart, and so is an exception.
func TestRecordHooksAndExceptions(t *testing.T) {
	r := newCallRig(t)
	r.spend(100).Call(reset, a, reset+4, 0x1000) // a begins at 100
	r.spend(10).Call(a+2, c, a+6, 0xff0)
	r.spend(20).Call(c+2, b, c+6, 0xfe0) // b begins at 130, in the hook
	r.spend(40).Jump(b+8, c+6, 0xfe0)
	r.spend(20).Jump(c+8, a+6, 0xff0)
	r.spend(6).entry().Enter(15, a+8, 0xfd0, 0xfffffff9, tick)
	r.spend(200).Leave(15, 0xfd0, 0xfffffff9, a+8)
	r.spend(4).Jump(a+0x10, reset+4, 0x1000)
	whole := truth.Cost{Cycles: 312, Instructions: 150}
	r.want(
		truth.Call{Function: "b", Thread: 1, Depth: 1, Enter: 130, Exit: 170, Whole: cost(40), Hooks: cost(40)},
		truth.Call{Function: "a", Thread: 1, Enter: 100, Exit: 412, Whole: whole, Hooks: cost(80), Away: truth.Cost{Cycles: 212, Instructions: 100}, HookCalls: 1},
	)
	if net := r.calls[1].Net(); net != cost(20) {
		t.Errorf("net %v", net)
	}
}

// A tail call ends one call and begins the next; a tail call to the hook is a
// call of it; a long jump leaves what it jumps over.
func TestRecordJumps(t *testing.T) {
	r := newCallRig(t)
	r.Call(reset, a, reset+4, 0x1000)
	r.spend(10).Jump(a+8, b, 0x1000)
	r.spend(20).Jump(b+8, c, 0x1000)
	r.spend(30).Jump(c+8, reset+4, 0x1000)
	r.want(
		truth.Call{Function: "a", Thread: 1, Enter: 0, Exit: 10, Whole: cost(10)},
		truth.Call{Function: "b", Thread: 1, Enter: 10, Exit: 30, Whole: cost(20)},
	)
	r.calls = nil
	r.Call(reset, a, reset+4, 0x1000)            // 60
	r.spend(2).Call(a+2, b, a+6, 0xff0)          // 62
	r.spend(4).Call(b+2, other, b+6, 0xfe0)      // 66
	r.spend(8).Jump(other+8, reset+0x20, 0x1000) // from other into reset
	r.want(
		truth.Call{Function: "other", Thread: 1, Depth: 2, Enter: 66, Exit: 74, Whole: cost(8), Left: true},
		truth.Call{Function: "b", Thread: 1, Depth: 1, Enter: 62, Exit: 74, Whole: cost(12), Left: true},
		truth.Call{Function: "a", Thread: 1, Enter: 60, Exit: 74, Whole: cost(14), Left: true},
	)
}

// While another thread runs, a call of the first is away; a handler's calls are
// its own.
func TestRecordThreads(t *testing.T) {
	const psp = 0xfffffffd
	r := newCallRig(t)
	r.Call(reset, a, reset+4, 0x1000)
	r.spend(10).entry().Enter(14, a+2, 0xfd0, psp, pend) // 22
	r.spend(6).Call(pend, b, pend+4, 0x800)              // 28
	r.spend(2).Jump(b+2, pend+4, 0x800)
	r.spend(4).Leave(14, 0x2000, psp, mainF) // 34: to a thread that starts
	r.spend(16).Call(mainF, other, mainF+4, 0x2020)
	r.spend(100).Jump(other+2, mainF+4, 0x2020) // 150
	r.entry().Enter(14, mainF+4, 0x2000, psp, pend)
	r.spend(8).Leave(14, 0xfd0, psp, a+2) // 170
	r.spend(30).Jump(a+8, reset+4, 0x1000)
	r.want(
		truth.Call{Function: "b", Exception: 14, Enter: 28, Exit: 30, Whole: cost(2)},
		truth.Call{Function: "other", Thread: 1, Enter: 50, Exit: 150, Whole: cost(100)},
		truth.Call{Function: "a", Thread: 2, Enter: 0, Exit: 200, Whole: truth.Cost{Cycles: 200, Instructions: 88}, Away: truth.Cost{Cycles: 160, Instructions: 68}},
	)
}
