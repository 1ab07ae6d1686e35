package disasm

import (
	"cmp"
	"slices"
	"strings"
)

// Symbol is an entry of a symbol table, for Table.
type Symbol struct {
	Name     string
	Addr     uint32 // without the Thumb bit
	Size     uint32 // 0 where unknown
	Function bool   // STT_FUNC
	Object   bool   // STT_OBJECT
	Global   bool   // STB_GLOBAL; neither STB_LOCAL nor STB_WEAK
}

// Table names addresses by a symbol table, as objdump does: by the last symbol at or before the
// address (the first of all where there is none), however far, of several there a function before an object, a global before a weak or
// local one, then the largest, then by name. Mapping symbols ($t, $d.1) and symbols without name are left out.
func Table(symbols []Symbol) Symbols {
	table := slices.DeleteFunc(slices.Clone(symbols), func(s Symbol) bool { return s.Name == "" || mapping(s.Name) })
	rank := func(s Symbol) (r int) {
		switch {
		case s.Function:
			r = 0
		case s.Object:
			r = 2
		default:
			r = 4
		}
		if !s.Global {
			r++
		}
		return r
	}
	slices.SortFunc(table, func(a, b Symbol) int {
		return cmp.Or(cmp.Compare(a.Addr, b.Addr), cmp.Compare(rank(a), rank(b)), cmp.Compare(b.Size, a.Size), strings.Compare(a.Name, b.Name))
	})
	table = slices.CompactFunc(table, func(a, b Symbol) bool { return a.Addr == b.Addr })
	return func(addr uint32) (string, int64, bool) {
		if len(table) == 0 {
			return "", 0, false
		}
		i, exact := slices.BinarySearchFunc(table, addr, func(s Symbol, addr uint32) int { return cmp.Compare(s.Addr, addr) })
		if !exact && i > 0 {
			i--
		}
		return table[i].Name, int64(addr) - int64(table[i].Addr), true
	}
}

// mapping tells whether a symbol marks what the bytes from it on are: $a, $t, $d, $x, or one of
// those with a suffix (AAELF32, 5.5.5).
func mapping(name string) bool {
	return len(name) >= 2 && name[0] == '$' && strings.IndexByte("atdx", name[1]) >= 0 && (len(name) == 2 || name[2] == '.' || name[1] == 'x')
}
