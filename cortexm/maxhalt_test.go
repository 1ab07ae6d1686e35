package cortexm_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/unwind"
)

// No halt is longer than asked, by the board's own count, from the first sample
// on; the stacks are as deep as that allows, and those that are cut say why.
func TestMaxHalt(t *testing.T) {
	for _, c := range []struct {
		model    string
		limit    time.Duration
		complete float64 // share of stacks, at least
	}{
		{"mcu-link", 120 * time.Microsecond, 0},
		{"mcu-link", 200 * time.Microsecond, 0.2},
		{"mcu-link", time.Millisecond, 0.8},
		{"mcu-link", 10 * time.Millisecond, 0.98},
		{"debugprobe", 200 * time.Microsecond, 0},
		{"debugprobe", time.Millisecond, 0.6},
		{"free-dap", 200 * time.Microsecond, 0},
		{"free-dap", time.Millisecond, 0.6},
		{"daplink-hid", 400 * time.Microsecond, 0},
		{"daplink-hid", 5 * time.Millisecond, 0.5},
		{"daplink-hid-2.1.0", 5 * time.Millisecond, 0.5},
	} {
		t.Run(c.model+"/"+c.limit.String(), func(t *testing.T) {
			t.Parallel()
			b := newBoard(t, sim.Options{Model: c.model, Seed: 1})
			s := b.sampler(t, cortexm.SampleOptions{Duration: 6 * time.Second, Seed: 1, MaxHalt: c.limit})
			before := b.board.HaltedTime()
			var longest time.Duration
			n, longer, complete, unsaid := 0, 0, 0, 0
			b.profile(t, s, newUnwinder(t, demo.ELF), func(x sampled) {
				took := b.board.HaltedTime() - before
				before += took
				longest = max(longest, took)
				n++
				if took > c.limit {
					longer++
				}
				switch x.stop.Reason {
				case unwind.Complete:
					complete++
				case unwind.NotCaptured, unwind.NoRegister, unwind.NoSample:
					unsaid++
				}
				if _, ok := x.Regs.Value(snapshot.PC); !ok {
					t.Fatalf("sample %d has no PC: %v", x.Seq, x.Miss)
				}
			})
			st := s.Stats()
			t.Logf("%d samples, longest %v, %d longer, %.1f %% complete, %d words, %s", n, longest, longer, 100*float64(complete)/float64(n), st.Depth, st.Plan)
			if longer > n/200 {
				t.Errorf("%d of %d halts were longer than %v, the longest %v", longer, n, c.limit, longest)
			}
			if share := float64(complete) / float64(n); share < c.complete {
				t.Errorf("%.1f %% of stacks complete, want %.0f %%", 100*share, 100*c.complete)
			}
			if c.limit < time.Millisecond && unsaid > n/100 {
				t.Errorf("%d of %d stacks were cut without saying why", unsaid, n)
			}
		})
	}
}

// What no sample can keep to is refused, with the least that is possible.
func TestMaxHaltRefused(t *testing.T) {
	for model, limit := range map[string]time.Duration{"mcu-link": 40 * time.Microsecond, "daplink-hid": 200 * time.Microsecond} {
		b := newBoard(t, sim.Options{Model: model})
		b.attach(t)
		o := cortexm.SampleOptions{Rate: 100, Clock: b.board, MaxHalt: limit}
		_, err := cortexm.NewSampler(b.core, o)
		if err == nil || !strings.Contains(err.Error(), "PC and LR alone take ") {
			t.Fatalf("%s: %v", model, err)
		}
		_, least, _ := strings.Cut(err.Error(), "alone take ")
		least, _, _ = strings.Cut(least, " ")
		if o.MaxHalt, err = time.ParseDuration(least); err != nil {
			t.Fatal(err)
		}
		if _, err := cortexm.NewSampler(b.core, o); err != nil {
			t.Errorf("%s: %s is said to be possible: %v", model, least, err)
		}
	}
}
