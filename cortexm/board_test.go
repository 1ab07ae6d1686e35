package cortexm_test

import (
	"context"
	"testing"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
)

// bench is a board with an attached core.
type bench struct {
	board *sim.Board
	probe *probe.Probe
	core  *cortexm.Core
	ram   cortexm.Range
}

// swclkHz is the clock that tests ask for; models make less where they cannot.
const swclkHz = 10_000_000

func newBoard(t testing.TB, o sim.Options) *bench {
	t.Helper()
	return newBoardBehind(t, o, func(b *sim.Board) probe.Transport { return b.Transport() })
}

// newBoardBehind opens the board's probe through a transport of its own.
func newBoardBehind(t testing.TB, o sim.Options, transport func(*sim.Board) probe.Transport) *bench {
	t.Helper()
	if o.ELF == nil {
		o.ELF = demo.ELF
	}
	if o.TARBlock == 0 {
		o.TARBlock = 1 << 10 // the least: what is read across it comes out wrong
	}
	b, err := sim.New(o)
	if err != nil {
		t.Fatal(err)
	}
	p, err := probe.Open(context.Background(), transport(b), probe.Options{SWCLKHz: swclkHz})
	if err != nil {
		t.Fatal(err)
	}
	return &bench{board: b, probe: p, ram: cortexm.Range{Low: 0x20000000, High: 0x20010000}}
}

func (b *bench) attach(t testing.TB) {
	t.Helper()
	var err error
	if b.core, err = cortexm.Attach(context.Background(), b.probe, cortexm.AttachOptions{Clock: b.board}); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) sampler(t testing.TB, o cortexm.SampleOptions) *cortexm.Sampler {
	t.Helper()
	if b.core == nil {
		b.attach(t)
	}
	o.Clock = b.board
	if o.Rate == 0 {
		o.Rate = 100
	}
	if o.RAM == nil {
		o.RAM = []cortexm.Range{b.ram}
	}
	s, err := cortexm.NewSampler(b.core, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
