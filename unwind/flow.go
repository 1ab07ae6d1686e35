package unwind

// flow says where execution goes on after an instruction.
type flow struct {
	kind        flowKind
	target      uint32 // of a branch or call; of byTable: where the table is
	entry       tableKind
	size        uint32 // of the instruction
	conditional int    // how many instructions that follow may not be executed
}

type flowKind uint8

const (
	goesOn  flowKind = iota
	maybe            // on, or to target
	jumps            // to target
	ends             // leaves the function, or cannot be followed
	returns          // from a call: on, with the registers that a call leaves
	byTable          // to one of a table's targets
)

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
	m       *machine
	fn      Range
	entry   uint32
	goal    uint32     // its instruction
	depth   []int32    // of the stack where visited, by halfword
	pending []path     // branch targets
	behind  []path     // behind calls
	found   bool       // the goal was met,
	state   frameState // with this state
	whole   bool       // go on after that
	differ  bool       // two ways to one instruction disagree about the stack
}

// Values of depth that are no multiple of a halfword.
const (
	notSeen    = -1
	depthUnset = -3
)

// explore finds the state before the instruction that contains pc (odd: a call
// that has not returned), of the function that begins at entry and whose code
// is in fn. With whole it follows all of the function, and differ says whether
// its ways agree.
func (c *code) explore(fn Range, entry, pc uint32, whole bool) (x explorer) {
	fn.Low &^= 1
	if c.m.step == nil || fn.High <= fn.Low || fn.High-fn.Low > maxFunction {
		return x
	}
	x = explorer{c: c, m: c.m, fn: fn, entry: entry &^ 1, goal: pc, whole: whole, depth: make([]int32, (fn.High-fn.Low+1)/2)}
	for i := range x.depth {
		x.depth[i] = notSeen
	}
	x.pending = append(x.pending, path{x.entry, entryState(c.m)})
	for whole || !x.found {
		p, ok := x.take()
		if !ok {
			break
		}
		x.follow(&p)
	}
	return x
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

// follow runs straight on until the flow ends or joins what has been seen.
func (x *explorer) follow(p *path) {
	s := &p.state
	var before frameState
	for conditional := 0; x.visit(p.addr, s); {
		near := x.goal-p.addr < maxInstruction
		if near || conditional > 0 {
			before = *s
		}
		to, ok := x.m.step(x.c, s, p.addr)
		if !ok {
			return
		}
		if near && x.goal-p.addr < to.size {
			x.found, x.state = true, before
			x.state.calling = x.goal&1 != 0
			if !x.whole {
				return
			}
		}
		if conditional > 0 {
			conditional--
			to = unexecuted(to, s, &before)
		}
		conditional = max(conditional, to.conditional)
		p.addr += to.size
		if !x.goesOn(to, p.addr, s) {
			return
		}
	}
}

// maxInstruction is the size of the longest instruction.
const maxInstruction = 4

// unexecuted corrects the effect of an instruction that may not be executed: if
// it leaves the function, execution goes on where it was not, with the state
// before it.
func unexecuted(to flow, s, before *frameState) flow {
	switch to.kind {
	case ends, byTable:
		*s = *before
		to.kind = goesOn
	case jumps:
		to.kind = maybe
	}
	return to
}

// visit notes the depth of the stack at addr, and tells whether addr is new.
func (x *explorer) visit(addr uint32, s *frameState) bool {
	if !x.fn.Contains(addr) {
		return false
	}
	d := int32(depthUnset)
	if v := s.reg[x.m.sp]; v.kind == frameAt {
		d = int32(v.n)
	}
	seen := &x.depth[(addr-x.fn.Low)/2]
	if *seen != notSeen {
		x.differ = x.differ || *seen != d
		return false
	}
	*seen = d
	return true
}

// goesOn notes where else the flow goes, and tells whether it goes straight on.
func (x *explorer) goesOn(to flow, next uint32, s *frameState) bool {
	switch to.kind {
	case maybe:
		x.branch(to.target, s)
	case jumps:
		x.branch(to.target, s)
		return false
	case returns:
		s.call(x.m)
		if to.target != x.entry { // a local subroutine or, in ARMv6-M, a far jump
			x.branch(to.target, s)
		}
		if len(x.behind) < maxPending {
			x.behind = append(x.behind, path{next, *s})
		}
		return false
	case byTable:
		x.table(to, s)
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

// table follows a jump table. How many entries it has is not said: it ends where
// the code begins that it leads to, or with an entry that leads out of the
// function or to its first instruction.
func (x *explorer) table(to flow, s *frameState) {
	end := ^uint32(0)
	for at := to.target; at < end && len(x.pending) < maxPending; at += to.entry.size() {
		target, ok := x.tableEntry(to.entry, at, to.target)
		if !ok || !x.fn.Contains(target) || target == x.entry {
			return
		}
		x.branch(target, s)
		if target >= to.target {
			end = min(end, target)
		}
	}
}

// tableKind is how a jump table gives its targets.
type tableKind uint8

const (
	byteForward   tableKind = iota // begin + 2 * unsigned byte
	halfForward                    // begin + 2 * unsigned halfword
	byteBothWays                   // begin + 2 * signed byte
	halfBothWays                   // begin + 2 * signed halfword
	wordAddresses                  // addresses
	wordDistances                  // begin + signed word
)

func (k tableKind) size() uint32 {
	switch k {
	case byteForward, byteBothWays:
		return 1
	case halfForward, halfBothWays:
		return 2
	}
	return 4
}

// tableEntry is the target that the entry at addr gives.
func (x *explorer) tableEntry(k tableKind, addr, begin uint32) (uint32, bool) {
	if k.size() == 4 {
		v, ok := x.c.word(addr)
		if k == wordDistances {
			v += begin
		}
		return v & x.m.codeMask, ok
	}
	hw, ok := x.c.half(addr &^ 1)
	if k.size() == 1 {
		hw = hw >> (8 * (addr & 1)) & 0xff
	}
	distance := uint32(hw)
	switch k {
	case byteBothWays:
		distance = signExtend(distance, 8)
	case halfBothWays:
		distance = signExtend(distance, 16)
	}
	return begin + 2*distance, ok
}
