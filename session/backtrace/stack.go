package backtrace

import (
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/snapshot/core"
	"github.com/mprof/mprof/unwind"
)

// Stack is the call stack of one core.
type Stack struct {
	Core   *snapshot.Snapshot // its registers, and of a sample when and in which state; not to be modified
	Thread uint32             // as whoever wrote the dump numbered it; 0: it did not
	Sample *uint64            // its number in a recording; nil: it is of a dump
	Faults []string           // what the fault registers in the dump say, if it was taken in the handler of a fault
	Frames []Frame            // innermost first
	End    End
}

// Frame is one line of it. Inlined functions have lines of their own, with the address of the function
// around them.
type Frame struct {
	unwind.Frame
	Label        string // of an exception, or of memory without functions; "" where neither is known
	Function     string // "" where no symbol is known
	Linkage      string // Function as it is linked
	Inlined      bool
	File         string
	Line, Column int // from 1; 0: not known
}

// End says why there are no more.
type End struct {
	unwind.Stop
	Text string // a sentence without a full stop
	Err  error  // what is missing: ErrNoPSP, ErrNoMEPC, ErrNoImage; nil: nothing that has a name
}

// namer makes stacks of frames.
type namer struct {
	symbols profile.Symbolizer
	kind    core.Kind
	// consulted tells which registers the last stack needed.
	consulted func(snapshot.Reg) bool
	inCode    func(pc uint32) bool // of the ELF files
}

func (n *namer) stack(c *halted, frames []unwind.Frame, stop unwind.Stop) Stack {
	s := Stack{Core: c.snap, Thread: c.thread, Sample: c.sample, Faults: faults(c.snap)}
	for i := range frames {
		s.Frames = append(s.Frames, n.lines(frames, i)...)
	}
	s.End = n.end(c.snap, frames, stop)
	return s
}

// lines are those of physical frame i, the innermost inlined function first.
func (n *namer) lines(frames []unwind.Frame, i int) (lines []Frame) {
	names := profile.FrameNames(n.symbols, frames, i)
	if len(names.Functions) == 0 {
		return []Frame{{Frame: frames[i], Label: names.Label}}
	}
	for _, l := range names.Functions {
		lines = append(lines, Frame{Frame: frames[i], Function: l.Name, Linkage: l.Linkage, Inlined: l.Inlined, File: l.CallFile, Line: l.CallLine, Column: l.CallColumn})
	}
	return lines
}
