package sim_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
)

// newPacedHost is a host in real time.
func newPacedHost(t *testing.T, o sim.Options) *host {
	b := newBoard(t, o)
	h := &host{t, b, b.PacedTransport()}
	t.Cleanup(func() { h.wire.Close() })
	return h
}

// The target runs while nobody sends, by the wall clock less what the machine
// was too slow for, and stands when the last transport is closed.
func TestPacedTargetRuns(t *testing.T) {
	start := time.Now()
	h := newPacedHost(t, sim.Options{CoreHz: 4_000_000})
	var cycles uint64
	for cycles < 100_000 {
		time.Sleep(5 * time.Millisecond)
		h.board.Hold(func() { cycles = h.board.Core().Cycles() })
	}
	now := h.board.Now()
	if wall := time.Since(start); now+h.board.Lag() > wall || now < 25*time.Millisecond-10*time.Millisecond {
		t.Errorf("virtual time %v with %v lost, wall time %v", now, h.board.Lag(), wall)
	}
	h.wire.Close()
	cycles = h.board.Core().Cycles()
	time.Sleep(5 * time.Millisecond)
	if n := h.board.Core().Cycles(); n != cycles {
		t.Errorf("%d cycles without a transport", n-cycles)
	}
	if at := uint64(h.board.Now().Seconds() * 4e6); cycles > at+4 {
		t.Errorf("%d cycles by %v", cycles, h.board.Now())
	}
}

// A response does not come before the model has it at the host, on either
// clock.
func TestPacedResponseTakesItsTime(t *testing.T) {
	for _, model := range sim.Models() {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			h := newPacedHost(t, sim.Options{Model: model, CoreHz: 1_000_000})
			m := h.board.Model()
			h.connect(1_000_000)
			for range 5 {
				start, virtual := time.Now(), h.board.Now()
				h.send("09 E8 03") // DAP_Delay 1000 us
				h.receive()
				least := time.Millisecond + 2*m.PacketTime + m.CommandOverhead
				if d := h.board.Now() - virtual; d < least {
					t.Errorf("virtual time %v, want at least %v", d, least)
				}
				if d := time.Since(start); d < least {
					t.Errorf("wall time %v, want at least %v", d, least)
				}
			}
		})
	}
}

// Packets that are under way together execute one behind the other, and a wait
// ends at its deadline although the response is on its way.
func TestPacedDeadline(t *testing.T) {
	h := newPacedHost(t, sim.Options{CoreHz: 1_000_000})
	h.connect(1_000_000)
	h.send("09 50 C3") // 50 ms
	h.send("09 01 00")
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := h.wire.ReadPacket(ctx, make([]byte, 512)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	h.receive()
	h.receive()
	if d := h.board.Now(); d < 50*time.Millisecond {
		t.Errorf("virtual time %v", d)
	}
	done, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := h.wire.ReadPacket(done, make([]byte, 512)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with nothing under way: %v", err)
	}
}

// A target that is too fast for the machine loses time, and stays exact on its
// own clock.
func TestPacedTooFast(t *testing.T) {
	const hz = 1_500_000_000
	h := newPacedHost(t, sim.Options{CoreHz: hz})
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for h.board.Lag() == 0 && ctx.Err() == nil {
		if err := h.wire.WritePacket(ctx, []byte{0, 0xfe}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.wire.ReadPacket(ctx, make([]byte, 512)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	if h.board.Lag() == 0 {
		t.Skip("this machine simulates 1.5 GHz in real time")
	}
	h.wire.Close()
	if at, ran := h.board.Now().Seconds(), float64(h.board.Core().Cycles())/hz; ran > at+0.001 || ran < at-0.011 {
		t.Errorf("%v s ran, the clock shows %v s", ran, at)
	}
}

// Unplugged at a time, with nobody sending; plugged in again, it works.
func TestPacedUnplug(t *testing.T) {
	h := newPacedHost(t, sim.Options{CoreHz: 1_000_000, Faults: sim.Script{{Kind: sim.Unplug, After: 20 * time.Millisecond, For: 5 * time.Millisecond}}})
	h.connect(1_000_000)
	if _, err := h.wire.ReadPacket(context.Background(), make([]byte, 512)); !errors.Is(err, probe.ErrDisconnected) {
		t.Errorf("read: %v", err)
	}
	if err := h.wire.WritePacket(context.Background(), []byte{0, 1}); !errors.Is(err, probe.ErrDisconnected) {
		t.Errorf("write: %v", err)
	}
	if err := h.board.Sleep(context.Background(), 10*time.Millisecond); err != nil {
		t.Error(err)
	}
	old := h.wire
	h.wire = h.board.PacedTransport()
	old.Close()
	h.connect(1_000_000)
	h.wire.Close()
	if err := h.wire.WritePacket(context.Background(), []byte{0, 1}); err == nil {
		t.Error("a closed transport takes packets")
	}
}

// In slow motion the board's clock shows a part of the time, and what takes its
// time on the board takes so much longer.
func TestSlowMotion(t *testing.T) {
	const slow = 10
	b := newBoard(t, sim.Options{CoreHz: 1_000_000})
	b.SlowMotion(slow)
	start := time.Now()
	h := &host{t, b, b.PacedTransport()}
	defer h.wire.Close()
	h.connect(1_000_000)
	before := time.Now()
	h.send("09 E8 03") // DAP_Delay 1000 us
	h.receive()
	if d := time.Since(before); d < slow*time.Millisecond {
		t.Errorf("a delay of 1 ms took %v of the wall clock", d)
	}
	now := b.Now()
	if wall := time.Since(start); now < time.Millisecond || (now+b.Lag())*slow > wall {
		t.Errorf("virtual time %v with %v lost, wall time %v", now, b.Lag(), wall)
	}
}
