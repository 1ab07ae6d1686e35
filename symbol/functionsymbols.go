package symbol

import "slices"

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
	for _, s := range im.Spans(r) {
		if !s.Data {
			code = append(code, s.Range)
		}
	}
	return mergeRanges(code)
}
