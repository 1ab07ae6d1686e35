package symbol

import "sort"

// piece is where one function is the innermost of those that overlap there.
type piece struct {
	low      uint32
	function int // -1 for none; up to the next piece
}

// flatten finds for each address the function around it that starts last:
// O(n), whatever overlaps.
func (t *symbolTable) flatten() {
	var open []int // those not ended yet, by start
	at := func(low uint32, function int) {
		if n := len(t.pieces); n > 0 && t.pieces[n-1].low == low {
			t.pieces[n-1].function = function
			return
		}
		t.pieces = append(t.pieces, piece{low, function})
	}
	// close ends what ends up to limit.
	closeTo := func(limit uint32) {
		for len(open) > 0 {
			end := t.functions[open[len(open)-1]].High
			if end > limit {
				return
			}
			for len(open) > 0 && t.functions[open[len(open)-1]].High <= end {
				open = open[:len(open)-1]
			}
			if len(open) == 0 {
				at(end, -1)
			} else {
				at(end, open[len(open)-1])
			}
		}
	}
	for i, s := range t.functions {
		closeTo(s.Low)
		if s.High > s.Low {
			open = append(open, i)
			at(s.Low, i)
		}
	}
	closeTo(1<<32 - 1)
}

// at returns the function around pc: the one that starts last among those
// that reach beyond pc.
func (t *symbolTable) at(pc uint32) *codeSymbol {
	i := sort.Search(len(t.pieces), func(i int) bool { return t.pieces[i].low > pc })
	if i == 0 || t.pieces[i-1].function < 0 {
		return nil
	}
	return &t.functions[t.pieces[i-1].function]
}
