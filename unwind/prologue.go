package unwind

// analysis is the method for code without call frame information: it runs the
// function abstractly from its entry to the PC.
type analysis struct{ m *machine }

func (a analysis) find(c *code, pc uint32) (Rule, Range, bool) {
	if a.m.analyse == nil {
		return Rule{}, Range{}, false
	}
	if f, ok := c.function(pc); ok && f.Contains(pc) {
		rule, ok := a.m.analyse(c, f, f.Low, pc)
		return rule, Range{}, ok
	}
	return a.findInGap(c, pc)
}

// maxGap is how far from a function symbol code without one may lie.
const maxGap = 256

// findInGap finds the rule of code between two functions: hand-written code
// puts branches out of line in front of its entry, or behind what the symbol's
// size covers.
func (a analysis) findInGap(c *code, pc uint32) (Rule, Range, bool) {
	gap := Range{pc &^ 1, pc | 1}
	after, before := Range{}, Range{}
	for ; gap.High-pc < maxGap && c.contains(gap.High); gap.High++ {
		if f, ok := c.function(gap.High); ok {
			after = f
			break
		}
	}
	for ; pc-gap.Low < maxGap && c.contains(gap.Low-1); gap.Low-- {
		if f, ok := c.function(gap.Low - 1); ok {
			before = f
			break
		}
	}
	if after.High != 0 && after.Low >= pc {
		if rule, ok := a.m.analyse(c, Range{gap.Low, after.High}, after.Low, pc); ok {
			return rule, after, true
		}
	}
	if before.High != 0 && before.High <= pc {
		if rule, ok := a.m.analyse(c, Range{before.Low, gap.High}, before.Low, pc); ok {
			return rule, before, true
		}
	}
	return Rule{}, Range{}, false
}

const (
	maxFunction = 1 << 15 // bytes of a function that is analysed
	maxPending  = 1 << 10 // branches not yet followed
)

// path is a point of the function still to be followed.
type path struct {
	addr  uint32
	state frameState
}

// explorer follows the instructions of one function. Each is visited once: in
// code that has been laid out by a compiler or a careful hand, all ways to an
// instruction agree on the frame. What lies behind a call is followed last, for
// the call may never return and data may lie there.
type explorer struct {
	c       *code
	fn      Range
	goal    uint32 // the instruction that contains it ends the search
	seen    []bool // by halfword
	pending []path // branch targets, behind jumps
	behind  []path // behind calls
}

// analyseThumb finds the rule at pc of the function that begins at entry and
// whose code is in fn.
func analyseThumb(c *code, fn Range, entry, pc uint32) (Rule, bool) {
	if fn.High-fn.Low > maxFunction || fn.High <= fn.Low {
		return Rule{}, false
	}
	fn.Low &^= 1
	x := explorer{c: c, fn: fn, goal: pc, seen: make([]bool, (fn.High-fn.Low+1)/2)}
	x.pending = append(x.pending, path{entry &^ 1, entryState()})
	for {
		p, ok := x.take()
		if !ok {
			return Rule{}, false
		}
		if s, ok := x.follow(p); ok {
			return s.rule(c.m)
		}
	}
}

// take removes the next path: branches before what lies behind calls.
func (x *explorer) take() (path, bool) {
	from := &x.pending
	if len(*from) == 0 {
		from = &x.behind
	}
	n := len(*from)
	if n == 0 {
		return path{}, false
	}
	p := (*from)[n-1]
	*from = (*from)[:n-1]
	return p, true
}

// follow runs straight on until the goal is met (true), the flow ends or joins
// what has been seen.
func (x *explorer) follow(p path) (*frameState, bool) {
	s := &p.state
	for condition := 0; ; {
		if !x.fn.Contains(p.addr) || x.seen[(p.addr-x.fn.Low)/2] {
			return nil, false
		}
		in, ok := x.c.fetch(p.addr)
		if !ok {
			return nil, false
		}
		if x.goal-in.addr < in.size {
			return s, true
		}
		x.seen[(p.addr-x.fn.Low)/2] = true
		before := *s
		var to flow
		if in.size == 2 {
			to = s.step16(x.c, in)
		} else {
			to = s.step32(x.c, in)
		}
		if condition > 0 {
			condition--
			to = conditional(to, s, &before)
		} else if in.hw1&0xff00 == 0xbf00 && in.hw1&15 != 0 {
			condition = itLength(in.hw1)
		}
		p.addr += in.size
		if !x.leave(to, p.addr, s) {
			return nil, false
		}
	}
}

// itLength is the number of instructions in an IT block: the lowest set bit of
// the mask ends it (A7.3.2).
func itLength(hw uint16) int {
	n := 4
	for ; hw&1 == 0; hw >>= 1 {
		n--
	}
	return n
}

// conditional corrects the effect of an instruction in an IT block: if it
// leaves the function, execution goes on where it was not executed, with the
// state before it.
func conditional(to flow, s, before *frameState) flow {
	switch to.kind {
	case ends, byTable:
		*s = *before
		return flow{}
	case jumps:
		to.kind = maybe
	}
	return to
}

// leave notes where else the flow goes, and tells whether it goes straight on.
func (x *explorer) leave(to flow, next uint32, s *frameState) bool {
	switch to.kind {
	case maybe:
		x.branch(to.target, s)
	case jumps:
		x.branch(to.target, s)
		return false
	case returns:
		s.call()
		if len(x.behind) < maxPending {
			x.behind = append(x.behind, path{next, *s})
		}
		return false
	case byTable:
		x.table(next, s)
		return false
	case ends:
		return false
	}
	return true
}

func (x *explorer) branch(target uint32, s *frameState) {
	if x.fn.Contains(target) && len(x.pending) < maxPending {
		x.pending = append(x.pending, path{target, *s})
	}
}

// table follows TBB [PC, Rm] and TBH [PC, Rm, LSL #1]: the table begins behind
// the instruction and ends where the first of its targets begins; an entry is
// half the distance from the table's begin (A7.7.182).
func (x *explorer) table(at uint32, s *frameState) {
	hw2, ok := x.c.half(at - 2)
	if !ok {
		return
	}
	size := uint32(1)
	if hw2&0x10 != 0 {
		size = 2
	}
	first := x.fn.High
	for entry := at; entry < first && len(x.pending) < maxPending; entry += size {
		hw, ok := x.c.half(entry &^ 1)
		if !ok {
			return
		}
		if size == 1 {
			hw = hw >> (8 * (entry & 1)) & 0xff
		}
		target := at + 2*uint32(hw)
		x.branch(target, s)
		if target > at {
			first = min(first, target)
		}
	}
}
