package gdbremote

import (
	"slices"

	"github.com/mprof/mprof/snapshot"
)

// stackEnds knows where the stacks of a program end, so that a window reaches from
// SP as far as unwinding goes and no further.
type stackEnds struct {
	ends   []stackEnd // sorted by top
	ram    []Range
	depth  uint32          // bytes of a stack whose end is not known
	wrong  map[uint32]bool // tops that were found to be none
	seen   map[uint32]int  // candidates: how often unwinding ended there
	over   []uint32        // addresses where memory ends
	onMain bool            // outer frames of threads are on the main stack
}

// stackEnd is a stack, by its end.
type stackEnd struct {
	top    uint32
	recent [16]uint32 // bytes from SP to top, of the latest samples
	n      int        // samples
}

const (
	firstDepth = 512
	mostDepth  = 16 << 10
	mostEnds   = 64
	mostSeen   = 256
	nearTop    = 256 // bytes: a stack that ends so far below another one's end may be the same
	sightings  = 4   // until such an end is believed
)

func newStackEnds(tops []uint32, ram []Range) stackEnds {
	e := stackEnds{ram: ram, depth: firstDepth, wrong: map[uint32]bool{}, seen: map[uint32]int{}}
	for _, t := range tops {
		e.add(t)
	}
	return e
}

func (e *stackEnds) add(top uint32) {
	i, known := slices.BinarySearchFunc(e.ends, top, func(s stackEnd, t uint32) int { return int(int64(s.top) - int64(t)) })
	if known || e.wrong[top] || len(e.ends) >= mostEnds {
		return
	}
	e.ends = slices.Insert(e.ends, i, stackEnd{top: top})
}

// of is the stack that sp is in; -1: not known.
func (e *stackEnds) of(sp uint32) int {
	for i := range e.ends {
		if top := e.ends[i].top; top > sp {
			if top-sp > mostDepth {
				return -1
			}
			return i
		}
	}
	return -1
}

// reach is what to read of the stack at sp.
func (e *stackEnds) reach(sp uint32) Range {
	sp &^= 3
	if i := e.of(sp); i >= 0 {
		return Range{sp, e.ends[i].top}
	}
	high := sp + min(e.depth, -sp&^3)
	if sp == 0 {
		high = e.depth
	}
	for _, end := range e.over {
		if sp < end {
			high = min(high, end)
		}
	}
	return e.inRAM(Range{sp, high})
}

// noteEnd notes that memory can be read below an address and not at it.
func (e *stackEnds) noteEnd(addr uint32) {
	if len(e.over) < mostEnds && !slices.Contains(e.over, addr) {
		e.over = append(e.over, addr)
	}
}

// inRAM cuts a range to the memory that holds its low end, so that no server is asked
// for what is not there. A stack outside of all that is known of is asked for: the ELF
// file of a program that sets SP itself does not say where.
func (e *stackEnds) inRAM(r Range) Range {
	for _, ram := range e.ram {
		if ram.Contains(r.Low) {
			r.High = min(r.High, ram.High)
			return r
		}
	}
	return r
}

// otherStacks are the stack pointers that an interrupted thread, or another
// security state, may have its frames at.
var otherStacks = [...]snapshot.Reg{snapshot.PSP, snapshot.MSP, snapshot.PSPNS, snapshot.MSPNS, snapshot.PSPS, snapshot.MSPS}

// pointers are the stack pointers that frames of the sample can be above: SP first.
func (e *stackEnds) pointers(regs *snapshot.Registers) (all []uint32) {
	sp, ok := regs.Value(snapshot.SP)
	if !ok {
		sp, ok = regs.Value(snapshot.X0 + 2) // RISC-V calling convention: sp is x2
	}
	if !ok {
		return nil
	}
	all = append(all, sp&^3)
	xpsr, known := regs.Value(snapshot.XPSR)
	if !known || xpsr&0x1FF == 0 && !e.onMain {
		return all
	}
	for _, r := range otherStacks {
		if v, ok := regs.Value(r); ok && v != 0 && !slices.Contains(all, v&^3) {
			all = append(all, v&^3)
		}
	}
	return all
}

// wanted are the ranges that unwinding is likely to read.
func (e *stackEnds) wanted(regs *snapshot.Registers) (ranges []Range) {
	for _, p := range e.pointers(regs) {
		if r := e.reach(p); r.High > r.Low {
			ranges = append(ranges, r)
		}
	}
	return ranges
}

// guesses are windows that will hold the stacks that were seen most, as far down
// as they were of late.
func (e *stackEnds) guesses() (windows []Window) {
	total := 0
	for i := range e.ends {
		total += e.ends[i].n
	}
	for i := range e.ends {
		s := &e.ends[i]
		if s.n == 0 || s.n*8 < total {
			continue
		}
		if d := s.usual(); d > 0 {
			windows = append(windows, Window{Addr: s.top - d, Size: int(d)})
		}
	}
	return windows
}

// usual is the depth that all but the deepest of the latest samples had at most,
// in bytes.
func (s *stackEnd) usual() uint32 {
	n := min(s.n, len(s.recent))
	depths := slices.Sorted(slices.Values(s.recent[:n]))
	return depths[max(0, n-2)]
}

// learn takes in which memory unwinding a sample used. What lies in none of the
// windows was wanted in vain.
func (e *stackEnds) learn(sp *snapshot.Snapshot, used []Range) {
	pointers := e.pointers(&sp.Regs)
	for i, p := range pointers {
		high, cut := p, false
		for _, u := range used {
			if u.Low >= p && nearest(pointers, u.Low) == p {
				high = max(high, u.High)
				cut = cut || len(missingOf([]Range{u}, sp.Windows)) > 0
			}
		}
		if i == 0 || high > p {
			e.ended(p, high, cut)
		}
	}
	e.noticeMain(sp, used)
	for k := range e.seen {
		if len(e.seen) <= mostSeen {
			break
		}
		delete(e.seen, k)
	}
}

// nearest is the stack pointer that addr is next above.
func nearest(pointers []uint32, addr uint32) (near uint32) {
	for _, p := range pointers {
		if p <= addr && p >= near {
			near = p
		}
	}
	return near
}

// ended takes in that unwinding the stack at sp went up to high, or wanted more
// than there was.
func (e *stackEnds) ended(sp, high uint32, cut bool) {
	i := e.of(sp)
	switch {
	case cut && i >= 0 && high > e.ends[i].top:
		if len(e.wrong) < mostSeen {
			e.wrong[e.ends[i].top] = true
		}
		e.ends = slices.Delete(e.ends, i, i+1)
	case cut:
		e.depth = min(2*e.depth, mostDepth)
	case i < 0:
		if high > sp {
			e.add(high)
		}
	case e.ends[i].top-high > nearTop && high > sp:
		if e.seen[high]++; e.seen[high] >= sightings {
			e.add(high)
		}
	}
	if i = e.of(sp); i >= 0 {
		s := &e.ends[i]
		s.recent[s.n%len(s.recent)] = s.top - sp
		s.n++
	}
}

// noticeMain learns that a thread's outer frames are on the main stack, as those of
// a thread that main itself became.
func (e *stackEnds) noticeMain(sp *snapshot.Snapshot, used []Range) {
	msp, ok := sp.Regs.Value(snapshot.MSP)
	if !ok || e.onMain {
		return
	}
	for _, u := range used {
		if u.Low >= msp && u.Low-msp < mostDepth && len(missingOf([]Range{u}, sp.Windows)) > 0 {
			e.onMain = nearest(append(e.pointers(&sp.Regs), msp), u.Low) == msp
		}
	}
}
