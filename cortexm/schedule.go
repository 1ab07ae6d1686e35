package cortexm

import (
	"math/rand/v2"
	"time"
)

// schedule says when samples are due: intervals uniform in [0.5, 1.5] T, so
// that no loop of the program keeps step with them.
type schedule struct {
	period time.Duration
	rand   *rand.Rand
	due    time.Duration // of the sample before
	late   uint64        // samples that were due before they could be asked for
}

func newSchedule(rate float64, seed int64, start time.Duration) schedule {
	return schedule{
		period: time.Duration(float64(time.Second) / rate),
		rand:   rand.New(rand.NewPCG(uint64(seed), 0x6d70726f66)),
		due:    start,
	}
}

// next is the time of the next sample. What was missed is not made up for: a
// burst of samples would be no random choice of moments.
func (s *schedule) next(now time.Duration) time.Duration {
	s.due += s.period/2 + time.Duration(s.rand.Int64N(int64(s.period)+1))
	if s.due < now {
		s.due = now
		s.late++
	}
	return s.due
}
