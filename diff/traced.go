package diff

import (
	"math"
	"time"

	"github.com/mprof/mprof/profile"
)

// traced compares one function or context of two traces.
func (d *Diff) traced(r *Row, was, is *side, a, b *counts) {
	tick := max(tickOf(d.Old), tickOf(d.New))
	// What tracing costs was measured on the target, in either run, and has been taken out of the
	// times; by how much the two differ, times with calls in them may.
	cost := math.Abs(float64(d.New.Trace.PairCost - d.Old.Trace.PairCost))
	most := tick + cost*max(perCall(a), perCall(b)) + untraced*max(mean(a), mean(b))
	rate := max(was.rate(a), is.rate(b)) // calls per ns
	// A run may have begun or ended within a call, or just before it.
	edge := func(v float64) float64 { return v / max(1, min(was.whole.sum, is.whole.sum)) }
	once := edge(max(mean(a), mean(b)))

	self, total := was.ratio(&a.self), was.ratio(&a.total)
	r.Self = timeChange(self, is.ratio(&b.self), tick*rate+once+untraced*self.Value)
	r.Total = timeChange(total, is.ratio(&b.total), most*rate+once)
	calls := func(s *side, c *counts) Estimate {
		e := s.ratio(&c.calls)
		e.Value, e.Error, e.Count = e.Value*1e9, e.Error*1e9, c.calls.sum
		return e
	}
	before := calls(was, a)
	r.CallRate = timeChange(before, calls(is, b), edge(1e9)+untraced*before.Value)
	r.Call = timeChange(was.perCall(r.Old), is.perCall(r.New), most)
	for _, c := range []*Change{&r.Self, &r.Total} {
		c.Old.Count, c.New.Count = a.calls.sum, b.calls.sum
	}
}

// untraced is by which part of itself the time of a call, and so the rate of calls, may differ between two runs of one firmware: interrupts
// that are not traced, such as those that send the records, fall into more calls of one run than of another. Of a call of
// 10 ms in firmware/examples/bare 0.07 % were seen.
const untraced = 0.002

// tickOf is the resolution of times, ns; 0 where the firmware does not say.
func tickOf(p *profile.Profile) float64 {
	if p.Trace.TickHz <= 0 {
		return 0
	}
	return 1e9 / p.Trace.TickHz
}

// perCall is how many calls are traced within one.
func perCall(c *counts) float64 { return c.below / max(1, c.calls.sum) }

// mean is the time of a call, ns.
func mean(c *counts) float64 { return c.total.sum / max(1, c.calls.sum) }

func (s *side) rate(c *counts) float64 { return c.calls.sum / max(1, s.whole.sum) }

// ratio is a part of the observed time of a trace.
func (s *side) ratio(part *spectrum) Estimate {
	err, freedom := ratioError(part, &s.whole)
	return Estimate{Value: part.sum / max(1, s.whole.sum), Error: err, freedom: freedom, Known: s.p.Sums == nil}
}

// perCall is the mean time of the calls of a function, ns. Its error is that of
// the calls that are kept. Where these are not all, it is larger than it could be.
func (s *side) perCall(f profile.FunctionIndex) Estimate {
	e := Estimate{Value: math.NaN()}
	for i := range s.p.Trace.Functions {
		if t := &s.p.Trace.Functions[i]; f != profile.None && t.Function == f && t.Calls > 0 {
			e.Value, e.Count = float64(t.Mean), float64(t.Calls)
		}
	}
	if math.IsNaN(e.Value) {
		return e
	}
	calls := s.callsOf(f)
	if len(calls) < 2 {
		return e
	}
	e.Error, e.freedom = meanError(calls)
	e.Known = true
	return e
}

// call is one call that is kept, at a part of the time of which calls are kept.
type call struct {
	at  float64
	net time.Duration
}

// keptFrom is since when all calls are kept.
func (s *side) keptFrom() time.Duration {
	if s.p.Trace.Kept >= s.p.Trace.Calls {
		return 0
	}
	from := s.length
	for _, t := range s.p.Threads {
		for _, c := range t.Calls {
			from = min(from, c.Time)
		}
	}
	return from
}

// callsOf are the calls of a function that are kept.
func (s *side) callsOf(f profile.FunctionIndex) []call {
	if s.kept == nil {
		s.kept = make([][]call, len(s.p.Functions))
		from := s.keptFrom()
		for _, t := range s.p.Threads {
			for _, c := range t.Calls {
				at := s.p.Frames[s.p.Stacks[c.Stack].Frame].Function
				s.kept[at] = append(s.kept[at], call{float64(c.Time-from) / float64(max(s.length-from, 1)), c.Net})
			}
		}
	}
	return s.kept[f]
}

// timeChange compares two means by Student's t with the degrees of freedom of Welch. blur
// is what a change may come from that is none: P is that of what is left, and
// the interval is wider by it on both sides.
func timeChange(old, new Estimate, blur float64) Change {
	c := Change{Old: old, New: new, blur: blur, P: 1}
	c.compared = !math.IsNaN(old.Value) && !math.IsNaN(new.Value)
	c.Known = c.compared && old.Known && new.Known
	if !c.compared {
		return c
	}
	c.Value = new.Value - old.Value
	if !c.Known {
		return c
	}
	freedom, err := c.freedom(), math.Hypot(old.Error, new.Error)
	half := blur + quantile(1-Level, freedom)*err
	c.Low, c.High = c.Value-half, c.Value+half
	left := max(0, math.Abs(c.Value)-blur)
	switch {
	case left == 0:
	case err == 0:
		c.P = 0
	default:
		c.P = tail(left/err, freedom)
	}
	return c
}
