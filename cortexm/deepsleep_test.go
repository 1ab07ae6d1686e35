package cortexm_test

import (
	"os"
	"testing"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/snapshot"
)

// A debug domain that has no power while the core sleeps deeply: the time is off,
// the target is tried seldom, and the run goes on.
func TestDeepSleep(t *testing.T) {
	elf, err := os.ReadFile("../sim/testdata/deep.elf")
	if err != nil {
		t.Fatal(err)
	}
	for _, model := range []string{"mcu-link", "daplink-hid"} {
		b := newBoard(t, sim.Options{ELF: elf, Model: model, Faults: sim.Script{{Kind: sim.DeepSleepOff, After: time.Second}}})
		w := watch(b.sampler(t, cortexm.SampleOptions{Rate: 100, Duration: 5 * time.Second}), nil)
		n := w.missed()
		if w.err != nil || n[snapshot.Taken] < 30 || n[snapshot.OffTarget] < 10 || n[snapshot.OffTarget] > 100 {
			t.Errorf("%s: missed %v, %v", model, n, w.err)
		}
		if w.told(cortexm.EventTargetLost) == 0 {
			t.Errorf("%s: events %v", model, w.events)
		}
		if s := b.board.CoreState(); s.Halted {
			t.Errorf("%s: the core is left %+v", model, s)
		}
	}
}
