package sim_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
)

// TestChips: the cores of a chip run the program independently, each with
// memory of its own; a power-on gives the same every time.
func TestChips(t *testing.T) {
	ctx := context.Background()
	for _, chip := range sim.Chips() {
		run := func() (b *sim.Board, halted time.Duration) {
			b = newBoard(t, sim.Options{Chip: chip, Seed: 3})
			p, err := probe.Open(ctx, b.Transport(), probe.Options{Core: b.Cores() - 1})
			if err != nil {
				if b.Cores() > 1 {
					t.Fatalf("%s: %v", chip, err)
				}
				return b, 0
			}
			const place, mark = 0x20002380, 0x5AFE0000 // RAM that the program does not use
			if err := p.WriteWord(ctx, place, mark); err != nil {
				t.Fatalf("%s: %v", chip, err)
			}
			if v, _ := b.Core().ReadBus(place, 4); (v == mark) != (b.Cores() == 1) {
				t.Errorf("%s: core 0 has 0x%08x", chip, v)
			}
			if err := p.WriteWord(ctx, 0xE000EDF0, 0xA05F0003); err != nil {
				t.Fatalf("%s: %v", chip, err)
			}
			b.Sleep(ctx, time.Millisecond)
			p.Close()
			return b, b.HaltedTimeOf(b.Cores() - 1)
		}
		one, halted := run()
		two, again := run()
		if halted != again || one.Now() != two.Now() || one.Core().Cycles() != two.Core().Cycles() {
			t.Errorf("%s: %v and %v halted, %v and %v in all", chip, halted, again, one.Now(), two.Now())
		}
		if one.Cores() > 1 && (halted < time.Millisecond || one.HaltedTimeOf(0) != 0) {
			t.Errorf("%s: core 1 stood for %v, core 0 for %v", chip, halted, one.HaltedTimeOf(0))
		}
	}
	if _, err := sim.New(sim.Options{ELF: elfFile(t, "spin.elf"), Chip: "z80"}); err == nil || !strings.Contains(err.Error(), `chip "z80": unknown; there are one-core, rp2040,`) {
		t.Errorf("error %v", err)
	}
}

// TestRescuePort: TARGETSEL of the rescue port is noted, and a request for debug
// power there resets both cores.
func TestRescuePort(t *testing.T) {
	h := newHost(t, sim.Options{Chip: "rp2040"})
	h.board.Sleep(context.Background(), 3*time.Millisecond)
	ran := h.board.Core().Instructions()
	resets := 0
	h.board.Core().OnReset(func() { resets++ })
	h.expect("02 01", "02 01")
	h.expect("12 E0 FF 92 F3 09 62 95 2D 85 86 E9 AF DD E3 A2 0E BC 19 A0 F1 FF FF FF FF FF FF FF FF 00", "12 00")
	h.expect("1D 03 08 99 85 28 27 29 00 F1 00", "1D 00")
	h.expect("05 00 01 02", "05 01 01 77 24 C1 0B") // DPIDR
	if h.board.RescueNamed() != 1 || h.board.Rescues() != 0 || resets != 0 {
		t.Errorf("named %d times, powered %d times, %d resets", h.board.RescueNamed(), h.board.Rescues(), resets)
	}
	h.expect("05 00 03 00 1E 00 00 00 08 00 00 00 00 04 00 00 00 50", "05 03 01")
	if h.board.Rescues() != 1 || resets != 1 || ran == 0 {
		t.Errorf("powered %d times, %d resets", h.board.Rescues(), resets)
	}
}

// TestPinsOff: the wire is dead from that long after each reset on, but not while
// nRESET is low or the core stands.
func TestPinsOff(t *testing.T) {
	ctx := context.Background()
	b := newBoard(t, sim.Options{PinsOff: 2 * time.Millisecond})
	b.Sleep(ctx, 3*time.Millisecond)
	if _, err := probe.Open(ctx, b.Transport(), probe.Options{}); !errors.Is(err, probe.ErrNoTarget) {
		t.Fatalf("error %v", err)
	}
	p, err := probe.Open(ctx, b.Transport(), probe.Options{ConnectUnderReset: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.ReleaseReset(ctx); err != nil {
		t.Fatal(err)
	}
	if err := p.WriteWord(ctx, 0xE000EDF0, 0xA05F0003); err != nil {
		t.Fatal(err)
	}
	b.Sleep(ctx, 10*time.Millisecond)
	if _, err := p.ReadWord(ctx, 0xE000ED00); err != nil {
		t.Errorf("while the core stands: %v", err)
	}
	if err := p.WriteWord(ctx, 0xE000EDF0, 0xA05F0001); err != nil {
		t.Fatal(err)
	}
	b.Sleep(ctx, 10*time.Millisecond)
	if _, err := p.ReadWord(ctx, 0xE000ED00); err == nil {
		t.Error("the pins are still on")
	}
}

// TestNoResetWire: nRESET reaches nobody.
func TestNoResetWire(t *testing.T) {
	h := newHost(t, sim.Options{NoResetWire: true})
	resets := 0
	h.board.Core().OnReset(func() { resets++ })
	h.expect("10 00 80 00 00 00 00", "10") // low
	before := h.board.Core().Instructions()
	h.board.Sleep(context.Background(), time.Millisecond)
	h.expect("10 80 80 00 00 00 00", "10")
	if resets != 0 || h.board.Core().Instructions() == before {
		t.Errorf("%d resets", resets)
	}
}
