package symbol

import (
	"debug/elf"
	"encoding/binary"
	"sort"
)

// exceptionNames are those that the architecture numbers (ARMv7-M ARM, table
// B1-4; ARMv8-M ARM, B3.8 for SecureFault).
var exceptionNames = [16]string{1: "Reset", 2: "NMI", 3: "HardFault", 4: "MemManage", 5: "BusFault", 6: "UsageFault",
	7: "SecureFault", 11: "SVCall", 12: "DebugMonitor", 14: "PendSV", 15: "SysTick"}

// maxVectors is 16 exceptions and 496 interrupts (ARMv7-M ARM, B1.5.2).
const maxVectors = 16 + 496

// vectorTable is the table that the image brings along.
type vectorTable struct {
	addr  uint32
	words []uint32 // [0] is the initial SP
}

// Vectors returns the address of the vector table; ok is false where the
// image has none that looks like one.
func (im *Image) Vectors() (addr uint32, ok bool) {
	return im.vectors.addr, len(im.vectors.words) > 0
}

// InitialSP is the first word of the vector table.
func (im *Image) InitialSP() (sp uint32, ok bool) {
	if len(im.vectors.words) == 0 {
		return 0, false
	}
	return im.vectors.words[0], true
}

// ResetHandler is the second word of the vector table, without Thumb bit.
func (im *Image) ResetHandler() (pc uint32, ok bool) {
	if len(im.vectors.words) < 2 {
		return 0, false
	}
	return im.vectors.words[1] &^ 1, true
}

// Names that linker scripts and start-up files of CMSIS, libopencm3, Zephyr,
// Mbed, Rust's cortex-m-rt and others give the table.
var (
	vectorSections = []string{".isr_vector", ".isr_vectors", ".vectors", ".vector_table", ".vector", ".intvecs", ".intvec", "rom_start", ".exc_table", ".cs3.interrupt_vector"}
	vectorSymbols  = []string{"g_pfnVectors", "__isr_vector", "__Vectors", "__vector_table", "vector_table", "_vector_table", "exception_table", "_vectors", "__vectors", "vectors", "__VECTOR_TABLE", "__isr_vectors", "isr_vector", "__interrupt_vector", "interrupt_vectors"}
)

// maxVectorPlaces bounds where a vector table is looked for.
const maxVectorPlaces = 256

// findVectors tries sections and symbols by name, then the start of each
// section and segment.
func (im *Image) findVectors() vectorTable {
	type candidate struct{ low, high uint32 }
	var try []candidate
	for _, name := range vectorSections {
		if s := im.file.Section(name); s != nil {
			r := clampedRange(s.Addr, s.Size)
			try = append(try, candidate{r.Low, r.High})
		}
	}
	for _, name := range vectorSymbols {
		if r, ok := im.symbols.objects[name]; ok {
			try = append(try, candidate{r.Low, r.High})
		}
	}
	for _, s := range im.file.Sections {
		if s.Flags&elf.SHF_ALLOC != 0 && s.Type == elf.SHT_PROGBITS {
			r := clampedRange(s.Addr, s.Size)
			try = append(try, candidate{r.Low, r.High})
		}
	}
	for _, s := range im.segments {
		r := clampedRange(uint64(s.Vaddr), uint64(len(s.Data)))
		try = append(try, candidate{r.Low, r.High})
	}
	for _, c := range try[:min(len(try), maxVectorPlaces)] {
		if words := im.vectorsAt(c.low, c.high); words != nil {
			return vectorTable{c.low, words}
		}
	}
	return vectorTable{}
}

// vectorsAt reads the table at low, up to high where that is known, and to the
// first interrupt vector that is neither 0 nor a Thumb address of code. It is nil
// where SP and reset vector do not make sense.
func (im *Image) vectorsAt(low, high uint32) []uint32 {
	limit := uint32(maxVectors)
	if high > low {
		limit = min(limit, (high-low)/4)
	}
	// A function that starts behind the table ends it.
	if functions := im.symbols.functions; len(functions) > 0 {
		if i := sort.Search(len(functions), func(i int) bool { return functions[i].Low > low }); i < len(functions) {
			limit = min(limit, (functions[i].Low-low)/4)
		}
	}
	var words []uint32
	for i := range limit {
		var p [4]byte
		if !im.ReadCode(low+4*i, p[:]) {
			break
		}
		w := binary.LittleEndian.Uint32(p[:])
		thumb := w&1 == 1 && im.holdsCode(w&^1)
		if i == 0 && (w%4 != 0 || w>>28 < 1 || w>>28 > 7) || i == 1 && !thumb || i > 15 && w != 0 && !thumb {
			break
		}
		words = append(words, w)
	}
	if len(words) < 2 {
		return nil
	}
	return words
}
