package adi

import (
	"encoding/hex"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// master is a probe that shifts bits.
type master struct {
	*testing.T
	*Line
	phase bool // WAIT and FAULT have a data phase
}

func newMaster(t *testing.T, cfg Config) *master {
	if cfg.Bus == nil {
		cfg.Bus = &memory{}
	}
	return &master{T: t, Line: NewLine(NewPort(cfg))}
}

// sequence drives the bytes of a hex string, first bit lowest.
func (m *master) sequence(s string) {
	m.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		m.Fatal(err)
	}
	for _, v := range b {
		m.out(uint64(v), 8)
	}
}

func (m *master) out(v uint64, n int) {
	for i := range n {
		m.Clock(true, v>>i&1 != 0)
	}
}

func (m *master) in(n int) (v uint64) {
	for i := range n {
		if m.Clock(false, false) {
			v |= 1 << i
		}
	}
	return v
}

// transfer is one transfer, and how many cycles it took.
func (m *master) transfer(req uint8, data uint32) (ack uint8, value uint32, cycles int) {
	odd := uint64(bits.OnesCount8(req) & 1)
	m.out(0x81|uint64(req)<<1|odd<<5, 8)
	turn := m.port.Turnaround()
	m.in(turn)
	ack = uint8(m.in(3))
	cycles = 8 + turn + 3 + turn
	read := req&RnW != 0
	switch {
	case ack == OK && read:
		v := m.in(33)
		m.in(turn)
		if uint64(bits.OnesCount32(uint32(v))&1) != v>>32 {
			m.Errorf("read %#x: parity", req)
		}
		return ack, uint32(v), cycles + 33
	case ack == OK:
		m.in(turn)
		m.out(uint64(data)|uint64(bits.OnesCount32(data)&1)<<32, 33)
		return ack, 0, cycles + 33
	case (ack == WAIT || ack == FAULT) && m.phase && read:
		m.in(33)
		m.in(turn)
		return ack, 0, cycles + 33
	case (ack == WAIT || ack == FAULT) && m.phase:
		m.in(turn)
		m.out(0, 33)
		return ack, 0, cycles + 33
	}
	m.in(turn)
	return ack, 0, cycles
}

const (
	reset     = "ffffffffffffff00"
	toSWD     = "ffffffffffffff9ee7" + reset
	toDormant = "ffffffffffffffbce3"
	fromAlert = "ff92f30962952d8586e9afdde3a20ebc19a0f1" + reset
)

func TestJTAGUntilSwitched(t *testing.T) {
	m := newMaster(t, Config{})
	m.sequence(reset)
	if ack, _, _ := m.transfer(rDPIDR, 0); ack != NoAck {
		t.Errorf("acknowledge %d in JTAG mode", ack)
	}
	m.sequence(toSWD)
	if ack, v, n := m.transfer(rDPIDR, 0); ack != OK || v != 0x0be12477 || n != 46 {
		t.Errorf("acknowledge %d, DPIDR 0x%08x, %d cycles", ack, v, n)
	}
	m.sequence("ffffffffffffff3ce7" + reset) // SWD-to-JTAG
	if ack, _, _ := m.transfer(rDPIDR, 0); ack != NoAck {
		t.Errorf("acknowledge %d back in JTAG mode", ack)
	}
}

// A line reset that nothing followed does not spoil the switch after it.
func TestSwitchAfterLineReset(t *testing.T) {
	for _, before := range []string{reset, reset + reset, reset + "55", "ffffffffffffff00ff", "00"} {
		m := newMaster(t, Config{})
		m.sequence(before + toSWD)
		if ack, _, _ := m.transfer(rDPIDR, 0); ack != OK {
			t.Errorf("after %s: acknowledge %d", before, ack)
		}
	}
}

func TestDormant(t *testing.T) {
	m := newMaster(t, Config{Dormant: true})
	m.sequence(toSWD)
	if ack, _, _ := m.transfer(rDPIDR, 0); ack != NoAck {
		t.Errorf("acknowledge %d while dormant", ack)
	}
	m.sequence(fromAlert)
	if ack, v, _ := m.transfer(rDPIDR, 0); ack != OK || v != 0x0be12477 {
		t.Fatalf("acknowledge %d, DPIDR 0x%08x after the alert", ack, v)
	}
	m.sequence(toDormant)
	m.sequence(toSWD)
	if ack, _, _ := m.transfer(rDPIDR, 0); ack != NoAck {
		t.Errorf("acknowledge %d, dormant again", ack)
	}
}

// A port without the sequences that ADIv6 deprecates leaves JTAG by way of the
// dormant mode.
func TestJTAGToDormant(t *testing.T) {
	m := newMaster(t, Config{NoLegacySwitch: true})
	m.sequence(toSWD)
	if ack, _, _ := m.transfer(rDPIDR, 0); ack != NoAck {
		t.Errorf("acknowledge %d to the deprecated sequence", ack)
	}
	m.sequence("ff75777767" + fromAlert)
	if ack, v, _ := m.transfer(rDPIDR, 0); ack != OK || v != 0x0be12477 {
		t.Errorf("acknowledge %d, DPIDR 0x%08x", ack, v)
	}
}

// After a line reset only DPIDR may be read; anything else is a protocol error
// that lasts until the next line reset.
func TestLineResetState(t *testing.T) {
	m := newMaster(t, Config{})
	m.sequence(toSWD)
	if ack, _, _ := m.transfer(rCTRLSTAT, 0); ack != NoAck {
		t.Errorf("acknowledge %d to CTRL/STAT after a line reset", ack)
	}
	if ack, _, _ := m.transfer(rDPIDR, 0); ack != NoAck {
		t.Errorf("acknowledge %d in the protocol error state", ack)
	}
	m.sequence(reset)
	if ack, _, _ := m.transfer(rDPIDR, 0); ack != OK {
		t.Errorf("acknowledge %d to DPIDR after a line reset", ack)
	}
	if ack, _, _ := m.transfer(rCTRLSTAT, 0); ack != OK {
		t.Errorf("acknowledge %d to CTRL/STAT after DPIDR", ack)
	}
}

// A request with a wrong parity, stop or park bit is not answered.
func TestBadRequest(t *testing.T) {
	for _, h := range []uint64{0xa5 ^ 0x20, 0xa5 ^ 0x40, 0xa5 ^ 0x80} {
		m := newMaster(t, Config{})
		m.sequence(toSWD)
		m.transfer(rDPIDR, 0)
		m.out(h, 8)
		m.in(1)
		if ack := uint8(m.in(3)); ack != NoAck {
			t.Errorf("request %#x: acknowledge %d", h, ack)
		}
	}
}

func TestLineResetClearsDPBANKSEL(t *testing.T) {
	m := newMaster(t, Config{})
	m.sequence(toSWD)
	m.transfer(rDPIDR, 0)
	m.transfer(wSELECT, 0x01000012)
	m.sequence(reset)
	m.transfer(rDPIDR, 0)
	if m.port.sel != 0x01000010 {
		t.Errorf("SELECT 0x%08x", m.port.sel)
	}
}

// TARGETSEL picks a port on a multidrop line; the others are silent until the
// next line reset.
func TestTARGETSEL(t *testing.T) {
	for id, want := range map[uint32]uint8{0x04d50477: OK, 0x01002927: NoAck} {
		m := newMaster(t, Config{})
		m.sequence(toSWD)
		m.out(0x99, 8) // TARGETSEL
		m.in(5)
		m.out(uint64(id)|uint64(bits.OnesCount32(id)&1)<<32, 33)
		if ack, _, _ := m.transfer(rDPIDR, 0); ack != want {
			t.Errorf("TARGETSEL 0x%08x: acknowledge %d, want %d", id, ack, want)
		}
		m.sequence(reset)
		if ack, _, _ := m.transfer(rDPIDR, 0); ack != OK {
			t.Errorf("TARGETSEL 0x%08x: acknowledge %d after a line reset", id, ack)
		}
	}
}

// WAIT and FAULT take 13 cycles, or 46 with a data phase under overrun
// detection; a turnaround of 2 adds 2.
func TestCyclesOfWAITAndFAULT(t *testing.T) {
	now := uint64(0)
	m := newMaster(t, Config{Cycles: func() uint64 { return now }, AccessCycles: 1000})
	m.sequence(toSWD)
	m.transfer(rDPIDR, 0)
	m.transfer(wCTRLSTAT, 0x50000000)
	m.transfer(wA4, 0x30000000)
	m.transfer(rAC, 0)
	if ack, _, n := m.transfer(rRDBUFF, 0); ack != WAIT || n != 13 {
		t.Errorf("acknowledge %d in %d cycles", ack, n)
	}
	now += 1000
	if ack, _, n := m.transfer(rRDBUFF, 0); ack != FAULT || n != 13 {
		t.Errorf("acknowledge %d in %d cycles", ack, n)
	}
	m.transfer(wABORT, 0x1e)
	m.transfer(wCTRLSTAT, 0x50000001)
	m.phase = true
	m.transfer(rAC, 0)
	for _, req := range []uint8{rRDBUFF, wSELECT} {
		if ack, _, n := m.transfer(req, 0); ack != WAIT || n != 46 {
			t.Errorf("request %#x: acknowledge %d in %d cycles", req, ack, n)
		}
	}
	now += 1000
	m.transfer(wABORT, 0x1e)
	m.transfer(wSELECT, 1)
	m.transfer(wCTRLSTAT, 0x100) // DLCR: turnaround 2
	if ack, v, n := m.transfer(rDPIDR, 0); ack != OK || v != 0x0be12477 || n != 48 {
		t.Errorf("acknowledge %d, 0x%08x, %d cycles with a turnaround of 2", ack, v, n)
	}
}

// Bit by bit or whole, a port does the same: random transfers on two ports.
func TestWholeTransfersEqualBits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	busA, busB := &memory{}, &memory{}
	now := uint64(0)
	clock := func() uint64 { return now }
	m := newMaster(t, Config{Bus: busA, Cycles: clock, AccessCycles: 3})
	whole := NewPort(Config{Bus: busB, Cycles: clock, AccessCycles: 3})
	m.sequence(toSWD)
	m.transfer(rDPIDR, 0)
	values := []uint32{0, 0x10, 0xf0, 0x1e, 0x1f, 0x50000000, 0x20000000, 0x200003fc, 0x30000000, 0x23000012, 0x23000020, 0xffffffff}
	seen := map[uint8]int{}
	for range 20000 {
		now += random.Uint64N(5)
		req := uint8(random.IntN(16))
		v := values[random.IntN(len(values))]
		if req == wCTRLSTAT {
			v = 0x50000000 // bank 1 would change the turnaround, which is the probe's to follow
		}
		want := whole.Request(req)
		var data uint32
		if want == OK && req&RnW != 0 {
			data = whole.Read(req)
		} else if want == OK {
			whole.Write(req, v, true)
		}
		ack, got, _ := m.transfer(req, v)
		if ack != want || got != data {
			t.Fatalf("request %#x: bits %d 0x%08x, whole %d 0x%08x", req, ack, got, want, data)
		}
		if !m.Settled() {
			t.Fatalf("request %#x left the line in phase %d", req, m.Line.phase)
		}
		seen[ack]++
	}
	if len(busA.log) != len(busB.log) {
		t.Errorf("%d accesses by bits, %d whole", len(busA.log), len(busB.log))
	}
	for _, ack := range []uint8{OK, WAIT, FAULT} {
		if seen[ack] < 100 {
			t.Errorf("acknowledge %d only %d times", ack, seen[ack])
		}
	}
}

// No sequence of bits upsets the line: after a reset it answers again.
func FuzzLine(f *testing.F) {
	f.Add([]byte{0xa5, 0, 0, 0, 0, 0, 0x9e, 0xe7})
	f.Fuzz(func(t *testing.T, b []byte) {
		m := newMaster(t, Config{})
		m.sequence(toSWD)
		m.transfer(rDPIDR, 0)
		for _, v := range b {
			m.out(uint64(v), 8)
		}
		m.sequence("ffffffffffffffffffffffff3ce7" + toSWD)
		if m.mode == dormant {
			m.sequence(fromAlert)
		}
		m.sequence(reset)
		if m.port.Turnaround() != 1 {
			t.Fatal("turnaround survived a line reset")
		}
		if ack, _, _ := m.transfer(rDPIDR, 0); ack != OK {
			t.Fatalf("acknowledge %d", ack)
		}
	})
}
