package probe_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
)

func chip(t testing.TB, o sim.Options) *sim.Board {
	t.Helper()
	if o.ELF == nil {
		o.ELF = spin(t)
	}
	b, err := sim.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func ptr(v uint32) *uint32 { return &v }

const (
	dhcsr       = 0xE000EDF0
	haltRequest = 0xA05F0003
)

// halts makes sure that p reaches core i of the board and no other.
func halts(t *testing.T, b *sim.Board, p *probe.Probe, i int) {
	t.Helper()
	if err := p.WriteWord(ctx, dhcsr, haltRequest); err != nil {
		t.Fatal(err)
	}
	for n := range b.Cores() {
		if got := b.CoreStateOf(n).Halted; got != (n == i) {
			t.Errorf("core %d halted: %v, core %d was meant", n, got, i)
		}
	}
	if err := p.WriteWord(ctx, dhcsr, 0xA05F0000); err != nil {
		t.Fatal(err)
	}
}

// TestCores: each core of each chip is found by its number, its port or its
// TARGETSEL, and no other is touched; the rescue port sleeps on.
func TestCores(t *testing.T) {
	for _, c := range []struct {
		name, chip string
		options    probe.Options
		core       int
		ap         uint32
		targetsel  uint32 // 0: none
	}{
		{"RP2040", "rp2040", probe.Options{}, 0, 0, 0x01002927},
		{"RP2040 core 1", "rp2040", probe.Options{Core: 1}, 1, 0, 0x11002927},
		{"RP2040 by TARGETSEL", "rp2040", probe.Options{TARGETSEL: ptr(0x11002927)}, 1, 0, 0x11002927},
		{"all ports at once", "rp2040-together", probe.Options{}, 0, 0, 0x01002927},
		{"all ports at once, core 1", "rp2040-together", probe.Options{Core: 1}, 1, 0, 0x11002927},
		{"RP2350", "rp2350", probe.Options{}, 0, 0x2000, 0},
		{"RP2350 core 1", "rp2350", probe.Options{Core: 1}, 1, 0x4000, 0},
		{"RP2350 by port", "rp2350", probe.Options{AP: ptr(0x4000)}, 1, 0x4000, 0},
		{"RP2350 by TARGETSEL", "rp2350", probe.Options{TARGETSEL: ptr(0x00040927), Core: 1}, 1, 0x4000, 0x00040927},
		{"in JTAG mode, by way of dormant alone", "adiv6", probe.Options{}, 0, 0x10000, 0},
		{"past a port without a core", "two-aps", probe.Options{}, 0, 1, 0},
		{"second of three ports", "two-aps", probe.Options{Core: 1}, 1, 3, 0},
		{"by port", "two-aps", probe.Options{AP: ptr(3)}, 1, 3, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := chip(t, sim.Options{Chip: c.chip, Model: "debugprobe"})
			p, err := probe.Open(ctx, b.Transport(), c.options)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			sel, _ := p.TARGETSEL()
			if p.APIndex() != c.ap || sel != c.targetsel {
				t.Errorf("access port 0x%x, TARGETSEL 0x%08x", p.APIndex(), sel)
			}
			halts(t, b, p, c.core)
			if b.Cores() == 2 && strings.HasPrefix(c.chip, "rp2040") && (b.Rescues() != 0 || b.RescueNamed() != 0) {
				t.Errorf("the rescue port was named %d times and powered %d times", b.RescueNamed(), b.Rescues())
			}
		})
	}
}

// TestMultidropRecovers: whatever goes wrong at whatever transfer, recovery
// selects the same port again.
func TestMultidropRecovers(t *testing.T) {
	for _, kind := range []sim.Kind{sim.NoAck, sim.TransferFAULT, sim.Parity} {
		for n := uint64(1); n < 60; n += 3 {
			b := chip(t, sim.Options{Chip: "rp2040", Model: "mcu-link", Faults: sim.Script{{Kind: kind, Transfer: n}}})
			p, err := probe.Open(ctx, b.Transport(), probe.Options{Core: 1})
			if err != nil {
				p, err = probe.Open(ctx, b.Transport(), probe.Options{Core: 1})
			}
			if err != nil {
				t.Fatalf("kind %d at transfer %d: %v", kind, n, err)
			}
			for i := 0; ; i++ {
				err := exercise(p, 9)
				if err == nil {
					break
				}
				if i > 2 || errors.Is(err, errWrong) {
					t.Fatalf("kind %d at transfer %d: %v", kind, n, err)
				}
				if err := p.Recover(ctx); err != nil {
					t.Fatalf("kind %d at transfer %d: recover: %v", kind, n, err)
				}
			}
			halts(t, b, p, 1)
			if b.Rescues() != 0 {
				t.Fatalf("kind %d at transfer %d: the rescue port was powered", kind, n)
			}
			p.Close()
		}
	}
}

// TestRungsSelectAgain: line reset, switch sequences and reconnection each end
// on the port that was chosen.
func TestRungsSelectAgain(t *testing.T) {
	for _, model := range sim.Models() {
		b := chip(t, sim.Options{Chip: "rp2040", Model: model, Faults: sim.Script{
			{Kind: sim.NoAck, After: 300 * time.Millisecond}, {Kind: sim.DebugOff, After: 500 * time.Millisecond, For: 50 * time.Millisecond}}})
		p, err := probe.Open(ctx, b.Transport(), probe.Options{Core: 1, Timeout: 100 * time.Millisecond})
		if err != nil {
			t.Fatal(model, err)
		}
		for range 100 {
			if err := exercise(p, 3); err != nil {
				for range 100 {
					if err = p.Recover(ctx); err == nil {
						break
					}
				}
				if err != nil {
					t.Fatal(model, err)
				}
			}
			b.Sleep(ctx, 5*time.Millisecond)
		}
		halts(t, b, p, 1)
		if err := p.Reset(ctx); err != nil {
			t.Error(model, err)
		}
		halts(t, b, p, 1)
		p.Close()
	}
}

// old is a probe without DAP_SWD_Sequence.
type old struct{ probe.Transport }

func (o old) WritePacket(ctx context.Context, p []byte) error {
	if p[0] == 0x1D {
		p = []byte{0x7D} // unknown to every probe
	}
	return o.Transport.WritePacket(ctx, p)
}

func TestMultidropWithoutSequence(t *testing.T) {
	for i := range 2 {
		b := chip(t, sim.Options{Chip: "rp2040", Model: "free-dap"})
		p, err := probe.Open(ctx, old{b.Transport()}, probe.Options{Core: i})
		if err != nil {
			t.Fatal(err)
		}
		halts(t, b, p, i)
		p.Close()
	}
}

// TestConnectErrors: the sentence for each way in which there is nothing to
// debug, and what a caller branches on.
func TestConnectErrors(t *testing.T) {
	for _, c := range []struct {
		name, chip string
		options    probe.Options
		is         error
		says       string
	}{
		{"RP2040 has two", "rp2040", probe.Options{Core: 2}, probe.ErrNoCore, "core 2: the RP2040 has cores 0 and 1"},
		{"RP2040 has two, all at once", "rp2040-together", probe.Options{Core: 2}, probe.ErrNoCore, "core 2: the RP2040 has cores 0 and 1"},
		{"nobody of that name", "rp2040", probe.Options{TARGETSEL: ptr(0x21002927)}, probe.ErrNoTarget, "TARGETSEL 0x21002927: "},
		{"rescue", "rp2040", probe.Options{TARGETSEL: ptr(0xF1002927)}, nil, "is the rescue port of the RP2040"},
		{"RP2350 has two", "rp2350", probe.Options{Core: 2}, probe.ErrNoCore, "core 2: the target has 2 that can be debugged, numbered from 0"},
		{"one core", "", probe.Options{Core: 1}, probe.ErrNoCore, "core 1: the target has 1 that can be debugged, numbered from 0"},
		{"locked", "locked", probe.Options{}, probe.ErrLocked, "debug access is disabled (CSW 0x"},
		{"reads fault", "read-protected", probe.Options{}, probe.ErrLocked, "access port 0x0 (IDR 0x24770011): read CPUID: read DRW/BD3: FAULT after 2 transfers (debug access is locked)"},
		{"power refused", "no-debug-power", probe.Options{}, probe.ErrNoTarget, "the debug domain does not power up (CTRL/STAT 0x5"},
		{"no such port", "", probe.Options{AP: ptr(7)}, nil, "access port 0x7 is no MEM-AP (IDR 0x00000000)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := chip(t, sim.Options{Chip: c.chip, Model: "mcu-link"})
			_, err := probe.Open(ctx, b.Transport(), c.options)
			if err == nil || !strings.Contains(err.Error(), c.says) || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("error %v, want %q", err, c.says)
			}
			for i := range b.Cores() {
				if s := b.CoreStateOf(i); s.Halted || s.DebugEnabled {
					t.Errorf("core %d is left %+v", i, s)
				}
			}
			if strings.HasPrefix(c.chip, "rp2040") && b.Rescues() != 0 {
				t.Error("the rescue port was powered")
			}
		})
	}
}

// TestNoCPUID: an AHB-AP that reads zeros has no core behind it.
func TestNoCPUID(t *testing.T) {
	g := newTarget()
	delete(g.mem, 0xE000ED00)
	_, err := probe.Open(ctx, g.transport(), quick)
	if !errors.Is(err, probe.ErrNoCore) || !strings.Contains(err.Error(), "access port 0x0 (IDR 0x24770011): CPUID reads 0x00000000: no Cortex-M core") {
		t.Errorf("error %v", err)
	}
}

// TestConnectUnderReset: a program that turns its SWD pins off is reached only
// so; nRESET is held until it is released, or the probe closed.
func TestConnectUnderReset(t *testing.T) {
	for _, model := range sim.Models() {
		b := chip(t, sim.Options{Model: model, PinsOff: 300 * time.Microsecond})
		b.Sleep(ctx, time.Millisecond)
		if _, err := probe.Open(ctx, b.Transport(), probe.Options{}); !errors.Is(err, probe.ErrNoTarget) {
			t.Fatalf("%s: error %v", model, err)
		}
		p, err := probe.Open(ctx, b.Transport(), probe.Options{ConnectUnderReset: true})
		if err != nil {
			t.Fatal(model, err)
		}
		at := b.Core().Instructions()
		if err := exercise(p, 5); err != nil || !p.InReset() {
			t.Error(model, err)
		}
		if err := p.Recover(ctx); err != nil || !p.InReset() {
			t.Error(model, err)
		}
		if n := b.Core().Instructions(); n != at {
			t.Errorf("%s: %d instructions in reset", model, n-at)
		}
		if err := p.ReleaseReset(ctx); err != nil || p.InReset() {
			t.Error(model, err)
		}
		p.Close()
		b.Sleep(ctx, time.Millisecond)
		if b.Core().Instructions() == at {
			t.Errorf("%s: the core does not run", model)
		}
	}
	b := chip(t, sim.Options{Chip: "read-protected", PinsOff: time.Hour})
	if _, err := probe.Open(ctx, b.Transport(), probe.Options{ConnectUnderReset: true}); err == nil {
		t.Fatal("no error")
	}
	at := b.Core().Instructions()
	b.Sleep(ctx, time.Millisecond)
	if b.Core().Instructions() == at {
		t.Error("held in reset after an error")
	}
}

func TestAccessPorts(t *testing.T) {
	b := chip(t, sim.Options{Chip: "rp2350"})
	p, err := probe.Open(ctx, b.Transport(), probe.Options{Core: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	all, err := p.AccessPorts(ctx)
	if err != nil || len(all) != 3 || all[1] != (probe.AccessPort{Index: 0x4000, IDR: 0x34770008, BASE: 0xE00FF003}) || all[2].Kind() != "APB-AP (APB4)" {
		t.Errorf("%+v, %v", all, err)
	}
	d, err := p.DebugPort(ctx)
	if err != nil || d != (probe.DebugPort{DPIDR: 0x4C013477, TARGETID: 0x00040927, DLPIDR: 1}) || d.Version() != 3 {
		t.Errorf("%+v, %v", d, err)
	}
	halts(t, b, p, 1)
}
