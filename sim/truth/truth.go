// Package truth keeps a shadow call stack of a simulated core. In: every call,
// jump, exception entry and exception return, and the bounds of functions. Out:
// exact cycles per function and per call path, and the call stack at this
// moment.
//
// A cycle belongs to the function whose instruction took it: a call's cycles to
// the caller, those of a return to the function that returns, those of exception
// entry to what was interrupted, those of exception return to the handler. (A
// debugger that halts the core during an instruction finds the PC of the next
// one, and so sees the last instruction before a call as time of the callee.)
//
// The stack follows the processor's, with these rules. A tail call replaces the
// function that makes it. A jump to a pending return address with the stack
// pointer of that call is a return, also across several frames, and so is one
// into a pending caller from frames that lie below the stack pointer (longjmp).
// An exception puts a boundary and the handler on top of what it interrupted.
// An exception return into a frame that no exception stacked starts a thread. A
// program that changes stacks without an exception is not followed across the
// change.
package truth

// Function is a function of the program: the code in [Low, High), without Thumb
// bit. High 0 is "up to the next function". Where functions overlap, an address
// belongs to the one that starts last; where several start at one address, to
// the first of them in the list.
type Function struct {
	Name      string
	Low, High uint32
}

// Clock is the time of the core, in cycles since power-on: all of them, those
// in Debug state, and those asleep outside Debug state.
type Clock interface {
	Cycles() uint64
	HaltedCycles() uint64
	SleepCycles() uint64
}

// Unknown is the name of code that no function covers.
const Unknown = "<unknown>"

// Truth is the shadow call stack and what was counted on it. It is an
// armv7m.Tracer. It is not safe for concurrent use, nor while the core runs.
type Truth struct {
	functions index
	names     []string // by number; those above the functions are exception boundaries

	clock Clock
	spent spent // what is accounted for
	root  *node // above all threads

	current  *context            // nil before the first event, and while tail-chaining
	stacked  map[uint32]*context // interrupted, by the address of the exception frame
	spare    []*context
	recorder *Recorder      // nil: none
	arcs     map[arc]uint64 // nil: not counted
	boundary [512]int32     // number of the boundary of an exception, 0: not met yet
}

// spent is time that has been charged to nodes.
type spent struct{ running, asleep uint64 }

// New returns a Truth for a program with these functions.
func New(functions []Function) *Truth {
	t := &Truth{root: &node{}, stacked: map[uint32]*context{}}
	t.functions, t.names = newIndex(functions)
	return t
}

// Attach sets the clock, once the core exists. What it shows by now is charged
// to nothing.
func (t *Truth) Attach(c Clock) {
	t.clock = c
	t.spent = t.elapsed()
}

func (t *Truth) elapsed() spent {
	if t.clock == nil {
		return spent{}
	}
	return spent{t.clock.Cycles() - t.clock.HaltedCycles(), t.clock.SleepCycles()}
}

// charge accounts for the time since the last event, at the function that
// runs; at Unknown where none does (locked up before an exception was entered).
func (t *Truth) charge() {
	now := t.elapsed()
	if now == t.spent {
		return
	}
	n := t.root
	if t.current != nil {
		n = t.current.leaf().node
	} else {
		n = n.child(0)
	}
	if t.recorder != nil {
		t.recorder.charge(t.current, now.running-t.spent.running)
	}
	n.running += now.running - t.spent.running
	n.asleep += now.asleep - t.spent.asleep
	t.spent = now
}

// Leaves says whether going from one address to another leaves the function
// (armv7m.Config.Leaves).
func (t *Truth) Leaves(from, to uint32) bool {
	return t.functions.at(from) != t.functions.at(to)
}
