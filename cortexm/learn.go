package cortexm

import (
	"slices"

	"github.com/mprof/mprof/snapshot"
)

// lessons decide when to take samples the exact way and when to plan anew.
type lessons struct {
	learned  int // samples since the start
	plans    [wantStacks + 1]course
	stepwise int     // samples to take step by step before the plan is used again
	credit   float64 // of such samples
	words    [2][]uint32
}

// course is how one plan has done.
type course struct {
	learned  int // samples since the start
	since    int // samples since the plan was made
	misses   int // of these, stacks that were not held by a window
	interval int // samples until the next plan
}

// over tells whether it is time for a better plan: the interval is over, or too
// many stacks were cut. A plan is the better the more samples it is made of, so
// they become rare.
func (c *course) over() bool {
	cut := float64(c.misses) / float64(c.since)
	return c.since >= c.interval || c.since >= soonest && c.misses >= fewCut && cut >= mostCut || c.since >= max(soonest, c.learned/32) && cut >= oftenCut
}

func (c *course) restart() {
	c.since, c.misses = 0, 0
	c.interval = min(max(firstReplan, 2*c.interval), lastReplan)
}

const (
	exactLessons = 64   // samples taken the exact way before the first plan,
	mostLessons  = 192  // where the rate allows it
	stackLessons = 100  // samples after one of a stack, for a plan of their own
	firstGuess   = 12   // samples before the first guess
	firstReplan  = 32   // samples after which a plan is made again, doubling
	lastReplan   = 2048 // up to here
	soonest      = 16   // samples between two plans
	relearn      = 32   // samples taken step by step after a stack that no window held
	mostCredit   = 2000 // of such samples in a row,
	creditFull   = 100  // Hz: where samples come no faster; fewer where they do,
	creditRate   = 30   // and a second, likewise
	mostCut      = 0.05 // share of cut stacks from which a plan is made again soon,
	fewCut       = 3    // where there were so many
	oftenCut     = 0.01 // share of cut stacks from which a plan is made again early
)

// Learn tells what unwinding a snapshot needed: for each stack the words
// [Low, High) that the unwinder read or wanted. The next plans read these.
func (s *Sampler) Learn(sp *snapshot.Snapshot, used []Extent) {
	if sp.Miss != snapshot.Taken || s.options.RegistersOnly {
		return
	}
	v, ok := visitOf(sp, used)
	if !ok {
		return
	}
	s.noticePSP(sp)
	_, havePSP := sp.Regs.Value(snapshot.PSP)
	_, haveXPSR := sp.Regs.Value(snapshot.XPSR)
	if s.usesPSP && !havePSP && (inHandler(&sp.Regs) || !haveXPSR && s.wants.handles(v.sp)) {
		v.chained = true
	}
	s.adopt()
	l := &s.lessons
	l.learned++
	c := &l.plans[s.course()]
	c.learned++
	c.since++
	l.credit = min(l.credit+s.perSecond(creditRate)*s.perSecond(creditFull), mostCredit*s.perSecond(creditFull))
	if l.learned == 1 {
		l.credit = mostCredit * s.perSecond(creditFull)
	}
	s.stretch = 0
	w := s.wants.wantOf(sp, v, used, &l.words)
	at, cut := missing(sp, used)
	if cut && sp.State&snapshot.Shortened != 0 {
		v, cut = s.deepened(v), false
		w = s.wants.deeper(w, s.planner.depth)
	}
	if cut {
		c.misses++
		if s.stepped {
			s.stretch = guidedWords
		}
		l.stepwise = min(relearn, int(l.credit))
		if top, ok := s.history.top(at); ok {
			w = s.wants.beyond(w, at, top)
		}
		v = s.reach(v)
	}
	s.history.add(v)
	w.regs = s.extraRegisters(sp)
	s.wants.add(w, s.before)
	switch {
	case l.learned < s.lessonsFirst():
	case s.stepwise() && c.since < c.interval:
	case s.stepwise(), s.plan == nil:
		s.replan()
	case c.over():
		s.better(s.course())
	}
	s.before = s.wants.stackOf(w, s.stretch == 0)
	if s.plans[0] != nil && s.plans[s.before] == nil && s.before > 0 && s.wants.after[s.before-1].total >= stackLessons {
		s.better(s.before)
	}
}

// course is the number of the plan for the next sample: that of the stack of the
// sample before, if there is one.
func (s *Sampler) course() int {
	if s.plans[s.before] == nil {
		return 0
	}
	return s.before
}

// planFor makes the plan for samples that follow one of a stack.
func (s *Sampler) planFor(before int) {
	p, err := s.planner.makeWithin(&s.wants, before)
	if err != nil {
		p = nil
	}
	s.use(before, p)
}

// better begins a better plan.
func (s *Sampler) better(before int) {
	if s.background {
		s.planAside(before)
		return
	}
	s.planFor(before)
}

// use lets the samples that follow one of a stack be taken by p.
func (s *Sampler) use(before int, p *plan) {
	if p != nil {
		s.plans[before] = p
	}
	if s.plans[0] != nil {
		s.plan = s.plans[0]
	}
	s.lessons.plans[before].restart()
}

// extraRegisters are those that unwinding needed of this sample beyond what all
// have, as a set. In a handler xPSR names the exception.
func (s *Sampler) extraRegisters(sp *snapshot.Snapshot) (regs uint32) {
	if s.options.Needs == nil {
		return 0
	}
	at, _ := sp.Regs.Value(snapshot.SP)
	for _, r := range extraRegisters {
		if s.options.Needs(r) && !slices.Contains(s.planner.base, r) {
			regs |= 1 << r
		}
	}
	if (inHandler(&sp.Regs) || s.wants.handles(at)) && !slices.Contains(s.planner.base, snapshot.XPSR) {
		regs |= 1 << snapshot.XPSR
	}
	return regs
}

// lessonsFirst are the samples before the first plan. A guess needs few: where it
// is wrong, nothing is lost but time.
func (s *Sampler) lessonsFirst() int {
	if s.stepwise() {
		return firstGuess
	}
	return int(min(max(exactLessons, mostLessons*s.perSecond(300)), mostLessons))
}

// perSecond is what so many samples a second are of all samples: the slower the
// rate, the more of them can be dear.
func (s *Sampler) perSecond(samples float64) float64 { return min(samples/s.options.Rate, 1) }

// stepwise tells whether samples are always taken step by step.
func (s *Sampler) stepwise() bool {
	return s.options.Exact || !s.limits.execute || s.limits.bytes < leastPacket
}

// leastPacket is the size from which a packet holds registers, a few
// alternatives with their windows, and the guard.
const leastPacket = 200

// relearning tells whether the next sample is taken step by step although there
// is a plan. A stack that no window held is not seen whole while the plan is wrong
// about it, and a plan made of a wrong belief stays wrong: a task that first ran
// when the first lessons were over would be cut for ever. The samples that follow
// a cut one find the same task, mostly, and show where its stack ends.
func (s *Sampler) relearning() bool {
	if s.lessons.stepwise == 0 || s.oneGo {
		return false
	}
	s.lessons.stepwise--
	s.lessons.credit--
	return true
}

// replan makes a plan of what was learned, or a better guess where samples are
// taken step by step.
func (s *Sampler) replan() {
	switch {
	case s.options.RegistersOnly:
		if p, err := s.planner.bare(); err == nil {
			s.plan = p
		}
	case s.lessons.learned < s.lessonsFirst():
		s.opening = nil
		return
	case s.stepwise():
		g := s.planner.guess(&s.history)
		if o, err := s.planner.open(s.planner.regs, g); err == nil {
			s.opening = o
		}
		if s.planner.placeholder() > 0 {
			late := s.planner.late()
			if o, err := late.open(late.regs, late.guess(&s.history)); err == nil {
				s.spare = o
			}
		}
	default:
		s.aside = nil // it is made of what no longer holds
		for i := range s.plans {
			if i == 0 || s.plans[i] != nil {
				s.planFor(i)
			}
		}
		return
	}
	s.lessons.plans[0].restart()
}

// reachBytes is how much further a stack is believed to reach when a window was
// too short and nothing else is known: a frame or two.
const reachBytes = 32

// nearBytes is the same where a stack is known to end somewhere above.
const nearBytes = 256

// reach corrects a visit whose unwinding ended where the window did: how far it
// really reaches is not known. What was believed of the stack was wrong, if it
// said less; otherwise it is the better guess.
func (s *Sampler) reach(v visit) visit {
	further := func(sp, high uint32) uint32 {
		if high <= sp {
			return high
		}
		s.history.forget(sp, high)
		if top, ok := s.history.top(sp); ok && top > high {
			// The stack that ends there may be another one, above: ask for no more
			// than a window holds, which shows it.
			near := min(top, high+nearBytes)
			v.guessed = v.guessed || near < top
			return near
		}
		v.guessed = true
		return Extent{sp, high + reachBytes}.clamp(s.options.RAM).High
	}
	v.high = further(v.sp, v.high)
	if v.chained {
		v.pspHigh = further(v.psp, v.pspHigh)
	}
	return v
}

// visitOf brings what was used together with the stack pointers.
func visitOf(sp *snapshot.Snapshot, used []Extent) (visit, bool) {
	at, ok := sp.Regs.Value(snapshot.SP)
	if !ok {
		return visit{}, false
	}
	v := visit{sp: at &^ 3, high: at &^ 3}
	psp, havePSP := sp.Regs.Value(snapshot.PSP)
	psp &^= 3
	other := inHandler(&sp.Regs) && havePSP && psp != v.sp
	for _, u := range used {
		if u.High <= u.Low {
			continue
		}
		if other && nearer(u, psp, v.sp) {
			v.chained, v.psp, v.pspHigh = true, psp, max(v.pspHigh, u.High)
			continue
		}
		v.high = max(v.high, u.High)
	}
	return v, true
}

// noticePSP learns whether threads run on the process stack: then a handler,
// which always runs on the main stack, has one of theirs below it.
func (s *Sampler) noticePSP(sp *snapshot.Snapshot) {
	at, _ := sp.Regs.Value(snapshot.SP)
	msp, haveMSP := sp.Regs.Value(snapshot.MSP)
	psp, havePSP := sp.Regs.Value(snapshot.PSP)
	if haveMSP && havePSP && !inHandler(&sp.Regs) && psp&^3 == at&^3 && psp != msp {
		s.usesPSP = true
	}
}

// nearer tells whether an extent belongs to the stack at a rather than to the
// one at b: it begins above the one stack pointer that is next below.
func nearer(u Extent, a, b uint32) bool {
	if u.Low < a {
		return false
	}
	return u.Low < b || a > b
}

// missing is the first word of used that the snapshot does not hold.
func missing(sp *snapshot.Snapshot, used []Extent) (addr uint32, ok bool) {
	for _, u := range used {
		for a := u.Low &^ 3; a < u.High; a += 4 {
			if _, ok := sp.Word(a); !ok {
				return a, true
			}
		}
	}
	return 0, false
}
