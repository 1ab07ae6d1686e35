package profile

import (
	"cmp"
	"fmt"

	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/unwind"
)

// stack interns the stack of a sample, root first.
//
// A stack that ends early must not look like one that starts at its outermost
// known function: it hangs below a root of its own, "<cut: stack memory not
// captured>", so that in a flame graph the whole tree beside that root is
// complete, and the width of the root is how much is not known. Inside a
// handler, the boundary that was not reached is known all the same from IPSR,
// so it stands between the cut and the frames. A stack that goes on with guesses
// hangs below such a root, too, and guessed functions have names of their own:
// nothing guessed is part of what is known.
func (b *Builder) stack(s *snapshot.Snapshot, frames []unwind.Frame, stop unwind.Stop) StackIndex {
	at := StackIndex(None)
	category := Thread
	if stop.Reason != unwind.Complete {
		at = b.label(at, cutLabel(stop.Reason, guessed(frames) > 0), Unknown)
	}
	if exc := activeException(s); exc != 0 && !hasBoundary(frames) {
		category = Interrupt
		at = b.label(at, exceptionLabel(b.symbolizer.Handler(exc)), Interrupt)
	}
	sleeping := s.State&snapshot.Sleeping != 0
	for i := len(frames) - 1; i >= 0; i-- {
		f := frames[i]
		if f.Kind == unwind.Exception {
			category = Interrupt
			at = b.label(at, exceptionLabel(nameOf(FrameNames(b.symbolizer, frames, i).Label, f)), Interrupt)
			continue
		}
		at = b.physical(at, frames, i, category, sleeping && i == 0)
	}
	if at == None { // complete, yet without frames: say so rather than lose the sample
		at = b.label(at, "<no frames>", Unknown)
	}
	return at
}

func cutLabel(r unwind.Reason, guessed bool) string {
	switch {
	case r == unwind.InLockup:
		return "<lockup>"
	case guessed:
		return "<guessed: " + r.String() + ">"
	}
	return "<cut: " + r.String() + ">"
}

// guessed counts frames that are guesses.
func guessed(frames []unwind.Frame) (n uint64) {
	for i := range frames {
		if frames[i].Guessed() {
			n++
		}
	}
	return n
}

// guessedSuffix marks the names of guessed functions.
const guessedSuffix = " [guessed]"

func nameOf(name string, f unwind.Frame) string {
	if f.Guessed() && name != "" {
		return name + guessedSuffix
	}
	return name
}

func exceptionLabel(name string) string { return exceptionPrefix + name + ">" }

// activeException is IPSR, bits 8:0 of xPSR (ARMv7-M ARM, B1.4.2); 0 in
// Thread mode.
func activeException(s *snapshot.Snapshot) uint16 {
	xpsr, ok := s.Regs.Value(snapshot.XPSR)
	if !ok {
		return 0
	}
	return uint16(xpsr & 0x1ff)
}

func hasBoundary(frames []unwind.Frame) bool {
	for _, f := range frames {
		if f.Kind == unwind.Exception {
			return true
		}
	}
	return false
}

// physical pushes physical frame i: the function and what is inlined there.
// asleep marks the innermost of them.
func (b *Builder) physical(at StackIndex, frames []unwind.Frame, i int, category Category, asleep bool) StackIndex {
	f := frames[i]
	addr := f.LookupPC()
	names := FrameNames(b.symbolizer, frames, i)
	locations := names.Functions
	if len(locations) == 0 {
		label := cmp.Or(names.Label, fmt.Sprintf("0x%08x", addr&^1))
		frame := Frame{Function: b.tables.function(Function{Name: nameOf(label, f), Label: true}, 0),
			Symbol: None, Addr: addr, Category: Unknown, Guessed: f.Guessed()}
		if asleep {
			frame.Category = Idle
		}
		return b.tables.stack(at, b.tables.frame(frame))
	}
	outer := locations[len(locations)-1]
	symbol := b.tables.symbol(Symbol{Name: outer.Linkage, Low: outer.Low, High: max(outer.Low, outer.High)})
	for i := len(locations) - 1; i >= 0; i-- {
		l := &locations[i]
		frame := Frame{
			Function: b.tables.function(Function{Name: nameOf(l.Name, f), Linkage: l.Linkage, File: l.File, Line: l.Line}, l.Low),
			Symbol:   symbol, Addr: addr, File: l.CallFile, Line: l.CallLine, Col: l.CallColumn,
			Depth: len(locations) - 1 - i, Category: category, Guessed: f.Guessed(),
		}
		if asleep && i == 0 {
			frame.Category = Idle
		}
		at = b.tables.stack(at, b.tables.frame(frame))
	}
	return at
}

func (b *Builder) label(at StackIndex, name string, category Category) StackIndex {
	f := b.tables.function(Function{Name: name, Label: true}, 0)
	return b.tables.stack(at, b.tables.frame(Frame{Function: f, Symbol: None, Category: category}))
}
