package core

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/mprof/mprof/snapshot"
)

var le = binary.LittleEndian

// ELF, System V gABI chapters 4 and 5.
const (
	elfMagic = "\x7fELF"
	typeCore = 4

	ehdrSize = 52
	phdrSize = 32
	ptLoad   = 1
	ptNote   = 4
	pnXNum   = 0xffff
)

// segment is a program header with what the file has of it.
type segment struct {
	number         int
	typ            uint32
	offset         uint64
	vaddr          uint32
	filesz, memsz  uint32
	data           []byte
	cut, afterFile bool // the file ends in it, or before it
}

var errNoRegisters = errors.New("has no NT_PRSTATUS note, so it holds no registers")

// readELF reads a core file.
func readELF(p []byte) (*Dump, error) {
	m, err := checkHeader(p)
	if err != nil {
		return nil, err
	}
	segments, err := programHeaders(p)
	if err != nil {
		return nil, err
	}
	d := &Dump{Kind: ELF, Arch: m.arch}
	var windows []snapshot.Window
	for i := range segments {
		s := &segments[i]
		switch {
		case s.typ == ptLoad:
			windows = d.load(windows, s)
		case s.typ == ptNote:
			if err := d.readNotes(s, m); err != nil {
				return nil, err
			}
		}
	}
	if len(d.Threads) == 0 {
		return nil, errNoRegisters
	}
	if len(windows) == 0 {
		d.remark("the dump holds no memory (no PT_LOAD with content): stacks end where they need it")
	}
	for i := range d.Threads {
		d.Threads[i].Snapshot.Windows = windows
	}
	return d, nil
}

// checkHeader reads e_ident, e_type and e_machine.
func checkHeader(p []byte) (*machine, error) {
	if len(p) < ehdrSize {
		return nil, fmt.Errorf("is cut: an ELF header has %d bytes, the file only %d", ehdrSize, len(p))
	}
	const class32, littleEndian = 1, 1
	switch {
	case p[4] != class32:
		return nil, fmt.Errorf("ELF header+0x4: class %d; the cores of microcontrollers are 32-bit ELF (class 1)", p[4])
	case p[5] != littleEndian:
		return nil, fmt.Errorf("ELF header+0x5: data encoding %d; little-endian (1) is known", p[5])
	}
	number := le.Uint16(p[18:])
	for i := range machines {
		if machines[i].number == number {
			return &machines[i], nil
		}
	}
	return nil, fmt.Errorf("ELF header+0x12: e_machine %d; ARM (40) and RISC-V (243) are known", number)
}

// programHeaders reads the table and finds each segment in the file. What lies
// behind the end of the file is not an error: a dump of a crash may be all that
// there is.
func programHeaders(p []byte) ([]segment, error) {
	phoff, entry, n := uint64(le.Uint32(p[28:])), le.Uint16(p[42:]), int(le.Uint16(p[44:]))
	switch {
	case n == 0:
		return nil, errors.New("has no program headers: neither registers nor memory")
	case n == pnXNum:
		return nil, errors.New("ELF header+0x2c: more than 65534 program headers")
	case entry != phdrSize:
		return nil, fmt.Errorf("ELF header+0x2a: program headers of %d bytes instead of %d", entry, phdrSize)
	case phoff+uint64(n)*phdrSize > uint64(len(p)):
		return nil, fmt.Errorf("is cut: %d program headers at 0x%x, but the file ends at 0x%x", n, phoff, len(p))
	}
	segments := make([]segment, n)
	for i := range segments {
		h := p[phoff+uint64(i)*phdrSize:]
		s := segment{number: i, typ: le.Uint32(h), offset: uint64(le.Uint32(h[4:])), vaddr: le.Uint32(h[8:]), filesz: le.Uint32(h[16:]), memsz: le.Uint32(h[20:])}
		low, high := s.offset, s.offset+uint64(s.filesz)
		s.afterFile = s.filesz > 0 && low >= uint64(len(p))
		s.cut = high > uint64(len(p))
		s.data = p[min(low, uint64(len(p))):min(high, uint64(len(p)))]
		segments[i] = s
	}
	return segments, nil
}

// load makes a window of a PT_LOAD. Only what is in the file was captured: the
// zeros with which a program would be loaded up to p_memsz are nobody's memory.
func (d *Dump) load(windows []snapshot.Window, s *segment) []snapshot.Window {
	data := s.data
	if s.cut {
		d.remark("the dump is cut: of segment %d (0x%08x, 0x%x bytes) it has 0x%x", s.number, s.vaddr, s.filesz, len(data))
	}
	if s.filesz > s.memsz {
		d.remark("segment %d (0x%08x) has 0x%x bytes in the file but 0x%x in memory: the rest is left out", s.number, s.vaddr, s.filesz, s.memsz)
		data = data[:min(uint64(len(data)), uint64(s.memsz))]
	}
	if room := uint64(1)<<32 - uint64(s.vaddr); uint64(len(data)) > room {
		d.remark("segment %d (0x%08x, 0x%x bytes) goes on behind the end of the address space: the rest is left out", s.number, s.vaddr, s.filesz)
		data = data[:room]
	}
	if len(data) == 0 {
		return windows
	}
	return append(windows, snapshot.Window{Addr: s.vaddr, Data: data[:len(data):len(data)]})
}
