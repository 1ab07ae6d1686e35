package unwind

import (
	"encoding/binary"
	"slices"

	"github.com/mprof/mprof/snapshot"
)

// memory is the captured memory of one snapshot. It remembers which words of the
// stacks were read or asked for, and where it failed.
type memory struct {
	s       *snapshot.Snapshot
	last    int // window of the last hit
	missing uint32
	onPSP   bool
	touched []uint32 // addresses, in the order of the reads
}

func (m *memory) reset(s *snapshot.Snapshot) { *m = memory{s: s, touched: m.touched[:0]} }

// word reads a word of a stack.
func (m *memory) word(addr uint32) (uint32, bool) {
	m.touched = append(m.touched, addr)
	return m.load(addr, 4)
}

// runs appends the words that were touched to dst, those that are adjacent as one
// range, by address.
func (m *memory) runs(dst []Range) []Range {
	slices.Sort(m.touched)
	for _, addr := range m.touched {
		end := max(addr, addr+4)
		if n := len(dst); n > 0 && addr <= dst[n-1].High {
			dst[n-1].High = max(dst[n-1].High, end)
			continue
		}
		dst = append(dst, Range{addr, end})
	}
	return dst
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
