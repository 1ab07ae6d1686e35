package probe_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
)

// replug is a probe that is unplugged and comes back: a board, how often it was
// opened again, and what stands behind Reopen.
type replug struct {
	board  *sim.Board
	opened int
	probe  *probe.Probe
}

func newReplug(t *testing.T, model string, script sim.Script) *replug {
	t.Helper()
	b, err := sim.New(sim.Options{ELF: demo.ELF, Model: model, Faults: script})
	if err != nil {
		t.Fatal(err)
	}
	r := &replug{board: b}
	r.probe, err = probe.Open(ctx, b.Transport(), probe.Options{SWCLKHz: 1_000_000, Reopen: func(context.Context) (probe.Transport, error) {
		r.opened++
		return b.Transport(), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.probe.Close() })
	return r
}

const unplugAt, awayFor = 500 * time.Millisecond, 200 * time.Millisecond

func (r *replug) sleep(t *testing.T, until time.Duration) {
	t.Helper()
	if err := r.board.Sleep(ctx, until-r.board.Now()); err != nil {
		t.Fatal(err)
	}
}

// The last rung: as long as the probe is away it says so, and when it is back
// everything is set up anew and works.
func TestRecoverReopens(t *testing.T) {
	for _, model := range sim.Models() {
		r := newReplug(t, model, sim.Script{{Kind: sim.Unplug, After: unplugAt, For: awayFor}})
		r.sleep(t, unplugAt)
		if _, err := r.probe.ReadWord(ctx, 0xE000ED00); !errors.Is(err, probe.ErrDisconnected) {
			t.Errorf("%s: read: %v", model, err)
		}
		for range 2 {
			if err := r.probe.Recover(ctx); !errors.Is(err, probe.ErrDisconnected) {
				t.Errorf("%s: recover without probe: %v", model, err)
			}
		}
		r.sleep(t, unplugAt+awayFor)
		if err := r.probe.Recover(ctx); err != nil {
			t.Fatalf("%s: recover: %v", model, err)
		}
		if v, err := r.probe.ReadWord(ctx, 0xE000ED00); err != nil || v == 0 {
			t.Errorf("%s: CPUID 0x%08x, %v", model, v, err)
		}
		if r.opened != 3 {
			t.Errorf("%s: opened %d times", model, r.opened)
		}
	}
}

// A target that is off is no reason to open the probe again.
func TestRecoverLeavesTheProbeOpen(t *testing.T) {
	r := newReplug(t, "", sim.Script{{Kind: sim.DebugOff, After: unplugAt, For: awayFor}})
	r.sleep(t, unplugAt)
	if err := r.probe.Recover(ctx); !errors.Is(err, probe.ErrNoTarget) {
		t.Errorf("recover: %v", err)
	}
	r.sleep(t, unplugAt+awayFor)
	if err := r.probe.Recover(ctx); err != nil || r.opened != 0 {
		t.Errorf("recover: %v, opened %d times", err, r.opened)
	}
}

// Another probe is not taken for the one that was lost, nor is one that cannot
// be opened.
func TestReopenFindsAnother(t *testing.T) {
	cause := errors.New("someone else has it")
	for _, model := range []string{"debugprobe", "daplink-hid", ""} {
		var reopen func(context.Context) (probe.Transport, error)
		b, err := sim.New(sim.Options{ELF: demo.ELF, Model: "free-dap", Faults: sim.Script{{Kind: sim.Unplug, After: unplugAt}}})
		if err != nil {
			t.Fatal(err)
		}
		p, err := probe.Open(ctx, b.Transport(), probe.Options{Reopen: func(ctx context.Context) (probe.Transport, error) { return reopen(ctx) }})
		if err != nil {
			t.Fatal(err)
		}
		reopen = func(context.Context) (probe.Transport, error) {
			if model == "" {
				return nil, cause
			}
			other, err := sim.New(sim.Options{ELF: demo.ELF, Model: model})
			if err != nil {
				t.Fatal(err)
			}
			return other.Transport(), nil
		}
		before := p.Info()
		b.Sleep(ctx, unplugAt)
		err = p.Recover(ctx)
		if err == nil || model == "" && !(errors.Is(err, cause) && errors.Is(err, probe.ErrDisconnected)) {
			t.Errorf("%s: recover: %v", model, err)
		}
		if p.Info() != before {
			t.Errorf("%s: taken for %+v", model, p.Info())
		}
		if _, err := p.ReadWord(ctx, 0xE000ED00); !errors.Is(err, probe.ErrDisconnected) {
			t.Errorf("%s: read: %v", model, err)
		}
	}
}

// A probe whose firmware answers nothing any more is opened again; ctx ends
// that, too.
func TestRecoverFromSilence(t *testing.T) {
	g := newTarget()
	silent := true
	first := g.transport()
	g.dropReply = func(int, []byte) bool { return silent }
	silent = false
	o := quick
	o.Reopen = func(context.Context) (probe.Transport, error) {
		silent = false
		return g.transport(), nil
	}
	p, err := probe.Open(ctx, first, o)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	silent = true
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := p.Recover(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("recover with a ctx that ended: %v", err)
	}
	if err := p.Recover(ctx); err != nil {
		t.Fatal(err)
	}
	if err := p.WriteWord(ctx, 0x20000000, 42); err != nil || g.mem[0x20000000] != 42 {
		t.Errorf("afterwards: %v", err)
	}
}
