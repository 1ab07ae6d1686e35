package export

import (
	"cmp"
	"maps"
	"slices"

	"github.com/mprof/mprof/profile"
)

// callgrindGraph is a profile as functions that call each other: without its stacks.
type callgrindGraph struct {
	p         *profile.Profile
	timed     bool // samples stand for time
	functions []callgrindFunction
	total     callgrindCost
}

type callgrindFunction struct {
	name, file, object string
	line               int    // of the definition
	addr               uint32 // of the entry, as far as it is known
	self               map[callgrindPlace]callgrindCost
	calls              map[callgrindArc]callgrindCalls
}

// callgrindPlace is where code stands.
type callgrindPlace struct {
	file string
	addr uint32
	line int
}

// callgrindArc is the calls of a function from a place.
type callgrindArc struct {
	from   callgrindPlace
	callee int
}

type callgrindCalls struct {
	count  uint64 // that returned; of samples 0
	inside callgrindCost
}

func newCallgrindGraph(p *profile.Profile) *callgrindGraph {
	g := &callgrindGraph{p: p, timed: weighted(p)}
	for _, f := range p.Functions {
		g.functions = append(g.functions, callgrindFunction{name: f.Name, file: f.File, line: f.Line,
			self: map[callgrindPlace]callgrindCost{}, calls: map[callgrindArc]callgrindCalls{}})
	}
	g.locate()
	stacks := p.ByStack()
	root := len(g.functions) // what calls the first function of a stack
	g.functions = append(g.functions, callgrindFunction{name: noCaller, calls: map[callgrindArc]callgrindCalls{}})
	seen := make([]int, len(p.Functions))
	for i, s := range stacks {
		cost := callgrindCost{int64(s.Samples), int64(s.Weight)}
		g.total = g.total.plus(cost)
		var up []*profile.Frame
		for _, f := range p.Callers(s.Stack) {
			up = append(up, f)
		}
		leaf := up[0]
		g.functions[leaf.Function].addSelf(placeOf(leaf), cost)
		for n, f := range slices.Backward(up) {
			inside, count := callgrindCost{}, uint64(0)
			if seen[f.Function] != i+1 { // entered for the first time
				seen[f.Function], inside = i+1, cost
			}
			if n == 0 && p.Trace != nil {
				count = uint64(s.Samples)
			}
			if n+1 < len(up) {
				g.functions[up[n+1].Function].addCalls(callgrindArc{placeOf(up[n+1]), int(f.Function)}, count, inside)
			} else {
				g.functions[root].addCalls(callgrindArc{callee: int(f.Function)}, count, inside)
			}
		}
	}
	return g
}

// locate finds the entries of functions, the images that hold them, and the files of those
// whose definition nobody knows, such as assembly.
func (g *callgrindGraph) locate() {
	mappings := g.p.Mappings()
	for i := range g.p.Frames {
		f := &g.p.Frames[i]
		of := &g.functions[f.Function]
		if of.file == "" {
			of.file = f.File
		}
		if f.Addr == 0 || of.object != "" {
			continue
		}
		if at := g.p.MappingOf(f.Addr); at != profile.None {
			of.object = mappings[at].Name
		}
		if f.Depth == 0 && f.Symbol != profile.None {
			of.addr = g.p.Symbols[f.Symbol].Low
		}
	}
}

func placeOf(f *profile.Frame) callgrindPlace { return callgrindPlace{f.File, f.Addr, f.Line} }

func (f *callgrindFunction) addSelf(at callgrindPlace, cost callgrindCost) {
	f.self[f.in(at)] = f.self[f.in(at)].plus(cost)
}

func (f *callgrindFunction) addCalls(to callgrindArc, count uint64, inside callgrindCost) {
	to.from = f.in(to.from)
	v := f.calls[to]
	f.calls[to] = callgrindCalls{v.count + count, v.inside.plus(inside)}
}

// in is the place, in the function's file where none is known.
func (f *callgrindFunction) in(at callgrindPlace) callgrindPlace {
	if at.file == "" {
		at.file = f.file
	}
	return at
}

func comparePlaces(a, b callgrindPlace) int {
	return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.addr, b.addr), cmp.Compare(a.line, b.line))
}

// places are those with cost, those in the function's own file first.
func (f *callgrindFunction) places() []callgrindPlace {
	return slices.SortedFunc(maps.Keys(f.self), f.order)
}

func (f *callgrindFunction) order(a, b callgrindPlace) int {
	switch {
	case a.file == b.file || a.file != f.file && b.file != f.file:
		return comparePlaces(a, b)
	case a.file == f.file:
		return -1
	}
	return 1
}

// callees are the calls, by place.
func (f *callgrindFunction) callees() []callgrindArc {
	return slices.SortedFunc(maps.Keys(f.calls), func(a, b callgrindArc) int {
		return cmp.Or(f.order(a.from, b.from), cmp.Compare(a.callee, b.callee))
	})
}
