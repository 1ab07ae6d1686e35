package diff

import (
	"fmt"
	"math"
)

// quantity is one of the columns.
type quantity string

const (
	ofSelf  quantity = "self"  // share, without what was called
	ofTotal quantity = "total" // share
	ofCall  quantity = "call"  // ns per call
	ofCalls quantity = "calls" // per second
)

func (r *Row) change(q quantity) *Change {
	switch q {
	case ofSelf:
		return &r.Self
	case ofCall:
		return &r.Call
	case ofCalls:
		return &r.CallRate
	}
	return &r.Total
}

// value prints a quantity.
func (q quantity) value(v float64) string {
	switch {
	case math.IsNaN(v):
		return "-"
	case q == ofCall:
		return nanoseconds(v)
	case q == ofCalls:
		return fmt.Sprintf("%.4g/s", v)
	case v != 0 && v < 0.0001:
		return fmt.Sprintf("%.2g %%", v*100)
	case v < 0.1:
		return fmt.Sprintf("%.2f %%", v*100)
	}
	return fmt.Sprintf("%.1f %%", v*100)
}

// delta prints a change of it: of shares in percent points.
func (q quantity) delta(v float64) string {
	switch {
	case math.IsNaN(v):
		return "-"
	case q == ofCall && v >= 0:
		return "+" + nanoseconds(v)
	case q == ofCall:
		return "-" + nanoseconds(-v)
	case q == ofCalls:
		return fmt.Sprintf("%+.3g/s", v)
	}
	return fmt.Sprintf("%+.2f pp", v*100)
}

// interval prints where the true change is with probability Level.
func (q quantity) interval(c *Change) string {
	if !c.Known {
		return "not known"
	}
	switch q {
	case ofCall, ofCalls:
		return q.delta(c.Low) + " .. " + q.delta(c.High)
	}
	return fmt.Sprintf("%+.2f .. %+.2f", c.Low*100, c.High*100)
}

// relative prints a change as a part of the old value.
func relative(c *Change) string {
	switch r := c.Relative(); {
	case math.IsInf(r, 0):
		return "from nothing"
	case math.Abs(r) >= 10:
		return fmt.Sprintf("×%.3g", r+1)
	default:
		return fmt.Sprintf("%+.1f %%", r*100)
	}
}

// nanoseconds prints a mean in the unit that keeps it readable.
func nanoseconds(v float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if math.Abs(v) >= u.size {
			return fmt.Sprintf("%.4g %s", v/u.size, u.name)
		}
	}
	return fmt.Sprintf("%.3g ns", v)
}

// probability prints a P.
func probability(p float64) string {
	switch {
	case p < 1e-6:
		return "<1e-6"
	case p < 0.001:
		return fmt.Sprintf("%.0e", p)
	}
	return fmt.Sprintf("%.3f", p)
}
