// Package symbol reads the program image. In: an ELF file. Out: its segments,
// build id, functions, inlined calls, lines and sources, by address, with
// demangled names.
package symbol

// Function is a physical function: what a symbol or a DW_TAG_subprogram says.
type Function struct {
	Name      string // demangled
	Linkage   string // as in the symbol table
	Low, High uint32 // [Low, High), Thumb bit cleared
	File      string // of the definition, "" where unknown
	Line      int
}

// Location is one function at one address: the innermost inlined one first,
// the physical function last.
type Location struct {
	Function
	CallFile   string // file and line that execute here: of the instruction in the innermost, of the call in the others
	CallLine   int
	CallColumn int
	Inlined    bool // Function is inlined here; Low and High are those of the physical function
}

// Segment is a PT_LOAD, in header order.
type Segment struct {
	Vaddr, Paddr uint32
	MemSize      uint32
	Data         []byte // file content; shorter than MemSize for .bss
	Exec, Write  bool
}

// Range is the half-open address range [Low, High).
type Range struct{ Low, High uint32 }

// Contains tells whether addr lies in r.
func (r Range) Contains(addr uint32) bool { return addr >= r.Low && addr < r.High }

// size of the range in bytes; 0 where it is empty or upside down.
func (r Range) size() uint32 {
	if r.High <= r.Low {
		return 0
	}
	return r.High - r.Low
}
