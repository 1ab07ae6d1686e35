package profile

import (
	"errors"
	"fmt"
	"time"
)

// checkTrace tests what a profile of traced calls has beyond samples: calls are in order,
// the statistics are of all calls, and the pieces of time add up to them. Indexes of
// samples have been tested.
func (p *Profile) checkTrace() error {
	if p.Trace == nil {
		for _, t := range p.Threads {
			if len(t.Calls) > 0 {
				return fmt.Errorf("profile: thread %s has calls, and the profile is no trace", t.Name)
			}
		}
		return nil
	}
	return errors.Join(p.checkCalls(), p.checkTimes())
}

func (p *Profile) checkCalls() error {
	kept := uint64(0)
	for _, t := range p.Threads {
		kept += uint64(len(t.Calls))
		for i, c := range t.Calls {
			switch {
			case c.Stack < 0 || int(c.Stack) >= len(p.Stacks):
				return fmt.Errorf("profile: thread %s, call %d: stack %d of %d", t.Name, i, c.Stack, len(p.Stacks))
			case i > 0 && c.Time < t.Calls[i-1].Time:
				return fmt.Errorf("profile: thread %s, call %d is earlier than the one before", t.Name, i)
			case c.Time < 0 || c.Net < 0 || c.Duration < c.Net:
				return fmt.Errorf("profile: thread %s, call %d: at %v, took %v, of it %v its own context", t.Name, i, c.Time, c.Duration, c.Net)
			}
		}
	}
	if kept < p.Trace.Kept || p.Trace.Kept > p.Trace.Calls {
		return fmt.Errorf("profile: %d of %d calls on the timeline, and %d are said to be", kept, p.Trace.Calls, p.Trace.Kept)
	}
	return nil
}

// checkTimes adds up the pieces.
func (p *Profile) checkTimes() error {
	calls := make([]uint64, len(p.Functions))
	self := make([]time.Duration, len(p.Functions))
	for _, t := range p.Threads {
		for i := range t.Samples {
			s := &t.Samples[i]
			f := p.Frames[p.Stacks[s.Stack].Frame].Function
			calls[f] += uint64(s.Count)
			self[f] += s.Weight
		}
	}
	seen := make([]bool, len(p.Functions))
	sum := uint64(0)
	for i := range p.Trace.Functions {
		f := &p.Trace.Functions[i]
		switch {
		case f.Function < 0 || int(f.Function) >= len(p.Functions) || seen[f.Function]:
			return fmt.Errorf("profile: times %d: function %d of %d, or a second time", i, f.Function, len(p.Functions))
		case i > 0 && f.Calls > 0 && f.Total > p.Trace.Functions[i-1].Total:
			return fmt.Errorf("profile: times %d: total %v is longer than the one before", i, f.Total)
		case f.Calls != calls[f.Function] || f.Self != self[f.Function]:
			return fmt.Errorf("profile: times of %s: %d calls, self %v; its samples add up to %d and %v",
				p.Functions[f.Function].Name, f.Calls, f.Self, calls[f.Function], self[f.Function])
		case f.Total < f.Self || f.Self < 0 || f.Calls > 0 && !(0 <= f.Min && f.Min <= f.P50 && f.P50 <= f.P99 && f.P99 <= f.Max && f.Min <= f.Mean && f.Mean <= f.Max):
			return fmt.Errorf("profile: times of %s: total %v, self %v; min %v, mean %v, p50 %v, p99 %v, max %v",
				p.Functions[f.Function].Name, f.Total, f.Self, f.Min, f.Mean, f.P50, f.P99, f.Max)
		}
		seen[f.Function] = true
		sum += f.Calls
	}
	for f, n := range calls {
		if !seen[f] && (n > 0 || self[f] > 0) {
			return fmt.Errorf("profile: %s has %d calls in samples, and no times", p.Functions[f].Name, n)
		}
	}
	if sum != p.Trace.Calls {
		return fmt.Errorf("profile: %d calls, and functions have %d", p.Trace.Calls, sum)
	}
	return nil
}
