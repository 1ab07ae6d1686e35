package cortexm

import (
	"slices"
	"time"

	"github.com/mprof/mprof/snapshot"
)

// take places packets that came one after the other in time, and hands over what
// can be judged.
func (s *PCSampler) take(reads []*pcRead) {
	s.place(reads)
	for _, r := range reads {
		s.accept(r)
	}
}

// place says when the packets were done. The host sees a response when it looks:
// that is too late where several were waiting. A packet was done before the work
// of the one after it began. What it stands for is the time since the one before
// was done, so that weights add up to the run.
func (s *PCSampler) place(reads []*pcRead) {
	for i := len(reads) - 2; i >= 0; i-- {
		next := reads[i+1]
		reads[i].end = min(reads[i].end, next.end-next.work)
	}
	for _, r := range reads {
		n := len(r.pcs) + r.lost
		if n == 0 { // a pause: the next packet stands for it
			continue
		}
		r.end = max(r.end, s.last)
		r.weight = r.end - s.last
		r.spacing = min(s.layout.transfer, r.weight/time.Duration(n))
		r.first = r.end - time.Duration(n)*r.spacing
		s.last = r.end
	}
}

// zeroPatience is how long after TRCENA was set it is set again when PCSR reads
// zero: a target that lost power has lost it.
const zeroPatience = 50 * time.Millisecond

// accept adds a packet to those that wait for the next look at the core's state.
func (s *PCSampler) accept(r *pcRead) {
	if len(r.pcs) > 0 {
		s.backoff = 0
		if r.end > s.aimedAt+zeroPatience && !slices.ContainsFunc(r.pcs, func(pc uint32) bool { return pc != 0 }) {
			s.aimed = false
		}
	}
	if r.checked {
		s.noticeReset(r.before)
		s.flush(r)
	}
	if len(r.pcs)+r.lost == 0 {
		return
	}
	s.pending = append(s.pending, r)
	if r.both {
		s.flushBoth(r)
	}
}

// look is DHCSR between two PCs.
type look struct {
	known bool
	dhcsr uint32
}

func (l look) asleep() bool { return l.dhcsr&sSleep != 0 }

// state is what it says of the core.
func (l look) state() (st snapshot.State) {
	if !l.known {
		return 0
	}
	if l.dhcsr&sLockup != 0 {
		st |= snapshot.Lockup
	}
	if l.dhcsr&sHalt != 0 {
		st |= snapshot.AlreadyHalted
	}
	return st
}

// flush judges the PCs between two looks, the second of which begins next, and
// hands them over. nil: there is no second one.
func (s *PCSampler) flush(next *pcRead) {
	right, following := look{}, []uint32(nil)
	if next != nil {
		right, following = look{known: true, dhcsr: next.before}, next.pcs
	}
	s.deliverSegment(right, following)
}

// flushBoth does it for a packet with a look of its own at the end.
func (s *PCSampler) flushBoth(r *pcRead) {
	s.noticeReset(r.after)
	s.deliverSegment(look{known: true, dhcsr: r.after}, nil)
}

// noticeReset aims again after a reset: the access port may be as after power-on.
// The next block that is handed over tells of it.
func (s *PCSampler) noticeReset(dhcsr uint32) {
	if dhcsr&sResetSt != 0 {
		s.aimed, s.reset = false, true
	}
}

func (s *PCSampler) deliverSegment(right look, following []uint32) {
	if len(s.pending) == 0 {
		return
	}
	left := look{}
	if first := s.pending[0]; first.checked {
		left = look{known: true, dhcsr: first.before}
	}
	s.all = s.all[:0]
	for _, r := range s.pending {
		s.all = append(s.all, r.pcs...)
	}
	asleep := s.judge.mark(s.all, left, right, following)
	state := left.state()
	if !left.known {
		state = right.state()
	}
	if s.reset {
		state, s.reset = state|snapshot.Reset, false
	}
	for _, r := range s.pending {
		s.deliverRead(r, asleep[:len(r.pcs)], state)
		asleep, state = asleep[len(r.pcs):], state&^snapshot.Reset
	}
	s.pending = s.pending[:0]
}

// deliverRead cuts a packet where the core fell asleep or woke.
func (s *PCSampler) deliverRead(r *pcRead, asleep []bool, state snapshot.State) {
	n := len(r.pcs)
	if n == 0 {
		s.deliver(&snapshot.Snapshot{Time: r.first - s.start, Weight: r.weight, State: state, Miss: r.miss, Block: &snapshot.Block{Lost: r.lost}})
		return
	}
	for from := 0; from < n; {
		to := from + 1
		for to < n && asleep[to] == asleep[from] {
			to++
		}
		b := &snapshot.Block{Spacing: r.spacing, PCs: r.pcs[from:to:to]}
		sp := &snapshot.Snapshot{Time: r.first - s.start + time.Duration(from)*r.spacing, State: state, Block: b,
			Weight: r.weight*time.Duration(to)/time.Duration(n) - r.weight*time.Duration(from)/time.Duration(n)}
		if asleep[from] {
			sp.State |= snapshot.Sleeping
		}
		if to == n && r.lost > 0 {
			b.Lost, sp.Miss = r.lost, r.miss
		}
		s.deliver(sp)
		from, state = to, state&^snapshot.Reset
	}
}
