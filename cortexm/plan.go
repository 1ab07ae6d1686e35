package cortexm

import (
	"fmt"

	"github.com/mprof/mprof/snapshot"
)

const regPSP = snapshot.PSP

// plan is the transaction of a sample with its alternatives.
type plan struct {
	list      []alternative
	transfers []*transfer
	seq       *sequence
	expected  float64 // SWD transfers from the first alternative to the resume, mean over what was learned
}

// mostAlternatives bounds the list: each one that fails costs 2 transfers.
const mostAlternatives = 12

// planner makes plans for one probe.
type planner struct {
	l     limits
	steps steps
	costs Costs
	regs  []snapshot.Reg
	main  []Extent // stacks known before anything was learned
}

// prices in SWD transfers. Where the probe has no DAP_ExecuteCommands, an
// alternative that fails costs a packet.
func (pl *planner) prices() prices {
	p := prices{fail: 2, lost: lostStack}
	if pl.costs.Transfer > 0 {
		p.fail += float64(pl.costs.Command) / float64(pl.costs.Transfer)
		if !pl.l.execute {
			p.fail += float64(pl.costs.Packet) / float64(pl.costs.Transfer)
		}
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

// room is what begin and the guard leave of a packet, when every alternative
// but the one that is taken answers with the 3 bytes of a failed match.
func (pl *planner) room() room {
	r := room{request: pl.l.bytes, response: pl.l.bytes, most: mostAlternatives}
	head := 2
	if !pl.l.execute { // every transfer is a packet of its own
		r.request, head = 1<<20, 0
	} else {
		for _, t := range []*transfer{pl.begin(), pl.steps.guard()} {
			q, a := t.bytes()
			r.request, r.response = r.request-q, r.response-a
		}
		r.response -= 3 * mostAlternatives
	}
	r.request, r.response = r.request-head, r.response-head
	return r
}

// words is the largest window: the words that fit a response and a request.
func (r room) words() int {
	const overhead = 3 + 5 + 5 + 5 + 5 + 5 + 5 // of the request: header, mask, match, SELECT, two TAR, DRW
	return max(0, min((r.response-3-4)/4, r.request-overhead))
}

// make lays out the cheapest list of alternatives for what h remembers: first
// those for threads; where handlers interrupt threads that have stacks of their
// own, one for the handlers' stack and those for the threads under it.
func (pl *planner) make(h *history) (*plan, error) {
	all := pl.room()
	r, handlers := all, h.handlers()
	if len(handlers) > 0 {
		r.request, r.most = all.request*2/3, all.most*2/3
	}
	d := newDecisions(withUnseen(h.threads(), pl.main), pl.prices())
	d.improve(candidates(d.keys, r.words(), pl.measure), &r)
	p := &plan{list: d.list, expected: d.expected()}
	if len(handlers) > 0 {
		for _, a := range d.list {
			q, _ := pl.measure(a)
			all.request -= q
		}
		all.most -= len(d.list)
		p.list = append(p.list, pl.chain(h, handlers, all)...)
	}
	return p, pl.compile(p)
}

func (pl *planner) measure(a alternative) (request, response int) {
	return pl.steps.alternative(a, 0).bytes()
}

// chain are the alternatives for samples that need two windows: one that reads
// a handler's stack and PSP, which stays in DCRDR, and those that PSP is
// compared with then.
func (pl *planner) chain(h *history, handlers []key, r room) []alternative {
	d := newDecisions(withUnseen(handlers, nil), pl.prices())
	outer := candidates(d.keys, min(r.words()/2, handlerWords), pl.measure)
	for i := range outer {
		outer[i].chain = true
		outer[i].request, outer[i].response = pl.measure(outer[i].alternative)
	}
	one := r
	one.most = 1
	d.improve(outer, &one)
	if len(d.list) == 0 {
		return nil
	}
	request, response := pl.measure(d.list[0])
	r.request, r.response, r.most = r.request-request, r.response-response, r.most-1
	threads := newDecisions(withUnseen(append(h.interrupted(), h.threads()...), nil), pl.prices())
	threads.improve(candidates(threads.keys, r.words(), pl.measure), &r)
	return append(d.list, threads.list...)
}

// handlerWords bounds the window of a handler's stack, so that the thread's
// fits behind it.
const handlerWords = 48

// compile makes the packets: one, or one for each transfer where the probe
// cannot hold several.
func (pl *planner) compile(p *plan) (err error) {
	p.transfers = []*transfer{pl.begin()}
	for i, a := range p.list {
		p.transfers = append(p.transfers, pl.steps.alternative(a, i))
	}
	p.transfers = append(p.transfers, pl.steps.guard())
	if !pl.l.execute {
		p.seq, err = newSequence(pl.l, p.transfers)
		return err
	}
	q := &packet{transfers: p.transfers, execute: true}
	q.encode()
	if len(q.raw) > pl.l.bytes {
		return fmt.Errorf("cortexm: %d alternatives take %d bytes, the packet has %d", len(p.list), len(q.raw), pl.l.bytes)
	}
	p.seq = sequenceOf(q)
	return nil
}
