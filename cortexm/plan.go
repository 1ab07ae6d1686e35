package cortexm

import (
	"math"
	"slices"
	"time"

	"github.com/mprof/mprof/snapshot"
)

const regPSP = snapshot.PSP

// plan is the transaction of a sample with its alternatives. In the order of
// the probe's work: halt and registers; whole alternatives for the frequent
// stacks; one for handlers that interrupt threads with stacks of their own;
// selected ones for the rest; the read that these share; the guard. All is in one
// packet, or the tail of it in one or two more, which are under way when the core
// is halted.
type plan struct {
	list     []alternative
	shared   int // words of the shared read
	packets  int
	seq      *sequence
	short    bool    // alternatives were left out to keep the halt short
	expected float64 // SWD transfers while halted, after the registers, as learned
}

// mostPackets that a plan may take.
const mostPackets = 3

// Most alternatives of each kind: each one that fails costs 2 transfers.
const (
	mostWhole    = 8
	mostSelected = 8
	mostChained  = 2
	mostAll      = mostWhole + mostSelected + mostChained
)

// sharedSizes are the lengths of the shared read that are tried, in words.
var sharedSizes = [...]int{0, 32, 64, 104}

// packetPrice is what one more packet must be worth, in SWD transfers: with one
// packet nothing can come between the halt and its guard.
const packetPrice = 4

// planner makes plans for one probe.
type planner struct {
	l     limits
	steps steps
	costs Costs
	regs  []snapshot.Reg
	main  []Extent // stacks known before anything was learned
	ram   []Range

	inFlight int           // packets that the probe buffers
	limit    time.Duration // of a halt; 0: none
	depth    int           // words of stack that fit into it
	spare    time.Duration // that the answer takes longer than it must
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

// rooms are what is left for the alternatives of each packet: request bytes of
// all of them, and response bytes of the windows on any one way through them. In
// a plan of one packet they are the same room.
func (pl *planner) rooms(shared, packets int) (rooms [mostPackets]room) {
	const head = 2
	for i := range packets {
		rooms[i] = room{request: pl.l.bytes - head, response: pl.l.bytes - head - 3*mostAll}
	}
	q, a := pl.begin().bytes()
	rooms[0].request, rooms[0].response = rooms[0].request-q, rooms[0].response-a
	last := &rooms[packets-1]
	end := []*transfer{pl.steps.guard()}
	if shared > 0 {
		end = append(end, pl.steps.shared(0, 0, shared))
	}
	for _, t := range end {
		q, a := t.bytes()
		last.request, last.response = last.request-q, last.response-a
	}
	return rooms
}

// make lays out the plan that costs the target least by what h remembers.
func (pl *planner) make(h *history) (*plan, error) {
	threads, handlers := h.threads(), h.handlers()
	lower := append(h.interrupted(), threads...)
	main := slices.DeleteFunc(slices.Clone(pl.main), func(e Extent) bool { // it is the handlers' stack
		return slices.ContainsFunc(handlers, func(k key) bool { return k.sp >= e.Low && k.sp <= e.High })
	})
	k := planKeys{
		threads:  withUnseen(threads, main),
		handlers: withUnseen(handlers, nil),
		lower:    withUnseen(lower, main),
	}
	best := &plan{expected: math.Inf(1)}
	for packets := 1; packets <= min(mostPackets, pl.inFlight); packets++ {
		for _, shared := range sharedSizes {
			if shared == 0 && packets > 1 || shared > 0 && pl.limit > 0 {
				continue
			}
			if p, ok := pl.draft(k, shared, packets); ok && p.expected < best.expected {
				best = p
			}
		}
	}
	if len(best.list) == 0 {
		best.packets = 1
	}
	return best, pl.compile(best)
}

// planKeys are what a plan is made for. lower are the stacks that a selected
// alternative may find in DCRDR: those of threads, running or interrupted.
type planKeys struct{ threads, handlers, lower []key }

// draft makes the plan with a shared read of the given length, in so many
// packets; false where that has no room. The rare ways are laid first, because
// they are the alternative to the frequent ones.
func (pl *planner) draft(k planKeys, shared, packets int) (*plan, bool) {
	rooms, prices := pl.rooms(shared, packets), pl.prices(shared)
	first, middle := rooms[0], rooms[max(0, packets-2)]
	if rooms[packets-1].request < 0 || rooms[packets-1].response < 0 {
		return nil, false
	}
	one := packets < 3 // whole alternatives and the others share a packet
	if one {
		middle.request = first.request * 3 / 5
	}
	before := middle.request

	chain := newDecisions(k.handlers, prices, func(key) float64 { return prices.lost })
	part := middle
	if len(k.handlers) > 0 {
		part.most, part.response = mostChained, middle.response/2
		part.request = middle.request / 2
		chain.improve(candidates(k.handlers, pl.finishChained(k.lower, part)), &part)
		middle.request -= middle.request/2 - part.request
		middle.response /= 2
	}
	rare := newDecisions(k.lower, prices, prices.cut)
	if shared > 0 {
		middle.most = mostSelected
		rare.improve(candidates(k.lower, pl.finishSelected(shared, packets, middle)), &middle)
	}
	if one {
		first.request -= before - middle.request
	}
	behind := float64(len(chain.list)) * prices.fail
	first.most = mostWhole
	often := newDecisions(k.threads, prices, func(k key) float64 { return behind + rare.price(k) })
	often.improve(candidates(k.threads, pl.finishWhole(first)), &first)

	p := &plan{shared: shared, packets: packets}
	p.list = append(append(append(p.list, often.list...), chain.list...), inlineFirst(rare.list)...)
	p.expected = pl.expected(k, often, chain, rare) + float64(packets-1)*packetPrice
	return p, true
}

// inlineFirst puts the alternatives that read words of their own before those
// that only set TAR, which have room in the second packet. A wide block that comes
// before a narrow one inside it holds what the narrow one wants, too.
func inlineFirst(list []alternative) (sorted []alternative) {
	for _, inline := range []bool{true, false} {
		for _, a := range list {
			if a.alone() != inline {
				sorted = append(sorted, a)
			}
		}
	}
	return sorted
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

// finishChained leaves the blocks alone that hold the stack pointer of a thread:
// it would wait for PSP in vain.
func (pl *planner) finishChained(threads []key, r room) func(alternative) (candidate, bool) {
	return func(a alternative) (candidate, bool) {
		a.kind = chained
		if slices.ContainsFunc(threads, func(k key) bool { return a.matches(k.sp) }) {
			return candidate{}, false
		}
		return pl.candidate(a, r)
	}
}

// finishSelected chooses the part of the window that the shared read brings: the
// top, unless TAR would have to be set anew in it; then what lies below that place.
func (pl *planner) finishSelected(shared, packets int, r room) func(alternative) (candidate, bool) {
	bytes := uint32(4 * shared)
	return func(a alternative) (candidate, bool) {
		a.kind = selected
		if a.low >= a.high {
			return candidate{}, false
		}
		switch page := (a.high - 1) &^ (tarWrap - 1); {
		case a.high-page >= bytes:
			a.tail = a.high - bytes
		case a.low >= page:
			a.tail = page
		default:
			a.tail = page - bytes
		}
		a.end = a.tail + bytes
		a.low, a.high = min(a.low, a.tail), max(a.high, a.end)
		if a.high != a.clampHigh(pl.ram) {
			return candidate{}, false
		}
		c, ok := pl.candidate(a, r)
		if packets > 1 && a.alone() {
			return candidate{alternative: a}, true // in the last packet
		}
		return c, ok
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
	var packets []*packet
	for range p.packets {
		packets = append(packets, &packet{})
	}
	first, middle, last := packets[0], packets[max(0, p.packets-2)], packets[p.packets-1]
	first.transfers = append(first.transfers, pl.begin())
	var tails []uint32
	for i, a := range p.list {
		at := first
		switch {
		case a.kind == selected && a.alone():
			at = last
		case a.kind != whole:
			at = middle
		}
		if a.kind == selected {
			tails = append(tails, a.tail)
		}
		at.transfers = append(at.transfers, pl.steps.alternative(a, i))
	}
	if len(tails) > 0 {
		mask, value := common(tails)
		last.transfers = append(last.transfers, pl.steps.shared(mask, value, p.shared))
	}
	last.transfers = append(last.transfers, pl.steps.guard())
	packets = slices.DeleteFunc(packets, func(q *packet) bool { return len(q.transfers) == 0 })
	var all []*transfer
	for _, q := range packets {
		all = append(all, q.transfers...)
	}
	shareMasks(all)
	for _, q := range packets {
		q.encode()
	}
	p.seq = sequenceOf(packets...)
	return p.check(pl.l)
}
