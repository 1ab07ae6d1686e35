package calls

// item is something that happened in a context and waits for the call around it: a call that
// returned, with what happened in it, or a piece of time that was not the
// context's. Links are indexes into items, 0 is none.
type item struct {
	entry, exit int64 // ns on the timeline
	busy        int64 // of exit-entry: all of it, but in a summary of several
	net, self   int64 // of a call; net of a hole: of the calls in it
	elapsed     int64 // of a call: entry to return, less what tracing cost
	seq         uint64
	calls       uint64 // traced calls that ended in it, and it itself
	fixed       int64  // costs that it puts on the call around it, 1/256 ns
	place       int32  // of a call; or one of the kinds below
	node        int32  // of a hole
	first, last int32  // what happened in it, in the order of time
	next        int32
	depth       uint16
	atLeast     bool   // its duration is a lower bound
	era         uint32 // when it ended; of a hole, its calls
	task        int16
}

// Kinds of items that are no calls.
const (
	kindBreak = -1 // time of an interrupt or of another task
	kindHole  = -2 // calls one after the other that have been counted already
)

// items is where they live.
type items struct {
	all  []item
	free int32
	used int
}

func newItems() items { return items{all: make([]item, 1, 1024)} }

func (s *items) take() int32 {
	s.used++
	if i := s.free; i != 0 {
		s.free = s.all[i].next
		s.all[i].next = 0
		return i
	}
	s.all = append(s.all, item{})
	return int32(len(s.all) - 1)
}

func (s *items) drop(i int32) {
	s.used--
	s.all[i] = item{next: s.free}
	s.free = i
}

// link appends an item to what happened in another one.
func (s *items) link(into, i int32) {
	s.all[i].next = 0
	p := &s.all[into]
	if p.last == 0 {
		p.first = i
	} else {
		s.all[p.last].next = i
	}
	p.last = i
}
