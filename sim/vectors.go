package sim

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

// Names that start-up code gives to the vector table.
var (
	vectorSymbols = []string{
		"__isr_vector", "__Vectors", "__vectors", "_vectors", "vector_table", "__vector_table", "g_pfnVectors",
		"_vector_table", "__vector_table_start", "__isr_vectors", "isr_vector", "_isr_vector", "__VECTOR_TABLE",
		"vectors", "__interrupt_vector_table", "__intvec_start__", "exception_vectors",
	}
	vectorSections = []string{
		".isr_vector", ".vector_table", ".vectors", ".isr_vectors", ".intvec", ".vector", ".vtable",
	}
)

// findVectors sets img.vectors and returns the initial stack pointer. It asks
// the symbols, then the section names, then looks at the lowest code. Where
// nothing has the four words of a full table, it takes one of two words, as
// minimal start-up code has it: by name, or at the start of a segment.
func (img *image) findVectors(parts []part) (sp uint32, err error) {
	named := img.namedVectors()
	for _, try := range []struct {
		at    []uint32
		words int
	}{{append(named, lowestCode(parts, 128)...), 4}, {append(named, lowestCode(parts, math.MaxUint32)...), 2}} {
		for _, addr := range try.at {
			if sp, ok := vectorTable(parts, addr, try.words); ok {
				img.vectors = addr
				return sp, nil
			}
		}
	}
	return 0, errors.New("an ELF without a vector table: no place holds an initial stack pointer and the address of a reset handler")
}

// namedVectors are the addresses that carry a known name.
func (img *image) namedVectors() []uint32 {
	var found []uint32
	symbols, err := img.file.Symbols()
	if err == nil {
		for _, name := range vectorSymbols {
			i := slices.IndexFunc(symbols, func(s elf.Symbol) bool { return s.Name == name && s.Section != elf.SHN_UNDEF })
			if i >= 0 {
				found = append(found, uint32(symbols[i].Value))
			}
		}
	}
	for _, name := range vectorSections {
		if s := img.file.Section(name); s != nil && s.Flags&elf.SHF_ALLOC != 0 {
			found = append(found, uint32(s.Addr))
		}
	}
	return found
}

// lowestCode are the places where a nameless table can be: every step bytes of
// the first 64 KiB of each segment with code, the lowest segment first. The
// second stage boot loader of an RP2040 puts it at 0x100.
func lowestCode(parts []part, step uint64) []uint32 {
	code := slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return !p.exec || p.load != p.run })
	slices.SortFunc(code, func(a, b part) int { return int(int64(a.run) - int64(b.run)) })
	var at []uint32
	for _, p := range code {
		for off := uint64(0); off < min(uint64(len(p.data)), 64<<10); off += step {
			at = append(at, p.run+uint32(off))
		}
	}
	return at
}

// vectorTable reads the first n words at addr: a stack pointer outside the code,
// and the reset, NMI and HardFault handlers (0 where unused), odd and in code.
func vectorTable(parts []part, addr uint32, n int) (sp uint32, ok bool) {
	if addr&0x7f != 0 {
		return 0, false
	}
	w := make([]uint32, n)
	for i := range w {
		if w[i], ok = loadedWord(parts, addr+4*uint32(i)); !ok {
			return 0, false
		}
	}
	if w[0] == 0 || w[0]&3 != 0 || w[0] >= 0xe0000000 || inCode(parts, w[0]) {
		return 0, false
	}
	for i, handler := range w[1:] {
		if handler == 0 && i > 0 {
			continue
		}
		if handler&1 == 0 || !inCode(parts, handler&^1) {
			return 0, false
		}
	}
	return w[0], true
}

// loadedWord reads a word of the loaded image.
func loadedWord(parts []part, addr uint32) (uint32, bool) {
	for _, p := range parts {
		if off := addr - p.load; addr >= p.load && uint64(off)+4 <= uint64(len(p.data)) {
			return binary.LittleEndian.Uint32(p.data[off:]), true
		}
	}
	return 0, false
}

// inCode says whether addr lies in the bytes of a segment with code.
func inCode(parts []part, addr uint32) bool {
	return slices.ContainsFunc(parts, func(p part) bool {
		return p.exec && addr-p.run < uint32(len(p.data))
	})
}
