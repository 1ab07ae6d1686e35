package cortexm

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/snapshot"
)

func testPlanner(packet, inFlight int) *planner {
	return &planner{
		l:     limits{bytes: packet - 1, execute: true, clock: true},
		steps: steps{data: 0x10, clock: true},
		costs: Costs{Transfer: 5600 * time.Nanosecond, Command: 2 * time.Microsecond, RoundTrip: 110 * time.Microsecond, Packet: 9 * time.Microsecond},
		regs:  sampleRegisters(defaultRegisters), base: sampleRegisters(defaultRegisters), interval: 10 * time.Millisecond, ram: []Range{{0x20000000, 0x20010000}}, inFlight: inFlight,
	}
}

// randomHistory is a program with a few task stacks and a handler stack.
func randomHistory(r *rand.Rand) *history {
	h := &history{}
	tops := []uint32{0x20010000}
	for at := uint32(0x20001000); len(tops) < 2+r.IntN(4); at += 0x400 + 0x100*uint32(r.IntN(6)) {
		tops = append(tops, at+8*uint32(r.IntN(8)))
	}
	depth := func() uint32 { return 8 * uint32(1+r.IntN(1+r.IntN(60))) }
	for range 50 + r.IntN(500) {
		top := tops[r.IntN(len(tops))]
		v := visit{sp: top - depth(), high: top}
		if r.IntN(10) == 0 {
			v.chained, v.psp, v.pspHigh = true, v.sp-32, v.high
			v.sp, v.high = 0x20000800-depth()%64, 0x20000800
		}
		h.add(v)
	}
	return h
}

// randomWants is what the same program wants of a plan: the words of its frames,
// one in four.
func randomWants(r *rand.Rand) *wants {
	h := &wants{}
	words := func(low, high uint32) *need {
		var all []uint32
		for a := high - 4; a >= low; a -= 16 {
			all = append(all, a)
		}
		slices.Reverse(all)
		return h.set(all)
	}
	for v, n := range randomHistory(r).weight {
		w := want{sp: v.sp, words: words(v.sp, v.high), chained: v.chained}
		if v.chained {
			w.psp, w.more, w.regs = v.psp, words(v.psp, v.pspHigh), 1<<snapshot.XPSR
		}
		for range int(n) {
			h.add(w, 0)
		}
	}
	return h
}

// follow is what the probe does with a plan: the words that it has read when it
// resumes, and the registers beyond those of every sample.
func (p *plan) follow(w want) (read []Extent, regs uint32) {
	dcrdr := w.sp
	for _, a := range p.list {
		if !a.matches(dcrdr) {
			continue
		}
		read, regs = append(read, a.runs...), regs|a.regs
		if a.kind != chained {
			return read, regs
		}
		dcrdr = w.psp
	}
	return read, regs
}

func holds(read []Extent, n *need) bool {
	return n == nil || !slices.ContainsFunc(n.words, func(a uint32) bool {
		return !slices.ContainsFunc(read, func(e Extent) bool { return e.contains(a) })
	})
}

// Whatever was learned, a plan fits its packets on every way through it, reads
// no memory beyond the RAM, and holds the stacks that made it.
func TestPlansFitAndHold(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 20 {
		h := randomWants(r)
		pl := testPlanner(512, 1+r.IntN(4))
		pl.main = []Extent{{0x20000700, 0x20000800}} // the initial stack, which is left to the handlers
		pl.sparing, pl.steps.swift = i%2 == 0, i%3 == 0
		p, err := pl.make(h, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.check(pl.l); err != nil {
			t.Error(err)
		}
		weight, held := 0.0, 0.0
		for w, n := range h.weight {
			read, regs := p.follow(w)
			weight += n
			if holds(read, w.words) && holds(read, w.more) && w.regs&^regs == 0 {
				held += n
			}
		}
		least := 0.5 // one packet has no room for every stack
		if pl.inFlight >= 3 {
			least = 0.98
		}
		if held < least*weight {
			t.Errorf("%d packets in flight: %.0f of %.0f samples held", pl.inFlight, held, weight)
		}
		last := p.seq.packets[len(p.seq.packets)-1].transfers
		if last[len(last)-1].role != roleGuard {
			t.Error("the guard is not the last")
		}
		for _, a := range p.list {
			for _, e := range a.runs {
				if e.High > 0x20010000 || e.Low < 0x20000000 || e.Low >= e.High {
					t.Errorf("[%08x,%08x) leaves the RAM", e.Low, e.High)
				}
			}
		}
	}
}

// The blocks of one plan never let two windows be read for one stack pointer,
// because a window ends with SELECT away from DCRDR.
func TestWindowsLeaveTheBank(t *testing.T) {
	s := steps{data: 0x10}
	for _, a := range []alternative{
		{mask: ^uint32(7), value: 0x20000100, low: 0x20000100, high: 0x20000140},
		{mask: ^uint32(7), value: 0x20000100, runs: []Extent{{0x20000110, 0x20000114}, {0x20000140, 0x20000148}}, regs: 1 << snapshot.XPSR, sp: true},
		{mask: ^uint32(7), value: 0x20000100},
		{kind: selected, mask: ^uint32(7), value: 0x20000100, low: 0x20000100, tail: 0x20000120, end: 0x20000160, high: 0x20000170},
	} {
		bank := uint32(0x10)
		for _, q := range s.alternative(a, 0).reqs {
			if q.Op == probe.WriteSELECT {
				bank = q.Data
			}
		}
		if bank != 0 {
			t.Errorf("%+v leaves SELECT at 0x%02x", a, bank)
		}
	}
}

// The price that the planner counts with is what the probe does, by the meter.
func TestPricesAreWhatTheProbeDoes(t *testing.T) {
	pg := &page{addrs: []uint32{0x20000110, 0x20000114, 0x2000011C, 0x20000130, 0x200003FC, 0x20000400}}
	set := pg.set(pg.addrs)
	for _, swift := range []bool{false, true} {
		s := steps{data: 0x10, swift: swift}
		a := alternative{mask: ^uint32(3), value: 0x20000100, runs: pg.extents(set), regs: 1 << snapshot.XPSR}
		tr := s.alternative(a, 0)
		tr.answer = probe.Answer{Ack: probe.OK, Count: len(tr.reqs)}
		m := meter{halted: true}
		m.add(tr)
		pr := prices{reg: 4}
		if swift {
			pr.reg = 3
		}
		d := &decisions{p: pr, page: pg, kind: whole}
		transfers, runs, words := pg.transfers(set)
		request, response := tr.bytes()
		if want := d.fixed(runs, transfers, 1); float64(m.transfers) != want {
			t.Errorf("swift %v: %d SWD transfers, priced %.0f", swift, m.transfers, want)
		}
		if q, r := d.bytes(runs, words, 1); request > q || response > r {
			t.Errorf("swift %v: %d+%d bytes, counted %d+%d", swift, request, response, q, r)
		}
	}
}

func TestGuessesFit(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		h := randomHistory(r)
		for _, c := range []Costs{
			{Transfer: 8 * time.Microsecond, Command: 5 * time.Microsecond, RoundTrip: 320 * time.Microsecond, Packet: 60 * time.Microsecond},
			{Transfer: 23 * time.Microsecond, RoundTrip: 2 * time.Millisecond, Packet: time.Millisecond},
		} {
			for _, execute := range []bool{true, false} {
				pl := testPlanner(64, 4)
				pl.costs, pl.l.execute, pl.l.delay = c, execute, execute
				g := pl.guess(h)
				o, err := pl.open(pl.regs, g)
				if err != nil {
					t.Fatal(err)
				}
				if len(o.packets) > pl.inFlight {
					t.Errorf("%d packets, the probe buffers %d", len(o.packets), pl.inFlight)
				}
				for _, p := range o.packets {
					if !p.fits(pl.l) {
						t.Errorf("a packet of %d bytes, response %d", len(p.raw), longestResponse(p))
					}
				}
			}
		}
	}
}

// The list is not much worse than the best of all lists of two, for a few demands
// where they can all be tried.
func TestDecisionsAreNearlyBest(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	pr := prices{fail: 2.4, lost: 800, reg: 3}
	for range 40 {
		var all []demand
		for i := range 5 {
			sp := 0x20000800 + 0x40*uint32(i) + 8*uint32(r.IntN(8))
			d := demand{sp: sp, weight: float64(1 + r.IntN(50))}
			for a := uint32(0x20000A00 - 4); a > sp; a -= 8 * uint32(1+r.IntN(8)) {
				d.words = append(d.words, a)
			}
			slices.Reverse(d.words)
			all = append(all, d)
		}
		pg := newPage(all)
		fresh := func() *decisions {
			d := newDecisions(pg, whole, all, pr, func(demand) float64 { return pr.lost })
			d.room = room{request: 1000, response: 400, most: 2}
			return d
		}
		d := fresh()
		d.improve()
		got, _ := d.total()
		best := got
		for i := range d.blocks {
			for j := range d.blocks {
				e := fresh()
				for _, k := range []int{i, j} {
					b := e.blocks[k]
					e.weigh()
					if p, ok := e.place(&b); ok && e.choose(&b) {
						e.insert(b, p)
						e.tighten()
					}
				}
				sum, _ := e.total()
				best = min(best, sum)
			}
		}
		if got > best*1.25 {
			t.Errorf("%v: price %.0f, the best is %.0f", all, got, best)
		}
	}
}

func TestHistoryTop(t *testing.T) {
	h := &history{}
	h.add(visit{sp: 0x20001000, high: 0x20001200})
	h.add(visit{sp: 0x200011F0, high: 0x20001200})
	h.add(visit{sp: 0x20001300, high: 0x20001400})
	for _, c := range []struct {
		sp, top uint32
		ok      bool
	}{{0x20001100, 0x20001200, true}, {0x20000F00, 0x20001200, true}, {0x20001380, 0x20001400, true}, {0x20001280, 0x20001400, true}, {0x20002000, 0, false}} {
		if top, ok := h.top(c.sp); top != c.top || ok != c.ok {
			t.Errorf("top of 0x%08x: 0x%08x %v, want 0x%08x %v", c.sp, top, ok, c.top, c.ok)
		}
	}
	// An unwind that stopped early is found out when the window was too short.
	h.add(visit{sp: 0x20003000, high: 0x20003010})
	h.forget(0x20003000, 0x20003014)
	if _, ok := h.top(0x20003000); ok {
		t.Error("the wrong top is still believed")
	}
	h.add(visit{sp: 0x20003000, high: 0x20003080, guessed: true})
	h.add(visit{sp: 0x20003020, high: 0x20003040})
	if top, _ := h.top(0x20003000); top != 0x20003040 {
		t.Errorf("top 0x%08x: a belief outlives what was seen", top)
	}
}

func TestHistogram(t *testing.T) {
	var h histogram
	for i := range 10001 {
		h.add(time.Duration(i) * time.Microsecond)
	}
	for _, q := range []float64{0.01, 0.5, 0.99} {
		want := time.Duration(q * 1e7)
		if got := h.quantile(q); got < want*98/100 || got > want*102/100 {
			t.Errorf("quantile %g: %v, want %v", q, got, want)
		}
	}
	if h.quantile(1) != 10*time.Millisecond || h.n != 10001 {
		t.Errorf("most %v of %d", h.quantile(1), h.n)
	}
}

func TestRegistersEndWithSP(t *testing.T) {
	regs := sampleRegisters(defaultRegisters, []snapshot.Reg{snapshot.R4, snapshot.SP, snapshot.R4, snapshot.PC})
	want := []snapshot.Reg{snapshot.PC, snapshot.LR, snapshot.XPSR, snapshot.R7, snapshot.R4, snapshot.SP}
	if !slices.Equal(regs, want) {
		t.Errorf("%v, want %v", regs, want)
	}
}

// BenchmarkPlan lays out one plan, which Learn does between two samples: seldom,
// and the more seldom the longer the run.
func BenchmarkPlan(b *testing.B) {
	h := randomWants(rand.New(rand.NewPCG(1, 2)))
	pl := testPlanner(512, 4)
	pl.sparing, pl.steps.swift = true, true
	b.ReportAllocs()
	for b.Loop() {
		if _, err := pl.make(h, 0); err != nil {
			b.Fatal(err)
		}
	}
}
