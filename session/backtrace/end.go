package backtrace

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/snapshot/core"
	"github.com/mprof/mprof/unwind"
)

// ErrNoPSP is a stack that goes on where the process stack pointer leads, which
// nobody wrote down.
var ErrNoPSP = errors.New("PSP is not known")

// ErrNoMEPC is the same for a trap of RISC-V.
var ErrNoMEPC = errors.New("mepc is not known")

// ErrNoImage is code that is in none of the ELF files.
var ErrNoImage = errors.New("no code there")

// endTexts are sentences for the reasons with an address; the others are said
// as the unwinder names them.
var endTexts = map[unwind.Reason]string{
	unwind.Complete:    "complete",
	unwind.NoRule:      "cut: no way is known to unwind from 0x%08x",
	unwind.NotCaptured: "cut: stack memory at 0x%08x is not in the file",
	unwind.NoRegister:  "cut: a register that the frame at 0x%08x needs is not in the file",
	unwind.NoProgress:  "cut: the stack does not grow at 0x%08x",
	unwind.BadRA:       "cut: the return address 0x%08x does not lead behind a call in code",
	unwind.CantUnwind:  "cut: the code at 0x%08x is marked as not to be unwound",
	unwind.NoChain:     "cut: the frame pointers of the code at 0x%08x make no chain",
	unwind.InLockup:    "cut: the core is locked up (PC 0x%08x)",
	unwind.Shortened:   "cut: stack memory at 0x%08x was left out to keep the halt short",
}

// end says why the stack ends.
func (n *namer) end(s *snapshot.Snapshot, frames []unwind.Frame, stop unwind.Stop) End {
	e := End{Stop: stop}
	text, ok := endTexts[stop.Reason]
	switch {
	case s.Miss != snapshot.Taken:
		e.Text = fmt.Sprintf("no stack: the sample was not taken (%v)", s.Miss)
	case stop.Reason == unwind.NoRule && !n.inCode(stop.Addr):
		e.Text = fmt.Sprintf("cut: the ELF file has no code at 0x%08x", stop.Addr)
		e.Err = ErrNoImage
	case stop.Reason == unwind.NoRegister && lacksPSP(s, frames):
		e.Text = fmt.Sprintf("cut: the exception return 0x%08x leads to the process stack, but PSP is not in the file", stop.Addr)
		if n.kind == core.ELF {
			e.Text = fmt.Sprintf("cut: the exception return 0x%08x leads to the process stack, but an ELF core file does not have PSP", stop.Addr)
		}
		e.Err = ErrNoPSP
	case stop.Reason == unwind.NoRegister && n.lacksMEPC(s):
		e.Text = fmt.Sprintf("cut: the frame at 0x%08x handles a trap, but mepc, which tells what it interrupted, is not in the file", stop.Addr)
		e.Err = ErrNoMEPC
	case stop.Reason == unwind.Complete || !ok:
		e.Text = cmp.Or(text, "cut: "+stop.Reason.String())
	default:
		e.Text = fmt.Sprintf(text, stop.Addr)
	}
	if slices.ContainsFunc(frames, unwind.Frame.Guessed) {
		e.Text += "; the frames from there on are guessed"
	}
	if exc := exceptionOf(s); exc != 0 && stop.Reason != unwind.Complete && !crossed(frames) {
		e.Text += fmt.Sprintf(", inside of <exception: %s>", n.symbols.Handler(exc))
	}
	return e
}

// lacksPSP tells whether the stack was to go on behind an exception boundary.
func lacksPSP(s *snapshot.Snapshot, frames []unwind.Frame) bool {
	_, have := s.Regs.Value(snapshot.PSP)
	return !have && len(frames) > 0 && frames[len(frames)-1].Kind == unwind.Exception
}

// lacksMEPC tells whether the stack was to go on where mepc leads.
func (n *namer) lacksMEPC(s *snapshot.Snapshot) bool {
	_, have := s.Regs.Value(snapshot.MEPC)
	return !have && n.consulted != nil && n.consulted(snapshot.MEPC)
}

// exceptionOf is IPSR, bits 8:0 of xPSR (ARMv7-M ARM, B1.4.2).
func exceptionOf(s *snapshot.Snapshot) uint16 {
	xpsr, _ := s.Regs.Value(snapshot.XPSR)
	return uint16(xpsr & 0x1ff)
}

func crossed(frames []unwind.Frame) bool {
	for _, f := range frames {
		if f.Kind == unwind.Exception {
			return true
		}
	}
	return false
}
