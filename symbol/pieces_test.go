package symbol

import (
	"math/rand/v2"
	"testing"
)

// TestPieces compares the flattened table with a look at all functions, over
// random ones that overlap in every way.
func TestPieces(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var table symbolTable
		for low := uint32(random.IntN(4)); low < 60; low += 1 + uint32(random.IntN(8)) {
			table.functions = append(table.functions, codeSymbol{Range: Range{low, low + uint32(random.IntN(20)*random.IntN(3))}})
		}
		table.flatten()
		for pc := range uint32(110) {
			var want *codeSymbol
			for i := range table.functions {
				if table.functions[i].Contains(pc) {
					want = &table.functions[i]
				}
			}
			if got := table.at(pc); got != want {
				t.Fatalf("0x%x: %v, want %v of %v", pc, got, want, table.functions)
			}
		}
	}
}
