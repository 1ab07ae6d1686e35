package schedule

import (
	"testing"
	"time"
)

// The halted share stays within the budget in every window of a few seconds and
// over the whole run, with dear samples first, and uses what it has.
func TestBudgetHolds(t *testing.T) {
	for _, share := range []float64{0.001, 0.01, 0.25} {
		const rate, run, window = 2000, 100 * time.Second, 5 * time.Second
		s := New(rate, 1, 0)
		s.Limit(share, time.Millisecond)
		type halt struct{ at, took time.Duration }
		var halts []halt
		var now, halted, late time.Duration
		for i := 0; now < run; i++ {
			cost := 300 * time.Microsecond
			switch {
			case i < 64:
				cost = 3 * time.Millisecond // learning
			case i%10 == 0:
				cost = 900 * time.Microsecond
			}
			now = s.Next(now, now) + cost
			s.Spend(now, cost)
			halts, halted = append(halts, halt{now, cost}), halted+cost
			if now > run/2 {
				late += cost
			}
			// The first sample may cost more than was expected of it.
			if most := time.Duration(share*float64(now)) + 2*time.Millisecond; halted > most {
				t.Fatalf("%g: halted for %v after %v", share, halted, now)
			}
		}
		if least := time.Duration(share * float64(run-run/2) * 0.95); late < least {
			t.Errorf("%g: halted for %v in the second half, the budget is %v", share, late, least)
		}
		bound := max(share*(window+budgetWindow).Seconds(), share*window.Seconds()+budgetSamples*0.003)
		for i, first := 0, 0; i < len(halts); i++ {
			sum := time.Duration(0)
			for halts[i].at-halts[first].at > window {
				first++
			}
			for _, h := range halts[first : i+1] {
				sum += h.took
			}
			if sum.Seconds() > bound {
				t.Fatalf("%g: halted for %v in the %v up to %v, want at most %.4f s", share, sum, window, halts[i].at, bound)
			}
		}
	}
}

// A budget that is not needed changes nothing: the samples come when they came
// without it.
func TestBudgetNotNeeded(t *testing.T) {
	a, b := New(100, 1, 0), New(100, 1, 0)
	b.Limit(0.25, 500*time.Microsecond)
	var now time.Duration
	for i := range 10000 {
		x, y := a.Next(now, now), b.Next(now, now)
		if x != y {
			t.Fatalf("sample %d: due at %v, with a budget at %v", i, x, y)
		}
		now = x + 500*time.Microsecond
		b.Spend(now, 500*time.Microsecond)
	}
	if b.Delayed() != 0 {
		t.Errorf("%d samples delayed", b.Delayed())
	}
}

// The rate goes up again when samples become cheap.
func TestBudgetFollowsTheCost(t *testing.T) {
	s := New(1000, 1, 0)
	s.Limit(0.02, time.Millisecond)
	var now time.Duration
	samples := func(cost time.Duration) (n int) {
		for end := now + 20*time.Second; now < end; n++ {
			now = s.Next(now, now) + cost
			s.Spend(now, cost)
		}
		return n
	}
	dear, cheap := samples(time.Millisecond), samples(100*time.Microsecond)
	if dear < 370 || dear > 405 {
		t.Errorf("%d samples of 1 ms in 20 s, 400 are 2 %%", dear)
	}
	if cheap < 3500 || cheap > 4050 {
		t.Errorf("%d samples of 0.1 ms in 20 s, 4000 are 2 %%", cheap)
	}
}

// How long the target runs after a sample does not depend on what the sample
// cost, beyond the part of a percent that one sample moves the mean by.
func TestBudgetIsBlind(t *testing.T) {
	s := New(1000, 1, 0)
	s.Limit(0.05, 500*time.Microsecond)
	costs := [...]time.Duration{100 * time.Microsecond, 900 * time.Microsecond}
	random := New(1, 5, 0).rand
	var now time.Duration
	var ran, n [len(costs)]time.Duration
	for range 100000 {
		cost := random.IntN(len(costs))
		now += costs[cost]
		s.Spend(now, costs[cost])
		due := s.Next(now, now)
		ran[cost] += due - now
		n[cost]++
		now = due
	}
	a, b := ran[0]/n[0], ran[1]/n[1]
	if d := float64(b-a) / float64(a); d < -0.01 || d > 0.015 {
		t.Errorf("the target runs for %v after cheap samples, for %v after dear ones", a, b)
	}
	if s.Delayed() < 99000 {
		t.Errorf("%d samples delayed: the budget does not bind", s.Delayed())
	}
}
