package probe_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
)

// These tests drive the simulated board in process, which was written against
// the specifications and not against this driver.

// place is RAM that the program of the board does not use.
const place = 0x20002380

func spin(t testing.TB) []byte {
	t.Helper()
	elf, err := os.ReadFile("../sim/testdata/spin.elf")
	if err != nil {
		t.Fatal(err)
	}
	return elf
}

func board(t testing.TB, model string, faults ...sim.Fault) *sim.Board {
	t.Helper()
	b, err := sim.New(sim.Options{ELF: spin(t), Model: model, Faults: faults, CoreHz: 2_000_000, TARBlock: 1 << 10})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// exercise writes and reads across a TAR page and compares.
func exercise(p *probe.Probe, seed byte) error {
	src := make([]byte, 230)
	for i := range src {
		src[i] = seed + byte(7*i)
	}
	if err := p.WriteMemory(ctx, place+1, src); err != nil {
		return err
	}
	got := make([]byte, len(src)+8)
	if err := p.ReadMemory(ctx, place-3, got); err != nil {
		return err
	}
	if !bytes.Equal(got[4:4+len(src)], src) {
		return errWrong
	}
	return nil
}

var errWrong = errors.New("wrong data without an error")

func TestBoard(t *testing.T) {
	for _, model := range sim.Models() {
		t.Run(model, func(t *testing.T) {
			b := board(t, model)
			p, err := probe.Open(ctx, b.Transport(), probe.Options{})
			if err != nil {
				t.Fatal(err)
			}
			m := b.Model()
			if i := p.Info(); i.PacketSize != m.PacketSize || i.PacketCount != m.PacketCount || i.TimestampHz != m.TimestampHz || i.Firmware != m.Firmware {
				t.Errorf("%+v of %+v", i, m)
			}
			if p.HasExecuteCommands() != m.ExecuteCommands {
				t.Errorf("execute %v", p.HasExecuteCommands())
			}
			if v, err := p.ReadWord(ctx, 0xE000ED00); err != nil || v>>24 != 0x41 {
				t.Errorf("CPUID 0x%08x, %v", v, err)
			}
			if err := exercise(p, 1); err != nil {
				t.Error(err)
			}
			if err := p.Reset(ctx); err != nil {
				t.Error(err)
			}
			if err := exercise(p, 2); err != nil {
				t.Error(err)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestBoardBusError: reading where nothing is.
func TestBoardBusError(t *testing.T) {
	p, err := probe.Open(ctx, board(t, "debugprobe").Transport(), probe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var refused *probe.TransferError
	for range 2 {
		if err := p.ReadMemory(ctx, 0xD0000000, make([]byte, 64)); !errors.As(err, &refused) || refused.Ack != probe.FAULT {
			t.Fatalf("error %v", err)
		}
		if err := exercise(p, 3); err != nil {
			t.Error(err)
		}
	}
}

// survive opens, works, and after each error recovers: at the end it must work,
// and data may never be wrong without an error.
func survive(b *sim.Board) error {
	o := probe.Options{Timeout: 100 * time.Millisecond}
	p, err := probe.Open(ctx, b.Transport(), o)
	if err != nil {
		if p, err = probe.Open(ctx, b.Transport(), o); err != nil {
			return fmt.Errorf("open again: %w", err)
		}
	}
	defer p.Close()
	if err := exercise(p, 4); errors.Is(err, errWrong) {
		return err
	} else if err != nil {
		if err := p.Recover(ctx); err != nil {
			return fmt.Errorf("recover: %w", err)
		}
	}
	if err := exercise(p, 5); err != nil {
		return fmt.Errorf("afterwards: %w", err)
	}
	return nil
}

// TestBoardTransferFaults: one fault at each transfer from the first of Open to
// the last of the accesses.
func TestBoardTransferFaults(t *testing.T) {
	step, last := uint64(1), uint64(150)
	if testing.Short() {
		step = 7
	}
	for kind, name := range map[sim.Kind]string{sim.TransferWAIT: "WAIT", sim.TransferFAULT: "FAULT", sim.NoAck: "no ack", sim.Parity: "parity"} {
		t.Run(name, func(t *testing.T) {
			for n := uint64(1); n < last; n += step {
				f := sim.Fault{Kind: kind, Transfer: n}
				if kind == sim.TransferWAIT {
					f.Count = 100 // more than the probe retries
				}
				if err := survive(board(t, "debugprobe", f)); err != nil {
					t.Errorf("at transfer %d: %v", n, err)
				}
			}
		})
	}
}

// TestBoardPacketFaults: one short or late response at each packet.
func TestBoardPacketFaults(t *testing.T) {
	step := uint64(1)
	if testing.Short() {
		step = 7
	}
	for _, c := range []struct {
		model string
		fault sim.Fault
	}{
		// A report of HID has no length: one that is cut after its header
		// carries zeros like any data, which nobody can tell.
		{"daplink-hid", sim.Fault{Kind: sim.ShortPacket, Bytes: 1}},
		{"debugprobe", sim.Fault{Kind: sim.ShortPacket, Bytes: 1}},
		{"debugprobe", sim.Fault{Kind: sim.ShortPacket, Bytes: 3}},
		{"debugprobe", sim.Fault{Kind: sim.ShortPacket, Bytes: 10}},
		{"debugprobe", sim.Fault{Kind: sim.LatePacket, For: 150 * time.Millisecond}},
		{"debugprobe", sim.Fault{Kind: sim.LatePacket, For: 350 * time.Millisecond}},
		{"daplink-hid", sim.Fault{Kind: sim.LatePacket, For: 150 * time.Millisecond}},
	} {
		for n := uint64(1); n < 40; n += step {
			c.fault.Packet = n
			if err := survive(board(t, c.model, c.fault)); err != nil {
				t.Errorf("%s: %+v: %v", c.model, c.fault, err)
			}
		}
	}
}

func TestBoardUnplug(t *testing.T) {
	b := board(t, "mcu-link", sim.Fault{Kind: sim.Unplug, Packet: 40})
	p, err := probe.Open(ctx, b.Transport(), probe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		err = exercise(p, 6)
	}
	if !errors.Is(err, probe.ErrDisconnected) {
		t.Errorf("error %v", err)
	}
	if err := p.Recover(ctx); !errors.Is(err, probe.ErrDisconnected) {
		t.Errorf("recover: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// TestBoardPower: the debug domain is off for a while and comes back.
func TestBoardPower(t *testing.T) {
	b := board(t, "debugprobe", sim.Fault{Kind: sim.DebugOff, Packet: 45, For: 2 * time.Second})
	p, err := probe.Open(ctx, b.Transport(), probe.Options{Timeout: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for err == nil {
		err = exercise(p, 7)
	}
	if err := p.Recover(ctx); !errors.Is(err, probe.ErrNoTarget) {
		t.Errorf("without power: %v", err)
	}
	for range 1000 {
		if err = p.Recover(ctx); err == nil {
			break
		}
	}
	if err == nil {
		err = exercise(p, 8)
	}
	if err != nil {
		t.Errorf("with power again: %v", err)
	}
}
