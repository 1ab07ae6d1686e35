package symbol

import (
	"cmp"
	"debug/elf"
	"slices"
	"sort"
	"strings"
)

// mapping answers whether an address holds code or data, by the mapping
// symbols (ELF for the Arm Architecture, section Mapping symbols; RISC-V ELF
// psABI, section Mapping Symbol).
type mapping struct {
	addr []uint32
	code []bool
}

// newMapping reads the mapping symbols. Those of a section that is not loaded, such as .debug_frame, have offsets in it
// for addresses: in a program that is linked at 0 they would turn code into data.
func newMapping(all []elf.Symbol, sections []*elf.Section) mapping {
	type mark struct {
		addr uint32
		code bool
	}
	var marks []mark
	for _, s := range all {
		loaded := int(s.Section) < len(sections) && sections[s.Section].Flags&elf.SHF_ALLOC != 0
		if kind, ok := mappingKind(s.Name); ok && loaded {
			marks = append(marks, mark{uint32(s.Value), kind != 'd'})
		}
	}
	slices.SortStableFunc(marks, func(a, b mark) int { return cmp.Compare(a.addr, b.addr) })
	m := mapping{}
	for _, k := range marks {
		m.addr, m.code = append(m.addr, k.addr), append(m.code, k.code)
	}
	return m
}

// mappingKind tells what a mapping symbol says: 't' or 'a' for instructions of
// Arm, 'x' of RISC-V (whose instruction set may follow: $xrv32imc), 'd' for data.
func mappingKind(name string) (kind byte, ok bool) {
	if len(name) < 2 || name[0] != '$' {
		return 0, false
	}
	kind = name[1]
	switch kind {
	case 't', 'a', 'd':
		return kind, len(name) == 2 || name[2] == '.'
	case 'x':
		return kind, len(name) == 2 || name[2] == '.' || strings.HasPrefix(name[2:], "rv")
	}
	return 0, false
}

// isCode is true where nothing says otherwise.
func (m mapping) isCode(addr uint32) bool {
	i := sort.Search(len(m.addr), func(i int) bool { return m.addr[i] > addr })
	return i == 0 || m.code[i-1]
}
