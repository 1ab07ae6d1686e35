package cortexm_test

import (
	"testing"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/unwind"
)

// Plans that come when they are done serve as well, and no sample is lost for them.
func TestPlansMadeAside(t *testing.T) {
	b := newBoard(t, sim.Options{Seed: 1})
	u := newUnwinder(t, demo.ELF)
	s := b.sampler(t, cortexm.SampleOptions{Rate: 500, Duration: 6 * time.Second, Seed: 1, Needs: u.Consulted})
	s.PlanAside()
	n, taken, complete := 0, 0, 0
	b.profile(t, s, u, func(x sampled) {
		n++
		if x.Miss == snapshot.Taken {
			taken++
		}
		if x.stop.Reason == unwind.Complete {
			complete++
		}
	})
	t.Logf("%d of %d taken, %d complete, %s", taken, n, complete, s.Stats().Plan)
	if taken < n*99/100 || complete < n*8/10 {
		t.Errorf("%d of %d taken, %d complete", taken, n, complete)
	}
}
