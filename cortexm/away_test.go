package cortexm_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/snapshot"
)

// newReopening is a board whose probe can be opened again.
func newReopening(t *testing.T, o sim.Options) *bench {
	t.Helper()
	o.ELF = demo.ELF
	b, err := sim.New(o)
	if err != nil {
		t.Fatal(err)
	}
	p, err := probe.Open(context.Background(), b.Transport(), probe.Options{
		SWCLKHz: swclkHz, Reopen: func(context.Context) (probe.Transport, error) { return b.Transport(), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return &bench{board: b, probe: p, ram: cortexm.Range{Low: 0x20000000, High: 0x20010000}}
}

// watched is a run with all that it told.
type watched struct {
	samples []*snapshot.Snapshot
	events  []snapshot.Event
	err     error
}

func (w watched) missed() (n [snapshot.NumMisses]int) {
	for _, s := range w.samples {
		n[s.Miss]++
	}
	return n
}

func (w watched) told(kind string) (n int) {
	for _, e := range w.events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

func watch(s *cortexm.Sampler, each func(*snapshot.Snapshot)) (w watched) {
	for {
		sp, err := s.Next(context.Background())
		w.events = append(w.events, s.Events()...)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				w.err = err
			}
			return w
		}
		w.samples = append(w.samples, sp)
		if each != nil {
			each(sp)
		}
	}
}

// A target that is off is tried seldom, and is sampled again when it is back; no
// sample stands for the time in between.
func TestTargetAway(t *testing.T) {
	for kind, miss := range map[sim.Kind]snapshot.Miss{
		sim.DebugOff: snapshot.OffTarget, sim.BrownOut: snapshot.OffTarget, sim.Unplug: snapshot.ProbeGone,
	} {
		const off, on = 5 * time.Second, 15 * time.Second
		b := newReopening(t, sim.Options{Faults: sim.Script{{Kind: kind, After: off, For: on - off}}})
		s := b.sampler(t, cortexm.SampleOptions{Rate: 100, Duration: 20 * time.Second})
		w := watch(s, nil)
		n := w.missed()
		if w.err != nil || n[snapshot.Taken] < 900 || n[miss] < 10 || n[miss] > 150 {
			t.Errorf("kind %d: missed %v, %v", kind, n, w.err)
		}
		for i, sp := range w.samples {
			if sp.Miss == snapshot.Taken && sp.Weight > 50*time.Millisecond {
				t.Errorf("kind %d: sample %d at %v stands for %v", kind, i, sp.Time, sp.Weight)
			}
		}
		if w.told(cortexm.EventBack) != 1 || w.told(cortexm.EventTargetLost)+w.told(cortexm.EventProbeLost) != 1 {
			t.Errorf("kind %d: events %v", kind, w.events)
		}
		for i := 1; i < len(w.samples); i++ {
			if d := w.samples[i].Time - w.samples[i-1].Time; d > time.Second {
				t.Errorf("kind %d: %v between tries at %v", kind, d, w.samples[i].Time)
			}
		}
		if err := b.core.Detach(context.Background()); err != nil {
			t.Errorf("kind %d: %v", kind, err)
		}
		b.running(t)
	}
}

// A probe that does not come back is waited for, but not for ever.
func TestProbeStaysAway(t *testing.T) {
	b := newReopening(t, sim.Options{Faults: sim.Script{{Kind: sim.Unplug, After: time.Second}}})
	s := b.sampler(t, cortexm.SampleOptions{Rate: 100, Duration: 10 * time.Minute})
	w := watch(s, nil)
	if !errors.Is(w.err, probe.ErrDisconnected) || b.board.Now() > 45*time.Second || b.board.Now() < 25*time.Second {
		t.Errorf("ended with %v at %v", w.err, b.board.Now())
	}
	if n := w.missed(); n[snapshot.Taken] < 80 || n[snapshot.ProbeGone] > 200 {
		t.Errorf("missed %v", n)
	}
	if _, err := s.Next(context.Background()); !errors.Is(err, probe.ErrDisconnected) {
		t.Errorf("then: %v", err)
	}
	if err := b.core.Detach(context.Background()); !errors.Is(err, probe.ErrDisconnected) {
		t.Errorf("detach: %v", err)
	}
}

// A core in Secure state is a miss of its own; one that is only deaf is not.
func TestSecureState(t *testing.T) {
	for kind, miss := range map[sim.Kind]snapshot.Miss{sim.Secure: snapshot.Secure, sim.Mismatch: snapshot.NotHalted} {
		b := newBoard(t, sim.Options{Faults: sim.Script{{Kind: kind, After: time.Second, For: 500 * time.Millisecond}}})
		w := watch(b.sampler(t, cortexm.SampleOptions{Rate: 100, Duration: 3 * time.Second}), nil)
		if n := w.missed(); w.err != nil || n[miss] < 40 || n[miss] > 60 || n[snapshot.Taken] < 200 {
			t.Errorf("kind %d: missed %v, %v", kind, n, w.err)
		}
		if halted := b.board.HaltedTime(); halted > 300*time.Millisecond {
			t.Errorf("kind %d: halted for %v", kind, halted)
		}
	}
}

// The host stands still for an hour: one gap, no burst, and no sample that
// stands for it.
func TestHostSuspended(t *testing.T) {
	b := newBoard(t, sim.Options{})
	s := b.sampler(t, cortexm.SampleOptions{Rate: 100, Duration: 70 * time.Second})
	w := watch(s, func(sp *snapshot.Snapshot) {
		if sp.Seq == 100 {
			b.board.Sleep(context.Background(), time.Minute)
		}
	})
	for _, sp := range w.samples {
		if sp.Weight > 50*time.Millisecond {
			t.Errorf("sample %d stands for %v", sp.Seq, sp.Weight)
		}
	}
	if w.told(cortexm.EventGap) != 1 || s.Stats().Gaps != 1 || len(w.events) != 1 {
		t.Fatalf("events %v", w.events)
	}
	if e := w.events[0]; e.Duration < 59*time.Second || e.Duration > 61*time.Second || e.Time < 900*time.Millisecond || e.Time > 1200*time.Millisecond {
		t.Errorf("gap %+v", e)
	}
	for i := 101; i+1 < len(w.samples); i++ {
		if d := w.samples[i+1].Time - w.samples[i].Time; d < 2*time.Millisecond {
			t.Errorf("%v between samples %d and %d", d, i, i+1)
		}
	}
}

// A core that somebody else has halted is reported and left alone until it runs
// again.
func TestHaltedByOthers(t *testing.T) {
	for _, model := range []string{"mcu-link", "debugprobe", "free-dap"} {
		b := newBoard(t, sim.Options{Model: model})
		s := b.sampler(t, cortexm.SampleOptions{Rate: 100, Duration: 4 * time.Second})
		pc := uint32(0)
		w := watch(s, func(sp *snapshot.Snapshot) {
			switch {
			case sp.Seq == 50: // FPB comparator 0 on an instruction that comes often
				pc, _ = sp.Regs.Value(snapshot.PC)
				b.breakpoint(t, pc, true)
			case sp.Time > 2*time.Second && pc != 0:
				b.breakpoint(t, pc, false)
				b.write(t, dhcsr, 0xA05F0001)
				pc = 0
			}
		})
		n := w.missed()
		if w.err != nil || n[snapshot.Stopped] < 3 || n[snapshot.Taken] < 150 {
			t.Errorf("%s: missed %v, %v", model, n, w.err)
		}
		if w.told(cortexm.EventStands) != 1 || w.told(cortexm.EventBack) != 1 {
			t.Errorf("%s: events %v", model, w.events)
		}
		if halted := b.board.HaltedTime(); halted < time.Second {
			t.Errorf("%s: halted for %v: the core was resumed", model, halted)
		}
		if err := b.core.Detach(context.Background()); err != nil {
			t.Error(err)
		}
		b.running(t)
	}
}

// breakpoint sets or clears a comparator of the FPB (DDI 0403E, C1.11), as
// another debugger would.
func (b *bench) breakpoint(t *testing.T, pc uint32, on bool) {
	t.Helper()
	if !on {
		b.write(t, 0xE0002008, 0)
		return
	}
	half := uint32(1) << 30
	if pc&2 != 0 {
		half = 2 << 30
	}
	b.write(t, 0xE0002008, half|pc&0x1FFFFFFC|1)
	b.write(t, 0xE0002000, 3)
}

func (b *bench) write(t *testing.T, addr, v uint32) {
	t.Helper()
	if err := b.probe.WriteWord(context.Background(), addr, v); err != nil {
		t.Fatal(err)
	}
	b.probe.Invalidate()
}

// Resets in the middle of a sample are told from others: a watchdog that goes on
// in Debug state makes them.
func TestResetsWhileHalted(t *testing.T) {
	b := newBoard(t, sim.Options{})
	s := b.sampler(t, cortexm.SampleOptions{Rate: 100, Duration: 2 * time.Second})
	w := watch(s, func(sp *snapshot.Snapshot) {
		switch sp.Seq {
		case 100, 110, 120: // behind the halt of the next
			if err := b.board.Inject(sim.Fault{Kind: sim.TargetReset, Transfer: 16}); err != nil {
				t.Fatal(err)
			}
		case 130:
			if err := b.board.Inject(sim.Fault{Kind: sim.TargetReset, After: time.Millisecond}); err != nil {
				t.Fatal(err)
			}
		}
	})
	st := s.Stats()
	if st.Resets != 4 || st.ResetsHalted != 3 || w.missed()[snapshot.ResetMeanwhile] != 3 {
		t.Errorf("resets %d, %d while halted, missed %v", st.Resets, st.ResetsHalted, w.missed())
	}
}

// What went wrong and was mended is told, with the cause.
func TestRecoveredIsTold(t *testing.T) {
	b := newBoard(t, sim.Options{Faults: sim.Script{{Kind: sim.LostResponse, After: time.Second}}})
	w := watch(b.sampler(t, cortexm.SampleOptions{Rate: 100, Duration: 2 * time.Second}), nil)
	if w.told(cortexm.EventRecovered) != 1 {
		t.Fatalf("events %v", w.events)
	}
	if e := w.events[0]; !strings.Contains(e.Text, "no response") && !strings.Contains(e.Text, "deadline") || e.Time < 900*time.Millisecond || e.Duration <= 0 {
		t.Errorf("%+v", e)
	}
	if n := w.missed(); n[snapshot.Taken] < 190 || n[snapshot.ProbeTimeout] != 1 {
		t.Errorf("missed %v", n)
	}
}
