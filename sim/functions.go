package sim

import (
	"cmp"
	"debug/elf"
	"slices"
	"strings"

	"github.com/mprof/mprof/sim/truth"
)

// codeSymbol is a symbol that may name a function.
type codeSymbol struct {
	truth.Function
	rank       int    // among the names of one address, the lowest wins
	sectionEnd uint32 // where the section ends
	label      bool   // not a function by its type
}

// functions lists the program's functions by their symbols: every STT_FUNC, and
// labels in code that lie in no function that has a size. Where several names
// share an address the sized, global, strong one comes first.
func functions(img *image) []truth.Function {
	symbols := codeSymbols(img)
	slices.SortFunc(symbols, func(a, b codeSymbol) int {
		return cmp.Or(cmp.Compare(a.Low, b.Low), cmp.Compare(a.rank, b.rank), cmp.Compare(a.Name, b.Name))
	})
	symbols = slices.CompactFunc(symbols, func(a, b codeSymbol) bool { return a.Low == b.Low })
	var list []truth.Function
	var covered uint32
	for i, s := range symbols {
		if s.label && s.Low < covered {
			continue
		}
		covered = max(covered, s.High)
		if s.High == 0 { // no size: up to the next symbol, within the section
			s.High = s.sectionEnd
			if i+1 < len(symbols) {
				s.High = min(s.High, symbols[i+1].Low)
			}
		}
		list = append(list, s.Function)
	}
	return list
}

// codeSymbols collects the symbols that stand in allocated sections. Labels
// count in code only: in executable sections, and there where the mapping
// symbols say so (ARM IHI 0044, 5.5.5).
func codeSymbols(img *image) []codeSymbol {
	f := img.file
	all, err := f.Symbols()
	if err != nil {
		return nil
	}
	data := dataMarks(all)
	var found []codeSymbol
	for _, s := range all {
		if int(s.Section) >= len(f.Sections) || s.Section == elf.SHN_UNDEF || s.Name == "" {
			continue
		}
		section := f.Sections[s.Section]
		at := s.Value &^ 1
		if section.Flags&elf.SHF_ALLOC == 0 || at < section.Addr || at-section.Addr >= section.Size || !img.holds(section) {
			continue
		}
		kind := elf.ST_TYPE(s.Info)
		label := kind == elf.STT_NOTYPE
		switch {
		case kind == elf.STT_FUNC:
		case !label || section.Flags&elf.SHF_EXECINSTR == 0, s.Name[0] == '$' || strings.HasPrefix(s.Name, ".L"), inData(data, at):
			continue
		}
		c := codeSymbol{label: label, rank: rank(s, label), sectionEnd: uint32(section.Addr + section.Size)}
		c.Name, c.Low = s.Name, uint32(at)
		if s.Size > 0 {
			c.High = uint32(min(at+s.Size, section.Addr+section.Size))
		}
		found = append(found, c)
	}
	return found
}

// holds says whether a section lies in a loaded segment, as those with code do
// in a file that is not damaged.
func (img *image) holds(s *elf.Section) bool {
	return slices.ContainsFunc(img.parts, func(p part) bool {
		return s.Addr >= uint64(p.run) && s.Size <= uint64(p.size) && s.Addr-uint64(p.run) <= uint64(p.size)-s.Size
	})
}

// rank orders the names of one address.
func rank(s elf.Symbol, label bool) int {
	r := 0
	if label {
		r += 8
	}
	if s.Size == 0 {
		r += 4
	}
	switch elf.ST_BIND(s.Info) {
	case elf.STB_GLOBAL:
		return r
	case elf.STB_LOCAL:
		return r + 1
	}
	return r + 2
}

// mark is a mapping symbol: from here on there is data, or code.
type mark struct {
	at   uint64
	data bool
}

// dataMarks sorts the mapping symbols $a, $t and $d.
func dataMarks(all []elf.Symbol) []mark {
	var marks []mark
	for _, s := range all {
		if len(s.Name) >= 2 && s.Name[0] == '$' && strings.ContainsRune("atd", rune(s.Name[1])) && (len(s.Name) == 2 || s.Name[2] == '.') {
			marks = append(marks, mark{s.Value, s.Name[1] == 'd'})
		}
	}
	slices.SortFunc(marks, func(a, b mark) int { return cmp.Compare(a.at, b.at) })
	return marks
}

// inData asks the last mapping symbol at or before addr.
func inData(marks []mark, addr uint64) bool {
	i, found := slices.BinarySearchFunc(marks, addr, func(m mark, a uint64) int { return cmp.Compare(m.at, a) })
	if found {
		return marks[i].data
	}
	return i > 0 && marks[i-1].data
}
