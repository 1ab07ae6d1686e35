// Package schedule says when to take samples. In: the rate that was asked for, the
// share of time that the target may stand halted, what each sample took. Out: the
// moment of the next one, at random; the clock that a run goes by, and how long to wait for an answer.
package schedule

import (
	"math/rand/v2"
	"time"
)

// Schedule says when samples are due. What is drawn is the time that the target
// runs between two samples: uniform in [0.5, 1.5] of its mean (less where the probe
// cannot follow), so that no loop of the program keeps step with it, and the same
// whatever the program does. Were it the time from halt to halt, the target would
// run less after a sample that took long, one of a deep stack, and the number of
// samples of a function would say less of its time the more the samples cost. The
// mean is such that samples come at the rate that was asked for, as far as the
// probe can follow and the budget allows.
type Schedule struct {
	period time.Duration
	budget budget
	rand   *rand.Rand
	due    time.Duration // of the sample before
	drawn  time.Duration // for it
	extra  float64       // mean of what an interval takes beyond what was drawn, ns
	busy   float64       // how long after a resume the next sample could be asked for, ns: of the slow ones
	taken  float64
	late   uint64 // samples that were due before they could be asked for
}

// New begins a schedule: rate is in Hz, seed is that of the jitter, start the time
// of the run's clock. Without Limit there is no budget.
func New(rate float64, seed int64, start time.Duration) Schedule {
	return Schedule{
		period: time.Duration(float64(time.Second) / rate),
		rand:   rand.New(rand.NewPCG(uint64(seed), 0x6d70726f66)),
		due:    start,
	}
}

// Limit keeps the share of time that the core stands halted, 0 (no limit) to 1.
// cost is what a sample is expected to take before one was taken.
func (s *Schedule) Limit(share float64, cost time.Duration) {
	s.budget = newBudget(share, cost, s.due)
}

// Spend notes a halt that was over at now.
func (s *Schedule) Spend(now, halted time.Duration) { s.budget.spend(now, halted) }

// Period is the mean interval that was asked for.
func (s *Schedule) Period() time.Duration { return s.period }

// Drawn is how long the target was to run before the sample that is due.
func (s *Schedule) Drawn() time.Duration { return s.drawn }

// Skip begins anew after time in which no sample was due.
func (s *Schedule) Skip(now time.Duration) { s.due = now }

// Late counts the samples that were due before they could be asked for.
func (s *Schedule) Late() uint64 { return s.late }

// Delayed counts the samples that came later to stay within the limit.
func (s *Schedule) Delayed() uint64 { return s.budget.delayed }

// GapLeast is the least time without samples that is none of a sample's own: the
// host slept, or the process was stopped.
const GapLeast = time.Second

const (
	// The mean is taken over all samples, or the last so many. A short memory
	// would follow the phases of the program: more samples for the time of the
	// costly ones.
	extraLeast  = 32.0
	extraMost   = 65536.0
	leastShare  = 0.1 // of the period that the target runs at least, on average
	leastJitter = 0.2 // of the mean, up and down
	busyMemory  = 512 // samples
)

// Next is the time of the next sample: resumed is when the target was let go
// after the one before. What was missed is not made up for: a burst of samples
// would be no random choice of moments.
func (s *Schedule) Next(resumed, now time.Duration) time.Duration {
	period := max(float64(s.period), s.budget.period())
	mean := max(period-s.extra, leastShare*period)
	low := s.lowest(mean, float64(now-resumed))
	wait := s.budget.wait(resumed)
	if period > float64(s.period) || wait > low {
		s.budget.delayed++
	}
	if wait > low {
		low, mean = wait, max(mean, wait/(1-leastJitter))
	}
	s.drawn = time.Duration(low + 2*(mean-low)*s.rand.Float64())
	due := resumed + s.drawn
	if due < now {
		due = now
		s.late++
	}
	s.taken++
	if took := due - s.due - s.drawn; took < GapLeast { // a gap is no part of an interval
		s.extra += (float64(took) - s.extra) / min(max(s.taken, extraLeast), extraMost)
	}
	s.due = due
	return due
}

// lowest is the shortest interval to draw: half the mean, or what the probe needs
// before it can take the next sample. Samples that are late come when the one
// before allows it, which depends on what the program did then.
func (s *Schedule) lowest(mean, busy float64) float64 {
	switch {
	case busy > s.busy && busy < mean:
		s.busy = busy
	default:
		s.busy -= s.busy / busyMemory
	}
	return min(max(mean/2, s.busy), mean*(1-leastJitter))
}
