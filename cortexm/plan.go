package cortexm

import (
	"math"
	"slices"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/snapshot"
)

// plan is the transaction of a sample with its alternatives. In the order of
// the probe's work: halt and registers; whole alternatives for the frequent
// stacks; those for handlers that interrupt threads with stacks of their own;
// whole ones for the rest; the guard. All is in one packet, or the tail of it in
// one or two more, which are under way when the core is halted.
type plan struct {
	list     []alternative
	packets  int
	seq      *sequence
	short    bool    // alternatives were left out to keep the halt short
	expected float64 // SWD transfers while halted, after the registers, as learned
}

// mostPackets that a plan may take.
const mostPackets = 3

// Most alternatives of each kind: each one that fails costs 2 transfers.
const (
	mostOften   = 12
	mostRare    = 12
	mostChained = 3
	mostAll     = mostOften + mostRare + mostChained
)

// planner makes plans for one probe.
type planner struct {
	l     limits
	steps steps
	costs Costs
	regs  []snapshot.Reg // of every sample that is taken step by step, SP last
	base  []snapshot.Reg // and of every other one

	sparing bool     // registers beyond base are read where they are needed
	main    []Extent // stacks known before anything was learned
	ram     []Range

	inFlight int           // packets that the probe buffers
	interval time.Duration // between samples
	limit    time.Duration // of a halt; 0: none
	depth    int           // words of stack that fit into it
	spare    time.Duration // that the answer takes longer than it must
}

// prices in SWD transfers.
func (pl *planner) prices() prices {
	p := prices{fail: 2, lost: leastLost, reg: 4}
	if pl.steps.swift {
		p.reg = 3
	}
	if pl.lean() {
		p.sp = 2
	}
	if pl.costs.Transfer > 0 {
		p.lost = min(max(leastLost, lostPart*math.Pow(float64(pl.interval)/float64(pl.costs.Transfer), lostPower)), mostLost)
		p.fail += float64(pl.costs.Command) / float64(pl.costs.Transfer)
	}
	return p
}

// lean tells whether SP is only compared, not read, before an alternative is
// taken: it can be where registers are ready at once.
func (pl *planner) lean() bool { return pl.steps.swift && pl.sparing && pl.limit == 0 }

// begin are the transfers up to the last register. SP is left in DCRDR.
func (pl *planner) begin() *transfer {
	t := &transfer{}
	pl.steps.aim(t)
	pl.steps.halt(t)
	if !pl.lean() {
		pl.steps.registers(t, pl.base)
		return t
	}
	pl.steps.registers(t, pl.base[:len(pl.base)-1])
	t.write(probe.WriteBD1, uint32(snapshot.SP))
	return t
}

// room is what so many packets have for the alternatives: request bytes of all of
// them, and response bytes of those on any one way.
func (pl *planner) room(packets int) room {
	const head = 2
	r := room{request: packets*(pl.l.bytes-head) - (packets-1)*fullRoom, response: pl.l.bytes - head - 3*mostAll}
	all := []*transfer{pl.begin(), pl.steps.guard()}
	for _, a := range pl.rest() {
		all = append(all, pl.steps.alternative(a, 0))
	}
	for _, t := range all {
		q, a := t.bytes()
		r.request, r.response = r.request-q, r.response-a
	}
	return r
}

// make lays out the plan that costs the target least by what h remembers of the
// samples that followed one of the given stack.
func (pl *planner) make(h *wants, before int) (*plan, error) {
	k := pl.demands(h, before)
	packets := max(1, min(mostPackets, pl.inFlight))
	room := pl.room(packets)
	best := &plan{expected: math.Inf(1)}
	for _, scarce := range [...]float64{0, 0.03, 0.15, 0.6} {
		p, full := pl.draft(k, packets, room, scarce)
		if err := pl.compile(p); err != nil {
			return nil, err
		}
		switch {
		case len(p.seq.packets) > packets: // more than fullRoom was lost at the ends
			full, room.request = true, room.request*3/4
		case p.expected < best.expected:
			best = p
		}
		if !full {
			break
		}
	}
	if best.seq == nil {
		best = &plan{packets: 1}
		return best, pl.compile(best)
	}
	return best, nil
}

// planDemands are what a plan is made for. lower are the stacks that a handler
// may have interrupted.
type planDemands struct {
	threads, handlers, lower []demand
	page                     *page
}

func (pl *planner) demands(h *wants, before int) (k planDemands) {
	k.threads, k.handlers, k.lower = h.threads(before), h.handlers(before), h.interrupted(before)
	main := slices.DeleteFunc(slices.Clone(pl.main), func(e Extent) bool { // it is the handlers' stack
		return slices.ContainsFunc(k.handlers, func(d demand) bool { return d.sp >= e.Low && d.sp <= e.High })
	})
	k.lower = withInterrupted(k.lower, k.threads)
	k.threads = slices.DeleteFunc(withUnseen(k.threads, main, pl.ram), func(d demand) bool { return h.handles(d.sp) })
	k.handlers = withUnseen(k.handlers, nil, pl.ram)
	k.page = newPage(k.threads, k.handlers, k.lower)
	return k
}

// draft chooses the alternatives for so many packets. scarce is the price of a
// byte of the request, in SWD transfers; full tells that all bytes were taken.
func (pl *planner) draft(k planDemands, packets int, r room, scarce float64) (p *plan, full bool) {
	prices := pl.prices()
	prices.byte = scarce
	chain := newDecisions(k.page, chained, k.handlers, prices, func(demand) float64 { return prices.lost })
	chain.blocks = slices.DeleteFunc(chain.blocks, func(b branch) bool { // a thread would wait for PSP in vain
		return slices.ContainsFunc(k.threads, func(d demand) bool { return b.matches(d.sp) }) ||
			slices.ContainsFunc(k.lower, func(d demand) bool { return b.matches(d.sp) })
	})
	chain.room = room{request: r.request / 4, response: r.response / 3, most: mostChained}
	chain.improve()
	r.request -= r.request/4 - chain.room.request
	for _, b := range chain.list {
		_, runs, words := k.page.transfers(b.set)
		_, response := chain.bytes(runs, words, 2)
		r.response = min(r.response, pl.room(packets).response-response)
	}

	_, handled := chain.total()
	often := newDecisions(k.page, whole, k.threads, prices, func(d demand) float64 { return pl.passed(d, prices) })
	often.after = handled
	often.room = room{request: r.request * 2 / 3, response: r.response, most: mostOften}
	often.improve()
	r.request -= r.request*2/3 - often.room.request

	lower := append(often.left(), k.lower...)
	slices.SortStableFunc(lower, compareDemands)
	rare := newDecisions(k.page, whole, mergedDemands(lower), prices, func(demand) float64 { return prices.lost })
	rare.room = room{request: r.request, response: r.response, most: mostRare}
	rare.improve()

	p = &plan{packets: packets}
	p.list = append(append(often.alternatives(), chain.alternatives()...), rare.alternatives()...)
	for i := range p.list {
		p.list[i].sp = pl.lean() && !p.list[i].exact()
	}
	before := float64(len(often.list)+len(chain.list)) * prices.fail
	taken, all := often.taken()
	late, lateWeight := rare.total()
	first, firstWeight := chain.total()
	p.expected = (taken + late + lateWeight*before + first + firstWeight*float64(len(often.list))*prices.fail) / max(all+firstWeight, 1e-9)
	return p, rare.room.request < fullRoom || often.room.request < fullRoom
}

// fullRoom is how many bytes are left where there is no room, and how many may be
// lost at the end of each packet.
const fullRoom = 128

// passed is about what a demand costs that the frequent alternatives leave to
// the others.
func (pl *planner) passed(d demand, p prices) float64 {
	return 8*p.fail + 20 + 4*float64(len(d.words))
}

// compile makes the packets. The first alternative goes on in the transfer of the
// registers, which saves a command.
func (pl *planner) compile(p *plan) error {
	begin := pl.begin()
	all := []*transfer{begin}
	p.list = append(p.list, pl.rest()...)
	for i, a := range p.list {
		t := pl.steps.alternative(a, i)
		if i == 0 && pl.lean() && a.kind == whole {
			begin.join(t)
			continue
		}
		all = append(all, t)
	}
	all = append(all, pl.steps.guard())
	shareMasks(all)
	packets, err := pack(pl.l, all)
	if err != nil {
		return err
	}
	p.seq = sequenceOf(packets...)
	return p.check(pl.l)
}

// rest are the alternatives of all stack pointers that no other is for, one for
// each sixteenth of the address space with RAM in it: they bring the registers. The
// match must tell them from zero, which is read where the core runs already.
func (pl *planner) rest() (all []alternative) {
	if !pl.lean() {
		return nil
	}
	var regs uint32
	for _, r := range extraRegisters {
		if !slices.Contains(pl.base, r) {
			regs |= 1 << r
		}
	}
	parts := []uint32{0x20000000} // SRAM (ARMv7-M ARM B3.1)
	if len(pl.ram) > 0 {
		parts = parts[:0]
	}
	for _, r := range pl.ram {
		if at := r.Low & restMask; at != 0 && !slices.Contains(parts, at) && len(parts) < mostRest {
			parts = append(parts, at)
		}
	}
	for _, at := range parts {
		all = append(all, alternative{mask: restMask, value: at, rest: true, sp: true, regs: regs})
	}
	return all
}

const (
	restMask = 0xF0000000
	mostRest = 3
)
