package placement

import (
	"cmp"
	"slices"
)

// maxNodes bounds the search: some seconds.
const maxNodes = 1 << 24

// state of an item.
type state uint8

const (
	open state = iota
	moved
	left // stays where it is
)

// search is a branch and bound over the candidates, the best per byte first.
type search struct {
	problem    *Problem
	scale      int64
	candidates []candidate
	bound      relaxation
	states     []state
	users      []int   // by bridge: moved items that need it
	reached    [][]int // by item: bridges to it

	value, size int64 // of what is moved, with the bridges known to be needed
	best        []int
	bestWorth   int64
	bestValue   int64
	bestSize    int64

	nodes, limit int
	upper        int64 // worth of the best of the branches given up
}

func newSearch(p *Problem) *search {
	s := &search{problem: p, scale: p.Budget + 1, states: make([]state, len(p.Items)), users: make([]int, len(p.Bridges)),
		reached: make([][]int, len(p.Items)), bestWorth: -1, upper: -1, limit: maxNodes}
	wanted := make([]int, len(p.Bridges)) // items that need it
	for b, bridge := range p.Bridges {
		if bridge.To >= 0 {
			s.reached[bridge.To] = append(s.reached[bridge.To], b)
		}
	}
	for i := range p.Items {
		for _, b := range s.needs(i) {
			wanted[b]++
		}
	}
	for i := range p.Items {
		s.add(i, wanted)
	}
	slices.SortStableFunc(s.candidates, func(a, b candidate) int {
		return cmp.Compare(float64(b.worth)/float64(b.size), float64(a.worth)/float64(a.size))
	})
	if t := newTable(s.candidates, p.Budget); t != nil {
		s.bound = t
	} else {
		s.bound = newFractions(s.candidates)
	}
	return s
}

// add makes item i a candidate where moving it can be worth something.
func (s *search) add(i int, wanted []int) {
	it := s.problem.Items[i]
	saved := int64(0)
	for _, b := range s.reached[i] {
		saved += s.problem.Bridges[b].Size
	}
	size := it.Size
	for _, b := range s.needs(i) {
		if bridge := s.problem.Bridges[b]; bridge.To < 0 && wanted[b] == 1 {
			size += bridge.Size
		}
	}
	if size > s.problem.Budget || it.Value == 0 && size >= saved {
		s.states[i] = left
		return
	}
	// Moving a callee may cost less than the bridges to it; the relaxation has none of those.
	s.candidates = append(s.candidates, candidate{i, size, max(0, it.Value*s.scale-size)})
}

// needs are the bridges of item i without repetition and without those to
// itself.
func (s *search) needs(i int) (needs []int) {
	for _, b := range s.problem.Items[i].Bridges {
		if s.problem.Bridges[b].To != i && !slices.Contains(needs, b) {
			needs = append(needs, b)
		}
	}
	return needs
}

// run searches depth first.
func (s *search) run() {
	needs := make([][]int, len(s.problem.Items))
	for _, c := range s.candidates {
		needs[c.item] = s.needs(c.item)
	}
	s.branch(0, needs)
}

// branch decides on the candidates from i on.
func (s *search) branch(i int, needs [][]int) {
	if s.size > s.problem.Budget {
		return
	}
	worth := s.value*s.scale - s.size + s.bound.worth(i, s.problem.Budget-s.size)
	if i == len(s.candidates) {
		s.keep()
		return
	}
	if worth <= s.bestWorth {
		return
	}
	if s.nodes++; s.nodes > s.limit {
		s.upper = max(s.upper, worth)
		return
	}
	item := s.candidates[i].item
	value, size := s.value, s.size
	s.move(item, needs[item])
	s.branch(i+1, needs)
	for _, b := range needs[item] {
		s.users[b]--
	}
	s.value, s.size = value, size
	s.leave(item)
	s.branch(i+1, needs)
	s.states[item], s.value, s.size = open, value, size
}

// move counts an item and the bridges that are certain now.
func (s *search) move(item int, needs []int) {
	s.states[item] = moved
	s.value += s.problem.Items[item].Value
	s.size += s.problem.Items[item].Size
	for _, b := range needs {
		if s.users[b]++; s.users[b] == 1 && s.stays(b) {
			s.size += s.problem.Bridges[b].Size
		}
	}
}

// leave counts the bridges to an item that are certain now.
func (s *search) leave(item int) {
	s.states[item] = left
	for _, b := range s.reached[item] {
		if s.users[b] > 0 {
			s.size += s.problem.Bridges[b].Size
		}
	}
}

// stays tells whether what is behind bridge b is known to stay.
func (s *search) stays(b int) bool {
	to := s.problem.Bridges[b].To
	return to < 0 || s.states[to] == left
}

// keep remembers a set where it is the best so far.
func (s *search) keep() {
	worth := s.value*s.scale - s.size
	if worth <= s.bestWorth {
		return
	}
	s.bestWorth, s.bestValue, s.bestSize = worth, s.value, s.size
	s.best = s.best[:0]
	for i, state := range s.states {
		if state == moved {
			s.best = append(s.best, i)
		}
	}
}

// choice is what was found.
func (s *search) choice() Choice {
	c := Choice{Items: slices.Clone(s.best), Value: s.bestValue, Size: s.bestSize, Bound: s.bestValue}
	if s.upper > s.bestWorth {
		c.Bound = max(c.Bound, ceilDiv(s.upper, s.scale))
	}
	chosen := func(i int) bool { return slices.Contains(c.Items, i) }
	for b, bridge := range s.problem.Bridges {
		needed := slices.ContainsFunc(c.Items, func(i int) bool { return slices.Contains(s.needs(i), b) })
		if needed && (bridge.To < 0 || !chosen(bridge.To)) {
			c.Bridges = append(c.Bridges, b)
		}
	}
	return c
}

// ceilDiv is the value of a set of worth a, which is less than value*scale by
// its size.
func ceilDiv(a, b int64) int64 { return a/b + min(1, a%b) }
