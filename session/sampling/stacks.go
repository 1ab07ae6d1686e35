package sampling

import (
	"debug/elf"
	"fmt"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/unwind"
)

// Stacks turns snapshots into a profile: unwinder and builder in a row. A run
// and a recording go through the same one.
type Stacks struct {
	Program  *symbol.Program
	unwinder *unwind.Unwinder
	builder  *profile.Builder
	frames   []unwind.Frame
	taken    uint64
	cut      uint64
	halted   time.Duration
	last     time.Duration // of the latest sample
	remarks  []string
	flat     bool // no stacks are expected
}

func NewStacks(of *symbol.Program, o profile.Options, w Unwinding) (*Stacks, error) {
	w.NoGuess = w.NoGuess || o.Flat
	u, err := unwind.New(w.Program(of))
	if err != nil {
		return nil, err
	}
	return &Stacks{Program: of, unwinder: u, builder: profile.NewBuilder(Names(target.Arch(of), of), o), flat: o.Flat}, nil
}

// UnwindProgram gives the unwinder what it needs of the images.
func UnwindProgram(of *symbol.Program) unwind.Program {
	app := of.App()
	p := unwind.Program{
		CPUArch:  app.CPUArch(),
		ReadCode: of.ReadCode,
		Function: func(pc uint32) (unwind.Range, bool) {
			r, ok := of.Bounds(pc) // the symbol table alone: DWARF can wait
			return unwind.Range(r), ok
		},
		Outermost: of.ResetHandlers(),
	}
	if app.Machine() == elf.EM_RISCV {
		p.Arch = snapshot.RV32
		p.Outermost = append(p.Outermost, app.Entry())
	}
	p.DebugFrame, _, _ = app.Section(".debug_frame")
	p.EHFrame, p.EHFrameAt, _ = app.Section(".eh_frame")
	for _, im := range of.Images()[1:] {
		var t unwind.Tables
		t.DebugFrame, _, _ = im.Section(".debug_frame")
		t.EHFrame, t.EHFrameAt, _ = im.Section(".eh_frame")
		if r, ok := im.Exidx(); ok {
			t.Exidx = unwind.Range(r)
		}
		p.Others = append(p.Others, t)
	}
	if r, ok := app.Exidx(); ok {
		p.Exidx = unwind.Range(r)
	}
	p.FramePointers = func(pc uint32) (chain bool, producer string) {
		producer = of.Producer(pc)
		return symbol.ChainsFrames(producer), producer
	}
	for _, r := range of.CodeRanges() {
		p.Code = append(p.Code, unwind.Range{Low: r.Low, High: r.High})
	}
	return p
}

// Add unwinds one snapshot into the profile. It returns the stack memory that
// unwinding read or wanted, valid until the next call.
func (s *Stacks) Add(snap *snapshot.Snapshot) []unwind.Range {
	s.last = snap.Time
	if snap.Block != nil {
		s.builder.AddBlock(snap)
		s.taken += uint64(len(snap.Block.PCs))
		return nil
	}
	if snap.Miss != snapshot.Taken {
		s.builder.Add(snap, nil, unwind.Stop{Reason: unwind.NoSample})
		return nil
	}
	if s.flat {
		bare := *snap
		bare.Windows = nil
		snap = &bare
	}
	var stop unwind.Stop
	s.frames, stop = s.unwinder.Unwind(s.frames[:0], snap)
	s.builder.Add(snap, s.frames, stop)
	s.taken++
	s.halted += snap.Halted
	if stop.Reason != unwind.Complete && !s.flat {
		s.cut++
	}
	return s.unwinder.Touched()
}

// remark is a sentence for the user, in the summary and in the profile.
func (s *Stacks) remark(format string, args ...any) {
	s.remarks = append(s.remarks, fmt.Sprintf(format, args...))
}

// Profile ends the row.
func (s *Stacks) Profile(a profile.Acquisition, duration time.Duration) *profile.Profile {
	a.Remarks = append(a.Remarks, s.remarks...)
	a.Remarks = append(a.Remarks, s.Program.Remarks()...)
	a.Remarks = append(a.Remarks, s.unwinder.Remarks()...)
	return s.builder.Finish(a, duration)
}
