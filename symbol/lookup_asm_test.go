package symbol

import (
	"bytes"
	"testing"

	"github.com/mprof/mprof/firmware/demo"
)

// TestAssemblyBounds: GNU as gives the subprograms of assembly functions odd
// bounds. Every address of the code must belong to the symbol around it.
func TestAssemblyBounds(t *testing.T) {
	im, err := New(bytes.NewReader(demo.ELF), int64(len(demo.ELF)), "demo.elf")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, code := range im.CodeRanges() {
		for pc := code.Low; pc < code.High; pc += 2 {
			bounds, ok := im.Bounds(pc)
			if !ok {
				continue
			}
			checked++
			if f, ok := im.Function(pc); !ok || !bounds.Contains(f.Low) || f.High > bounds.High {
				t.Fatalf("0x%08x: Function is %s [0x%08x, 0x%08x), the symbol is [0x%08x, 0x%08x)", pc, f.Name, f.Low, f.High, bounds.Low, bounds.High)
			}
		}
	}
	if checked < 4000 {
		t.Fatalf("only %d addresses checked", checked)
	}
}
