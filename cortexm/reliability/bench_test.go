package reliability

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/unwind"
)

var ctx = context.Background()

// bench is a board that is sampled, and what its truth says of the core at the
// latest halt.
type bench struct {
	board   *sim.Board
	wire    *mortal
	probe   *probe.Probe
	core    *cortexm.Core
	sampler *cortexm.Sampler
	pcs     *cortexm.PCSampler // instead
	unwind  *unwind.Unwinder

	away   bool // the probe was opened again since the last look
	stood  bool // and the core stood halted before
	halts  int
	pc, sp uint32
	wrong  string // the first sample that was not the truth
	moves  bool   // the fault can change registers in Debug state
}

const (
	rate   = 1000      // Hz
	coreHz = 4_000_000 // a slow core is simulated sooner
)

const (
	initialSP = 0x20010000 // of the program, after a reset
	nowhere   = 0xdffffe00 // where the board's Lockup fault sends the program
	noPC      = 0xffffffff // what PCSR reads where it may not tell
)

// newBench makes a board whose script has a brown-out that never comes, so that
// one can be injected.
func newBench(model string, script ...sim.Fault) (*bench, error) {
	script = append(script, sim.Fault{Kind: sim.BrownOut, After: 1000 * time.Hour}, sim.Fault{Kind: sim.Secure, After: 1000 * time.Hour})
	b, err := sim.New(sim.Options{ELF: demo.ELF, Model: model, Faults: script, CoreHz: coreHz})
	if err != nil {
		return nil, err
	}
	x := &bench{board: b}
	x.wire = &mortal{board: b, Transport: b.Transport()}
	b.OnHalt(func(time.Duration) {
		x.halts++
		x.pc, _ = b.Core().ReadReg(15)
		x.sp, _ = b.Core().ReadReg(13)
	})
	return x, nil
}

// attach opens the probe and takes the core over.
func (x *bench) attach() (err error) {
	o := probe.Options{SWCLKHz: 10_000_000, Reopen: func(context.Context) (probe.Transport, error) {
		x.stood = x.stood || x.board.CoreState().Halted
		x.away = true
		x.wire = &mortal{board: x.board, Transport: x.board.Transport()}
		return x.wire, nil
	}}
	if x.probe, err = probe.Open(ctx, x.wire, o); err != nil {
		return err
	}
	x.core, err = cortexm.Attach(ctx, x.probe, cortexm.AttachOptions{Clock: x.board})
	return err
}

// start makes a sampler and lets it learn what the program's stacks look like.
func (x *bench) start(w way) (err error) {
	o := cortexm.SampleOptions{
		Rate: rate, Seed: 1, Clock: x.board, RAM: []cortexm.Range{{Low: 0x20000000, High: 0x20010000}},
		Exact: w == stepByStep, RegistersOnly: w == registersOnly,
	}
	if w == pcsr {
		x.pcs, err = cortexm.NewPCSampler(ctx, x.core, cortexm.PCOptions{Rate: 20 * rate, Seed: 1, Clock: x.board})
		if err != nil {
			return err
		}
		x.halts = 0 // the self-test may have looked at a halted core
		return nil
	}
	if x.sampler, err = cortexm.NewSampler(x.core, o); err != nil {
		return err
	}
	if x.unwind == nil {
		x.unwind = newUnwinder()
	}
	for range w.lessons() {
		if _, err := x.sample(); err != nil {
			return err
		}
	}
	return nil
}

// sample takes one and compares it with the truth.
func (x *bench) sample() (*snapshot.Snapshot, error) {
	if x.pcs != nil {
		return x.block()
	}
	halts := x.halts
	s, err := x.sampler.Next(ctx)
	if err != nil {
		return nil, err
	}
	if s.Miss != snapshot.Taken {
		return s, nil
	}
	pc, _ := s.Regs.Value(snapshot.PC)
	sp, _ := s.Regs.Value(snapshot.SP)
	switch {
	case x.halts == halts:
		x.lie("a sample was taken without a halt")
	case x.moves && (pc == nowhere || sp == initialSP):
	case pc != x.pc || sp != x.sp:
		x.lie(fmt.Sprintf("PC 0x%08x, SP 0x%08x: the core stood at 0x%08x, 0x%08x", pc, sp, x.pc, x.sp))
	}
	_, stop := x.unwind.Unwind(nil, s)
	switch stop.Reason {
	case unwind.BadRA, unwind.NoProgress, unwind.TooDeep, unwind.NoRule:
		if !x.moves { // a program that was sent to nowhere has such stacks
			x.lie("a stack ends with " + stop.Reason.String())
		}
	}
	var used []cortexm.Extent
	for _, u := range x.unwind.Touched() {
		used = append(used, cortexm.Extent(u))
	}
	x.sampler.Learn(s, used)
	return s, nil
}

// block takes a block of PCs: all are in the program, and nothing was halted.
func (x *bench) block() (*snapshot.Snapshot, error) {
	s, err := x.pcs.Next(ctx)
	if err != nil {
		return nil, err
	}
	if x.halts > 0 {
		x.lie("the core was halted")
	}
	if s.Block == nil {
		return s, nil
	}
	for _, pc := range s.Block.PCs {
		if (pc < 0x08000000 || pc >= 0x08010000) && pc != noPC && pc != nowhere {
			x.lie(fmt.Sprintf("PC 0x%08x", pc))
		}
	}
	return s, nil
}

func (x *bench) lie(what string) {
	if x.wrong == "" {
		x.wrong = what
	}
}

// mortal is a transport that can die with its process: from then on nothing is
// written or read any more, while the probe works on.
type mortal struct {
	probe.Transport
	board *sim.Board
	armed bool
	left  int // packets that are still written
}

var errKilled = errors.Join(probe.ErrDisconnected, errors.New("killed"))

func (m *mortal) WritePacket(ctx context.Context, p []byte) error {
	if m.armed {
		if m.left--; m.left < 0 {
			return errKilled
		}
	}
	return m.Transport.WritePacket(ctx, p)
}

func (m *mortal) ReadPacket(ctx context.Context, p []byte) (int, error) {
	if m.armed && m.left < 0 {
		return 0, errKilled
	}
	return m.Transport.ReadPacket(ctx, p)
}
