package cortexm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/unwind"
)

// survived is what a run with a fault left behind.
type survived struct {
	taken, missed int
	misses        map[snapshot.Miss]int
	states        snapshot.State
	reasons       map[unwind.Reason]int
	err           error // of Next; nil: the run came to its end
	stats         cortexm.Stats
}

// survive samples for d, detaches with a context that has ended, and checks that
// the core runs and that no sample is made up: every PC is in code and every
// frame too.
func survive(t testing.TB, b *bench, rate float64, d time.Duration) (r survived) {
	t.Helper()
	r = survived{misses: map[snapshot.Miss]int{}, reasons: map[unwind.Reason]int{}}
	u := newUnwinder(t, demo.ELF)
	s := b.sampler(t, cortexm.SampleOptions{Rate: rate, Duration: d})
	for {
		sp, err := s.Next(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			r.err = err
			break
		}
		r.states |= sp.State
		if sp.Miss != snapshot.Taken {
			r.missed++
			r.misses[sp.Miss]++
			continue
		}
		r.taken++
		_, stop := u.Unwind(nil, sp)
		r.reasons[stop.Reason]++
		var used []cortexm.Extent
		for _, x := range u.Touched() {
			used = append(used, cortexm.Extent(x))
		}
		s.Learn(sp, used)
	}
	r.stats = s.Stats()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := b.core.Detach(ended); err != nil && !errors.Is(err, probe.ErrDisconnected) {
		t.Errorf("detach: %v", err)
	}
	return r
}

// running fails the test where the core is halted or C_DEBUGEN is set.
func (b *bench) running(t testing.TB) {
	t.Helper()
	if s := b.board.CoreState(); s.Halted || s.DebugEnabled {
		t.Errorf("the core is left %+v", s)
	}
}

// honest fails the test where a stack ends as one does that was made of wrong
// words.
func (r survived) honest(t testing.TB) {
	t.Helper()
	for _, bad := range []unwind.Reason{unwind.BadRA, unwind.NoProgress, unwind.NoRule, unwind.TooDeep} {
		if n := r.reasons[bad]; n > 0 {
			t.Errorf("%d stacks end with %q", n, bad)
		}
	}
}

// faultModels are those with different ways to take a sample.
var faultModels = []string{"mcu-link", "debugprobe", "daplink-hid", "free-dap", "daplink-hid-2.1.0"}

func TestEveryFaultNowAndThen(t *testing.T) {
	faults := map[string]sim.Fault{
		"WAIT":     {Kind: sim.TransferWAIT, Count: 400, Every: 997},
		"WAITs":    {Kind: sim.TransferWAIT, Count: 100},
		"FAULT":    {Kind: sim.TransferFAULT, Count: 40, Every: 1999},
		"no ack":   {Kind: sim.NoAck, Count: 40, Every: 1999},
		"parity":   {Kind: sim.Parity, Count: 40, Every: 1999},
		"mismatch": {Kind: sim.Mismatch, For: 300 * time.Millisecond},
		"short":    {Kind: sim.ShortPacket, Bytes: 5, Count: 20, Every: 37},
		"late":     {Kind: sim.LatePacket, For: 500 * time.Millisecond, Count: 2, Every: 101},
		"off":      {Kind: sim.DebugOff, For: 200 * time.Millisecond},
	}
	for name, f := range faults {
		f.After = 500 * time.Millisecond
		models := faultModels
		if testing.Short() {
			models = faultModels[:2]
		}
		for _, model := range models {
			t.Run(name+"/"+model, func(t *testing.T) {
				t.Parallel()
				b := newBoard(t, sim.Options{Model: model, Faults: sim.Script{f}})
				r := survive(t, b, 100, 2*time.Second)
				t.Logf("%d taken, missed %v, recovered %d", r.taken, r.misses, r.stats.Recoveries)
				if r.err != nil {
					t.Errorf("the run ended: %v", r.err)
				}
				if r.taken < 50 {
					t.Errorf("%d samples taken", r.taken)
				}
				if name != "short" || !b.board.Model().HID {
					r.honest(t) // the zeros that fill up a HID report cannot be told from data
				}
				b.running(t)
			})
		}
	}
}

// One transfer fails, each in turn from the attach to the detach: at most the
// sample under way is lost, and the core runs afterwards.
func TestFaultAtEveryTransfer(t *testing.T) {
	step := uint64(13)
	if testing.Short() {
		step = 101
	}
	for _, model := range faultModels[:3] {
		clean := newBoard(t, sim.Options{Model: model})
		clean.attach(t)
		first := clean.board.Transfers()
		clean.core.Detach(context.Background())
		for name, kind := range map[string]sim.Kind{"FAULT": sim.TransferFAULT, "no ack": sim.NoAck, "parity": sim.Parity} {
			t.Run(fmt.Sprintf("%s/%s", model, name), func(t *testing.T) {
				t.Parallel()
				for at := first + 1; at < first+900; at += step {
					b := newBoard(t, sim.Options{Model: model, Faults: sim.Script{{Kind: kind, Transfer: at}}})
					r := survive(t, b, 200, 50*time.Millisecond)
					if r.err != nil || r.missed > 1 {
						t.Fatalf("transfer %d: missed %v, %v", at, r.misses, r.err)
					}
					r.honest(t)
					b.running(t)
					if t.Failed() {
						t.Fatalf("transfer %d", at)
					}
				}
			})
		}
	}
}

func TestUnplug(t *testing.T) {
	for _, model := range faultModels {
		t.Run(model, func(t *testing.T) {
			b := newBoard(t, sim.Options{Model: model, Faults: sim.Script{{Kind: sim.Unplug, After: time.Second}}})
			r := survive(t, b, 100, 3*time.Second)
			if !errors.Is(r.err, probe.ErrDisconnected) {
				t.Errorf("ended with %v, want ErrDisconnected", r.err)
			}
			if r.taken < 50 {
				t.Errorf("%d samples taken", r.taken)
			}
		})
	}
}

func TestTargetReset(t *testing.T) {
	for _, model := range faultModels {
		t.Run(model, func(t *testing.T) {
			b := newBoard(t, sim.Options{Model: model, Faults: sim.Script{{Kind: sim.TargetReset, After: time.Second}}})
			r := survive(t, b, 100, 2*time.Second)
			if r.err != nil || r.stats.Resets != 1 || r.states&snapshot.Reset == 0 || r.missed > 1 {
				t.Errorf("resets %d, missed %v, %v", r.stats.Resets, r.misses, r.err)
			}
			r.honest(t)
			b.running(t)
		})
	}
}

func TestSleepAndLockup(t *testing.T) {
	b := newBoard(t, sim.Options{Faults: sim.Script{{Kind: sim.Lockup, After: time.Second}}})
	r := survive(t, b, 100, 2*time.Second)
	if r.err != nil || r.stats.Sleeping == 0 || r.states&snapshot.Sleeping == 0 {
		t.Errorf("sleeping %d of %d, %v", r.stats.Sleeping, r.taken, r.err)
	}
	if r.states&snapshot.Lockup == 0 || r.reasons[unwind.InLockup] < 50 {
		t.Errorf("lockup not seen: %v", r.reasons)
	}
	b.running(t)
}

// S_REGRDY that is slow: what is not ready is not taken.
func TestSlowRegisters(t *testing.T) {
	b := newBoard(t, sim.Options{RegReadyCycles: 2000})
	r := survive(t, b, 100, time.Second)
	if r.taken != 0 || r.misses[snapshot.NotReady] == 0 {
		t.Errorf("%d taken, missed %v", r.taken, r.misses)
	}
	b.running(t)
}

func TestCancel(t *testing.T) {
	for _, model := range faultModels {
		t.Run(model, func(t *testing.T) {
			b := newBoard(t, sim.Options{Model: model})
			s := b.sampler(t, cortexm.SampleOptions{Rate: 1000})
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer cancel()
			taken := 0
			for {
				sp, err := s.Next(ctx)
				if err != nil {
					if !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("ended with %v", err)
					}
					break
				}
				if sp.Miss == snapshot.Taken {
					taken++
				}
			}
			if err := b.core.Detach(ctx); err != nil {
				t.Error(err)
			}
			if err := b.core.Detach(ctx); err != nil {
				t.Errorf("detach again: %v", err)
			}
			if taken == 0 {
				t.Error("no sample taken")
			}
			b.running(t)
		})
	}
}
