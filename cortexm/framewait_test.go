package cortexm_test

import (
	"testing"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/sim"
)

// On HID the halts fall evenly into the frame, and the driver's account of halted
// time agrees with the board's.
func TestHaltsFillTheFrame(t *testing.T) {
	for _, model := range []string{"daplink-hid", "daplink-hid-2.1.0"} {
		b := newBoard(t, sim.Options{Model: model, Seed: 1})
		s := b.sampler(t, cortexm.SampleOptions{Duration: 20 * time.Second, Seed: 1})
		var phases [10]int
		b.board.OnHalt(func(at time.Duration) { phases[at%time.Millisecond/(time.Millisecond/10)]++ })
		start := b.board.HaltedTime()
		b.profile(t, s, newUnwinder(t, demo.ELF), func(sampled) {})
		st := s.Stats()
		want := float64(st.Asked) / float64(len(phases))
		for i, n := range phases {
			if float64(n) < 0.7*want || float64(n) > 1.3*want {
				t.Errorf("%s: %d halts in tenth %d of the frame, want about %.0f: %v", model, n, i, want, phases)
			}
		}
		truth := b.board.HaltedTime() - start
		if r := st.HaltedTotal.Seconds() / truth.Seconds(); r < 0.97 || r > 1.03 {
			t.Errorf("%s: halted for %v by the samples, %v by the board", model, st.HaltedTotal, truth)
		}
	}
}

// Samples of registers alone fill the frame as well, at no more than their own
// work, and their times are right.
func TestHaltsOfRegistersFillTheFrame(t *testing.T) {
	for _, model := range []string{"daplink-hid", "daplink-hid-2.1.0"} {
		b := newBoard(t, sim.Options{Model: model, Seed: 1})
		s := b.sampler(t, cortexm.SampleOptions{Duration: 10 * time.Second, Seed: 1, RegistersOnly: true})
		var phases [10]int
		var at time.Duration
		b.board.OnHalt(func(now time.Duration) { at = now; phases[at%time.Millisecond/(time.Millisecond/10)]++ })
		start, before := b.board.Now(), b.board.HaltedTime()
		off, n := time.Duration(0), 0
		b.profile(t, s, newUnwinder(t, demo.ELF), func(x sampled) {
			took := b.board.HaltedTime() - before
			if before += took; took > 600*time.Microsecond {
				t.Errorf("%s: sample %d halted for %v", model, x.Seq, took)
			}
			d := x.Time + start - at
			off += max(d, -d)
			n++
		})
		for i, k := range phases {
			if k < n/20 || k > n/5 {
				t.Errorf("%s: %d of %d halts in tenth %d of the frame: %v", model, k, n, i, phases)
			}
		}
		if off/time.Duration(n) > 50*time.Microsecond {
			t.Errorf("%s: times are %v off", model, off/time.Duration(n))
		}
	}
}
