package cortexm_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/cortexm/romtable"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
)

// TestInspect: everything is found, the core never stands, and DEMCR is as it
// was.
func TestInspect(t *testing.T) {
	ctx := context.Background()
	for _, model := range sim.Models() {
		b := newBoard(t, sim.Options{Model: model})
		i, err := cortexm.Inspect(ctx, b.probe, 0xE00FF003)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		i.Components.Each(func(c *romtable.Component, _ int) { names = append(names, c.Name()) })
		if len(names) != 4 || names[0] != "ROM table (Cortex-M4)" || names[2] != "DWT" {
			t.Errorf("%s: components %q", model, names)
		}
		i.Components = nil
		i.State.Sleeping = false
		want := cortexm.Inspection{CPUID: 0x410FC241, Core: "Cortex-M4 r0p1", FPU: "none", Breakpoints: 6,
			CYCCNT: cortexm.Yes, PCSR: cortexm.Yes, State: cortexm.State{SecureDebug: cortexm.Unknown}}
		if i != want {
			t.Errorf("%s: %+v, want %+v", model, i, want)
		}
		if v, err := b.probe.ReadWord(ctx, demcr); err != nil || v != 0 {
			t.Errorf("%s: DEMCR 0x%08x, %v", model, v, err)
		}
		if halted := b.board.HaltedTime(); halted != 0 || b.board.CoreState().DebugEnabled {
			t.Errorf("%s: the core stood for %v, %+v", model, halted, b.board.CoreState())
		}
		costs, err := cortexm.Measure(ctx, b.probe, b.board)
		if one := b.board.Model().TransferTime(1, swclkHz); err != nil || costs.Transfer < one*4/5 || costs.Transfer > one*6/5 {
			t.Errorf("%s: %+v, %v", model, costs, err)
		}
	}
}

func TestInspectSmallCore(t *testing.T) {
	elf, err := os.ReadFile("../sim/testdata/spin-m0.elf")
	if err != nil {
		t.Fatal(err)
	}
	b := newBoard(t, sim.Options{ELF: elf})
	i, err := cortexm.Inspect(context.Background(), b.probe, 0xE00FF003)
	if err != nil || i.Core != "Cortex-M0+ r0p1" || i.CYCCNT != cortexm.No || i.Breakpoints != 4 || i.Components.Name() != "ROM table (Cortex-M0+)" {
		t.Errorf("%+v, %v", i, err)
	}
	b = newBoard(t, sim.Options{NoPCSR: true})
	if i, err = cortexm.Inspect(context.Background(), b.probe, 0xFFFFFFFF); err != nil || i.PCSR != cortexm.No || i.Components != nil {
		t.Errorf("%+v, %v", i, err)
	}
}

// TestInspectState: what somebody else did to the core is seen and left alone.
func TestInspectState(t *testing.T) {
	ctx := context.Background()
	b := newBoard(t, sim.Options{Faults: sim.Script{{Kind: sim.Lockup, After: time.Second}}})
	if err := b.probe.WriteWord(ctx, dhcsr, 0xA05F0003); err != nil {
		t.Fatal(err)
	}
	i, err := cortexm.Inspect(ctx, b.probe, 0xFFFFFFFF)
	if err != nil || !i.State.Halted || i.State.By != "a debugger's request" || !i.State.DebugEnabled || i.PCSR != cortexm.Unknown {
		t.Errorf("%+v, %v", i, err)
	}
	if !b.board.CoreState().Halted {
		t.Error("the core was let go")
	}
	if err := b.probe.WriteWord(ctx, dhcsr, 0xA05F0000); err != nil {
		t.Fatal(err)
	}
	b.board.Sleep(ctx, 2*time.Second)
	if i, err = cortexm.Inspect(ctx, b.probe, 0xFFFFFFFF); err != nil || !i.State.LockedUp {
		t.Errorf("%+v, %v", i, err)
	}
}

func TestInspectUnplugged(t *testing.T) {
	b := newBoard(t, sim.Options{Faults: sim.Script{{Kind: sim.Unplug, After: time.Second}}})
	b.board.Sleep(context.Background(), 2*time.Second)
	if _, err := cortexm.Inspect(context.Background(), b.probe, 0xE00FF003); !errors.Is(err, probe.ErrDisconnected) {
		t.Errorf("error %v", err)
	}
}

// TestInspectFaults: whatever transfer fails, DEMCR is put back.
func TestInspectFaults(t *testing.T) {
	ctx := context.Background()
	for n := uint64(60); n < 200; n += 3 {
		for _, kind := range []sim.Kind{sim.NoAck, sim.TransferFAULT, sim.Parity} {
			b := newBoard(t, sim.Options{Faults: sim.Script{{Kind: kind, Transfer: n}}})
			_, err := cortexm.Inspect(ctx, b.probe, 0xE00FF003)
			if v, _ := b.board.Core().ReadBus(demcr, 4); v != 0 {
				t.Errorf("kind %d at transfer %d: DEMCR 0x%08x after %v", kind, n, v, err)
			}
			if s := b.board.CoreState(); s.Halted || s.DebugEnabled {
				t.Errorf("kind %d at transfer %d: %+v", kind, n, s)
			}
		}
	}
}
