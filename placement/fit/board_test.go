package fit

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/unwind"
)

// run is what the simulated board did.
type run struct {
	program      *symbol.Program
	profile      *profile.Profile
	cycles       uint64 // in all
	asleep       uint64
	waited       uint64 // for the flash
	instructions uint64
}

// each is cycles per instruction, awake. The demo does less work where it is
// late, so that the time awake does not tell how long the same work takes.
func (r *run) each() float64 { return float64(r.cycles-r.asleep) / float64(r.instructions) }

// runBoard runs a program for a time of the simulated board and takes its PC at
// random instants, as mprof sample --method pcsr does.
func runBoard(t testing.TB, elf []byte, wait uint32, length time.Duration, samples int) *run {
	t.Helper()
	im, err := symbol.New(bytes.NewReader(elf), int64(len(elf)), "demo.elf")
	if err != nil {
		t.Fatal(err)
	}
	program, err := symbol.NewProgram(im)
	if err != nil {
		t.Fatal(err)
	}
	b, err := sim.New(sim.Options{ELF: elf, FlashWait: wait})
	if err != nil {
		t.Fatal(err)
	}
	core, r := b.Core(), rand.New(rand.NewPCG(1, uint64(wait)))
	period := length / time.Duration(samples)
	interval := uint64(float64(b.CoreHz()) * period.Seconds())
	builder := profile.NewBuilder(program, profile.Options{Period: period, Mapping: im.Mapping(), Flat: true})
	unwinder := unwind.Frame{}
	for i := range samples {
		core.Run(core.Cycles() + interval/2 + r.Uint64N(interval))
		if core.LockedUp() {
			t.Fatalf("locked up at 0x%08x", core.LastPC())
		}
		s := &snapshot.Snapshot{Time: time.Duration(i) * period}
		if core.Sleeping() {
			s.State |= snapshot.Sleeping
		}
		unwinder.PC = core.LastPC()
		builder.Add(s, []unwind.Frame{unwinder}, unwind.Stop{})
	}
	return &run{program, builder.Finish(profile.Acquisition{Method: profile.MethodPCSR}, length), core.Cycles(), core.SleepCycles(), core.FetchWaits(), core.Instructions()}
}
