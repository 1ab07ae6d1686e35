package report

import (
	"cmp"
	"slices"

	"github.com/mprof/mprof/profile"
)

// graphBuilder counts. Parts are numbered: two of each function, two of each call, two of each call into a
// cycle or out of one, two of each cycle, see counter.
type graphBuilder struct {
	counter
	p       *profile.Profile
	calls   map[call]int
	list    []call        // the same by number
	cycleOf []int         // by function; 0: none
	cycles  int           // how many
	outer   map[call]int  // calls between a cycle (see cycleIndex) and functions outside of it
	outers  []call        // the same by number
	amounts []Amount      // of parts
	numbers map[int32]int // of nodes, by function, or by cycleIndex
}

func newGraphBuilder(p *profile.Profile) *graphBuilder {
	b := &graphBuilder{p: p, calls: map[call]int{}, outer: map[call]int{}}
	for _, s := range p.ByStack() {
		b.eachCall(s.Stack, func(c call, _ bool) {
			if _, ok := b.calls[c]; !ok {
				b.calls[c] = len(b.list)
				b.list = append(b.list, c)
			}
		})
	}
	b.cycleOf, b.cycles = cycles(len(p.Functions), b.list, func(c call) bool {
		return c.caller != profile.None && p.Functions[c.callee].Exception() == ""
	})
	for _, c := range b.list {
		for _, o := range b.across(c) {
			if _, ok := b.outer[o]; !ok {
				b.outer[o] = len(b.outers)
				b.outers = append(b.outers, o)
			}
		}
	}
	n := 2*len(p.Functions) + 2*len(b.list) + 2*len(b.outers) + 2*b.cycles
	b.counter = newCounter(n)
	b.amounts = amounts(p, n, b.in)
	return b
}

// eachCall calls f with the calls of a stack, the innermost first. leaf: the callee is where the stack ends.
func (b *graphBuilder) eachCall(at profile.StackIndex, f func(c call, leaf bool)) {
	callee, leaf := profile.FunctionIndex(profile.None), false
	for s, frame := range b.p.Callers(at) {
		if callee != profile.None {
			f(call{frame.Function, callee}, leaf)
		}
		callee, leaf = frame.Function, s == at
	}
	if callee != profile.None {
		f(call{profile.None, callee}, leaf)
	}
}

// across are the calls into and out of cycles that a call is one of.
func (b *graphBuilder) across(c call) (out []call) {
	from, to := 0, b.cycleOf[c.callee]
	if c.caller != profile.None {
		from = b.cycleOf[c.caller]
	}
	if from == to {
		return nil
	}
	if to != 0 {
		out = append(out, call{c.caller, cycleIndex(to)})
	}
	if from != 0 {
		out = append(out, call{cycleIndex(from), c.callee})
	}
	return out
}

// cycleIndex stands for a cycle where functions have their index.
func cycleIndex(cycle int) profile.FunctionIndex { return profile.FunctionIndex(-1 - cycle) }

// The numbers of parts; the one of self is followed by that of total.
func (b *graphBuilder) ofFunction(f profile.FunctionIndex) int { return 2 * int(f) }
func (b *graphBuilder) ofCall(i int) int                       { return 2*len(b.p.Functions) + 2*i }
func (b *graphBuilder) ofOuter(i int) int                      { return b.ofCall(len(b.list)) + 2*i }
func (b *graphBuilder) ofCycle(cycle int) int                  { return b.ofOuter(len(b.outers)) + 2*(cycle-1) }

// in lists the parts that a stack belongs to.
func (b *graphBuilder) in(_ int, at profile.StackIndex) []int32 {
	b.begin()
	b.eachCall(at, func(c call, leaf bool) {
		b.add(b.ofFunction(c.callee), leaf)
		b.add(b.ofCall(b.calls[c]), leaf)
		if cycle := b.cycleOf[c.callee]; cycle != 0 {
			b.add(b.ofCycle(cycle), leaf)
		}
		for _, o := range b.across(c) {
			b.add(b.ofOuter(b.outer[o]), leaf)
		}
	})
	return b.parts
}

// nodes makes the entries.
func (b *graphBuilder) nodes() []Node {
	var nodes []Node
	for i := range b.p.Functions {
		if n := b.node(profile.FunctionIndex(i), b.ofFunction(profile.FunctionIndex(i))); !n.Total.none() {
			n.Name, n.File, n.Line, n.Cycle = b.p.Functions[i].Name, b.p.Functions[i].File, b.p.Functions[i].Line, b.cycleOf[i]
			nodes = append(nodes, n)
		}
	}
	for c := 1; c <= b.cycles; c++ {
		n := b.node(cycleIndex(c), b.ofCycle(c))
		n.Name, n.Cycle = cycleName(c)+" as a whole", c
		nodes = append(nodes, n)
	}
	slices.SortStableFunc(nodes, func(x, y Node) int {
		return cmp.Or(bySize(x.Total, y.Total), cmp.Compare(x.function, y.function))
	})
	b.numbers = map[int32]int{}
	for i := range nodes {
		nodes[i].Number = i + 1
		b.numbers[int32(nodes[i].function)] = i + 1
	}
	b.edges(nodes)
	return nodes
}

func (b *graphBuilder) node(f profile.FunctionIndex, part int) Node {
	n := Node{function: f, Self: b.amounts[part], Total: b.amounts[part+1], Callers: []Edge{}, Callees: []Edge{}}
	if b.p.Trace != nil {
		n.Calls = uint64(n.Self.Samples)
	}
	if b.p.Trace != nil && f >= 0 {
		if i, ok := b.calls[call{f, f}]; ok {
			n.Recursive = uint64(b.amounts[b.ofCall(i)].Samples)
		}
	}
	return n
}

// edges hangs callers and callees to the nodes.
func (b *graphBuilder) edges(nodes []Node) {
	at := func(f profile.FunctionIndex) *Node { return &nodes[b.numbers[int32(f)]-1] }
	for i, c := range b.list {
		if c.caller != c.callee {
			n := at(c.callee)
			n.Callers = append(n.Callers, b.edge(nodes, c.caller, c.callee, b.ofCall(i)))
		}
		if c.caller != profile.None {
			n := at(c.caller)
			n.Callees = append(n.Callees, b.edge(nodes, c.callee, c.callee, b.ofCall(i)))
		}
	}
	for i, c := range b.outers {
		if c.callee < profile.None {
			n := at(c.callee)
			n.Callers = append(n.Callers, b.edge(nodes, c.caller, c.callee, b.ofOuter(i)))
		} else {
			n := at(c.caller)
			n.Callees = append(n.Callees, b.edge(nodes, c.callee, c.callee, b.ofOuter(i)))
		}
	}
	for i := range nodes {
		n := &nodes[i]
		slices.SortStableFunc(n.Callers, func(x, y Edge) int { return byTotal(y, x) })
		slices.SortStableFunc(n.Callees, byTotal)
		if n.function < profile.None {
			n.whole(nodes)
		}
	}
}

// whole sets what a cycle as a whole has of its functions. As gprof does, it counts no calls of a function by itself.
func (n *Node) whole(nodes []Node) {
	n.Members = members(nodes, n.Cycle)
	outside := uint64(0)
	for _, e := range n.Callers {
		outside += e.Calls
	}
	for _, m := range n.Members {
		n.Calls -= nodes[m-1].Recursive
	}
	n.Recursive = n.Calls - outside
	for i := range n.Callers {
		n.Callers[i].Of = outside
	}
}

// edge is the row of a function, or of none, in the entry of another one.
func (b *graphBuilder) edge(nodes []Node, of, callee profile.FunctionIndex, part int) Edge {
	e := Edge{Name: Spontaneous, Self: b.amounts[part], Total: b.amounts[part+1]}
	if of != profile.None {
		n := &nodes[b.numbers[int32(of)]-1]
		e.Number, e.Name, e.Cycle = n.Number, n.Name, n.Cycle
	}
	if b.p.Trace != nil {
		e.Calls, e.Of = uint64(e.Self.Samples), nodes[b.numbers[int32(callee)]-1].Calls
	}
	return e
}

func byTotal(x, y Edge) int {
	return cmp.Or(bySize(x.Total, y.Total), cmp.Compare(x.Number, y.Number))
}

// members are the numbers of the functions of a cycle.
func members(nodes []Node, cycle int) (numbers []int) {
	for _, n := range nodes {
		if n.function > profile.None && n.Cycle == cycle {
			numbers = append(numbers, n.Number)
		}
	}
	return numbers
}
