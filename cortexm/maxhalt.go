package cortexm

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/snapshot"
)

// SampleOptions.MaxHalt: what a sample takes is known before it is sent, as far as
// the probe was measured. Windows are cut from their outer end until every way
// through the plan fits, alternatives that would come too late are left out, and
// where the round trip of the steps takes too long a plan is made without their
// lessons. Where no stack fits at all, the registers are taken alone.

// haltMargin of the limit is left for what the measurement does not see.
const haltMargin = 16

// replyMemory is how many samples a slow answer of the host is remembered for.
const replyMemory = 128

// limitHalt makes the sampler keep within MaxHalt. The error says what the least
// possible is on this probe.
func (s *Sampler) limitHalt() (err error) {
	most := s.options.MaxHalt
	if most == 0 {
		return nil
	}
	pl := &s.planner
	pl.limit = most - most/haltMargin
	s.chosen = s.options.RegistersOnly
	switch {
	case pl.stepsTime() <= pl.limit:
		pl.depth = pl.stepsDepth()
		if s.stepwise() {
			return nil
		}
	case !s.stepwise():
		s.oneGo = true
	default:
		s.options.RegistersOnly = true
	}
	if s.plan, err = pl.bare(); err != nil {
		return err
	}
	if !s.options.RegistersOnly && pl.time(s.plan.seq) <= pl.limit {
		if pl.depth = max(pl.depth, pl.planDepth()); pl.depth > 0 {
			if !s.oneGo {
				s.plan = nil // the steps fit, and teach
			}
			return nil
		}
	}
	return s.registersWithin()
}

// HaltLimitError says that no sample can keep to MaxHalt on this probe.
type HaltLimitError struct{ Limit, Least time.Duration }

func (e *HaltLimitError) Error() string {
	return fmt.Sprintf("cortexm: halt for at most %v: PC and LR alone take %v on this probe", e.Limit, e.Least)
}

// registersWithin takes registers alone, as many as fit.
func (s *Sampler) registersWithin() (err error) {
	pl := &s.planner
	s.bared = !s.chosen
	s.options.RegistersOnly = true
	pl.depth = 0
	least := time.Duration(0)
	for _, regs := range [][]snapshot.Reg{pl.regs, s.options.registers(), {snapshot.PC, snapshot.LR}} {
		pl.regs = regs
		if s.plan, err = pl.bare(); err != nil {
			return err
		}
		if least = pl.time(s.plan.seq); least <= pl.limit {
			s.bared = s.bared || len(regs) == 2
			return nil
		}
	}
	return &HaltLimitError{Limit: s.options.MaxHalt, Least: (least + least/(haltMargin-1)).Round(time.Microsecond) + time.Microsecond}
}

// stepsTime is what a sample step by step takes without a stack.
func (pl *planner) stepsTime() time.Duration {
	if pl.slotted() {
		return 3 * pl.costs.Packet // the frame of the halt, that of the answer, that of the resume
	}
	transfers := 3 + 4*(len(pl.regs)+3) + 8 // halt, registers, SELECT, TAR, RDBUFF, resume
	return time.Duration(transfers)*pl.costs.Transfer + pl.costs.Command + pl.costs.RoundTrip
}

// stepsDepth is how many words fit behind that.
func (pl *planner) stepsDepth() int { return pl.wordsIn(pl.limit - pl.stepsTime()) }

// wordsIn is how many words are read in a time: by the transfers and by the packets.
func (pl *planner) wordsIn(d time.Duration) int {
	if d <= 0 {
		return 0
	}
	n := (pl.l.bytes - 3) / 4 // of a packet, which ends with a fetch of the last
	if pl.slotted() {
		return int(d/pl.costs.Packet) * n
	}
	packet := max(time.Duration(n+1)*pl.costs.Transfer+pl.costs.Command, pl.costs.Packet)
	return int(d * time.Duration(n) / max(1, packet))
}

// planDepth is how many words of stack the first alternative of a plan can read.
func (pl *planner) planDepth() int {
	p := &plan{packets: 1, list: []alternative{{kind: whole, low: 0, high: 4 * guidedWords, mask: ^uint32(0)}}}
	t := pl.steps.alternative(p.list[0], 0)
	m := meter{}
	m.add(done(pl.begin()))
	return max(0, pl.shorten(m, t, pl.costs))
}

// time is how long the core stands still on the longest way through a sequence,
// which has no alternatives.
func (pl *planner) time(q *sequence) time.Duration {
	m := meter{}
	for i, p := range q.packets {
		if i > 0 {
			m.nextPacket()
		}
		for _, t := range p.transfers {
			m.add(done(t))
		}
	}
	return m.time(pl.costs)
}

// done is a transfer of which everything was done, failed one whose match did not
// hold.
func done(t *transfer) *transfer {
	c := *t
	c.answer, c.err = probe.Answer{Count: len(t.reqs), Ack: probe.OK}, nil
	return &c
}

func failed(t *transfer) *transfer {
	c := *t
	at := slices.IndexFunc(t.reqs, func(r probe.Req) bool { return r.Op&(probe.RnW|probe.MatchValue) == probe.RnW|probe.MatchValue })
	c.answer, c.err = probe.Answer{Count: max(0, at), Ack: probe.OK | probe.Mismatch}, errNotDone
	return &c
}

// makeWithin is the plan that keeps to the limit: the best one where all of its
// ways do, else the best without a shared read, cut.
func (pl *planner) makeWithin(h *history) (*plan, error) {
	if pl.limit == 0 {
		return pl.make(h)
	}
	free := *pl
	free.limit = 0
	if p, err := free.make(h); err == nil && pl.longest(p.seq) <= pl.limit {
		return p, nil
	}
	p, err := pl.make(h)
	if err != nil {
		return nil, err
	}
	return pl.within(p)
}

// longest is at least what any way through a plan takes: that on which every
// match fails, and on top of it the dearest alternative, a handler's and the shared
// read.
func (pl *planner) longest(q *sequence) time.Duration {
	m := meter{}
	var window, chain, shared time.Duration
	for i, p := range q.packets {
		if i > 0 {
			m.nextPacket()
		}
		for _, t := range p.transfers {
			n := meter{halted: true}
			n.add(done(t))
			switch cost := n.time(pl.costs); t.role {
			case roleWindow, roleSelect:
				window = max(window, cost)
			case roleChain:
				chain = max(chain, cost)
			case roleShared:
				shared = cost
			default:
				m.add(done(t))
				continue
			}
			m.add(failed(t))
		}
	}
	return m.time(pl.costs) + window + chain + shared
}

// within cuts a plan so that every way through it keeps to the limit.
func (pl *planner) within(p *plan) (*plan, error) {
	m := meter{}
	end := pl.steps.guard()
	var all []*transfer
	var chained bool
	c := *p
	for i, q := range p.seq.packets {
		if i > 0 {
			m.nextPacket()
		}
		for _, t := range q.transfers {
			switch t.role {
			case roleWindow, roleChain:
				after := m
				after.add(failed(t))
				late := after
				if late.add(done(end)); late.time(pl.costs) > pl.limit {
					c.short = true
					continue // nothing can come so late
				}
				if chained = chained || t.role == roleChain; t.role == roleChain {
					after = m
				}
				if n := pl.shorten(m, t, pl.costs); n < 0 {
					c.short = true
					continue
				}
				if m = after; t.role == roleChain {
					m.add(done(t))
				}
			case roleGuard:
				continue
			default:
				m.add(done(t))
			}
			all = append(all, t)
		}
	}
	shareMasks(all)
	packets, err := pack(pl.l, append(all, end))
	if err != nil {
		return nil, err
	}
	c.seq, c.packets = sequenceOf(packets...), len(packets)
	return &c, c.check(pl.l)
}

// shorten cuts the words of an alternative from the outer end until it fits
// behind what m counted, and returns how many are left; -1 where it does not fit
// without any.
func (pl *planner) shorten(m meter, t *transfer, c Costs) int {
	for {
		n := m
		n.add(done(t))
		if t.role == roleChain {
			n.add(done(pl.steps.guard()))
		}
		words := 0
		for _, k := range t.reads {
			if k.meaning == stackWord {
				words++
			}
		}
		over := n.time(c) - pl.limit
		if over <= 0 {
			return words
		}
		if words == 0 {
			return -1
		}
		t.cut(words - min(words, 1+int(over/max(1, c.Transfer))))
	}
}

// cut leaves the lowest words of a window, and marks it as cut.
func (t *transfer) cut(keep int) {
	t.short = true
	var words []uint32
	for _, k := range t.reads {
		if k.meaning == stackWord {
			words = append(words, k.arg)
		}
	}
	slices.SortFunc(words, cmp.Compare)
	gone := func(k mark) bool {
		return k.meaning == stackWord && (keep == 0 || k.arg > words[keep-1])
	}
	var reqs []probe.Req
	var reads []mark
	next := 0
	for i, r := range t.reqs {
		switch {
		case r.Op == probe.WriteTAR && i+1 < len(t.reqs) && t.reqs[i+1].Op == probe.ReadDRW && gone(t.reads[next]):
			continue // of a run that is left out as a whole
		case r.Op&probe.RnW != 0 && r.Op&probe.MatchValue == 0:
			k := t.reads[next]
			next++
			if gone(k) {
				continue
			}
			reads = append(reads, k)
		}
		reqs = append(reqs, r)
	}
	t.reqs, t.reads = reqs, reads
}

// spent is how long the core will have stood still when the next step begins and
// resumes it at once.
func (g *guided) spent() time.Duration {
	c := g.pl.costs
	resume := 12*c.Transfer + 2*c.Command // of two windows
	if g.pl.slotted() {
		return g.clock.Now() + c.Packet - g.trace.halt + resume
	}
	return g.capture.halted + g.clock.Now() - g.heard + g.reply + resume
}

// allow cuts windows to what fits into the rest of the time, from the outer end.
func (g *guided) allow(windows []Extent) []Extent {
	if g.pl.limit == 0 {
		return windows
	}
	left := g.pl.wordsIn(g.pl.limit - g.spent())
	out := []Extent{}
	for _, w := range windows {
		n := min(w.words(), left)
		g.capture.short = g.capture.short || n < w.words()
		if left -= n; n > 0 {
			out = append(out, Extent{w.Low, w.Low + 4*uint32(n)})
		}
	}
	return out
}

// mayAsk tells whether there is time for a step more.
func (g *guided) mayAsk() bool {
	if g.pl.limit == 0 || g.spent()+max(g.reply, g.pl.costs.Packet) <= g.pl.limit {
		return true
	}
	g.capture.short = true
	return false
}

// shortened tells whether words were left out of a sample's stack.
func (s *Sampler) shortened(c *capture) bool {
	if s.options.RegistersOnly {
		return s.bared
	}
	if c.taken == nil && !c.stepped && s.planner.limit > 0 && (s.oneGo || s.plan.short) {
		return true
	}
	return c.short
}

// deepened is a visit that was cut: the stack is asked for as deep as fits.
func (s *Sampler) deepened(v visit) visit {
	deep := func(sp, high uint32) uint32 {
		return max(high, Extent{sp, sp + 4*uint32(s.planner.depth)}.clamp(s.options.RAM).High)
	}
	v.guessed, v.cut, v.high = true, true, deep(v.sp, v.high)
	if v.chained && v.psp != 0 {
		v.pspHigh = deep(v.psp, v.pspHigh)
	}
	return v
}
