package cortexm_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
)

// atReset makes sure that the core stands at its reset vector and has run
// nothing since the reset.
func (b *bench) atReset(t *testing.T) {
	t.Helper()
	pc, _ := b.board.Core().ReadReg(15)
	entry, _ := b.board.Core().ReadBus(0x08000004, 4)
	if !b.board.CoreState().Halted || pc != entry&^1 || !b.core.Held() {
		t.Errorf("PC 0x%08x, reset vector 0x%08x, %+v, held %v", pc, entry, b.board.CoreState(), b.core.Held())
	}
}

func TestReset(t *testing.T) {
	ctx := context.Background()
	for _, model := range sim.Models() {
		for by, o := range map[string]sim.Options{"nRESET": {Model: model}, "AIRCR.SYSRESETREQ": {Model: model, NoResetWire: true}} {
			b := newBoard(t, o)
			b.attach(t)
			b.board.Sleep(ctx, 10*time.Millisecond)
			r, err := b.core.Reset(ctx, b.board)
			if err != nil || r != (cortexm.ResetReport{By: by, Caught: true}) {
				t.Fatalf("%s: %+v, %v", model, r, err)
			}
			b.atReset(t)
			if v, err := b.probe.ReadWord(ctx, demcr); err != nil || v&1 != 0 {
				t.Errorf("%s: DEMCR 0x%08x, %v", model, v, err)
			}
			if err := b.core.Run(ctx); err != nil || b.board.CoreState().Halted || b.core.Held() {
				t.Errorf("%s: %+v, %v", model, b.board.CoreState(), err)
			}
			if err := b.core.Detach(ctx); err != nil {
				t.Fatal(err)
			}
			b.running(t)
		}
	}
}

// TestResetObserved: a core that is only observed is caught all the same, and
// runs without C_DEBUGEN afterwards.
func TestResetObserved(t *testing.T) {
	ctx := context.Background()
	b := newBoard(t, sim.Options{})
	var err error
	if b.core, err = cortexm.Attach(ctx, b.probe, cortexm.AttachOptions{Clock: b.board, Observe: true}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if r, err := b.core.Reset(ctx, b.board); err != nil || !r.Caught {
			t.Fatal(r, err)
		}
		b.atReset(t)
		if err := b.core.Run(ctx); err != nil {
			t.Fatal(err)
		}
		b.running(t)
	}
	if _, err := b.core.Reset(ctx, b.board); err != nil {
		t.Fatal(err)
	}
	if err := b.core.Detach(ctx); err != nil {
		t.Fatal(err)
	}
	b.running(t)
}

// TestResetTakesTheDebugPort: a chip that is not to be reached for a while after
// its reset, with all debug settings lost, is reset and sampled all the same.
func TestResetTakesTheDebugPort(t *testing.T) {
	ctx := context.Background()
	probeIt := newBoard(t, sim.Options{})
	probeIt.attach(t)
	now := probeIt.board.Now()
	for _, when := range []time.Duration{1, 5, 10, 15, 19} {
		b := newBoard(t, sim.Options{Faults: sim.Script{{Kind: sim.DebugOff, After: now + when*time.Millisecond, For: 60 * time.Millisecond}}})
		b.attach(t)
		r, err := b.core.Reset(ctx, b.board)
		if err != nil || r.By == "" {
			t.Errorf("after %d ms: %+v, %v", when, r, err)
		}
		if err := b.core.Run(ctx); err != nil {
			t.Error(err)
		}
		if sp, err := b.sampler(t, cortexm.SampleOptions{Seed: 1}).Next(ctx); err != nil || sp.Miss != 0 {
			t.Errorf("after %d ms: %+v, %v", when, sp, err)
		}
		if err := b.core.Detach(ctx); err != nil {
			t.Fatal(err)
		}
		b.running(t)
	}
}

// openUnderReset connects to a program that turns its SWD pins off.
func openUnderReset(o sim.Options) (*bench, error) {
	o.ELF = demo.ELF
	board, err := sim.New(o)
	if err != nil {
		return nil, err
	}
	b := &bench{board: board, ram: cortexm.Range{Low: 0x20000000, High: 0x20010000}}
	board.Sleep(context.Background(), 20*time.Millisecond)
	if b.probe, err = probe.Open(context.Background(), board.Transport(), probe.Options{ConnectUnderReset: true, SWCLKHz: swclkHz}); err != nil {
		return b, err
	}
	b.core, err = cortexm.Attach(context.Background(), b.probe, cortexm.AttachOptions{Clock: board})
	return b, err
}

func TestAttachUnderReset(t *testing.T) {
	ctx := context.Background()
	for _, model := range sim.Models() {
		b, err := openUnderReset(sim.Options{Model: model, PinsOff: 12 * time.Millisecond})
		if err != nil {
			t.Fatal(model, err)
		}
		if r, ok := b.core.Start(); !ok || r != (cortexm.ResetReport{By: "nRESET", Caught: true}) {
			t.Errorf("%s: %+v", model, r)
		}
		b.atReset(t)
		s := b.sampler(t, cortexm.SampleOptions{Rate: 2000, Seed: 1})
		if err := b.core.Run(ctx); err != nil {
			t.Fatal(err)
		}
		if sp, err := s.Next(ctx); err != nil || sp.Miss != 0 || b.board.CoreState().Halted {
			t.Errorf("%s: the boot is not sampled: %+v, %v", model, sp, err)
		}
		b.board.Sleep(ctx, 20*time.Millisecond)
		if err := b.core.Detach(ctx); err == nil {
			t.Errorf("%s: nobody answers and nothing is said", model)
		}
		if b.board.CoreState().Halted {
			t.Errorf("%s: the core is halted", model)
		}
	}
}

// TestAttachUnderResetWithoutWire: a core that answers although nRESET is not
// wired is reset by SYSRESETREQ, and the report says so.
func TestAttachUnderResetWithoutWire(t *testing.T) {
	b, err := openUnderReset(sim.Options{NoResetWire: true})
	if err != nil {
		t.Fatal(err)
	}
	if r, _ := b.core.Start(); r.By != "AIRCR.SYSRESETREQ" || !r.Caught {
		t.Errorf("%+v", r)
	}
	b.atReset(t)
	if err := b.core.Detach(context.Background()); err != nil {
		t.Fatal(err)
	}
	b.running(t)
}

// TestResetFaults: whatever goes wrong at whatever transfer or packet between
// connecting under reset and detaching, the core runs afterwards.
func TestResetFaults(t *testing.T) {
	ctx := context.Background()
	step := uint64(3)
	if testing.Short() {
		step = 17
	}
	for _, kind := range []sim.Kind{sim.NoAck, sim.TransferFAULT, sim.Parity, sim.TransferWAIT, sim.ShortPacket, sim.LatePacket, sim.Mismatch} {
		for n := uint64(1); n < 200; n += step {
			f := sim.Fault{Kind: kind, Transfer: n, For: 20 * time.Millisecond}
			if kind == sim.ShortPacket || kind == sim.LatePacket {
				f.Transfer, f.Packet, f.For = 0, n/2, 1500*time.Millisecond
			}
			b, err := openUnderReset(sim.Options{Faults: sim.Script{f}})
			if err == nil {
				_, err = b.core.Reset(ctx, b.board)
				if e := b.core.Detach(ctx); e != nil {
					t.Errorf("kind %d at %d: detach: %v", kind, n, e)
				}
			}
			if b.probe != nil {
				b.probe.Close()
			}
			if s := b.board.CoreState(); s.Halted || s.DebugEnabled {
				t.Errorf("kind %d at %d: left %+v after %v", kind, n, s, err)
			}
			at := b.board.Core().Instructions()
			b.board.Sleep(ctx, 30*time.Millisecond) // it may be asleep
			if b.board.Core().Instructions() == at {
				t.Errorf("kind %d at %d: the core does not run after %v", kind, n, err)
			}
		}
	}
}

func TestResetCancelled(t *testing.T) {
	b := newBoard(t, sim.Options{NoResetWire: true})
	b.attach(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := b.core.Reset(ctx, b.board); err == nil || !strings.Contains(err.Error(), "cortexm: ") {
		t.Errorf("error %v", err)
	}
	if err := b.core.Detach(context.Background()); err != nil {
		t.Error(err)
	}
	b.running(t)
}
