package unwind

import (
	"cmp"
	"slices"
	"sort"
)

// frames is what the instructions of a function say about its frame at each of
// them.
type frames struct {
	fn     Range
	entry  uint32
	runs   []stateRun   // by address
	states []frameState // that occur
	differ bool         // two ways to one instruction disagree about the stack
	m      *machine
	body   frameState // what holds at all calls that are reached
	calls  bool       // there are some
}

// stateRun begins addresses with the same state: a number of states, or
// unvisited.
type stateRun struct {
	addr  uint32
	state int32
}

const unvisited = -1

// frameBits is the size of the cache of analyses: 2^frameBits functions.
const frameBits = 7

type frameCache [1 << frameBits]*frames

// frames analyses the function that begins at entry and whose code is in fn.
// The next question about it costs a search; memory is bounded by the size of
// the cache.
func (c *code) frames(fn Range, entry uint32) *frames {
	fn.Low, entry = fn.Low&^1, entry&^1
	if c.m.step == nil || fn.High <= fn.Low || fn.High-fn.Low > maxFunction || !fn.Contains(entry) {
		return &frames{}
	}
	if c.analysed == nil {
		c.analysed = new(frameCache)
	}
	at := &c.analysed[entry*0x9e3779b1>>(32-frameBits)]
	if f := *at; f != nil && f.fn == fn && f.entry == entry {
		return f
	}
	f := c.analyse(fn, entry)
	*at = f
	return f
}

// analyse runs a function. One that takes its return address from above the
// stack that it was entered with is no function but the end of others, which
// they jump to: it is run again in their frame.
func (c *code) analyse(fn Range, entry uint32) *frames {
	first := entryState(c.m)
	x := newExplorer(c, fn, entry)
	x.explore(&first)
	if x.rest != nil && !x.returned && !x.mixed {
		first = x.restOf.shared(c, c.m, x.rest.n+4)
		x = newExplorer(c, fn, entry)
		x.explore(&first)
	}
	f := &frames{fn: fn, entry: entry, differ: x.differ, m: c.m}
	if !x.lost {
		f.collect(x)
	}
	return f
}

// shared is the state at the entry of code that undoes a frame of size bytes:
// f is that where it leaves.
func (f *frameState) shared(c *code, m *machine, size uint32) frameState {
	first := entryState(m)
	first.reg[m.sp] = content{kind: frameAt, n: -size}
	first.reg[m.link] = content{}
	first.store(c, content{kind: entryOf, n: m.link}, content{kind: frameAt, n: ^uint32(3)})
	for r := range m.columns {
		if v := f.reg[r]; m.kept&(1<<r) != 0 && v.kind == above {
			first.reg[r] = content{}
			first.store(c, content{kind: entryOf, n: r}, content{kind: frameAt, n: v.n - size})
		}
	}
	return first
}

// collect takes the final states, equal ones once.
func (f *frames) collect(x *explorer) {
	known := map[frameState]int32{}
	var last frameState
	end := f.fn.Low
	x.note = func(addr uint32, s *frameState) {
		if addr < end {
			return
		}
		next, calls := x.after(addr)
		if next <= addr { // not to be read
			return
		}
		if calls {
			f.atCall(s)
		}
		if n := len(f.runs); n > 0 && addr == end && *s == last {
			end = next
			return
		}
		if addr > end {
			f.append(end, unvisited)
		}
		last = *s
		e := s.essence(x.m)
		number, ok := known[e]
		if !ok {
			number = int32(len(f.states))
			f.states = append(f.states, e)
			known[e] = number
		}
		f.append(addr, number)
		end = next
	}
	blocks := slices.Clone(x.blocks)
	slices.SortFunc(blocks, func(a, b *block) int { return cmp.Compare(a.addr, b.addr) })
	for _, b := range blocks {
		x.run(b)
	}
	f.append(end, unvisited)
}

func (f *frames) append(addr uint32, state int32) {
	if n := len(f.runs); n == 0 || f.runs[n-1].state != state {
		f.runs = append(f.runs, stateRun{addr, state})
	}
}

// atCall notes the state of a call.
func (f *frames) atCall(s *frameState) {
	if !f.calls {
		f.body, f.calls = s.essence(f.m), true
		return
	}
	f.body.meet(s)
}

// at is the state before the instruction that pc lies in; pc is odd where that is
// a call that has not returned. A call that no way leads to, as behind the landing
// pad of an exception of C++, has the frame of all others.
func (f *frames) at(pc uint32) (frameState, bool) {
	n := sort.Search(len(f.runs), func(i int) bool { return f.runs[i].addr > pc })
	if n == 0 || !f.fn.Contains(pc) {
		return frameState{}, false
	}
	s, calling := f.body, pc&1 != 0
	switch number := f.runs[n-1].state; {
	case number != unvisited:
		s = f.states[number]
	case !calling || !f.calls:
		return frameState{}, false
	}
	if s.calling = calling; calling {
		s.handOver(f.m)
	}
	return s, true
}

// nearby is how far around its entry a function is searched for a return, and
// searchVisits how long.
const (
	nearby       = 1 << 13
	searchVisits = 1 << 12
)

// returns tells whether a function, or a local subroutine in around, is seen to
// return to its caller.
func (c *code) returns(around Range, entry uint32) bool {
	if known, ok := c.returning[entry]; ok {
		return known
	}
	fn, ok := c.function(entry)
	if !ok || fn.Low != entry {
		fn = around
	}
	known := false
	if fn.Contains(entry) {
		if entry-fn.Low > nearby {
			fn.Low = (entry - nearby) &^ 1
		}
		if fn.High-entry > nearby {
			fn.High = entry + nearby
		}
		x := newExplorer(c, fn, entry)
		x.quick, x.visits = true, min(x.visits, searchVisits)
		first := entryState(c.m)
		x.explore(&first)
		known = x.returned
	}
	if c.returning == nil {
		c.returning = map[uint32]bool{}
	}
	c.returning[entry] = known
	return known
}
