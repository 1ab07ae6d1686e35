package cortexm_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/snapshot"
)

// Every sample says when it was taken, what it stands for and what it cost; the
// board knows better and agrees.
func TestSamplesAccountForTime(t *testing.T) {
	for _, model := range sim.Models() {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			const rate, d = 100, 3 * time.Second
			b := newBoard(t, sim.Options{Model: model})
			s := b.sampler(t, cortexm.SampleOptions{Rate: rate, Duration: d, Seed: 3})
			start := b.board.Now()
			var weight, halted, last time.Duration
			n, missed := 0, 0
			b.profile(t, s, newUnwinder(t, demo.ELF), func(x sampled) {
				if x.Miss == snapshot.ProbeTimeout && missed < 3 { // a busy machine can be slower than the watchdog
					missed++
				} else if x.Miss != snapshot.Taken {
					t.Errorf("sample %d: %v", x.Seq, x.Miss)
				}
				if x.Seq != uint64(n) || x.Time <= last && n > 0 {
					t.Errorf("sample %d at %v behind one at %v", x.Seq, x.Time, last)
				}
				n, last = n+1, x.Time
				weight += x.Weight
				halted += x.Halted
			})
			if got := b.board.Now() - start; got < d || got > d+50*time.Millisecond {
				t.Errorf("the run took %v", got)
			}
			if want := int(rate * d.Seconds()); n < want*85/100 || n > want*115/100 {
				t.Errorf("%d samples, want about %d", n, want)
			}
			truth := b.board.HaltedTime()
			percent := time.Duration(15) // bracketed by the host
			if b.board.Model().TimestampHz > 0 {
				percent = 1
			}
			if halted < truth*(100-percent)/100 || halted > truth*(100+percent)/100 {
				t.Errorf("halted for %v by the samples, %v by the board", halted, truth)
			}
			if sum := weight + halted; sum < last*98/100 || sum > last*101/100 {
				t.Errorf("weights %v and halts %v do not add up to %v", weight, halted, last)
			}
			st := s.Stats()
			if st.Taken != uint64(n-missed) || st.HaltedTotal != halted || st.Sleeping == 0 {
				t.Errorf("%+v, but %d samples and %v", st, n, halted)
			}
		})
	}
}

// The same seeds give the same samples, byte by byte.
func TestRunsRepeat(t *testing.T) {
	run := func(seed int64) (all []*snapshot.Snapshot) {
		b := newBoard(t, sim.Options{Seed: 7})
		s := b.sampler(t, cortexm.SampleOptions{Duration: 2 * time.Second, Seed: seed})
		b.profile(t, s, newUnwinder(t, demo.ELF), func(x sampled) { all = append(all, x.Snapshot) })
		return all
	}
	equal := cmp.AllowUnexported(snapshot.Registers{})
	first := run(1)
	if d := cmp.Diff(first, run(1), equal); d != "" {
		t.Errorf("the second run differs:\n%s", d)
	}
	if cmp.Equal(first, run(2), equal) {
		t.Error("another seed gives the same samples")
	}
}

// Without a teacher there are no windows to choose from, but samples all the
// same.
func TestSamplingWithoutLearning(t *testing.T) {
	b := newBoard(t, sim.Options{})
	s := b.sampler(t, cortexm.SampleOptions{Duration: time.Second})
	for n := 0; n < 50; n++ {
		sp, err := s.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if sp.Miss != snapshot.Taken || len(sp.Windows) == 0 {
			t.Fatalf("sample %d: %v, %d windows", n, sp.Miss, len(sp.Windows))
		}
		at, _ := sp.Regs.Value(snapshot.SP)
		if _, ok := sp.Word(at); !ok && at < b.ram.High {
			t.Fatalf("sample %d: the word at SP 0x%08x is not there", n, at)
		}
	}
}
