package cortexm

import (
	"github.com/mprof/mprof/snapshot"
)

// lessons decide when to take samples the exact way and when to plan anew.
type lessons struct {
	learned  int // samples since the start
	since    int // samples since the plan was made
	misses   int // of these, stacks that were not held by a window
	interval int // samples until the next plan
	stepwise int // samples to take step by step before the plan is used again
}

const (
	exactLessons = 64   // samples taken the exact way before the first plan
	firstGuess   = 12   // samples before the first guess
	firstReplan  = 32   // samples after which a plan is made again, doubling
	lastReplan   = 2048 // up to here
	soonest      = 16   // samples between two plans
	relearn      = 8    // samples taken step by step after a stack that no window held
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
	if _, havePSP := sp.Regs.Value(snapshot.PSP); s.usesPSP && !havePSP && inHandler(&sp.Regs) {
		v.chained = true
	}
	l := &s.lessons
	l.learned++
	l.since++
	s.stretch = 0
	for _, u := range used {
		if !captured(sp, u) {
			if sp.State&snapshot.Shortened != 0 {
				v = s.deepened(v)
				break
			}
			l.misses++
			s.stretch = guidedWords
			l.stepwise = relearn
			v = s.reach(v)
			break
		}
	}
	s.history.add(v)
	switch {
	case l.learned < s.lessonsFirst():
	case l.interval == 0, l.misses > 0 && l.since >= soonest && !s.stepwise(), l.since >= l.interval:
		s.replan()
	}
}

// lessonsFirst are the samples before the first plan. A guess needs few: where it
// is wrong, nothing is lost but time.
func (s *Sampler) lessonsFirst() int {
	if s.stepwise() {
		return firstGuess
	}
	return exactLessons
}

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
		if p, err := s.planner.makeWithin(&s.history); err == nil {
			s.plan = p
		}
	}
	s.lessons.since, s.lessons.misses = 0, 0
	s.lessons.interval = min(max(firstReplan, 2*s.lessons.interval), lastReplan)
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

// captured tells whether the snapshot holds all of u.
func captured(sp *snapshot.Snapshot, u Extent) bool {
	for a := u.Low &^ 3; a < u.High; a += 4 {
		if _, ok := sp.Word(a); !ok {
			return false
		}
	}
	return true
}
