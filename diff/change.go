package diff

import "math"

// Estimate is a quantity of one run.
type Estimate struct {
	Value float64
	Error float64 // standard error; 0 where Known is not set
	Known bool    // the error is known
	Count float64 // samples behind it; of traces, calls

	independent float64 // samples that would vary as much as these if they were independent
	freedom     float64 // degrees of freedom of the error
}

// Change is what became of a quantity: New.Value - Old.Value.
type Change struct {
	Old, New    Estimate
	Value       float64
	Low, High   float64 // interval that holds the true change with probability Level; where Known
	P           float64 // how probable a change that large would be if there were none; where Known
	Adjusted    float64 // P, with all that was tested with it in mind; 1 where Few
	Known       bool    // there are both quantities, and their errors
	Few         bool    // too few samples to tell a change of any size, all in one of the runs
	Significant bool

	compared bool    // both quantities are there
	blur     float64 // what the resolution of clocks may make of no change
	least    float64 // the smallest P that so many samples can give
}

// Compared tells whether there is something to compare in both runs.
func (c *Change) Compared() bool { return c.compared }

// Relative is the change as a part of the old value, +Inf where that was 0.
func (c *Change) Relative() float64 {
	switch {
	case c.Value == 0:
		return 0
	case c.Old.Value == 0:
		return math.Inf(int(math.Copysign(1, c.Value)))
	}
	return c.Value / c.Old.Value
}

// shareChange compares a part of the samples of two runs. known are standard errors that
// a file says, 0: none.
//
// The interval is Newcombe's hybrid of two score intervals (R. G. Newcombe, Statistics
// in Medicine 17, 1998, 873, method 10), which is right for small counts and for none. Samples that are
// correlated count as fewer: p(1-p) / se², see ratioError, and never as more than they are. P is where the interval would end at 0.
func shareChange(was, is *side, a, b *spectrum, knownA, knownB float64) Change {
	c := Change{Old: was.share(a, knownA), New: is.share(b, knownB), compared: true}
	c.Known = c.Old.Known && c.New.Known
	// No samples of a function, or all, say nothing of how they hang together: the other run does.
	for _, e := range [][2]*Estimate{{&c.Old, &c.New}, {&c.New, &c.Old}} {
		if n := e[0].all(was, is, &c); e[0].Error == 0 && e[1].Error > 0 {
			e[0].independent = n * min(1, e[1].independent/e[1].all(was, is, &c))
		}
	}
	freedom := c.freedom()
	c.Value = c.New.Value - c.Old.Value
	z := quantile(1-Level, freedom)
	c.Low, c.High = newcombe(&c.Old, &c.New, z)
	c.P = tail(reach(&c.Old, &c.New), freedom)
	c.least = leastP(&c, freedom)
	return c
}

// all is the number of samples of the run that e is of.
func (e *Estimate) all(was, is *side, c *Change) float64 {
	if e == &c.Old {
		return was.whole.sum
	}
	return is.whole.sum
}

// freedomOfSums are the degrees of freedom of errors by batches (profile.ShareOf).
const freedomOfSums = 49

// share is a part of the samples of a run.
func (s *side) share(part *spectrum, known float64) Estimate {
	k, n := part.sum, s.whole.sum
	e := Estimate{Value: k / n, Count: k, Known: true, independent: n, freedom: math.Inf(1)}
	if s.p.Taken.Measured && s.p.Sums != nil && known == 0 { // nanoseconds, and not by how much they vary
		e.Known = false
	}
	p := e.Value
	e.Error = math.Sqrt(max(0, p*(1-p)) / n)
	correlated, freedom := ratioError(part, &s.whole)
	if s.p.Sums != nil {
		correlated, freedom = known, freedomOfSums
	}
	if correlated > e.Error && e.Error > 0 {
		e.Error, e.freedom = correlated, freedom
		e.independent = max(1, p*(1-p)/(correlated*correlated))
	}
	return e
}

// freedom is that of the error of the difference (Welch and Satterthwaite).
func (c *Change) freedom() float64 {
	a, b := c.Old.Error*c.Old.Error, c.New.Error*c.New.Error
	down := a*a/max(c.Old.freedom, 1) + b*b/max(c.New.freedom, 1)
	if down == 0 {
		return math.Inf(1)
	}
	return (a + b) * (a + b) / down
}

// wilson is the score interval of a share (E. B. Wilson, JASA 22, 1927, 209).
func wilson(p, n, z float64) (low, high float64) {
	middle := p + z*z/(2*n)
	half := z * math.Sqrt(max(0, p*(1-p))/n+z*z/(4*n*n))
	scale := 1 + z*z/n
	return max(0, (middle-half)/scale), min(1, (middle+half)/scale)
}

func newcombe(old, new *Estimate, z float64) (low, high float64) {
	d := new.Value - old.Value
	l1, u1 := wilson(old.Value, old.independent, z)
	l2, u2 := wilson(new.Value, new.independent, z)
	return d - math.Hypot(new.Value-l2, u1-old.Value), d + math.Hypot(u2-new.Value, old.Value-l1)
}

// reach is the z at which the interval ends at 0.
func reach(old, new *Estimate) float64 {
	if old.Value == new.Value {
		return 0
	}
	outside := func(z float64) bool {
		low, high := newcombe(old, new, z)
		return low > 0 || high < 0
	}
	low, high := 0., 1.
	for outside(high) && high < 1e6 {
		high *= 2
	}
	for range 80 {
		if middle := (low + high) / 2; outside(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// leastP is the P of the same number of samples if all of them were in one run.
func leastP(c *Change, freedom float64) float64 {
	all := c.Old.Value*c.Old.independent + c.New.Value*c.New.independent
	least := 1.
	for _, e := range []*Estimate{&c.Old, &c.New} {
		one, none := *e, c.New
		if e == &c.New {
			none = c.Old
		}
		one.Value, none.Value = min(1, all/one.independent), 0
		least = min(least, tail(reach(&none, &one), freedom))
	}
	return least
}
