package cortexm_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/snapshot"
)

// Without stacks a sample has its registers on every probe, and costs no more
// than they do.
func TestRegistersOnly(t *testing.T) {
	for _, model := range sim.Models() {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			b := newBoard(t, sim.Options{Model: model})
			s := b.sampler(t, cortexm.SampleOptions{RegistersOnly: true, Duration: 2 * time.Second})
			before, n := b.board.HaltedTime(), 0
			for {
				sp, err := s.Next(context.Background())
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				n++
				if sp.Miss != snapshot.Taken || len(sp.Windows) != 0 {
					t.Fatalf("sample %d: %v, %d windows", sp.Seq, sp.Miss, len(sp.Windows))
				}
				for _, r := range []snapshot.Reg{snapshot.PC, snapshot.LR, snapshot.XPSR, snapshot.SP} {
					if _, ok := sp.Regs.Value(r); !ok {
						t.Fatalf("sample %d lacks register %d", sp.Seq, r)
					}
				}
				s.Learn(sp, nil)
			}
			m := b.board.Model()
			got := (b.board.HaltedTime() - before) / time.Duration(n)
			most := m.TransferTime(17, swclkHz) + m.CommandTime(1)
			if t.Logf("%d samples, halted %v, %s", n, got, s.Stats().Plan); got > most {
				t.Errorf("halted for %v on average, want at most %v", got, most)
			}
			if err := b.core.Detach(context.Background()); err != nil {
				t.Error(err)
			}
			b.running(t)
		})
	}
}

// A core whose registers take longer than an SWD transfer gives no sample rather
// than a wrong one, also where it was believed to be fast.
func TestSlowRegistersOnly(t *testing.T) {
	for _, c := range []struct {
		cycles uint64 // of 16 MHz
		taken  bool
	}{{4, true}, {20, true}, {200, false}, {5000, false}} {
		b := newBoard(t, sim.Options{RegReadyCycles: c.cycles})
		s := b.sampler(t, cortexm.SampleOptions{RegistersOnly: true, Duration: time.Second})
		s.BelieveSwift()
		taken := 0
		for {
			sp, err := s.Next(context.Background())
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if sp.Miss != snapshot.Taken {
				continue
			}
			taken++
			pc, _ := sp.Regs.Value(snapshot.PC)
			at, _ := sp.Regs.Value(snapshot.SP)
			if pc < 0x08000000 || pc >= 0x08010000 || at < b.ram.Low || at > b.ram.High {
				t.Fatalf("%d cycles: PC 0x%08x, SP 0x%08x", c.cycles, pc, at)
			}
		}
		if (taken > 0) != c.taken {
			t.Errorf("%d cycles: %d samples taken", c.cycles, taken)
		}
		if err := b.core.Detach(context.Background()); err != nil {
			t.Error(err)
		}
		b.running(t)
	}
}
