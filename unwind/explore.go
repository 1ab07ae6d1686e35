package unwind

const (
	maxFunction = 1 << 20 // bytes of a function that is analysed
	maxBlocks   = 1 << 14 // of a function
	maxVisits   = 8       // of an instruction, on average
	mostVisits  = 1 << 21 // of all instructions of a function
	maxAsked    = 1 << 9  // callees that are asked for a return
)

// block is code that is entered at its beginning only, as far as is known:
// what holds of the frame there, on all ways that lead to it.
type block struct {
	addr   uint32
	state  frameState
	soft   bool // only code leads here that lies behind a call which may not return
	queued bool
	number int32 // 1 + its place among the blocks
}

// explorer follows the instructions of one function until the states of its
// blocks hold on every way. A state only ever loses knowledge, so that ends; a
// budget ends it for code that is none.
//
// What lies behind a call is followed last, for the call may never return and
// anything may lie there: such a way is soft unless the callee is seen to
// return. Where two ways disagree about the depth of the stack, a soft one
// loses; if neither is, nothing is known.
type explorer struct {
	c       *code
	m       *machine
	fn      Range
	entry   uint32
	owner   []int32 // by halfword: 1 + the block that it is in; 0: not visited; isData
	blocks  []*block
	pending []*block
	behind  []*block // soft ones
	visits  int      // that are left
	asked   int      // callees, by now
	quick   bool     // only returned is asked for
	lost    bool     // the budget did not last
	differ  bool     // two ways to one block disagree about the stack

	returned bool     // a way out returns to the caller
	handsOn  bool     // a way leads elsewhere, with the caller's return address
	rest     *content // what a way out takes for the return address, above the entry's stack
	restOf   frameState
	mixed    bool // the ways out disagree about that

	note func(addr uint32, s *frameState) // not nil: states are final, and told
	out  func(to content, s *frameState)  // not nil: ways out are told
}

// after is the address behind the instruction at addr; calls tells that it is a
// call.
func (x *explorer) after(addr uint32) (next uint32, calls bool) {
	var scratch frameState
	to, _ := x.m.step(x.c, &scratch, addr)
	return addr + to.size, to.kind == returns
}

const isData = -1

func newExplorer(c *code, fn Range, entry uint32) *explorer {
	n := (fn.High - fn.Low + 1) / 2
	return &explorer{c: c, m: c.m, fn: fn, entry: entry, owner: make([]int32, n), visits: min(int(n)*maxVisits+256, mostVisits)}
}

// explore follows all ways from the state at the entry.
func (x *explorer) explore(first *frameState) {
	x.reach(x.entry, first, false)
	for !x.lost && !(x.quick && x.returned) {
		from := &x.pending
		if len(*from) == 0 {
			from = &x.behind
		}
		n := len(*from)
		if n == 0 {
			return
		}
		b := (*from)[n-1]
		*from = (*from)[:n-1]
		if b.queued {
			b.queued = false
			x.run(b)
		}
	}
}

func (x *explorer) at(addr uint32) *int32 { return &x.owner[(addr-x.fn.Low)/2] }

// begins gives the block that begins at addr.
func (x *explorer) begins(addr uint32) *block {
	if i := *x.at(addr); i > 0 && x.blocks[i-1].addr == addr {
		return x.blocks[i-1]
	}
	return nil
}

// data marks constants that lie in the function; what is known to be code stays
// code.
func (x *explorer) data(r Range) {
	for addr := r.Low &^ 1; addr < r.High && x.fn.Contains(addr); addr += 2 {
		if at := x.at(addr); *at == 0 {
			*at = isData
		}
	}
}

// reach notes a way to addr.
func (x *explorer) reach(addr uint32, s *frameState, soft bool) {
	if x.note != nil || !x.fn.Contains(addr) || *x.at(addr) == isData {
		return
	}
	if b := x.begins(addr); b != nil {
		if x.join(b, s, soft) {
			x.queue(b)
		}
		return
	}
	if i := *x.at(addr); i > 0 { // in the middle of a block: it ends here now
		x.queue(x.blocks[i-1])
	}
	if len(x.blocks) == maxBlocks {
		x.lost = true
		return
	}
	b := &block{addr: addr, state: *s, soft: soft, number: int32(len(x.blocks) + 1)}
	x.blocks = append(x.blocks, b)
	*x.at(addr) = b.number
	x.queue(b)
}

func (x *explorer) queue(b *block) {
	if b.queued {
		return
	}
	b.queued = true
	if b.soft {
		x.behind = append(x.behind, b)
	} else {
		x.pending = append(x.pending, b)
	}
}

// join adds a way to a block, and tells whether that changed it.
func (x *explorer) join(b *block, s *frameState, soft bool) (changed bool) {
	d, e := b.state.reg[x.m.sp], s.reg[x.m.sp]
	if d != e && d.kind == frameAt && e.kind == frameAt {
		switch {
		case b.soft && !soft:
			was := b.state
			b.state, b.soft = *s, false
			b.state.forgetConstants(&was)
			return true
		case soft:
			return b.state.forgetConstants(s)
		}
		x.differ = true
	}
	changed = b.soft && !soft
	b.soft = b.soft && soft
	return b.state.meet(s) || changed
}

// run follows a block to its end.
func (x *explorer) run(b *block) {
	s := b.state
	for addr := b.addr; x.visit(b, addr, &s); {
		to, ok := x.m.step(x.c, &s, addr)
		if !ok {
			x.handsOn = true
			return
		}
		x.data(to.data)
		addr += to.size
		switch {
		case to.conditional > 0:
			if addr, ok = x.conditional(b, addr, to, &s); !ok {
				return
			}
		case !x.goesOn(b, to, addr, &s):
			return
		}
	}
}

// visit tells whether addr belongs to the block.
func (x *explorer) visit(b *block, addr uint32, s *frameState) bool {
	if !x.fn.Contains(addr) {
		x.handsOn = true
		return false
	}
	if *x.at(addr) == isData {
		return false
	}
	if addr != b.addr && x.begins(addr) != nil {
		x.reach(addr, s, b.soft)
		return false
	}
	return x.mark(b, addr, s)
}

// mark takes an instruction into a block.
func (x *explorer) mark(b *block, addr uint32, s *frameState) bool {
	if x.note != nil {
		x.note(addr, s)
		return true
	}
	if x.visits == 0 {
		x.lost = true
		return false
	}
	x.visits--
	*x.at(addr) = b.number
	return true
}

// goesOn notes where else the flow goes, and tells whether it goes straight on.
func (x *explorer) goesOn(b *block, to flow, next uint32, s *frameState) bool {
	switch to.kind {
	case maybe:
		x.jump(to.target, s, b.soft)
	case jumps:
		x.jump(to.target, s, b.soft)
		return false
	case returns:
		x.call(b, to.target, next, s)
		return false
	case byTable:
		x.table(to, s, b.soft)
		return false
	case ends:
		x.leave(to.to, s)
		return false
	}
	return true
}

// jump follows a branch; one out of the function is a tail call.
func (x *explorer) jump(target uint32, s *frameState, soft bool) {
	if !x.fn.Contains(target) {
		x.handsOn = true
		if x.out != nil {
			x.out(s.reg[x.m.link], s)
		}
	}
	x.reach(target, s, soft)
}

// call follows a call: its target if that is a local subroutine, which shares the
// function's frame unless other code comes there with another, or in ARMv6-M a far
// jump; and what lies behind it.
func (x *explorer) call(b *block, target, next uint32, s *frameState) {
	s.call(x.m)
	if target != x.entry {
		x.reach(target, s, true)
	}
	proven := x.quick || target != 0 && target != x.entry && x.proves(target)
	x.reach(next, s, b.soft || !proven)
}

// proves tells whether a callee is seen to return. One function asks for few of
// them.
func (x *explorer) proves(target uint32) bool {
	if _, known := x.c.returning[target]; !known {
		if x.asked == maxAsked {
			return false
		}
		x.asked++
	}
	return x.c.returns(x.fn, target)
}

// leave notes a way out of the function.
func (x *explorer) leave(to content, s *frameState) {
	if x.out != nil {
		x.out(to, s)
		return
	}
	switch {
	case to == content{kind: entryOf, n: x.m.link} && s.reg[x.m.sp] == content{kind: frameAt}:
		x.returned = true
	case to.kind == above && s.reg[x.m.sp] != content{kind: frameAt, n: to.n + 4}:
		x.handsOn = true
	case to.kind == above && x.rest == nil:
		x.rest, x.restOf = &to, *s
	case to.kind == above:
		x.mixed = x.mixed || *x.rest != to
	default:
		x.handsOn = true
	}
}

// conditional follows the instructions of an IT block on both ways through it:
// s is that on which the first is executed, skipped the other. It returns where
// they end and whether one of them goes on there, with the state in s.
func (x *explorer) conditional(b *block, addr uint32, it flow, s *frameState) (uint32, bool) {
	ways := [2]frameState{*s, *s}
	alive := [2]bool{true, true}
	for i := range it.conditional {
		switch {
		case alive[0] && alive[1]:
			*s = ways[0]
			s.meet(&ways[1])
			s.split = s.split || ways[0].reg[x.m.sp] != ways[1].reg[x.m.sp]
		case alive[0]:
			*s = ways[0]
		case alive[1]:
			*s = ways[1]
		default:
			return addr, false
		}
		if !x.fn.Contains(addr) || !x.mark(b, addr, s) {
			return addr, false
		}
		way := int(it.otherwise >> i & 1)
		executed := ways[way]
		to, ok := x.m.step(x.c, &executed, addr)
		if !ok {
			return addr, false
		}
		x.data(to.data)
		addr += to.size
		if !alive[way] {
			continue
		}
		ways[way] = executed
		switch to.kind {
		case goesOn:
		case returns:
			ways[way].call(x.m)
			if to.target != x.entry {
				x.reach(to.target, &ways[way], true)
			}
		default:
			alive[way] = x.goesOn(b, to, addr, &ways[way])
		}
	}
	return addr, s.join(&ways, alive)
}

// join is the state where two ways meet, of which one may have ended; false where
// both have.
func (f *frameState) join(ways *[2]frameState, alive [2]bool) bool {
	switch {
	case alive[0] && alive[1]:
		*f = ways[0]
		f.meet(&ways[1])
		f.split = f.split || ways[0].reg[f.sp] != ways[1].reg[f.sp]
	case alive[0]:
		*f = ways[0]
	case alive[1]:
		*f = ways[1]
	}
	return alive[0] || alive[1]
}
