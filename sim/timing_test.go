package sim_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/sim/wire"
)

// haltedBy runs a packet and returns how long the core stood because of it.
func (h *host) haltedBy(packet string) time.Duration {
	h.Helper()
	before := h.board.HaltedTime()
	h.do(packet)
	if h.board.CoreState().Halted {
		h.Fatalf("halted after % x", h.bytes(packet))
	}
	return h.board.HaltedTime() - before
}

// near allows for the instruction under way when the halt comes.
func near(got, want time.Duration) bool {
	d := got - want
	return d > -2*time.Microsecond && d < 2*time.Microsecond
}

// The halted time of the sampling batch is that of its transfers, halt write to
// resume write: 24 with the guard's ABORT, and the guard's command.
func TestHaltedTimeOfTheBatch(t *testing.T) {
	for _, model := range []string{"mcu-link", "debugprobe", "daplink-hid"} {
		for _, mhz := range []uint32{1, 2, 4, 10} {
			t.Run(fmt.Sprintf("%s at %d MHz", model, mhz), func(t *testing.T) {
				h := newHost(t, sim.Options{Model: model})
				h.connect(mhz * 1_000_000)
				h.board.Sleep(context.Background(), time.Millisecond)
				m := h.board.Model()
				want := m.TransferTime(24, mhz*1_000_000) + m.CommandTime(1)
				if got := h.haltedBy(sampleBatch); !near(got, want) {
					t.Errorf("halted %v, want %v", got, want)
				}
			})
		}
	}
}

// Without guard, overhead and command cost it is the table: 23 transfers, 1.06
// ms at 1 MHz to 106 us at 10 MHz; 7 for the PC alone.
func TestHaltedTimeAgainstTable(t *testing.T) {
	register := func(n byte) string { return "05 " + hex.EncodeToString([]byte{n}) + " 00 00 00 03 0B " }
	batch := func(regs ...byte) string {
		s := ""
		for _, r := range regs {
			s += register(r)
		}
		n := byte(3 + 3*len(regs))
		return "05 00 " + hex.EncodeToString([]byte{n}) + " 01 03 00 5F A0 13 00 00 02 00 " + s + "01 01 00 5F A0"
	}
	for _, c := range []struct {
		packet    string
		transfers int
		us        [4]float64 // at 1, 2, 4, 10 MHz
	}{
		{batch(15), 7, [4]float64{322, 161, 80.5, 32.2}},
		{batch(15, 14, 13, 16, 7), 23, [4]float64{1058, 529, 264.5, 105.8}},
	} {
		for i, mhz := range []uint32{1, 2, 4, 10} {
			h := newHost(t, sim.Options{Model: "mcu-link"})
			h.connect(mhz * 1_000_000)
			m := h.board.Model()
			got := h.haltedBy(c.packet) - time.Duration(c.transfers)*m.TransferOverhead
			if want := time.Duration(c.us[i] * 1000); !near(got, want) {
				t.Errorf("%d transfers at %d MHz: halted %v, want %v", c.transfers, mhz, got, want)
			}
		}
	}
}

// The probe's timestamps give the same halted time to within a tick.
func TestTimestampsMeasureTheHalt(t *testing.T) {
	for _, model := range []string{"mcu-link", "debugprobe"} {
		h := newHost(t, sim.Options{Model: model})
		h.connect(4_000_000)
		before := h.board.HaltedTime()
		r := h.do(sampleBatch)
		halted := h.board.HaltedTime() - before
		ticks := word(r, 52) - word(r, 5)
		tick := time.Second / time.Duration(h.board.Model().TimestampHz)
		if d := time.Duration(ticks)*tick - halted; d > tick+2*time.Microsecond || d < -tick-2*time.Microsecond {
			t.Errorf("%s: %v by timestamps, %v in truth", model, time.Duration(ticks)*tick, halted)
		}
	}
}

// blocks is a halt, n packets of 14 words and a resume, each in its packet.
func blocks(n int) []string {
	out := []string{"05 00 01 01 03 00 5F A0"}
	for range n {
		out = append(out, "06 00 0E 00 07")
	}
	return append(out, "05 00 01 01 01 00 5F A0")
}

// Packets handed over together halt the core for their work alone; one by one
// each costs a round trip and the host's turn-round more.
func TestPipelining(t *testing.T) {
	for _, model := range []string{"mcu-link", "debugprobe", "daplink-hid"} {
		h := newHost(t, sim.Options{Model: model})
		h.connect(10_000_000)
		h.expect("05 00 01 01 01 00 5F A0", "05 01 01")
		m := h.board.Model()
		packets := blocks(min(2, m.PacketCount-2))
		before := h.board.HaltedTime()
		for _, p := range packets {
			h.send(p)
		}
		for range packets {
			h.receive()
		}
		together := h.board.HaltedTime() - before
		var loads []wire.Load
		for i := range packets {
			n := 15
			if i == 0 || i == len(packets)-1 {
				n = 2
			}
			loads = append(loads, wire.Load{Commands: 1, Transfers: n})
		}
		// from the end of the first transfer to the end of the last but one: the
		// halt acts at the first's end, the resume before the RDBUFF after it
		want := m.BatchTime(loads, 10_000_000) - m.CommandTime(1) - m.TransferTime(2, 10_000_000)
		if !near(together, want) {
			t.Errorf("%s: together %v, want %v", model, together, want)
		}
		before = h.board.HaltedTime()
		for _, p := range packets {
			h.do(p)
		}
		single := h.board.HaltedTime() - before
		if least := together + time.Duration(len(packets)-1)*m.HostTurn/2; single < least {
			t.Errorf("%s: one by one %v, together %v", model, single, together)
		}
	}
}

// On HID a report leaves per frame and direction: k packets halt for k-1 ms.
func TestHIDHaltsForFrames(t *testing.T) {
	h := newHost(t, sim.Options{Model: "daplink-hid"})
	h.connect(2_000_000)
	before := h.board.HaltedTime()
	for _, p := range blocks(2) {
		h.send(p)
	}
	for range 4 {
		h.receive()
	}
	if got := h.board.HaltedTime() - before; got < 2900*time.Microsecond || got > 3100*time.Microsecond {
		t.Errorf("halted %v, want 3 ms", got)
	}
}

// The target runs while a packet is under way, and on while the host sleeps.
func TestTargetRunsMeanwhile(t *testing.T) {
	h := newHost(t, sim.Options{})
	h.connect(1_000_000)
	n, now := h.board.Core().Cycles(), h.board.Now()
	h.do("06 00 40 00 07") // 65 transfers at 1 MHz: 3 ms
	elapsed := h.board.Now() - now
	if elapsed < 2990*time.Microsecond {
		t.Errorf("the packet took %v", elapsed)
	}
	cycles := h.board.Core().Cycles() - n
	if want := uint64(elapsed.Nanoseconds()) * 16 / 1000; cycles < want-20 || cycles > want+20 {
		t.Errorf("%d cycles in %v", cycles, elapsed)
	}
	n = h.board.Core().Cycles()
	h.board.Sleep(context.Background(), 10*time.Millisecond)
	if got := h.board.Core().Cycles() - n; got < 159_900 || got > 160_100 {
		t.Errorf("%d cycles in a sleep of 10 ms at 16 MHz", got)
	}
}

// Two boards with one seed do the same to the last cycle, with another seed
// not.
func TestDeterminism(t *testing.T) {
	run := func(seed uint64) string {
		h := newHost(t, sim.Options{Model: "daplink-hid", Seed: seed})
		h.connect(1_000_000)
		var b strings.Builder
		for range 20 {
			h.board.Sleep(context.Background(), 700*time.Microsecond)
			fmt.Fprintf(&b, "%x %v %d\n", h.do(sampleBatch), h.board.Now(), h.board.Core().Cycles())
		}
		return b.String()
	}
	if a, b := run(7), run(7); a != b {
		t.Error("two runs with one seed differ")
	}
	if a, b := run(7), run(8); a == b {
		t.Error("two seeds give the same run")
	}
}
