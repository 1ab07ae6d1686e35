package profile

// AddSymbols gives frames that have an address and no symbol the one that the program has there: files of some formats know
// no pieces of machine code.
func (p *Profile) AddSymbols(program Symbolizer) {
	known := map[Symbol]SymbolIndex{}
	for i, s := range p.Symbols {
		known[s] = SymbolIndex(i)
	}
	for i := range p.Frames {
		f := &p.Frames[i]
		if f.Symbol != None || f.Addr == 0 {
			continue
		}
		at := program.Lookup(f.Addr)
		if len(at) == 0 {
			continue
		}
		outer := at[len(at)-1]
		f.Symbol = intern(known, &p.Symbols, Symbol{Name: outer.Linkage, Low: outer.Low, High: max(outer.Low, outer.High)})
	}
}
