package cortexm

import (
	"cmp"
	"slices"
	"time"

	"github.com/mprof/mprof/probe"
)

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

// makeWithin is the plan that keeps to the limit, cut where not all of its ways do.
func (pl *planner) makeWithin(h *wants, before int) (*plan, error) {
	p, err := pl.make(h, before)
	if err != nil || pl.limit == 0 || pl.longest(p.seq) <= pl.limit {
		return p, err
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
	var mask uint32 // that the probe keeps
	c := *p
	for i, q := range p.seq.packets {
		if i > 0 {
			m.nextPacket()
		}
		for _, t := range q.transfers {
			switch t.role {
			case roleWindow, roleChain:
				mask = t.explicit(mask)
				after := m
				after.add(failed(t))
				late := after
				if late.add(done(end)); late.time(pl.costs) > pl.limit {
					c.short = true
					continue // nothing can come so late
				}
				if n := pl.shorten(m, t, pl.costs); n < 0 {
					c.short = true
					continue
				}
				if t.role == roleChain { // what comes behind it comes behind its words
					m.add(done(t))
				} else {
					m = after
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

// explicit writes the match mask that an alternative shares with the one before,
// which may be left out, and returns it.
func (t *transfer) explicit(mask uint32) uint32 {
	if own, ok := t.masked(); ok {
		return own
	}
	t.reqs = slices.Insert(t.reqs, 0, probe.Req{Op: probe.WriteABORT | probe.MatchMask, Data: mask})
	return mask
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
