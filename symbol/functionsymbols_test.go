package symbol

import (
	"slices"
	"testing"
)

// TestFunctionSymbols: those of the demo, whose instructions and literal pools
// fill each function.
func TestFunctionSymbols(t *testing.T) {
	im, err := Open("../firmware/demo/demo.elf")
	if err != nil {
		t.Fatal(err)
	}
	all := im.FunctionSymbols()
	if len(all) < 100 || !slices.ContainsFunc(all, func(f FunctionSymbol) bool { return slices.Contains(f.Names, "crc32") && f.Sized }) {
		t.Fatalf("%d functions, or no crc32", len(all))
	}
	data := 0
	for _, f := range all {
		code := uint32(0)
		for i, r := range im.Instructions(f.Range) {
			if r.Low < f.Low || r.High > f.High || r.size() == 0 || i == 0 && r.Low != f.Low {
				t.Errorf("%v: instructions at 0x%08x to 0x%08x, function 0x%08x to 0x%08x", f.Names, r.Low, r.High, f.Low, f.High)
			}
			code += r.size()
		}
		if code < f.size() {
			data++
		}
	}
	if data < 3 {
		t.Errorf("%d functions with data among their code", data)
	}
}
