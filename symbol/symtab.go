package symbol

import (
	"cmp"
	"debug/elf"
	"slices"
	"strings"
)

// codeSymbol is one address at which functions start, with all their names.
type codeSymbol struct {
	Range
	name    string   // preferred among the aliases
	aliases []string // all names at Low, the preferred one first
	weak    bool     // every alias but "name" is weak, and name too
	sized   bool     // High comes from st_size
}

// symbolTable holds the functions of .symtab, by address.
type symbolTable struct {
	functions []codeSymbol     // sorted by Low, one per address
	pieces    []piece          // of the address space, sorted
	outside   []Range          // functions that lie in no executable section, such as code copied to .data
	absolute  []codeSymbol     // functions elsewhere on the chip, such as those of a ROM, by Low
	objects   map[string]Range // variables, and vector tables
	present   bool
	modes     mapping
}

// rawSymbol is an ELF symbol that may name code.
type rawSymbol struct {
	name     string
	low      uint32
	size     uint32
	bind     elf.SymBind
	function bool // STT_FUNC, not a mere label
	section  elf.SectionIndex
}

// label tells whether nothing says that s is a function: sorted by preference,
// the first of several at one address tells for all.
func (s rawSymbol) label() bool { return !s.function }

func (s rawSymbol) global() bool { return s.bind != elf.STB_LOCAL }

// newSymbolTable reads .symtab. Symbols of the file that contradict the
// section headers are left out.
func newSymbolTable(f *elf.File, code []Range) symbolTable {
	t := symbolTable{objects: map[string]Range{}}
	if compressedSymbols(f) {
		return t
	}
	all, err := f.Symbols()
	if err != nil {
		return t
	}
	t.present = true
	t.modes = newMapping(all, f.Sections)
	var raw []rawSymbol
	for _, s := range all {
		if s.Section == elf.SHN_ABS && elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Size > 0 && s.Name != "" {
			t.absolute = append(t.absolute, newCodeSymbol([]rawSymbol{{s.Name, uint32(s.Value) &^ 1, uint32(s.Size), elf.ST_BIND(s.Info), true, s.Section}}))
		}
		if int(s.Section) >= len(f.Sections) || s.Section == elf.SHN_UNDEF || s.Name == "" {
			continue
		}
		section := f.Sections[s.Section]
		addr := uint32(s.Value)
		if section.Flags&elf.SHF_ALLOC == 0 || uint64(addr&^1) < section.Addr || uint64(addr&^1) >= section.Addr+section.Size {
			continue
		}
		typ := elf.ST_TYPE(s.Info)
		exec := section.Flags&elf.SHF_EXECINSTR != 0
		switch {
		case typ == elf.STT_FUNC, typ == elf.STT_GNU_IFUNC:
			raw = append(raw, rawSymbol{s.Name, addr &^ 1, uint32(s.Size), elf.ST_BIND(s.Info), true, s.Section})
		case typ == elf.STT_NOTYPE && exec && isLabel(s.Name) && t.modes.isCode(addr&^1):
			raw = append(raw, rawSymbol{s.Name, addr &^ 1, uint32(s.Size), elf.ST_BIND(s.Info), false, s.Section})
		}
		_, known := t.objects[s.Name]
		global := elf.ST_BIND(s.Info) != elf.STB_LOCAL // link-time optimisation makes variables local
		if typ == elf.STT_OBJECT && (global || !known) || (typ == elf.STT_OBJECT || typ == elf.STT_NOTYPE) && slices.Contains(vectorSymbols, s.Name) {
			t.objects[s.Name] = clampedRange(uint64(addr), s.Size)
		}
	}
	t.group(raw, f)
	for _, s := range t.functions {
		if _, ok := rangeAround(code, s.Low); s.sized && !ok {
			t.outside = append(t.outside, s.Range)
		}
	}
	return t
}

// elsewhere is the function around pc that the program knows by its address
// alone: ld --just-symbols.
func (t *symbolTable) elsewhere(pc uint32) *codeSymbol {
	for i := range t.absolute {
		if t.absolute[i].Contains(pc) {
			return &t.absolute[i]
		}
	}
	return nil
}

// isLabel tells whether an untyped symbol can name code: no mapping symbol
// ($t, $d.1, ...) and no assembler-local label.
func isLabel(name string) bool {
	return !strings.HasPrefix(name, "$") && !strings.HasPrefix(name, ".L")
}

// group sorts the symbols, joins those of one address and ends those without
// size at the next one.
func (t *symbolTable) group(raw []rawSymbol, f *elf.File) {
	slices.SortFunc(raw, func(a, b rawSymbol) int {
		return cmp.Or(cmp.Compare(a.low, b.low), cmp.Compare(preference(a), preference(b)), plainer(a.name, b.name))
	})
	var covered uint32        // end of the sized functions so far: labels inside are no functions
	var open elf.SectionIndex // of a function without size: what has no type and is local is a label in it
	for i := 0; i < len(raw); {
		j := i + 1
		for j < len(raw) && raw[j].low == raw[i].low {
			j++
		}
		at := raw[i:j]
		i = j
		if at[0].label() && (at[0].low < covered || open == at[0].section && !slices.ContainsFunc(at, rawSymbol.global)) {
			continue
		}
		s := newCodeSymbol(at)
		if open = elf.SHN_UNDEF; at[0].function && !s.sized {
			open = at[0].section
		}
		if s.sized {
			covered = max(covered, s.High)
		} else {
			section := f.Sections[at[0].section]
			s.High = clampedRange(section.Addr, section.Size).High
		}
		t.functions = append(t.functions, s)
	}
	for i := range t.functions {
		s := &t.functions[i]
		if !s.sized && i+1 < len(t.functions) {
			s.High = min(s.High, t.functions[i+1].Low)
		}
	}
	t.flatten()
}

// plainer orders names of the same standing: memcpy before __aeabi_memcpy,
// vsnprintf before vsniprintf.
func plainer(a, b string) int {
	underscores := func(s string) int { return len(s) - len(strings.TrimLeft(s, "_")) }
	return cmp.Or(cmp.Compare(underscores(a), underscores(b)), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// preference orders aliases: functions before labels, sized before unsized,
// global before local before weak (a weak name is the default that nobody
// replaced, and often one of many).
func preference(s rawSymbol) int {
	p := 0
	if !s.function {
		p += 8
	}
	if s.size == 0 {
		p += 4
	}
	switch s.bind {
	case elf.STB_GLOBAL:
	case elf.STB_LOCAL:
		p++
	default:
		p += 2
	}
	return p
}

func newCodeSymbol(at []rawSymbol) codeSymbol {
	s := codeSymbol{Range: Range{Low: at[0].low}, name: at[0].name, weak: true}
	for _, a := range at {
		if !slices.Contains(s.aliases, a.name) {
			s.aliases = append(s.aliases, a.name)
		}
		if a.bind != elf.STB_WEAK {
			s.weak = false
		}
		if a.function || !at[0].function {
			s.High = max(s.High, clampedRange(uint64(a.low), uint64(a.size)).High)
		}
	}
	s.sized = s.High > s.Low
	return s
}
