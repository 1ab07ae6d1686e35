package sim

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/mprof/mprof/sim/armv7m"
)

// Memory is rounded up, because an ELF says what it uses and not what there is:
// code to 4 KiB, RAM to 64 KiB.
const (
	roundCode = 4 << 10
	roundRAM  = 64 << 10
	// mostMemory bounds what a damaged file can ask for.
	mostMemory = 64 << 20
)

// span is a piece of the address space; end is exclusive.
type span struct {
	start, end uint64
	writeable  bool
}

// layOut makes the memory: where segments are loaded, where they run, and the
// RAM that the initial stack pointer is the top of.
func layOut(parts []part, sp uint32) ([]armv7m.Region, error) {
	var spans []span
	for _, p := range parts {
		if len(p.data) > 0 {
			inPlace := p.load == p.run // else it is copied from there, as .data is from flash
			spans = append(spans, rounded(p.load, uint32(len(p.data)), p.ram && inPlace, p.writeable && inPlace))
		}
		if p.ram {
			spans = append(spans, rounded(p.run, p.size, true, true))
		}
	}
	spans = merge(append(spans, stackSpan(spans, sp)))
	var regions []armv7m.Region
	var total uint64
	for _, s := range spans {
		if total += s.end - s.start; total > mostMemory {
			return nil, fmt.Errorf("an ELF that spans more than %d MiB of memory", mostMemory>>20)
		}
		regions = append(regions, armv7m.Region{Base: uint32(s.start), Data: blank(s), ROM: !s.writeable})
	}
	for _, p := range parts {
		if !place(regions, p.load, p.data) {
			return nil, errors.New("an ELF whose segments do not fit the address space")
		}
	}
	return regions, nil
}

// rounded is the span of size bytes at addr. Writeable code stays writeable:
// some parts have RAM in the code area.
func rounded(addr, size uint32, ram, writeable bool) span {
	unit := uint64(roundCode)
	if ram {
		unit = roundRAM
	}
	s := span{start: uint64(addr) &^ (roundCode - 1), writeable: ram || writeable}
	s.end = (uint64(addr) + uint64(size) + unit - 1) &^ (unit - 1)
	return s
}

// stackSpan is the RAM below the initial stack pointer: up to it from the RAM
// that the program has there, or 64 KiB of its own.
func stackSpan(spans []span, sp uint32) span {
	top := uint64(sp)
	s := span{start: (top - 1) &^ (roundRAM - 1), end: (top + roundRAM - 1) &^ (roundRAM - 1), writeable: true}
	const near = 16 << 20
	for _, r := range spans {
		if r.writeable && r.start < s.start && s.start-r.start < near && isRAM(uint32(r.start)) == isRAM(uint32(s.start)) {
			s.start = r.start
		}
	}
	return s
}

// merge joins spans that overlap. Where code and RAM overlap after rounding,
// the join is writeable.
func merge(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	out := spans[:1]
	for _, s := range spans[1:] {
		last := &out[len(out)-1]
		if s.start < last.end || s.start == last.end && s.writeable == last.writeable {
			last.end = max(last.end, s.end)
			last.writeable = last.writeable || s.writeable
			continue
		}
		out = append(out, s)
	}
	return out
}

// blank is erased flash or cleared RAM.
func blank(s span) []byte {
	b := make([]byte, s.end-s.start)
	if !s.writeable {
		for i := range b {
			b[i] = 0xff
		}
	}
	return b
}

// place copies a segment to where it is loaded.
func place(regions []armv7m.Region, addr uint32, data []byte) bool {
	if len(data) == 0 {
		return true
	}
	for _, r := range regions {
		off := uint64(addr) - uint64(r.Base)
		if addr >= r.Base && off+uint64(len(data)) <= uint64(len(r.Data)) {
			copy(r.Data[off:], data)
			return true
		}
	}
	return false
}
