package truth

import (
	"cmp"
	"slices"
)

// Arc is calls of one function that return to one place.
type Arc struct {
	// From is where they return to, without Thumb bit; where a tail call was made, to the
	// caller of the function that made it. Of a handler it is EXC_RETURN; of the first
	// function after reset, and of a thread that starts, 0.
	From     uint32
	Function string
	Count    uint64
}

type arc struct {
	from     uint32
	function int32
}

// CountArcs has Arcs count from now on.
func (t *Truth) CountArcs() { t.arcs = map[arc]uint64{} }

// arrives counts that a function begins at its first instruction.
func (t *Truth) arrives(to uint32, function int32, from uint32) {
	if t.arcs != nil && t.functions.entry(to, function) {
		t.arcs[arc{from, function}]++
	}
}

// Arcs are those since CountArcs, by function, then From.
func (t *Truth) Arcs() []Arc {
	all := make([]Arc, 0, len(t.arcs))
	for a, n := range t.arcs {
		all = append(all, Arc{a.from, t.names[a.function], n})
	}
	slices.SortFunc(all, func(a, b Arc) int { return cmp.Or(cmp.Compare(a.Function, b.Function), cmp.Compare(a.From, b.From)) })
	return all
}
