package cortexm_test

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/snapshot"
)

// bench is a board with an attached core.
type bench struct {
	board *sim.Board
	probe *probe.Probe
	core  *cortexm.Core
	tops  []uint32 // ends of the program's stacks, sorted
	ram   cortexm.Range
}

// swclkHz is the clock that tests ask for; models make less where they cannot.
const swclkHz = 10_000_000

func newBoard(t testing.TB, o sim.Options) *bench {
	t.Helper()
	if o.ELF == nil {
		o.ELF = demo.ELF
	}
	b, err := sim.New(o)
	if err != nil {
		t.Fatal(err)
	}
	p, err := probe.Open(context.Background(), b.Transport(), probe.Options{SWCLKHz: swclkHz})
	if err != nil {
		t.Fatal(err)
	}
	return &bench{board: b, probe: p, tops: stackTops(t, o.ELF), ram: cortexm.Range{Low: 0x20000000, High: 0x20010000}}
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

// stackTops are the ends of the objects that are named as stacks.
func stackTops(t testing.TB, image []byte) (tops []uint32) {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if strings.HasSuffix(s.Name, "_stack") || s.Name == "_estack" {
			tops = append(tops, uint32(s.Value+s.Size))
		}
	}
	slices.Sort(tops)
	return tops
}

// need is what an unwinder would read: each stack from its pointer to its end.
func (b *bench) need(s *snapshot.Snapshot) (used []cortexm.Extent) {
	sp, _ := s.Regs.Value(snapshot.SP)
	used = append(used, b.stack(sp))
	xpsr, _ := s.Regs.Value(snapshot.XPSR)
	psp, ok := s.Regs.Value(snapshot.PSP)
	if xpsr&0x1FF != 0 && ok && psp != sp {
		used = append(used, b.stack(psp))
	}
	return used
}

func (b *bench) stack(sp uint32) cortexm.Extent {
	i, found := slices.BinarySearch(b.tops, sp)
	if found {
		return cortexm.Extent{Low: sp, High: sp}
	}
	if i == len(b.tops) {
		return cortexm.Extent{Low: sp, High: sp}
	}
	return cortexm.Extent{Low: sp, High: b.tops[i]}
}

// held tells whether a snapshot holds all of it, and the handler's thread too.
func (b *bench) held(s *snapshot.Snapshot) bool {
	xpsr, _ := s.Regs.Value(snapshot.XPSR)
	if _, ok := s.Regs.Value(snapshot.PSP); xpsr&0x1FF != 0 && !ok {
		return false
	}
	for _, u := range b.need(s) {
		for a := u.Low; a < u.High; a += 4 {
			if _, ok := s.Word(a); !ok {
				return false
			}
		}
	}
	return true
}

// collect takes samples until the end of the run.
func (b *bench) collect(t testing.TB, s *cortexm.Sampler) (all []*snapshot.Snapshot) {
	t.Helper()
	for {
		sp, err := s.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("sample %d: %v", len(all), err)
		}
		if sp.Miss == snapshot.Taken {
			s.Learn(sp, b.need(sp))
		}
		all = append(all, sp)
	}
}

func TestAttachAndDetach(t *testing.T) {
	for _, model := range sim.Models() {
		t.Run(model, func(t *testing.T) {
			b := newBoard(t, sim.Options{Model: model})
			b.attach(t)
			t.Log(b.core.Description(), b.core.Costs())
			if err := b.core.Detach(context.Background()); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestSample(t *testing.T) {
	for _, model := range sim.Models() {
		t.Run(model, func(t *testing.T) {
			b := newBoard(t, sim.Options{Model: model})
			s := b.sampler(t, cortexm.SampleOptions{Duration: 10 * time.Second})
			all := b.collect(t, s)
			held := 0
			for _, sp := range all {
				if b.held(sp) {
					held++
				}
			}
			t.Logf("%d of %d held; %+v", held, len(all), s.Stats())
		})
	}
}
