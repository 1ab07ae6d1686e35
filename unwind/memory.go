package unwind

import (
	"encoding/binary"

	"github.com/mprof/mprof/snapshot"
)

// memory is the captured memory of one snapshot. It remembers which part of
// which stack was read or asked for, and where it failed.
type memory struct {
	s       *snapshot.Snapshot
	last    int // window of the last hit
	missing uint32
	onPSP   bool
	touched [2]Range // main stack, process stack; empty: High 0
}

func (m *memory) reset(s *snapshot.Snapshot) { *m = memory{s: s} }

// enter says which stack is read from now on, and where it begins.
func (m *memory) enter(psp bool, sp uint32) {
	m.onPSP = psp
	t := m.stack()
	if t.High == 0 {
		*t = Range{sp, sp}
	}
}

func (m *memory) stack() *Range {
	if m.onPSP {
		return &m.touched[1]
	}
	return &m.touched[0]
}

// word reads a word of the present stack.
func (m *memory) word(addr uint32) (uint32, bool) {
	t := m.stack()
	if t.High == 0 { // no stack pointer was captured
		*t = Range{addr, addr}
	}
	if addr < t.Low {
		t.Low = addr
	}
	if end := addr + 4; end > t.High {
		t.High = end
	}
	return m.load(addr, 4)
}

// load reads 1, 2 or 4 bytes, zero-extended, wherever they were captured.
func (m *memory) load(addr uint32, size int) (uint32, bool) {
	p := m.bytes(addr, size)
	switch len(p) {
	case 1:
		return uint32(p[0]), true
	case 2:
		return uint32(binary.LittleEndian.Uint16(p)), true
	case 4:
		return binary.LittleEndian.Uint32(p), true
	}
	m.missing = addr
	return 0, false
}

func (m *memory) bytes(addr uint32, size int) []byte {
	if m.last < len(m.s.Windows) {
		if p := within(&m.s.Windows[m.last], addr, size); p != nil {
			return p
		}
	}
	for i := range m.s.Windows {
		if p := within(&m.s.Windows[i], addr, size); p != nil {
			m.last = i
			return p
		}
	}
	return nil
}

func within(w *snapshot.Window, addr uint32, size int) []byte {
	off := addr - w.Addr
	if addr < w.Addr || size <= 0 || uint64(off)+uint64(size) > uint64(len(w.Data)) {
		return nil
	}
	return w.Data[off : uint64(off)+uint64(size)]
}
