package profile

import (
	"testing"

	"github.com/mprof/mprof/symbol"
)

// oneFunction is a program of a single one.
type oneFunction struct{ Symbolizer }

func (oneFunction) Lookup(pc uint32) []symbol.Location {
	f := symbol.Function{Name: "f", Linkage: "f", Low: 0x10, High: 0x20}
	if pc < f.Low || pc >= f.High {
		return nil
	}
	return []symbol.Location{{Function: symbol.Function{Name: "inlined"}, Inlined: true}, {Function: f}}
}

// Frames get the symbol around their address; those that have one, or that are nowhere, stay.
func TestAddSymbols(t *testing.T) {
	p := &Profile{Symbols: []Symbol{{Name: "g", Low: 0x30, High: 0x40}}}
	p.Frames = []Frame{{Addr: 0x12, Symbol: None}, {Addr: 0x1e, Symbol: None, Depth: 1}, {Symbol: None}, {Addr: 0x50, Symbol: None}, {Addr: 0x32, Symbol: 0}}
	p.AddSymbols(oneFunction{})
	for i, want := range []SymbolIndex{1, 1, None, None, 0} {
		if got := p.Frames[i].Symbol; got != want {
			t.Errorf("frame %d: symbol %d, want %d", i, got, want)
		}
	}
	if len(p.Symbols) != 2 || p.Symbols[1] != (Symbol{Name: "f", Low: 0x10, High: 0x20}) {
		t.Errorf("%+v", p.Symbols)
	}
}
