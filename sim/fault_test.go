package sim_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
)

// faulty is a connected host whose script begins n transfers later.
func faulty(t *testing.T, o sim.Options, script func(transfer, packet uint64) sim.Script) *host {
	t.Helper()
	dry := newHost(t, o)
	dry.connect(10_000_000)
	o.Faults = script(dry.board.Transfers()+1, dry.board.Packets()+1)
	h := newHost(t, o)
	h.connect(10_000_000)
	return h
}

const readDHCSR = "05 00 01 03" // DHCSR through BD0

func TestTransferWAIT(t *testing.T) {
	h := faulty(t, sim.Options{}, func(n, _ uint64) sim.Script { return sim.Script{{Kind: sim.TransferWAIT, Transfer: n, Count: 3}} })
	h.expect(readDHCSR, "05 01 01") // the probe retries
	h = faulty(t, sim.Options{}, func(n, _ uint64) sim.Script { return sim.Script{{Kind: sim.TransferWAIT, Transfer: n, Count: 1000}} })
	h.expect(readDHCSR, "05 00 02")
}

func TestTransferFAULT(t *testing.T) {
	h := faulty(t, sim.Options{}, func(n, _ uint64) sim.Script { return sim.Script{{Kind: sim.TransferFAULT, Transfer: n + 1}} })
	h.expect(readDHCSR, "05 01 04")
	h.expect(readDHCSR, "05 00 04")
	h.expect("05 00 01 00 1E 00 00 00", "05 01 01")
	h.expect(readDHCSR, "05 01 01")
}

// The guard resumes a core that a FAULT left halted.
func TestGuardResumesAfterFAULT(t *testing.T) {
	for _, kind := range []sim.Kind{sim.TransferFAULT, sim.TransferWAIT, sim.Parity} {
		h := faulty(t, sim.Options{}, func(n, _ uint64) sim.Script {
			return sim.Script{{Kind: kind, Transfer: n + 5, Count: map[bool]int{true: 65, false: 1}[kind == sim.TransferWAIT]}}
		})
		r := h.do(sampleBatch)
		if r[4] == 1 {
			t.Errorf("kind %d: acknowledge OK", kind)
		}
		if s := h.board.CoreState(); s.Halted {
			t.Errorf("kind %d: the core is halted after the guard", kind)
		}
	}
}

// With the firmware that skips a request too many the same guard is lost.
func TestOldFirmwareLosesTheGuard(t *testing.T) {
	h := faulty(t, sim.Options{Model: "daplink-hid-2.1.0"}, func(n, _ uint64) sim.Script {
		return sim.Script{{Kind: sim.TransferFAULT, Transfer: n + 5}}
	})
	h.do(sampleBatch)
	if !h.board.CoreState().Halted {
		t.Error("the core runs")
	}
	h.expect("05 00 02 00 1E 00 00 00 01 01 00 5F A0", "05 02 01")
	if h.board.CoreState().Halted {
		t.Error("the core is halted after a guard of its own")
	}
}

func TestNoAckUntilLineReset(t *testing.T) {
	h := faulty(t, sim.Options{}, func(n, _ uint64) sim.Script { return sim.Script{{Kind: sim.NoAck, Transfer: n}} })
	h.expect(readDHCSR, "05 00 07")
	h.expect(readDHCSR, "05 00 07")
	h.expect("12 40 FF FF FF FF FF FF FF 00", "12 00")
	h.expect("05 00 01 02", "05 01 01")
	h.expect(readDHCSR, "05 01 01")
}

func TestParity(t *testing.T) {
	h := faulty(t, sim.Options{}, func(n, _ uint64) sim.Script { return sim.Script{{Kind: sim.Parity, Transfer: n + 1}} })
	h.expect(readDHCSR, "05 01 08")
	h.expect(readDHCSR, "05 01 01")
	h = faulty(t, sim.Options{}, func(n, _ uint64) sim.Script { return sim.Script{{Kind: sim.Parity, Transfer: n}} })
	h.expect("05 00 01 01 01 00 5F A0", "05 01 04") // WDATAERR
	h.expect("05 00 01 00 08 00 00 00", "05 01 01")
	h.expect(readDHCSR, "05 01 01")
}

// A core that does not halt: the match runs out, the guard takes the request
// back. When the core listens again nothing is pending.
func TestMismatch(t *testing.T) {
	h := faulty(t, sim.Options{}, func(n, _ uint64) sim.Script {
		return sim.Script{{Kind: sim.Mismatch, Transfer: n, For: 2 * time.Millisecond}}
	})
	h.expect(sampleBatch, "7F 02 05 01 11")
	if s := h.board.CoreState(); s.Halted || !s.DebugEnabled {
		t.Errorf("core %+v", s)
	}
	h.board.Sleep(context.Background(), 3*time.Millisecond)
	if h.board.CoreState().Halted || h.board.HaltedTime() != 0 {
		t.Error("a halt was left pending")
	}
	h.expect(sampleBatch, "7F 02 05 11 01")
}

func TestShortPacket(t *testing.T) {
	h := faulty(t, sim.Options{}, func(_, p uint64) sim.Script { return sim.Script{{Kind: sim.ShortPacket, Packet: p, Bytes: 7}} })
	if r := h.do(sampleBatch); len(r) != 7 {
		t.Errorf("%d bytes", len(r))
	}
	if r := h.do(sampleBatch); len(r) != 56 {
		t.Errorf("%d bytes", len(r))
	}
}

// A late response runs into the deadline and is there later.
func TestLatePacket(t *testing.T) {
	h := faulty(t, sim.Options{}, func(_, p uint64) sim.Script {
		return sim.Script{{Kind: sim.LatePacket, Packet: p, For: 300 * time.Millisecond}}
	})
	h.send(readDHCSR)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	before := h.board.Now()
	p := make([]byte, 512)
	if _, err := h.wire.ReadPacket(ctx, p); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("error %v", err)
	}
	if d := h.board.Now() - before; d < 40*time.Millisecond || d > 60*time.Millisecond {
		t.Errorf("the wait took %v", d)
	}
	if r := h.receive(); r[0] != 5 || r[2] != 1 {
		t.Errorf("late response % x", r)
	}
	if d := h.board.Now() - before; d < 300*time.Millisecond {
		t.Errorf("it came after %v", d)
	}
}

func TestUnplug(t *testing.T) {
	h := newHost(t, sim.Options{Faults: sim.Script{{Kind: sim.Unplug, After: 50 * time.Millisecond}}})
	h.connect(10_000_000)
	h.board.Sleep(context.Background(), 50*time.Millisecond)
	if err := h.wire.WritePacket(context.Background(), []byte{0, 1}); !errors.Is(err, probe.ErrDisconnected) {
		t.Errorf("write: %v", err)
	}
	if _, err := h.wire.ReadPacket(context.Background(), make([]byte, 512)); !errors.Is(err, probe.ErrDisconnected) {
		t.Errorf("read: %v", err)
	}
	if err := h.board.Transport().WritePacket(context.Background(), []byte{0, 1}); !errors.Is(err, probe.ErrDisconnected) {
		t.Errorf("write on a new transport: %v", err)
	}
}

// Unplugged in the middle of a packet the wire goes dead: what was halted stays
// halted. When the probe is back it has forgotten everything and the target
// nothing.
func TestUnplugAndReplug(t *testing.T) {
	h := faulty(t, sim.Options{}, func(n, _ uint64) sim.Script {
		return sim.Script{{Kind: sim.Unplug, Transfer: n + 3, For: 20 * time.Millisecond}}
	})
	h.send(sampleBatch)
	if _, err := h.wire.ReadPacket(context.Background(), make([]byte, 512)); !errors.Is(err, probe.ErrDisconnected) {
		t.Fatalf("read: %v", err)
	}
	if !h.board.CoreState().Halted {
		t.Error("the core runs")
	}
	h.board.Sleep(context.Background(), 25*time.Millisecond)
	if err := h.wire.WritePacket(context.Background(), []byte{0, 1}); !errors.Is(err, probe.ErrDisconnected) {
		t.Errorf("the old transport came back: %v", err)
	}
	h.wire = h.board.Transport()
	h.expect("05 00 01 02", "05 00 00") // not connected to a port any more
	h.connect(10_000_000)
	h.expect("05 00 01 01 00 00 5F A0", "05 01 01")
	if s := h.board.CoreState(); s.Halted || s.DebugEnabled {
		t.Errorf("core %+v", s)
	}
}

func TestTargetReset(t *testing.T) {
	h := newHost(t, sim.Options{Faults: sim.Script{{Kind: sim.TargetReset, After: 30 * time.Millisecond}}})
	h.connect(10_000_000)
	h.expect("05 00 01 01 01 00 5F A0", "05 01 01")
	h.do(readDHCSR)
	h.board.Sleep(context.Background(), 30*time.Millisecond)
	if v := word(h.do(readDHCSR), 3); v&(1<<25) == 0 || v&1 == 0 {
		t.Errorf("DHCSR 0x%08x after a reset, want S_RESET_ST and C_DEBUGEN", v)
	}
	if v := word(h.do(readDHCSR), 3); v&(1<<25) != 0 {
		t.Errorf("DHCSR 0x%08x: S_RESET_ST did not clear on read", v)
	}
}

func TestLockup(t *testing.T) {
	h := newHost(t, sim.Options{Faults: sim.Script{{Kind: sim.Lockup, After: 20 * time.Millisecond}}})
	h.connect(10_000_000)
	h.board.Sleep(context.Background(), 30*time.Millisecond)
	if v := word(h.do(readDHCSR), 3); v&(1<<19) == 0 {
		t.Errorf("DHCSR 0x%08x, want S_LOCKUP", v)
	}
	if s := h.board.CoreState(); !s.LockedUp {
		t.Errorf("core %+v", s)
	}
}

// A debug domain without power does not answer, and when it is back it is in
// JTAG mode, unpowered, with halting debug off.
func TestDebugOff(t *testing.T) {
	h := newHost(t, sim.Options{Faults: sim.Script{{Kind: sim.DebugOff, After: 20 * time.Millisecond, For: 10 * time.Millisecond}}})
	h.connect(10_000_000)
	h.expect("05 00 01 01 03 00 5F A0", "05 01 01")
	h.board.Sleep(context.Background(), 20*time.Millisecond)
	h.expect(readDHCSR, "05 00 07")
	if s := h.board.CoreState(); s.Halted || s.DebugEnabled {
		t.Errorf("core %+v", s)
	}
	h.board.Sleep(context.Background(), 10*time.Millisecond)
	h.expect(readDHCSR, "05 00 07")
	h.connect(10_000_000)
	h.expect(readDHCSR, "05 01 01")
}

func TestDeepSleepOff(t *testing.T) {
	h := newHost(t, sim.Options{ELF: elfFile(t, "deep.elf"), Faults: sim.Script{{Kind: sim.DeepSleepOff, After: 10 * time.Millisecond}}})
	h.connect(10_000_000)
	h.board.Sleep(context.Background(), 10*time.Millisecond)
	h.expect(readDHCSR, "05 00 07")
	h = newHost(t, sim.Options{ELF: elfFile(t, "sleep.elf"), Faults: sim.Script{{Kind: sim.DeepSleepOff}}})
	h.connect(10_000_000)
	h.board.Sleep(context.Background(), 500*time.Microsecond)
	if v := word(h.do(readDHCSR), 3); v&(1<<18) == 0 {
		t.Errorf("DHCSR 0x%08x, want S_SLEEP", v)
	}
}

func TestEvery(t *testing.T) {
	h := faulty(t, sim.Options{}, func(n, _ uint64) sim.Script {
		return sim.Script{{Kind: sim.TransferWAIT, Transfer: n, Count: 3, Every: 10}}
	})
	h.expect("04 00 00 00 00 00", "04 00") // no retries
	failed := 0
	for range 60 {
		if r := h.do("05 00 01 02"); r[2] == 2 {
			failed++
		}
	}
	if failed != 3 {
		t.Errorf("%d transfers failed, want 3", failed)
	}
}

func TestScriptOfUnknownKind(t *testing.T) {
	if _, err := sim.New(sim.Options{ELF: elfFile(t, "spin.elf"), Faults: sim.Script{{Kind: 99}}}); err == nil {
		t.Error("no error")
	}
}

// The probe dies while it works on a packet, ahead of the host's clock: what
// the host still hands over is lost, and it learns so by reading.
func TestWriteToADyingProbe(t *testing.T) {
	h := faulty(t, sim.Options{}, func(n, _ uint64) sim.Script { return sim.Script{{Kind: sim.Unplug, Transfer: n + 3}} })
	h.send(sampleBatch)
	h.board.CoreState() // lets the probe finish
	h.send(readDHCSR)
	if _, err := h.wire.ReadPacket(context.Background(), make([]byte, 512)); !errors.Is(err, probe.ErrDisconnected) {
		t.Errorf("read: %v", err)
	}
	if err := h.wire.WritePacket(context.Background(), []byte{0, 1}); !errors.Is(err, probe.ErrDisconnected) {
		t.Errorf("write: %v", err)
	}
}

func TestLongPacket(t *testing.T) {
	h := faulty(t, sim.Options{}, func(_, p uint64) sim.Script { return sim.Script{{Kind: sim.LongPacket, Packet: p, Bytes: 9}} })
	if r := h.do(sampleBatch); len(r) != 56+9 {
		t.Errorf("%d bytes", len(r))
	}
	if r := h.do(sampleBatch); len(r) != 56 {
		t.Errorf("%d bytes", len(r))
	}
}

// A request that is lost does nothing; one whose response is lost has halted and
// resumed the core.
func TestLostPackets(t *testing.T) {
	for kind, halts := range map[sim.Kind]bool{sim.LostRequest: false, sim.LostResponse: true} {
		h := faulty(t, sim.Options{}, func(_, p uint64) sim.Script { return sim.Script{{Kind: kind, Packet: p}} })
		h.send(sampleBatch)
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		if _, err := h.wire.ReadPacket(ctx, make([]byte, 512)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("kind %d: error %v", kind, err)
		}
		cancel()
		if halted := h.board.HaltedTime() > 0; halted != halts {
			t.Errorf("kind %d: halted %v", kind, halted)
		}
		if r := h.do(sampleBatch); len(r) != 56 {
			t.Errorf("kind %d: then %d bytes", kind, len(r))
		}
	}
}

func TestWrongCount(t *testing.T) {
	h := faulty(t, sim.Options{}, func(_, p uint64) sim.Script {
		return sim.Script{{Kind: sim.WrongCount, Packet: p, Count: 2}}
	})
	h.expect(sampleBatch, "7F 02 05 10 01")
	h.expect("05 00 01 02", "05 00 01")
	h.expect("05 00 01 02", "05 01 01")
}

// A brown-out takes RAM, core and debug domain; the program begins anew when the
// power is back, and does nothing before.
func TestBrownOut(t *testing.T) {
	h := newHost(t, sim.Options{Faults: sim.Script{{Kind: sim.BrownOut, After: 20 * time.Millisecond, For: 10 * time.Millisecond}}})
	h.connect(10_000_000)
	h.board.Core().WriteBus(0x20000100, 4, 0xdecade)
	h.expect("05 00 01 01 03 00 5F A0", "05 01 01") // halted
	h.board.Sleep(context.Background(), 20*time.Millisecond)
	done := h.board.Core().Instructions()
	h.expect(readDHCSR, "05 00 07")
	h.board.Sleep(context.Background(), 5*time.Millisecond)
	if n := h.board.Core().Instructions(); n != done {
		t.Errorf("%d instructions without power", n-done)
	}
	h.board.Sleep(context.Background(), 10*time.Millisecond)
	if h.board.Core().Instructions() == done {
		t.Error("the program does not run again")
	}
	if v, _ := h.board.Core().ReadBus(0x20000100, 4); v == 0xdecade {
		t.Error("RAM was kept")
	}
	h.connect(10_000_000)
	if v := word(h.do(readDHCSR), 3); v&(1<<25|1) != 1<<25 {
		t.Errorf("DHCSR 0x%08x after power-on, want S_RESET_ST and no C_DEBUGEN", v)
	}
}

// A core in Secure state with secure debug off keeps a halt pending, and
// DAUTHSTATUS.SID says why.
func TestSecure(t *testing.T) {
	const readDAUTHSTATUS = "05 00 04 08 00 00 00 00 05 B8 EF 00 E0 0F 08 10 00 00 00"
	h := faulty(t, sim.Options{}, func(n, _ uint64) sim.Script {
		return sim.Script{{Kind: sim.Secure, Transfer: n, For: 2 * time.Millisecond}}
	})
	h.expect(sampleBatch, "7F 02 05 01 11")
	if v := word(h.do(readDAUTHSTATUS), 3); v != 0xAF {
		t.Errorf("DAUTHSTATUS 0x%08x", v)
	}
	h = newHost(t, sim.Options{})
	h.connect(10_000_000)
	if v := word(h.do(readDAUTHSTATUS), 3); v != 0 {
		t.Errorf("DAUTHSTATUS 0x%08x without the Security Extension", v)
	}
}
