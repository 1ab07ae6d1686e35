package cortexm

import (
	"math/rand/v2"
	"time"
)

// schedule says when samples are due. What is drawn is the time that the target
// runs between two samples: uniform in [0.5, 1.5] of its mean, so that no loop of
// the program keeps step with it, and the same whatever the program does. Were it
// the time from halt to halt, the target would run less after a sample that took
// long, one of a deep stack, and the number of samples of a function would say
// less of its time the more the samples cost. The mean is such that samples come
// at the rate that was asked for, as far as the probe can follow.
type schedule struct {
	period time.Duration
	rand   *rand.Rand
	due    time.Duration // of the sample before
	drawn  time.Duration // for it
	extra  float64       // mean of what an interval takes beyond what was drawn, ns
	late   uint64        // samples that were due before they could be asked for
}

func newSchedule(rate float64, seed int64, start time.Duration) schedule {
	return schedule{
		period: time.Duration(float64(time.Second) / rate),
		rand:   rand.New(rand.NewPCG(uint64(seed), 0x6d70726f66)),
		due:    start,
	}
}

const (
	extraMemory = 64.0 // samples over which the mean is taken
	leastShare  = 0.1  // of the period that the target runs at least, on average
)

// next is the time of the next sample: resumed is when the target was let go
// after the one before. What was missed is not made up for: a burst of samples
// would be no random choice of moments.
func (s *schedule) next(resumed, now time.Duration) time.Duration {
	period := float64(s.period)
	mean := max(period-s.extra, leastShare*period)
	s.drawn = time.Duration(mean * (0.5 + s.rand.Float64()))
	due := resumed + s.drawn
	if due < now {
		due = now
		s.late++
	}
	s.extra += (float64(due-s.due-s.drawn) - s.extra) / extraMemory
	s.due = due
	return due
}
