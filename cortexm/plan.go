package cortexm

import (
	"math"

	"github.com/mprof/mprof/snapshot"
)

const regPSP = snapshot.PSP

// plan is the transaction of a sample with its alternatives. In the order of
// the probe's work: halt and registers; whole alternatives for the frequent
// stacks; one for handlers that interrupt threads with stacks of their own;
// selected ones for the rest; the read that these share; the guard. The last two
// may be in a packet of their own, which is under way before the halt.
type plan struct {
	list     []alternative
	shared   int // words of the shared read
	split    bool
	seq      *sequence
	expected float64 // SWD transfers while halted, after the registers, as learned
}

// Most alternatives of each kind: each one that fails costs 2 transfers.
const (
	mostWhole    = 8
	mostSelected = 8
	mostChained  = 1
	mostAll      = mostWhole + mostSelected + mostChained
)

// sharedSizes are the lengths of the shared read that are tried, in words.
var sharedSizes = [...]int{0, 32, 64, 104}

// splitPrice is what a second packet must be worth, in SWD transfers: with one
// packet nothing can come between the halt and its guard.
const splitPrice = 4

// planner makes plans for one probe.
type planner struct {
	l     limits
	steps steps
	costs Costs
	regs  []snapshot.Reg
	main  []Extent // stacks known before anything was learned
	ram   []Range
}

// prices in SWD transfers.
func (pl *planner) prices(shared int) prices {
	p := prices{fail: 2, lost: lostStack, shared: shared}
	if pl.costs.Transfer > 0 {
		p.fail += float64(pl.costs.Command) / float64(pl.costs.Transfer)
	}
	return p
}

// begin are the transfers up to the last register.
func (pl *planner) begin() *transfer {
	t := &transfer{}
	pl.steps.aim(t)
	pl.steps.halt(t)
	pl.steps.registers(t, pl.regs)
	return t
}

// room is what is left for the alternatives: request bytes of all of them, and
// response bytes of the windows on any one way through them.
func (pl *planner) room(shared int, split bool) room {
	const head = 2
	q, a := pl.begin().bytes()
	r := room{request: pl.l.bytes - head - q, response: pl.l.bytes - head - a - 3*mostAll}
	gq, ga := pl.steps.guard().bytes()
	if shared > 0 {
		q, a := pl.steps.shared(0, 0, shared).bytes()
		gq, ga = gq+q, ga+a
	}
	switch {
	case !split:
		r.request, r.response = r.request-gq, r.response-ga
	case max(gq, ga)+head > pl.l.bytes:
		r.request = -1
	}
	return r
}

// make lays out the plan that costs the target least by what h remembers.
func (pl *planner) make(h *history) (*plan, error) {
	threads, handlers := h.threads(), h.handlers()
	lower := append(h.interrupted(), threads...)
	k := planKeys{
		threads:  withUnseen(threads, pl.main),
		handlers: withUnseen(handlers, nil),
		lower:    withUnseen(lower, pl.main),
	}
	best := &plan{expected: math.Inf(1)}
	for _, split := range []bool{false, true} {
		for _, shared := range sharedSizes {
			if split && shared == 0 || pl.room(shared, split).request <= 0 {
				continue
			}
			if p := pl.draft(k, shared, split); p.expected < best.expected {
				best = p
			}
		}
	}
	return best, pl.compile(best)
}

// planKeys are what a plan is made for. lower are the stacks that a selected
// alternative may find in DCRDR: those of threads, running or interrupted.
type planKeys struct{ threads, handlers, lower []key }

// draft makes the plan with a shared read of the given length. The rare ways are
// laid first, because they are the alternative to the frequent ones.
func (pl *planner) draft(k planKeys, shared int, split bool) *plan {
	r, prices := pl.room(shared, split), pl.prices(shared)
	part := r
	part.most, part.request = mostSelected, r.request*3/5
	if len(k.handlers) > 0 {
		part.response /= 2
	}
	rare := newDecisions(k.lower, prices, prices.cut)
	if shared > 0 {
		rare.improve(candidates(k.lower, pl.finishSelected(shared, part)), &part)
	}
	chain := newDecisions(k.handlers, prices, prices.cut)
	if len(k.handlers) > 0 {
		part.request += r.request * 2 / 5
		part.most, part.response = mostChained, r.response/2
		chain.improve(candidates(k.handlers, pl.finishChained(part)), &part)
		r.request = part.request
	} else {
		r.request = part.request + r.request - r.request*3/5
	}
	behind := float64(len(chain.list)) * prices.fail
	lower := func(sp key) float64 { return behind + rare.price(sp) }
	r.most = mostWhole
	often := newDecisions(k.threads, prices, lower)
	often.improve(candidates(k.threads, pl.finishWhole(r)), &r)

	p := &plan{shared: shared, split: split}
	p.list = append(append(append(p.list, often.list...), chain.list...), rare.list...)
	p.expected = pl.expected(k, often, chain, rare)
	if split {
		p.expected += splitPrice
	}
	return p
}

// expected is the mean price of a sample.
func (pl *planner) expected(k planKeys, often, chain, rare *decisions) float64 {
	sum, weight := often.total()
	s, w := chain.total()
	if w > 0 {
		t, tw := rare.total()
		sum += s + w*(float64(len(often.list))*often.p.fail+t/max(tw, 1e-9))
		weight += w
	}
	return sum / max(weight, 1e-9)
}

func (pl *planner) finishWhole(r room) func(alternative) (candidate, bool) {
	return func(a alternative) (candidate, bool) { return pl.candidate(a, r) }
}

func (pl *planner) finishChained(r room) func(alternative) (candidate, bool) {
	return func(a alternative) (candidate, bool) {
		a.kind = chained
		return pl.candidate(a, r)
	}
}

// finishSelected ends the window with the shared read: it begins early enough to
// reach the top of the stack, and no earlier than TAR counts without help.
func (pl *planner) finishSelected(shared int, r room) func(alternative) (candidate, bool) {
	return func(a alternative) (candidate, bool) {
		a.kind = selected
		if a.low >= a.high {
			return candidate{}, false
		}
		a.tail = max(a.high-min(a.high, uint32(4*shared)), (a.high-1)&^(tarWrap-1))
		a.low, a.high = min(a.low, a.tail), a.tail+uint32(4*shared)
		if a.high != a.clampHigh(pl.ram) {
			return candidate{}, false
		}
		return pl.candidate(a, r)
	}
}

// candidate measures a and tells whether there is room for it.
func (pl *planner) candidate(a alternative, r room) (candidate, bool) {
	request, response := pl.steps.alternative(a, 0).bytes()
	return candidate{alternative: a, request: request, response: response}, request <= r.request && response <= r.response
}

func (a alternative) clampHigh(ram []Range) uint32 { return Extent{a.low, a.high}.clamp(ram).High }

// compile makes the packets.
func (pl *planner) compile(p *plan) error {
	first := &packet{execute: true, transfers: []*transfer{pl.begin()}}
	var tails []uint32
	for i, a := range p.list {
		first.transfers = append(first.transfers, pl.steps.alternative(a, i))
		if a.kind == selected {
			tails = append(tails, a.tail)
		}
	}
	last, packets := first, []*packet{first}
	if p.split && len(tails) > 0 {
		last = &packet{execute: true}
		packets = append(packets, last)
	}
	if len(tails) > 0 {
		mask, value := common(tails)
		last.transfers = append(last.transfers, pl.steps.shared(mask, value, p.shared))
	}
	last.transfers = append(last.transfers, pl.steps.guard())
	for _, q := range packets {
		q.encode()
	}
	p.seq = sequenceOf(packets...)
	return p.check(pl.l)
}
