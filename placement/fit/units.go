package fit

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"sort"
	"strings"

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

// bySymbol groups by name as -ffunction-sections names sections: .text.NAME and
// .text.NAME.SUFFIX of clones. Functions of one name in several files have
// their file in the pattern. foo.cold is a unit of its own: it is in
// .text.unlikely, and there to be out of the way.
func (a *analysis) bySymbol(all []symbol.FunctionSymbol) func(symbol.FunctionSymbol) (string, []string) {
	files := map[string][]string{}
	cold := map[string]bool{}
	for _, f := range all {
		base := baseName(f.Names[0])
		if file := a.file(f); !slices.Contains(files[base], file) {
			files[base] = append(files[base], file)
		}
		cold[base] = cold[base] || isCold(f.Names[0])
	}
	return func(f symbol.FunctionSymbol) (string, []string) {
		base, file := baseName(f.Names[0]), a.file(f)
		if !a.sectioned(f) {
			return fmt.Sprintf("%s at 0x%08x", base, f.Low), nil
		}
		from := "*"
		if len(files[base]) > 1 {
			if file == "" {
				return fmt.Sprintf("%s at 0x%08x", base, f.Low), nil
			}
			from = "*" + stem(file) + ".*"
		} else {
			file = ""
		}
		if isCold(f.Names[0]) {
			return base + ".cold in " + file, []string{from + fmt.Sprintf("(.text.unlikely.%s .text.unlikely.%s.*)", base, base)}
		}
		sections := []string{base, base + ".*", "hot." + base, "hot." + base + ".*", "startup." + base}
		if !cold[base] {
			sections = append(sections, "unlikely."+base)
		}
		return base + " in " + file, []string{from + "(.text." + strings.Join(sections, " .text.") + ")"}
	}
}

// bySection groups by the input sections of the linker's map.
func (a *analysis) bySection(f symbol.FunctionSymbol) (string, []string) {
	s, ok := a.report.Map.at(f.Low)
	if !ok {
		return fmt.Sprintf("%s at 0x%08x", f.Names[0], f.Low), nil
	}
	return fmt.Sprintf("section at 0x%08x", s.Low), []string{a.report.Map.pattern(s)}
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

// sectioned tells whether f is the only function of its section, as far as the
// debug information says: without any it is believed to be.
func (a *analysis) sectioned(f symbol.FunctionSymbol) bool {
	if !a.image.HasDWARF() {
		return true
	}
	producer := a.image.Producer(f.Low)
	flags := strings.Contains(producer, "-m") // GCC records its command line
	return producer != "" && !strings.HasPrefix(producer, "GNU AS") && (!flags || strings.Contains(producer, "-ffunction-sections"))
}

func (a *analysis) file(f symbol.FunctionSymbol) string {
	fn, _ := a.image.Function(f.Low)
	return fn.File
}

// baseName is a symbol without the suffixes that GCC and LLVM give to clones.
func baseName(s string) string {
	if i := strings.IndexByte(s, '.'); i > 0 {
		return s[:i]
	}
	return s
}

func isCold(s string) bool { return strings.HasSuffix(s, ".cold") || strings.Contains(s, ".cold.") }

// stem is the file name without folders and without extension.
func stem(file string) string {
	file = file[strings.LastIndexAny(file, `/\`)+1:]
	if i := strings.LastIndexByte(file, '.'); i > 0 {
		file = file[:i]
	}
	return file
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
