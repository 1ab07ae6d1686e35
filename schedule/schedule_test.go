package schedule

import (
	"testing"
	"time"
)

// The time that the target runs between samples is uniform around its mean,
// whatever a sample costs, and the samples come at the rate all the same.
func TestScheduleJitters(t *testing.T) {
	const period, rounds = time.Millisecond, 20000
	s := New(1000, 1, 0)
	costs := [...]time.Duration{100 * time.Microsecond, 500 * time.Microsecond}
	var resumed, ran [len(costs)]time.Duration
	var now time.Duration
	for i := range rounds {
		cost := i * 7 / 3 % len(costs)
		due := s.Next(now, now)
		d := due - now
		if i > rounds/10 && (d < 300*time.Microsecond || d > 1100*time.Microsecond) {
			t.Fatalf("interval %d: the target runs for %v", i, d)
		}
		ran[cost] += d
		resumed[cost]++
		now = due + costs[cost]
	}
	if mean := now / rounds; mean < 990*time.Microsecond || mean > 1010*time.Microsecond {
		t.Errorf("mean interval %v, want %v", mean, period)
	}
	after := [len(costs)]time.Duration{ran[0] / resumed[0], ran[1] / resumed[1]}
	if d := after[0] - after[1]; d < -20*time.Microsecond || d > 20*time.Microsecond {
		t.Errorf("the target runs for %v before cheap samples, %v before dear ones", after[0], after[1])
	}
	if due := s.Next(now, now+time.Second); due != now+time.Second || s.Late() != 1 {
		t.Errorf("a late sample is due at %v, late %d", due, s.Late())
	}
}
