package adi

import (
	"encoding/binary"
	"testing"
)

// memory is a bus with 4 KiB at 0x20000000 and a log of its accesses.
type memory struct {
	data [4096]byte
	log  []access
}

type access struct {
	addr  uint32
	size  int
	write bool
}

func (m *memory) Read(addr uint32, size int) (uint32, bool) {
	m.log = append(m.log, access{addr, size, false})
	off := addr - 0x20000000
	if off >= uint32(len(m.data)) {
		return 0, false
	}
	var b [4]byte
	copy(b[:size], m.data[off:])
	return binary.LittleEndian.Uint32(b[:]), true
}

func (m *memory) Write(addr uint32, size int, v uint32) bool {
	m.log = append(m.log, access{addr, size, true})
	off := addr - 0x20000000
	if off >= uint32(len(m.data)) {
		return false
	}
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], v)
	copy(m.data[off:], b[:size])
	return true
}

// Requests by name.
const (
	rDPIDR    = RnW
	wABORT    = 0
	rCTRLSTAT = RnW | A2
	wCTRLSTAT = A2
	rRESEND   = RnW | A3
	wSELECT   = A3
	rRDBUFF   = RnW | A2 | A3
	rA0       = APnDP | RnW
	rA4       = APnDP | RnW | A2
	rA8       = APnDP | RnW | A3
	rAC       = APnDP | RnW | A2 | A3
	wA0       = APnDP
	wA4       = APnDP | A2
	wA8       = APnDP | A3
	wAC       = APnDP | A2 | A3
)

// bench drives a port and fails on an unexpected acknowledge.
type bench struct {
	*testing.T
	*Port
	bus *memory
	now uint64
}

func newBench(t *testing.T) *bench {
	b := &bench{T: t, bus: &memory{}}
	b.Port = NewPort(Config{Bus: b.bus, Cycles: func() uint64 { return b.now }, PowerUpCycles: 10})
	b.write(wCTRLSTAT, 0x50000000)
	b.now += 10
	return b
}

func (b *bench) read(req uint8) uint32 {
	b.Helper()
	if ack := b.Request(req); ack != OK {
		b.Fatalf("read %#x: acknowledge %d", req, ack)
	}
	return b.Port.Read(req)
}

func (b *bench) write(req uint8, v uint32) {
	b.Helper()
	if ack := b.Request(req); ack != OK {
		b.Fatalf("write %#x: acknowledge %d", req, ack)
	}
	b.Port.Write(req, v, true)
}

// setUp selects bank 0 with a CSW and a TAR.
func (b *bench) setUp(csw, tar uint32) {
	b.Helper()
	b.write(wSELECT, 0)
	b.write(wA0, csw)
	b.write(wA4, tar)
}

// posted reads an AP register through RDBUFF.
func (b *bench) posted(req uint8) uint32 {
	b.Helper()
	b.read(req)
	return b.read(rRDBUFF)
}

func TestPowerUpHandshake(t *testing.T) {
	b := &bench{T: t, bus: &memory{}}
	b.Port = NewPort(Config{Bus: b.bus, Cycles: func() uint64 { return b.now }, PowerUpCycles: 10})
	b.write(wCTRLSTAT, CDBGPWRUPREQ)
	if s := b.read(rCTRLSTAT); s&(CDBGPWRUPACK|CSYSPWRUPACK) != 0 {
		t.Errorf("CTRL/STAT 0x%08x at once", s)
	}
	b.now = 10
	if s := b.read(rCTRLSTAT); s != CDBGPWRUPREQ|CDBGPWRUPACK {
		t.Errorf("CTRL/STAT 0x%08x after 10 cycles", s)
	}
	b.write(wCTRLSTAT, 0)
	if s := b.read(rCTRLSTAT); s != 0 {
		t.Errorf("CTRL/STAT 0x%08x after power down", s)
	}
	b.read(rA0)
	if s := b.read(rCTRLSTAT); s&STICKYERR == 0 {
		t.Errorf("CTRL/STAT 0x%08x after an AP access without power", s)
	}
}

func TestBankedDPRegisters(t *testing.T) {
	b := newBench(t)
	for bank, want := range map[uint32]uint32{0: 0xf0000000, 1: 0, 2: 0x04d50477, 3: 1, 4: 0} {
		b.write(wSELECT, bank)
		if v := b.read(rCTRLSTAT); v != want {
			t.Errorf("bank %d: 0x%08x, want 0x%08x", bank, v, want)
		}
	}
	if v := b.read(rDPIDR); v != 0x0be12477 {
		t.Errorf("DPIDR 0x%08x", v)
	}
}

func TestAPIdentification(t *testing.T) {
	b := newBench(t)
	b.write(wSELECT, 0xf0)
	if v := b.posted(rAC); v != 0x24770011 {
		t.Errorf("IDR 0x%08x", v)
	}
	if v := b.posted(rA8); v != 0xe00ff003 {
		t.Errorf("BASE 0x%08x", v)
	}
	if v := b.posted(rA4); v != 0 {
		t.Errorf("CFG 0x%08x", v)
	}
	b.write(wSELECT, 0x010000f0)
	if v := b.posted(rAC); v != 0 {
		t.Errorf("IDR of AP 1: 0x%08x", v)
	}
}

// An AP read returns the result of the one before; RDBUFF gives the last
// without starting another.
func TestPostedReads(t *testing.T) {
	b := newBench(t)
	binary.LittleEndian.PutUint32(b.bus.data[0:], 0x11111111)
	binary.LittleEndian.PutUint32(b.bus.data[4:], 0x22222222)
	b.setUp(0x23000012, 0x20000000)
	b.read(rAC)
	if v := b.read(rAC); v != 0x11111111 {
		t.Errorf("second read gave 0x%08x", v)
	}
	n := len(b.bus.log)
	if v := b.read(rRDBUFF); v != 0x22222222 {
		t.Errorf("RDBUFF 0x%08x", v)
	}
	if v := b.read(rRESEND); v != 0x22222222 {
		t.Errorf("RESEND 0x%08x", v)
	}
	if len(b.bus.log) != n {
		t.Error("RDBUFF or RESEND accessed the bus")
	}
}

func TestStickyErrorBlocksUntilABORT(t *testing.T) {
	b := newBench(t)
	b.setUp(0x23000012, 0x30000000)
	b.read(rAC)
	for _, req := range []uint8{rAC, rRDBUFF, rRESEND, wSELECT, wCTRLSTAT, wAC, wA4} {
		if ack := b.Request(req); ack != FAULT {
			t.Errorf("request %#x: acknowledge %d, want FAULT", req, ack)
		}
	}
	if s := b.read(rCTRLSTAT); s&STICKYERR == 0 || s&READOK != 0 {
		t.Errorf("CTRL/STAT 0x%08x", s)
	}
	if v := b.read(rDPIDR); v == 0 {
		t.Error("DPIDR not readable")
	}
	b.write(wABORT, 1<<1|1<<3|1<<4) // all but STKERRCLR
	if ack := b.Request(rRDBUFF); ack != FAULT {
		t.Errorf("acknowledge %d after the wrong bits of ABORT", ack)
	}
	b.write(wABORT, 0x1e)
	b.write(wA4, 0x20000000)
	b.posted(rAC)
}

func TestWriteParitySetsWDATAERR(t *testing.T) {
	b := newBench(t)
	b.setUp(0x23000012, 0x20000000)
	b.Port.Write(wAC, 0xffffffff, false)
	if b.bus.data[0] != 0 {
		t.Error("data with bad parity were written")
	}
	if s := b.read(rCTRLSTAT); s&WDATAERR == 0 {
		t.Errorf("CTRL/STAT 0x%08x", s)
	}
	if ack := b.Request(rRDBUFF); ack != FAULT {
		t.Errorf("acknowledge %d, want FAULT", ack)
	}
	b.write(wABORT, 1<<3)
	b.read(rRDBUFF)
}

func TestWAITWhileBusy(t *testing.T) {
	b := newBench(t)
	b.cfg.AccessCycles = 100
	b.setUp(0x23000012, 0x20000000)
	b.read(rAC)
	for _, req := range []uint8{rAC, rRDBUFF, wSELECT} {
		if ack := b.Request(req); ack != WAIT {
			t.Errorf("request %#x: acknowledge %d, want WAIT", req, ack)
		}
	}
	if s := b.read(rCTRLSTAT); s&STICKYORUN != 0 {
		t.Error("STICKYORUN without ORUNDETECT")
	}
	b.now += 100
	b.read(rRDBUFF)
	b.read(rAC)
	b.write(wABORT, 1) // DAPABORT
	b.read(rRDBUFF)
}

func TestOverrunDetection(t *testing.T) {
	b := newBench(t)
	b.write(wCTRLSTAT, 0x50000001)
	b.cfg.AccessCycles = 100
	b.setUp(0x23000012, 0x20000000)
	b.read(rAC)
	if ack := b.Request(rAC); ack != WAIT {
		t.Fatalf("acknowledge %d", ack)
	}
	b.now += 100
	if ack := b.Request(rRDBUFF); ack != FAULT {
		t.Errorf("acknowledge %d after an overrun, want FAULT", ack)
	}
	b.write(wABORT, 1<<4)
	b.read(rRDBUFF)
}
