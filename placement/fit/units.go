package fit

import (
	"cmp"
	"math/bits"
	"slices"
	"sort"

	"github.com/mprof/mprof/symbol"
)

// Unit is what moves as a whole: a function with its clones, or, with a map of
// the linker, an input section.
type Unit struct {
	Name     string   // of the function, demangled; of the most sampled one
	Linkage  string   // in the symbol table, without the suffix of a clone
	Parts    []Part   // by address
	Patterns []string // input sections for the linker script, such as *(.text.f .text.f.*)
	Size     int64    // bytes, rounded up to the alignment of functions
	Samples  int64
	State    State
	File     string // of the definition, "" where unknown
	Line     int
	Along    []string // of a unit that moves: units that it calls and that move, too
	Left     []string // and those that it calls in flash from then on

	calls []call
}

// Part is one piece of code of a unit.
type Part struct {
	symbol.Range
	Names []string // in the symbol table, the preferred one first
}

// State says whether a unit can be moved.
type State int

const (
	Movable State = iota
	InRAM         // already
	Startup       // runs before the sections are copied
	Unnamed       // no input section is known that holds it alone
)

// String is a reason in a few words.
func (s State) String() string {
	switch s {
	case InRAM:
		return "in RAM already"
	case Startup:
		return "runs before RAM is filled"
	case Unnamed:
		return "of a library or in assembly: --map tells its section"
	}
	return "can be moved"
}

// unitIndex finds the unit at an address.
type unitIndex struct {
	low  []uint32
	high []uint32
	unit []int
}

func (x *unitIndex) at(addr uint32) int {
	i := sort.Search(len(x.low), func(i int) bool { return x.low[i] > addr }) - 1
	if i < 0 || addr >= x.high[i] {
		return -1
	}
	return x.unit[i]
}

// readUnits groups the functions of the symbol table.
func (a *analysis) readUnits() error {
	all := disjoint(a.image.FunctionSymbols())
	if len(all) == 0 {
		return errNoFunctions
	}
	a.ram = a.report.RAM
	if a.ram == 0 {
		a.ram = ramOf(a.image)
	}
	group := a.bySymbol(all)
	if a.report.Map != nil {
		group = a.bySection
	}
	round := int64(alignment(all))
	known := map[string]int{}
	for _, f := range all {
		if f.High <= f.Low {
			continue
		}
		key, patterns := group(f)
		i, ok := known[key]
		if !ok {
			i = len(a.report.Units)
			known[key] = i
			a.report.Units = append(a.report.Units, Unit{Patterns: patterns, Linkage: baseName(f.Names[0]), State: a.state(f, patterns)})
		}
		u := &a.report.Units[i]
		u.State = max(u.State, a.state(f, patterns))
		u.Parts = append(u.Parts, Part{f.Range, f.Names})
	}
	a.measure(round)
	a.index()
	return nil
}

// disjoint cuts functions where the next one begins, which gets the rest: the
// entries of one body, as those of libgcc's floating point.
func disjoint(all []symbol.FunctionSymbol) []symbol.FunctionSymbol {
	for i := 1; i < len(all); i++ {
		if before := &all[i-1]; before.High > all[i].Low {
			all[i].High = max(all[i].High, before.High)
			before.High = all[i].Low
		}
	}
	return all
}

// measure gives the units their size and place.
func (a *analysis) measure(round int64) {
	for i := range a.report.Units {
		u := &a.report.Units[i]
		for _, p := range u.Parts {
			size := int64(p.High - p.Low)
			u.Size += (size + round - 1) / round * round
		}
		if a.report.Map != nil && len(u.Patterns) > 0 {
			if s, ok := a.report.Map.at(u.Parts[0].Low); ok {
				u.Size = (int64(s.High-s.Low) + round - 1) / round * round
			}
		}
		f, ok := a.image.Function(u.Parts[0].Low)
		u.Name = u.Linkage
		if ok {
			u.Name, u.File, u.Line = f.Name, f.File, f.Line
		}
	}
}

// index finds units by address and by name.
func (a *analysis) index() {
	a.at, a.byName = unitIndex{}, map[string]int{}
	type piece struct {
		symbol.Range
		unit int
	}
	var all []piece
	for i, u := range a.report.Units {
		for _, p := range u.Parts {
			all = append(all, piece{p.Range, i})
			for _, name := range p.Names {
				a.byName[name] = i
			}
		}
	}
	slices.SortFunc(all, func(x, y piece) int { return cmp.Compare(x.Low, y.Low) })
	for _, p := range all {
		a.at.low, a.at.high, a.at.unit = append(a.at.low, p.Low), append(a.at.high, p.High), append(a.at.unit, p.unit)
	}
}

// state of a function: only those count that nothing else forbids to move.
func (a *analysis) state(f symbol.FunctionSymbol, patterns []string) State {
	reset, _ := a.image.ResetHandler()
	switch {
	case inRAM(a.image, f.Low):
		return InRAM
	case f.Contains(reset), f.Contains(a.image.Entry()), slices.Contains(f.Names, "_start"):
		return Startup
	case len(patterns) == 0:
		return Unnamed
	}
	return Movable
}

// alignment is that which all functions of the program have, 4 to 32 bytes:
// nothing tells what each of them asks for.
func alignment(all []symbol.FunctionSymbol) uint32 {
	or := uint32(32)
	for _, f := range all {
		or |= f.Low
	}
	return max(4, uint32(1)<<bits.TrailingZeros32(or))
}

// inRAM tells whether code at addr runs from memory that is written before: its
// segment is loaded elsewhere, or can be written.
func inRAM(im *symbol.Image, addr uint32) bool {
	for _, s := range im.Segments() {
		if addr >= s.Vaddr && addr-s.Vaddr < s.MemSize {
			return s.Vaddr != s.Paddr || s.Write
		}
	}
	return false
}

// ramOf is where the writeable memory of the program begins; 0: it has none.
func ramOf(im *symbol.Image) uint32 {
	low := uint32(0)
	for _, s := range im.Segments() {
		if s.Write && s.MemSize > 0 && (low == 0 || s.Vaddr < low) {
			low = s.Vaddr
		}
	}
	return low
}
