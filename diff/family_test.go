package diff

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Holm's procedure by hand: 0.01*4, 0.02*3, 0.03*2 (not below the one before), 0.4.
func TestHolm(t *testing.T) {
	var all []*Change
	for _, p := range []float64{0.4, 0.01, 0.03, 0.02} {
		all = append(all, &Change{P: p, Known: true})
	}
	all = append(all, &Change{P: 1e-9}) // its error is not known
	if n := weigh(all); n != 4 {
		t.Errorf("%d tests", n)
	}
	for i, want := range []float64{0.4, 0.04, 0.06, 0.06, 1} {
		if c := all[i]; math.Abs(c.Adjusted-want) > 1e-12 || c.Significant != (want < 0.05) {
			t.Errorf("P %g: adjusted %g, significant %v, want %g", c.P, c.Adjusted, c.Significant, want)
		}
	}
}

// What cannot be significant does not make it harder for the others.
func TestFewSamplesDoNotCount(t *testing.T) {
	all := []*Change{{P: 0.04, Known: true}}
	for range 100 {
		all = append(all, &Change{P: 1, least: 0.5, Known: true})
	}
	if n := weigh(all); n != 1 || !all[0].Significant || all[0].Few || !all[1].Few {
		t.Errorf("%d tests, significant %v", n, all[0].Significant)
	}
}

// binomial is a share of n independent samples.
func binomial(r *rand.Rand, n int, p float64) (part, whole spectrum) {
	for range n {
		whole.sum++
		if r.Float64() < p {
			part.sum++
		}
	}
	return part, whole
}

// Intervals of shares of independent samples, large and small, hold the true change; a P below
// 0.05 is as rare as it says.
func TestIntervalsHoldTheTruth(t *testing.T) {
	const pairs = 2000
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		n, m int
		p, q float64
	}{
		{1000, 1000, 0.2, 0.2}, {1000, 300, 0.2, 0.25}, {600, 600, 0.004, 0.004}, {600, 600, 0.001, 0.02}, {300, 3000, 0.01, 0.01}, {500, 500, 0.97, 0.99},
	} {
		outside, small := 0, 0
		for range pairs {
			a, n := binomial(r, c.n, c.p)
			b, m := binomial(r, c.m, c.q)
			x := shareChange(&side{whole: n, p: sampled}, &side{whole: m, p: sampled}, &a, &b, 0, 0)
			if d := c.q - c.p; d < x.Low || d > x.High {
				outside++
			}
			if x.P < 0.05 {
				small++
			}
			if x.Value != 0 && (x.P < 0.05) != (x.Low > 0 || x.High < 0) {
				t.Fatalf("P %g and the interval %g .. %g do not say the same", x.P, x.Low, x.High)
			}
			if x.P < x.least*(1-1e-9) {
				t.Fatalf("P %g is less than %g, which was said to be the least", x.P, x.least)
			}
		}
		// 99.9 % of the times, 6.5 % of 2,000 are no more than 165: intervals of discrete counts
		// are not exact.
		if outside > 165 {
			t.Errorf("%+v: %d of %d intervals miss the truth", c, outside, pairs)
		}
		if c.p == c.q && small > 165 {
			t.Errorf("%+v: %d of %d P are below 0.05", c, small, pairs)
		}
	}
}

// An example of R. G. Newcombe (Statistics in Medicine 17, 1998, 873), table II: 56/70 and 48/80 by method 10.
func TestNewcombe(t *testing.T) {
	old, new := Estimate{Value: 48. / 80, independent: 80}, Estimate{Value: 56. / 70, independent: 70}
	low, high := newcombe(&old, &new, 1.959964)
	if math.Abs(low-0.0524) > 5e-5 || math.Abs(high-0.3339) > 5e-5 {
		t.Errorf("%.4f .. %.4f", low, high)
	}
	// 10/10 and 0/10: 0.6075 .. 1
	old, new = Estimate{Value: 0, independent: 10}, Estimate{Value: 1, independent: 10}
	if low, high := newcombe(&old, &new, 1.959964); math.Abs(low-0.6075) > 5e-5 || math.Abs(high-1) > 1e-9 {
		t.Errorf("%.4f .. %.4f", low, high)
	}
}
