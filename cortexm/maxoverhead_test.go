package cortexm_test

import (
	"testing"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/sim"
)

// The board's own count of halted time stays within the budget on every probe,
// over the run and over any three seconds, from the first sample on. Without a
// clock in the probe the driver's count is good to 15 %.
func TestMaxOverhead(t *testing.T) {
	for _, model := range sim.Models() {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			const share, d, window = 0.02, 12 * time.Second, 3 * time.Second
			b := newBoard(t, sim.Options{Model: model, Seed: 1})
			s := b.sampler(t, cortexm.SampleOptions{Rate: 1000, Duration: d, Seed: 1, MaxOverhead: share})
			slack := 1.15
			if b.board.Model().TimestampHz > 0 {
				slack = 1.02
			}
			type moment struct{ at, halted time.Duration }
			start := moment{b.board.Now(), b.board.HaltedTime()}
			all := []moment{start}
			first := 0
			dearest := time.Duration(0)
			b.profile(t, s, newUnwinder(t, demo.ELF), func(sampled) {
				now := moment{b.board.Now(), b.board.HaltedTime()}
				dearest = max(dearest, now.halted-all[len(all)-1].halted)
				all = append(all, now)
				for now.at-all[first].at > window {
					first++
				}
				spent := (now.halted - all[first].halted).Seconds()
				if bound := share*slack*(window+time.Second).Seconds() + 8*dearest.Seconds(); spent > bound {
					t.Fatalf("halted for %.4f s in the %v up to %v, want at most %.4f s", spent, window, now.at, bound)
				}
				if total := (now.halted - start.halted).Seconds(); total > share*slack*(now.at-start.at).Seconds()+dearest.Seconds() {
					t.Fatalf("halted for %.4f s in the first %v", total, now.at-start.at)
				}
			})
			st := s.Stats()
			spent := (b.board.HaltedTime() - start.halted).Seconds() / d.Seconds()
			t.Logf("%.2f %% halted, %.0f Hz, %d of %d samples delayed", 100*spent, st.Rate, st.Delayed, st.Asked)
			if spent < 0.6*share || spent > slack*share {
				t.Errorf("%.2f %% halted, the budget is %.0f %%", 100*spent, 100*share)
			}
			if st.Delayed < st.Asked*9/10 {
				t.Errorf("%d of %d samples delayed at 1 kHz", st.Delayed, st.Asked)
			}
		})
	}
}
