package cortexm

import (
	"context"
	"slices"
	"time"

	"github.com/mprof/mprof/snapshot"
)

// guided takes a sample in steps: halt and registers, then, when the host knows
// the stack pointers, the stacks and the resume. While the registers travel to
// the host and its answer to the probe, the probe works on a guess: windows that
// are likely to be wanted. What the guess brought is not read again, and where
// it held the whole stack it has resumed the core.
//
// It is the way of probes with small packets, where the round trip is the
// smaller loss, and the teacher of the plans of the others. No stack is cut. But
// between the steps the resume hangs on the host.
type guided struct {
	pl      *planner
	choose  func(sp uint32) Extent // the stack to read for a stack pointer
	inRAM   func(addr uint32) bool
	psp     bool   // threads have stacks of their own, on PSP
	guess   *guess // nil: none
	capture *capture

	clock Clock
	heard time.Duration // when the response with the halt was there
	delay time.Duration // that the probe waits before the halt
	trace frames
	reply time.Duration // from a decision until the probe works on it, of the slow ones
	asked time.Duration // when that was decided
	late  time.Duration // how long it took this time
	first int           // of the packets that the last decision has sent; 0: none

	sent    []*packet       // in order
	handed  []time.Duration // when each was
	step    step
	left    int // responses until the step is complete
	windows []Extent
}

type step uint8

const (
	halting step = iota // the registers are under way
	asking              // PSP is under way
	reading             // the windows, the resume and the guard are under way
)

// opening are the packets that a sample starts with: registers and guess. They
// are the same from sample to sample.
type opening struct {
	packets []*packet
	known   int // packets until the registers are known
	guess   *guess
}

// open lays out the registers and a guess, which may be nil.
func (pl *planner) open(regs []snapshot.Reg, g *guess) (*opening, error) {
	all, last, ok := pl.openEarly(g)
	if !ok {
		all = pl.halting(regs)
		last = all[len(all)-1]
		if g != nil {
			all = append(all, pl.hoist(last, g.transfers(pl))...)
		}
	}
	o := &opening{guess: g}
	var err error
	if o.packets, err = pack(pl.l, all); err != nil {
		return nil, err
	}
	for i, p := range o.packets {
		if slices.Contains(p.transfers, last) {
			o.known = i + 1
		}
	}
	return o, nil
}

// hoist writes the first mask of the guess where the registers' packet has room
// for it, and drops those that repeat.
func (pl *planner) hoist(last *transfer, guess []*transfer) []*transfer {
	if mask, ok := guess[0].masked(); ok && pl.fits(last, 5, 0) {
		last.mask(mask)
		guess[0].reqs = guess[0].reqs[1:]
		shareMasks(append([]*transfer{last}, guess...))
		return guess
	}
	shareMasks(guess)
	return guess
}

// begin are the packets to start with.
func (g *guided) begin(o *opening) [][]byte {
	g.left = o.known
	o.wait(g.delay)
	if g.guess = o.guess; g.guess != nil {
		g.capture.list = g.guess.list
	}
	return g.send(o.packets)
}

// send notes packets as sent and returns their bytes.
func (g *guided) send(packets []*packet) (requests [][]byte) {
	for _, p := range packets {
		p.forget()
		requests = append(requests, p.raw)
		g.handed = append(g.handed, g.clock.Now())
	}
	g.sent = append(g.sent, packets...)
	return requests
}

// hear takes the response to packet i and says what follows. The error means
// that it is no response to the packet.
func (g *guided) hear(i int, response []byte) ([][]byte, error) {
	p := g.sent[i]
	err := p.parse(response)
	if i > 0 {
		g.capture.meter.nextPacket()
	}
	before := g.capture.meter
	g.capture.collect(p.transfers)
	if i == g.first && g.first > 0 {
		g.late = g.clock.Now() - g.asked - time.Duration(g.capture.meter.total-before.total)*g.pl.costs.Transfer
	}
	if g.pl.slotted() {
		g.retrace(i, before)
	} else {
		g.bracket(i, before)
	}
	if g.step == reading || err == nil && i+1 < g.left {
		return nil, err
	}
	if err != nil || g.capture.miss != snapshot.Taken {
		return g.finish(nil), err // let it run
	}
	return g.decide(), nil
}

// bracket measures how long the core stood still between two responses: that
// with the halt and that with the resume. The time between them is that between the
// ends of their packets; what is missing or too much by that is counted.
func (g *guided) bracket(i int, before meter) {
	m, c := &g.capture.meter, g.pl.costs
	now := g.clock.Now()
	counted := time.Duration(m.transfers-before.transfers)*c.Transfer + time.Duration(m.commands-before.commands)*c.Command
	outside := time.Duration(m.total-before.total)*c.Transfer - time.Duration(m.transfers-before.transfers)*c.Transfer
	switch {
	case m.halted && !before.halted:
		g.heard = now
		g.capture.heard, g.capture.halted = now, counted+g.overdue(i, now)
	case m.over && !before.over:
		g.capture.halted += now - g.heard - outside
	}
}

// overdue is how much later than it should a response was heard: on its way it was held up, or this machine stood still.
// What is no more than the host's usual haste is none: request and response have as much of it.
func (g *guided) overdue(i int, now time.Duration) time.Duration {
	c := g.pl.costs
	late := now - g.handed[i] - c.RoundTrip - time.Duration(g.capture.meter.total)*c.Transfer
	if late < hasteLeast+hasteMost*c.RoundTrip {
		return 0
	}
	return late
}

const (
	hasteLeast = 2 * time.Millisecond
	hasteMost  = 4 // round trips
)

// retrace is the same where packets come at fixed times.
func (g *guided) retrace(i int, before meter) {
	m, c := &g.capture.meter, g.pl.costs
	l := load{handed: g.handed[i], heard: g.clock.Now()}
	l.work = time.Duration(m.total-before.total)*c.Transfer + time.Duration(len(g.sent[i].transfers))*c.Command
	if d := g.sent[i].transfers[0].delay; d > 0 {
		l.delay = time.Duration(d) * time.Microsecond
	}
	if m.halted && !before.halted {
		l.halt = time.Duration(m.lead-before.total)*c.Transfer + c.Command
	}
	if m.over && !before.over {
		l.resume = time.Duration(m.finish-before.total)*c.Transfer + time.Duration(max(1, m.commands-before.commands))*c.Command
	}
	g.trace.add(l)
	if l.halt > 0 {
		g.capture.at, g.capture.heard = g.trace.halt, l.heard
	}
	if l.resume > 0 {
		g.capture.halted = max(0, g.trace.resume-g.trace.halt)
	}
}

// decide sends what is still missing when a step is complete.
func (g *guided) decide() [][]byte {
	regs := &g.capture.regs
	sp, _ := regs.Value(snapshot.SP)
	psp, havePSP := regs.Value(snapshot.PSP)
	if g.step == halting && !havePSP && g.psp && inHandler(regs) && g.mayAsk() {
		g.step = asking
		packets, err := pack(g.pl.l, g.pl.asking())
		if err != nil {
			return g.finish(nil)
		}
		g.left = len(g.sent) + len(packets)
		return g.send(packets)
	}
	g.windows = append(g.windows, g.choose(sp))
	if havePSP && inHandler(regs) && psp&^3 != sp&^3 && g.inRAM(psp) {
		g.windows = append(g.windows, g.choose(psp))
	}
	missing := g.missing(sp)
	if missing != nil {
		missing = g.allow(missing)
	}
	return g.finish(missing)
}

// missing are the windows without what the guess brings. The host knows which
// of its alternatives the probe takes: the stack pointer decides it.
func (g *guided) missing(sp uint32) []Extent {
	if g.guess == nil || g.step != halting {
		return g.windows
	}
	a := g.guess.taken(sp)
	if a == nil {
		return g.windows
	}
	held := Extent{a.low, a.high}
	if a.kind == whole {
		return nil
	}
	out := []Extent{}
	for _, w := range g.windows {
		out = append(out, w.without(held)...)
	}
	return out
}

// finish sends the windows, the resume and the guard; for nil the guard alone.
func (g *guided) finish(windows []Extent) [][]byte {
	g.step = reading
	g.first, g.asked = len(g.sent), g.clock.Now()
	last := []*transfer{g.pl.steps.guard()}
	if windows != nil {
		last = append(g.pl.reading(windows), last...)
	}
	packets, err := pack(g.pl.l, last)
	if err != nil {
		packets, _ = pack(g.pl.l, last[len(last)-1:])
	}
	return g.send(packets)
}

// guided runs the steps.
func (s *Sampler) guided(ctx context.Context, c *capture) error {
	o, delay := s.opening, s.frameWait()
	if s.spare != nil && delay > s.planner.slack() {
		o = s.spare
	}
	if o == nil {
		var err error
		regs := s.learningRegisters()
		if s.plan != nil {
			regs = s.planner.regs
		}
		if o, err = s.planner.open(regs, nil); err != nil {
			return err
		}
	}
	g := &guided{pl: &s.planner, capture: c, choose: s.stackAt, inRAM: s.inRAM, psp: s.usesPSP, clock: s.clock, delay: delay, trace: frames{costs: s.core.costs}, reply: s.reply}
	var broken error
	err := s.core.p.Converse(ctx, g.begin(o), func(i int, response []byte) ([][]byte, int) {
		more, err := g.hear(i, response)
		if broken == nil {
			broken = err
		}
		return more, min(len(more)-1, s.planner.inFlight/2) // the guard can come later
	})
	s.reply = max(g.late, s.reply-(s.reply-g.late)/replyMemory)
	s.core.p.Invalidate()
	if err == nil {
		err = broken
	}
	if err == nil && c.miss == snapshot.Taken && g.incomplete() {
		c.fail(g.refused())
	}
	return err
}

// learningRegisters tell which stack pointers the program uses, too.
func (s *Sampler) learningRegisters() []snapshot.Reg {
	return append([]snapshot.Reg{snapshot.MSP, snapshot.PSP, snapshot.CONTROL}, s.planner.regs...)
}

// guidedWords is how much stack is read where it is not known how far it
// reaches.
const guidedWords = 128

// stackAt reaches from sp to the end of its stack as far as it is known.
func (s *Sampler) stackAt(sp uint32) Extent {
	sp &^= 3
	w := Extent{sp, sp + 4*guidedWords}
	if w.High < sp {
		w.High = ^uint32(3)
	}
	if top, ok := s.history.top(sp); ok {
		w.High = top
	}
	for _, top := range s.options.StackTops {
		if top > sp && top < w.High {
			w.High = top
		}
	}
	if s.stretch > 0 {
		w.High = max(w.High, sp+4*(guidedWords+s.stretch))
	}
	return w.clamp(s.options.RAM)
}

func (s *Sampler) inRAM(addr uint32) bool {
	if len(s.options.RAM) == 0 {
		return addr != 0
	}
	for _, r := range s.options.RAM {
		if r.contains(addr) {
			return true
		}
	}
	return false
}

// inHandler tells whether an exception was active: IPSR, xPSR[8:0].
func inHandler(regs *snapshot.Registers) bool {
	xpsr, ok := regs.Value(snapshot.XPSR)
	return ok && xpsr&0x1FF != 0
}
