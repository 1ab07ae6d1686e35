package truth_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/sim/armv7m"
	"github.com/mprof/mprof/sim/truth"
)

var (
	_ armv7m.Tracer = (*truth.Truth)(nil)
	_ truth.Clock   = (*armv7m.Core)(nil)
)

// clock is set by hand.
type clock struct{ cycles, halted, asleep uint64 }

func (c *clock) Cycles() uint64       { return c.cycles }
func (c *clock) HaltedCycles() uint64 { return c.halted }
func (c *clock) SleepCycles() uint64  { return c.asleep }

// Addresses of the functions of the synthetic program; each has 0x100 bytes.
const (
	reset = 0x100 * (iota + 1)
	mainF
	a
	b
	c
	tick
	pend
	other
	urgent
)

var functions = []truth.Function{
	{"reset", reset, reset + 0x100}, {"main", mainF, mainF + 0x100}, {"a", a, a + 0x100}, {"b", b, b + 0x100},
	{"c", c, c + 0x100}, {"tick", tick, tick + 0x100}, {"pend", pend, pend + 0x100}, {"other", other, other + 0x100},
	{"urgent", urgent, urgent + 0x100},
}

// rig is a Truth whose clock stands 1, 10, 100, ... cycles further at each
// event, so that every sum says what it is made of.
type rig struct {
	t *testing.T
	clock
	*truth.Truth
	step uint64
}

func newRig(t *testing.T) *rig {
	r := &rig{t: t, Truth: truth.New(functions), step: 1}
	r.Attach(&r.clock)
	r.Reset(reset, 0x1000)
	return r
}

func (r *rig) spend() *rig {
	r.cycles += r.step
	r.step *= 10
	return r
}

// stack compares the names on the stack, leaf first.
func (r *rig) stack(pc uint32, want string) {
	r.t.Helper()
	var got []string
	for _, f := range r.Stack(pc) {
		got = append(got, f.Function)
	}
	if s := strings.Join(got, " "); s != want {
		r.t.Errorf("stack %q, want %q", s, want)
	}
}

func (r *rig) stackOn(pc, psp, resume uint32, want string) {
	r.t.Helper()
	var names []string
	for _, f := range r.AppendStackOn(nil, pc, psp, resume) {
		names = append(names, f.Function)
	}
	if got := strings.Join(names, " "); got != want {
		r.t.Errorf("stack %q, want %q", got, want)
	}
}

func (r *rig) self(want map[string]uint64) {
	r.t.Helper()
	if diff := cmp.Diff(want, r.Self()); diff != "" {
		r.t.Errorf("self (-want +got):\n%s", diff)
	}
	if sum := r.RunningCycles(); sum != r.cycles-r.halted {
		r.t.Errorf("%d cycles accounted for, %d ran", sum, r.cycles-r.halted)
	}
}

func (r *rig) total(want map[string]uint64) {
	r.t.Helper()
	if diff := cmp.Diff(want, r.Total()); diff != "" {
		r.t.Errorf("total (-want +got):\n%s", diff)
	}
}

func TestCallAndReturn(t *testing.T) {
	r := newRig(t)
	r.spend().Call(reset+2, mainF, reset+6, 0x1000) // 1 in reset
	r.spend().Call(mainF+4, a, mainF+8, 0xff0)      // 10 in main
	r.stack(a+2, "a main reset")
	want := []truth.Frame{{"a", a + 2, 0, 0xff0}, {"main", mainF + 8, 0, 0x1000}, {"reset", reset + 6, 0, 0x1000}}
	if diff := cmp.Diff(want, r.Stack(a+2)); diff != "" {
		t.Errorf("stack (-want +got):\n%s", diff)
	}
	r.spend().Jump(a+0x10, mainF+8, 0xff0)        // 100 in a
	r.spend().Jump(mainF+0x20, mainF+0x40, 0xff0) // 1000 in main: a switch table, nothing
	r.spend()                                     // 10000 in main
	r.self(map[string]uint64{"reset": 1, "main": 11010, "a": 100})
	r.total(map[string]uint64{"reset": 11111, "main": 11110, "a": 100})
}

// A return address alone does not make a return: recursion has the same one
// many times.
func TestRecursion(t *testing.T) {
	r := newRig(t)
	r.Call(reset, a, reset+4, 0x1000)
	for sp := uint32(0xff0); sp > 0xfc0; sp -= 0x10 {
		r.spend().Call(a+0x10, a, a+0x14, sp) // 1, 10, 100
	}
	r.stack(a, "a a a a reset")
	r.spend().Jump(a+0x20, a+0x14, 0xfd0) // 1000 in the innermost
	r.stack(a+0x14, "a a a reset")
	r.Jump(a+0x30, a+0x14, 0xff0) // two at once
	r.stack(a+0x14, "a reset")
	r.self(map[string]uint64{"a": 1111})
	r.total(map[string]uint64{"a": 1111, "reset": 1111})
	paths := r.Paths()
	if len(paths) != 4 || len(paths[0].Frames) != 5 || paths[0].Cycles != 1000 {
		t.Errorf("paths %v", paths)
	}
}

func TestTailCall(t *testing.T) {
	r := newRig(t)
	if !r.Leaves(a+0x20, b) || r.Leaves(a+0x20, a+0x40) || r.Leaves(a+0x20, a) {
		t.Error("Leaves: the bounds of a function")
	}
	r.Call(reset, a, reset+4, 0x1000)
	r.spend().Jump(a+0x20, b, 0x1000) // b
	r.stack(b, "b reset")
	r.spend().Jump(b+0x20, c+0x10, 0x1000) // c, in its midst: a part of b that the compiler split off
	r.spend().Jump(c+0x20, b+0x30, 0x1000)
	r.stack(b+0x30, "b reset")
	r.spend().Jump(b+0x40, reset+4, 0x1000)
	r.stack(reset+4, "reset")
	r.self(map[string]uint64{"a": 1, "b": 1010, "c": 100})
	r.Jump(reset+8, other, 0x1000) // the outermost function, too
	r.stack(other, "other")
}

// longjmp arrives behind a call of setjmp, in a caller, at the stack pointer of
// that caller.
func TestLongjmp(t *testing.T) {
	r := newRig(t)
	r.Call(reset, mainF, reset+4, 0x1000)
	r.Call(mainF+0x10, a, mainF+0x14, 0xff0)
	r.Call(a+0x10, b, a+0x14, 0xfe0)
	r.Call(b+0x10, c, b+0x14, 0xfd0)
	r.Jump(c+0x10, mainF+0x84, 0xff0)
	r.stack(mainF+0x84, "main reset")
	// Out of a function that never returns, by calls at a higher stack pointer.
	r.Call(mainF+0x10, a, mainF+0x14, 0xff0)
	r.Call(a+0x10, b, a+0x14, 0xfe0)
	r.Call(mainF+0x30, c, mainF+0x34, 0xff0)
	r.stack(c, "c a main reset") // b is gone, a may have used no stack
	r.Jump(c+2, mainF+0x34, 0xff0)
	r.Jump(mainF+0x50, reset+4, 0x1000)
	r.stack(reset+4, "reset")
}

// A handler of an exception of C++ begins in the midst of a function that calls
// itself: the stack pointer says in which of its frames.
func TestHandlerInRecursion(t *testing.T) {
	thrown := func() *rig {
		r := newRig(t)
		r.Call(reset, a, reset+4, 0x1000)
		for _, sp := range []uint32{0xff0, 0xfe0, 0xfd0} { // a has 16 bytes of frame
			r.Call(a+0x10, a, a+0x14, sp)
		}
		r.Call(a+0x20, b, a+0x24, 0xfc0)
		r.Call(b+0x10, c, b+0x14, 0xfb0) // which unwinds
		return r
	}
	for sp, want := range map[uint32]string{0xfc0: "a a a a reset", 0xfd0: "a a a reset", 0xfe0: "a a reset", 0xff0: "a reset"} {
		r := thrown()
		r.Jump(c+0x20, a+0x80, sp)
		r.stack(a+0x80, want)
	}
}

// A helper that returns to elsewhere than behind its call, as switch helpers on
// ARMv6-M do; and BL used as a jump within a function.
func TestSwitchHelperAndFarJump(t *testing.T) {
	r := newRig(t)
	r.Call(reset, mainF, reset+4, 0x1000)
	r.Call(mainF+0x10, a, mainF+0x14, 0xff0)
	r.Jump(a+0x10, mainF+0x40, 0xff0)
	r.stack(mainF+0x40, "main reset")
	r.Call(mainF+0x40, mainF+0x80, mainF+0x44, 0xff0)
	r.stack(mainF+0x80, "main reset")
}

// Onto another stack and back by a return: start-up code that moves main.
func TestStackMoves(t *testing.T) {
	r := newRig(t)
	r.Call(reset, mainF, reset+4, 0x1000)
	r.Call(mainF+0x10, a, mainF+0x14, 0xff0)
	r.Jump(a+0x10, mainF+0x14, 0x8f0)
	r.stack(mainF+0x14, "main reset")
	r.Call(mainF+0x20, b, mainF+0x24, 0x8e0)
	r.Jump(b+0x20, mainF+0x24, 0x8e0)
	r.stack(mainF+0x24, "main reset")
}

func TestExceptions(t *testing.T) {
	r := newRig(t)
	r.Call(reset, mainF, reset+4, 0x1000)
	r.spend().Enter(15, mainF+0x30, 0xfc0, 0xfffffff9, tick) // 1 in main
	r.spend().Call(tick+8, a, tick+0xc, 0xfb0)               // 10 in tick
	r.spend().Enter(16, a+0x20, 0xf80, 0xfffffff1, urgent)   // 100 in a: nested
	r.stack(urgent+2, "urgent <exception 16> a tick <exception 15> main reset")
	want := []truth.Frame{{"urgent", urgent + 2, 0, 0xf80}, {"<exception 16>", 0, 16, 0}, {"a", a + 0x20, 0, 0xfb0}, {"tick", tick + 0xc, 0, 0xfc0},
		{"<exception 15>", 0, 15, 0}, {"main", mainF + 0x30, 0, 0x1000}, {"reset", reset + 4, 0, 0x1000}}
	if diff := cmp.Diff(want, r.Stack(urgent+2)); diff != "" {
		t.Errorf("stack (-want +got):\n%s", diff)
	}
	r.spend().Leave(16, 0xf80, 0xfffffff1, a+0x20) // 1000 in urgent
	r.stack(a+0x20, "a tick <exception 15> main reset")
	r.spend().Jump(a+0x30, tick+0xc, 0xfb0)            // 10000 in a
	r.spend().Leave(15, 0xfc0, 0xfffffff9, mainF+0x30) // 100000 in tick
	r.stack(mainF+0x30, "main reset")
	r.self(map[string]uint64{"main": 1, "tick": 100010, "a": 10100, "urgent": 1000})
	r.total(map[string]uint64{"reset": 111111, "main": 111111, "<exception 15>": 111110, "tick": 111110, "a": 11100,
		"<exception 16>": 1000, "urgent": 1000})
}

func TestTailChaining(t *testing.T) {
	r := newRig(t)
	r.Call(reset, mainF, reset+4, 0x1000)
	r.Enter(15, mainF+0x30, 0xfc0, 0xfffffff9, tick)
	r.spend().Leave(15, 0xfc0, 0xfffffff9, 0) // 1 in tick
	r.Enter(14, mainF+0x30, 0xfc0, 0xfffffff9, pend)
	r.stack(pend, "pend <exception 14> main reset")
	r.spend().Leave(14, 0xfc0, 0xfffffff9, mainF+0x30) // 10 in pend
	r.spend()                                          // 100 in main
	r.self(map[string]uint64{"main": 100, "tick": 1, "pend": 10})
}

// PendSV leaves by another frame than it entered with: first by one that the
// kernel made up, which starts a thread, then by one that an exception stacked.
func TestContextSwitch(t *testing.T) {
	const frameMain, frameOther = 0xfc0, 0x7c0
	r := newRig(t)
	r.Call(reset, mainF, reset+4, 0x1000)
	r.Call(mainF+0x10, a, mainF+0x14, 0xff0)
	r.spend().Enter(14, a+0x20, frameMain, 0xfffffffd, pend)  // 1 in a
	r.spend().Leave(14, frameOther+0x20, 0xfffffffd, other)   // 10 in pend on main's stack
	r.stack(other, "other")                                   // a new thread
	r.spend().Call(other+4, b, other+8, 0x7f8)                // 100 in other
	r.spend().Enter(15, b+0x10, frameOther, 0xfffffffd, tick) // 1000 in b
	r.spend().Leave(15, frameOther, 0xfffffffd, 0)            // 10000 in tick
	r.Enter(14, b+0x10, frameOther, 0xfffffffd, pend)         // tail-chained
	r.stack(pend, "pend <exception 14> b other")              //
	r.spend().Leave(14, frameMain, 0xfffffffd, a+0x20)        // 100000 in pend
	r.stack(a+0x20, "a main reset")                           // back where it was
	r.spend().Enter(14, a+0x22, frameMain, 0xfffffffd, pend)  // 1000000 in a
	r.Leave(14, frameMain, 0xfffffffd, 0)                     // the kernel chose other, but tick came
	r.Enter(15, b+0x10, frameOther, 0xfffffffd, tick)         //
	r.stack(tick, "tick <exception 15> b other")              //
	r.Leave(15, frameOther, 0xfffffffd, b+0x10)               //
	r.stack(b+0x10, "b other")                                //
	r.self(map[string]uint64{"a": 1000001, "pend": 100010, "other": 100, "b": 1000, "tick": 10000})
	r.total(map[string]uint64{"reset": 1000011, "main": 1000011, "a": 1000011, "<exception 14>": 100010, "pend": 100010,
		"other": 111100, "b": 111000, "<exception 15>": 10000, "tick": 10000})
}

// A handler that has written PSP stands on the thread that it will return to.
func TestStackOfSwitch(t *testing.T) {
	const frameMain, frameOther = 0x8c0, 0x7c0
	r := newRig(t)
	r.Call(reset, mainF, reset+4, 0x1000)
	r.Enter(14, mainF+0x20, frameMain, 0xfffffffd, pend)
	r.Call(pend+2, b, pend+6, 0xff8)
	r.stackOn(b, frameMain, 0, "b pend <exception 14> main reset")
	r.stackOn(b, frameOther, other, "b pend <exception 14> other") // a new thread
	r.Enter(15, b+4, 0xfe0, 0xfffffff1, tick)                      // nested
	r.stackOn(tick, frameOther, other, "tick <exception 15> b pend <exception 14> other")
	r.Leave(15, 0xfe0, 0xfffffff1, b+4)
	r.Jump(b+8, pend+6, 0xff8)
	r.Leave(14, frameOther, 0xfffffffd, other)
	r.Call(other+4, a, other+8, 0x7e0)
	r.Enter(14, a, frameOther, 0xfffffffd, pend)
	r.stackOn(pend, frameMain, mainF+0x20, "pend <exception 14> main reset") // back
	r.stackOn(pend, frameOther, a, "pend <exception 14> a other")
}

// A handler may change the return address in the frame.
func TestChangedReturnAddress(t *testing.T) {
	r := newRig(t)
	r.Call(reset, mainF, reset+4, 0x1000)
	r.Enter(11, mainF+0x20, 0xfc0, 0xfffffff9, pend)
	r.Leave(11, 0xfc0, 0xfffffff9, b)
	r.stack(b, "b reset")
}

func TestTimeAsleepAndHalted(t *testing.T) {
	r := newRig(t)
	r.Call(reset, mainF, reset+4, 0x1000)
	r.cycles, r.asleep, r.halted = 1000, 300, 50
	r.Enter(15, mainF+2, 0xfc0, 0xfffffff9, tick)
	r.cycles, r.halted = 1100, 75
	r.self(map[string]uint64{"main": 950, "tick": 75})
	if diff := cmp.Diff(map[string]uint64{"main": 300}, r.Asleep()); diff != "" {
		t.Errorf("asleep (-want +got):\n%s", diff)
	}
	if r.AsleepCycles() != 300 || r.Truth.HaltedCycles() != 75 {
		t.Errorf("asleep %d, halted %d", r.AsleepCycles(), r.Truth.HaltedCycles())
	}
}

func TestReset(t *testing.T) {
	r := newRig(t)
	r.Call(reset, mainF, reset+4, 0x1000)
	r.Enter(15, mainF+2, 0xfc0, 0xfffffff9, tick)
	r.spend().Reset(reset, 0x1000)
	r.stack(reset, "reset")
	r.spend().Enter(15, reset+2, 0xfc0, 0xfffffff9, tick)
	r.stack(tick, "tick <exception 15> reset")
	r.self(map[string]uint64{"tick": 1, "reset": 10})
}

// Without Reset the first event says where the program is.
func TestFirstEvent(t *testing.T) {
	for _, event := range []func(*truth.Truth){
		func(r *truth.Truth) { r.Call(mainF+2, a, mainF+6, 0x1000) },
		func(r *truth.Truth) { r.Jump(mainF+2, mainF+8, 0x1000) },
		func(r *truth.Truth) { r.Enter(15, mainF+2, 0xfc0, 0xfffffff9, tick) },
	} {
		k := &clock{cycles: 5}
		r := truth.New(functions)
		r.Attach(k)
		k.cycles = 12
		event(r)
		if diff := cmp.Diff(map[string]uint64{"main": 7}, r.Self()); diff != "" {
			t.Errorf("self (-want +got):\n%s", diff)
		}
	}
}

// What no function covers, and functions over each other: the one that starts
// last has the address; of two at one address the first in the list.
func TestBounds(t *testing.T) {
	r := truth.New([]truth.Function{
		{"tail", 0x8000300, 0}, {"inner", 0x8000110, 0x8000120}, {"outer", 0x8000100, 0x8000140}, {"alias", 0x8000100, 0x8000180},
		{"unsized", 0x8000200, 0}, {"ram", 0x20000000, 0x20000010},
	})
	for addr, want := range map[uint32]string{
		0x80000fe: truth.Unknown, 0x8000100: "outer", 0x8000110: "inner", 0x8000120: "outer", 0x800013e: "outer",
		0x8000140: truth.Unknown, 0x8000200: "unsized", 0x80002fe: "unsized", 0x8000300: "tail", 0x8000310: "tail",
		0x20000000: "ram", 0x2000000e: "ram", 0x20000010: truth.Unknown, 0: truth.Unknown, 0xfffffffe: truth.Unknown,
	} {
		r.Reset(addr, 0x1000)
		if got := r.Stack(addr)[0].Function; got != want {
			t.Errorf("0x%08x is in %s, want %s", addr, got, want)
		}
	}
	if s := truth.New(nil); s.Leaves(0, 0x100) {
		t.Error("without functions nothing leaves one")
	}
}

// Exceptions and thread switches must not cost memory once every path has been
// met, nor must threads that never run again.
func TestNoGrowth(t *testing.T) {
	r := newRig(t)
	r.Call(reset, mainF, reset+4, 0x1000)
	dead := uint32(0)
	round := func() {
		r.Call(mainF+0x10, a, mainF+0x14, 0xff0)
		r.Enter(15, a+0x20, 0xfc0, 0xfffffff9, tick)
		r.Call(tick+8, b, tick+0xc, 0xf80)
		r.Jump(b+8, tick+0xc, 0xf80)
		r.Leave(15, 0xfc0, 0xfffffff9, 0)
		r.Enter(14, a+0x20, 0xfc0, 0xfffffff9, pend)
		r.Leave(14, 0x720, 0xfffffffd, other) // a thread
		r.Call(other+8, b, other+0xc, 0x740)
		dead = 0x700 - dead%4*8 // which never comes back from here
		r.Enter(14, b+8, dead, 0xfffffffd, pend)
		r.Leave(14, 0xfc0, 0xfffffff9, a+0x20)
		r.Jump(a+0x30, mainF+0x14, 0xff0)
	}
	round()
	if n := testing.AllocsPerRun(1000, round); n > 0 {
		t.Errorf("%v allocations in a round that was made before", n)
	}
	r.stack(mainF+0x14, "main reset")
}

// A program that calls without end at one stack pointer is not followed without
// end.
func TestEndlessCalls(t *testing.T) {
	r := newRig(t)
	for range 100_000 {
		r.Call(reset, a, reset+4, 0x1000)
		r.Call(a, reset, a+4, 0x1000)
	}
	if n := len(r.Stack(a)); n > 5000 {
		t.Errorf("%d frames", n)
	}
	r.spend()
	if got := r.Self(); len(got) != 1 {
		t.Errorf("self %v", got)
	}
}

// Arcs say where calls return to: a tail call to the caller of who makes it, a handler to
// EXC_RETURN. A branch into the midst of a function is no call of it.
func TestArcs(t *testing.T) {
	r := newRig(t)
	r.Call(reset, b, reset+4, 0x1000)
	r.Jump(b+2, reset+4, 0x1000)
	r.CountArcs()
	for range 3 {
		r.Call(reset, a, reset+4, 0x1000)
		r.Call(a+4, a, a+8, 0xff0)
		r.Jump(a+10, b, 0xff0)
		r.Call(b+4, b+6, b+8, 0xfe0)
		r.Enter(15, b+6, 0xfd0, 0xfffffff9, tick)
		r.Jump(tick+2, c, 0xfd0)
		r.Leave(15, 0xfd0, 0xfffffff9, b+6)
		r.Jump(b+8, a+8, 0xff0)
		r.Jump(a+10, reset+4, 0x1000)
	}
	want := []truth.Arc{{reset + 4, "a", 3}, {a + 8, "a", 3}, {a + 8, "b", 3}, {0xfffffff9, "c", 3}, {0xfffffff9, "tick", 3}}
	if diff := cmp.Diff(want, r.Arcs()); diff != "" {
		t.Errorf("arcs (-want +got):\n%s", diff)
	}
}
