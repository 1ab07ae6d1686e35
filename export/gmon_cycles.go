package export

// gmonCycle is functions that call each other in a circle.
type gmonCycle struct {
	members []*gmonFunction
	calls   []gmonEntry // from outside
}

// gmonEntry is calls into a circle, of one of its functions.
type gmonEntry struct {
	gmonCall
	entry *gmonFunction
}

// cycles finds the circles: the strongly connected components of the call graph (Tarjan, Depth-first
// search and linear graph algorithms, 1972).
func (g *gmonReader) cycles() {
	t := gmonTarjan{index: map[*gmonFunction]int{}, low: map[*gmonFunction]int{}, waiting: map[*gmonFunction]bool{}}
	for _, f := range g.order {
		if t.index[f] == 0 {
			t.visit(f)
		}
	}
	for _, f := range g.order {
		if f.cycle == nil {
			continue
		}
		for _, c := range f.callers {
			if c.caller == nil || c.caller.cycle != f.cycle {
				f.cycle.calls = append(f.cycle.calls, gmonEntry{c, f})
			}
		}
	}
}

type gmonTarjan struct {
	index, low map[*gmonFunction]int // from 1 on
	stack      []*gmonFunction
	waiting    map[*gmonFunction]bool // on the stack
}

func (t *gmonTarjan) visit(f *gmonFunction) {
	t.index[f] = len(t.index) + 1
	t.low[f] = t.index[f]
	t.stack, t.waiting[f] = append(t.stack, f), true
	for _, c := range f.callers {
		switch {
		case c.caller == nil:
		case t.index[c.caller] == 0:
			t.visit(c.caller)
			t.low[f] = min(t.low[f], t.low[c.caller])
		case t.waiting[c.caller]:
			t.low[f] = min(t.low[f], t.index[c.caller])
		}
	}
	if t.low[f] != t.index[f] {
		return
	}
	at := len(t.stack) - 1
	for t.stack[at] != f {
		at--
	}
	members := append([]*gmonFunction(nil), t.stack[at:]...)
	t.stack = t.stack[:at]
	cycle := &gmonCycle{members: members}
	for _, m := range members {
		t.waiting[m] = false
		if len(members) > 1 {
			m.cycle = cycle
		}
	}
}

// way is the shortest one up from f to another function of its circle, by callers, without f.
func (c *gmonCycle) way(f, to *gmonFunction) (callers []*gmonFunction) {
	if f == to {
		return nil
	}
	from := map[*gmonFunction]*gmonFunction{f: f}
	for queue := []*gmonFunction{f}; len(queue) > 0 && from[to] == nil; queue = queue[1:] {
		for _, call := range queue[0].callers {
			if next := call.caller; next != nil && next.cycle == c && from[next] == nil {
				from[next] = queue[0]
				queue = append(queue, next)
			}
		}
	}
	for at := to; at != f; at = from[at] {
		callers = append([]*gmonFunction{at}, callers...)
	}
	return callers
}
