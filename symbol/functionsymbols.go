package symbol

import (
	"slices"
	"sort"
)

// FunctionSymbol is what the symbol table says of a function.
type FunctionSymbol struct {
	Range
	Names []string // linkage names, the preferred one first
	Sized bool     // High is from the symbol, not from what comes next
}

// FunctionSymbols lists the functions of the symbol table that lie in the
// image, by address.
func (im *Image) FunctionSymbols() []FunctionSymbol {
	all := make([]FunctionSymbol, 0, len(im.symbols.functions))
	for _, s := range im.symbols.functions {
		all = append(all, FunctionSymbol{s.Range, slices.Clone(s.aliases), s.sized})
	}
	return all
}

// Instructions lists the parts of r that hold instructions and no data, as the
// mapping symbols say; all of r where there are none.
func (im *Image) Instructions(r Range) (code []Range) {
	m := &im.symbols.modes
	for at := r.Low; at < r.High; {
		end := r.High
		if i := sort.Search(len(m.addr), func(i int) bool { return m.addr[i] > at }); i < len(m.addr) {
			end = min(end, m.addr[i])
		}
		if m.isCode(at) {
			code = append(code, Range{at, end})
		}
		at = end
	}
	return mergeRanges(code)
}
