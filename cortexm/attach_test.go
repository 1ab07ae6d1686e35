package cortexm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/sim"
)

const (
	dhcsr = 0xE000EDF0
	demcr = 0xE000EDFC
)

func TestAttachAndDetach(t *testing.T) {
	for _, model := range sim.Models() {
		t.Run(model, func(t *testing.T) {
			b := newBoard(t, sim.Options{Model: model})
			b.attach(t)
			if got := b.core.Description(); got != "Cortex-M4 r0p1" {
				t.Errorf("core %q", got)
			}
			if b.core.WasDebugged() {
				t.Error("somebody was there before us")
			}
			m := b.board.Model()
			if got, want := b.core.Costs().Transfer, m.TransferTime(1, swclkHz); got < want*4/5 || got > want*6/5 {
				t.Errorf("a transfer is measured as %v, the model makes it %v", got, want)
			}
			if halted := b.board.HaltedTime(); halted != 0 {
				t.Errorf("attaching halted the core for %v", halted)
			}
			if s := b.board.CoreState(); s.Halted || !s.DebugEnabled {
				t.Errorf("attached: %+v", s)
			}
			if err := b.core.Detach(context.Background()); err != nil {
				t.Fatal(err)
			}
			b.running(t)
		})
	}
}

func TestAttachToHaltedCore(t *testing.T) {
	ctx := context.Background()
	b := newBoard(t, sim.Options{})
	if err := b.probe.WriteWord(ctx, dhcsr, 0xA05F0003); err != nil {
		t.Fatal(err)
	}
	_, err := cortexm.Attach(ctx, b.probe, cortexm.AttachOptions{Clock: b.board})
	var halted *cortexm.HaltedError
	if !errors.As(err, &halted) {
		t.Fatalf("attached to a halted core: %v", err)
	}
	if !b.board.CoreState().Halted {
		t.Error("the core was resumed behind somebody's back")
	}
	core, err := cortexm.Attach(ctx, b.probe, cortexm.AttachOptions{Clock: b.board, ResumeHalted: true})
	if err != nil {
		t.Fatal(err)
	}
	if b.board.CoreState().Halted {
		t.Error("still halted")
	}
	if !core.WasDebugged() {
		t.Error("C_DEBUGEN was set and not noticed")
	}
	if err := core.Detach(ctx); err != nil {
		t.Fatal(err)
	}
	b.running(t)
}

// A debugger that left a reset vector catch would stop the core at its next
// reset.
func TestVectorCatchIsPutBack(t *testing.T) {
	ctx := context.Background()
	b := newBoard(t, sim.Options{})
	const want = 1<<24 | 1 // TRCENA, VC_CORERESET
	if err := b.probe.WriteWord(ctx, demcr, want); err != nil {
		t.Fatal(err)
	}
	b.attach(t)
	if v, err := b.probe.ReadWord(ctx, demcr); err != nil || v != want&^1 {
		t.Errorf("attached: DEMCR 0x%08x, %v", v, err)
	}
	if err := b.core.Detach(ctx); err != nil {
		t.Fatal(err)
	}
	if v, err := b.probe.ReadWord(ctx, demcr); err != nil || v != want {
		t.Errorf("detached: DEMCR 0x%08x, %v", v, err)
	}
}

func TestSampleOptions(t *testing.T) {
	b := newBoard(t, sim.Options{})
	b.attach(t)
	for _, o := range []cortexm.SampleOptions{{}, {Rate: -1}, {Rate: 2e6}, {Rate: 100, Duration: -time.Second}} {
		if _, err := cortexm.NewSampler(b.core, o); err == nil || !strings.HasPrefix(err.Error(), "cortexm: sampling ") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
