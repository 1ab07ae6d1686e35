package export

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
)

// thread reads the samples and the calls of thread number i of the file.
func (f *firefoxReader) thread(i int, from *firefoxReadThread, stacks *stackMap) (profile.ThreadTrack, error) {
	t := profile.ThreadTrack{Name: cmp.Or(from.Name, from.ProcessName, fmt.Sprintf("Thread %d", i))}
	s := from.Samples
	if s.WeightType == "bytes" {
		return t, errors.New("its samples weigh bytes, which is no time")
	}
	if len(s.Weight) > 0 && len(s.Weight) != len(s.Stack) {
		return t, fmt.Errorf("%d samples and %d weights", len(s.Stack), len(s.Weight))
	}
	times, err := f.times(s.Time, s.TimeDeltas, len(s.Stack))
	if err != nil {
		return t, err
	}
	timed := s.WeightType == timedWeights
	for row, stack := range s.Stack {
		if stack == none {
			if timed && f.record != nil && len(t.Samples) > 0 {
				t.Samples = t.Samples[:len(t.Samples)-1] // where a piece ends: see newTracedSamples
			}
			continue
		}
		if stack < 0 || stack >= int64(len(stacks.stacks)) {
			return t, fmt.Errorf("sample %d: stack %d of %d", row, stack, len(stacks.stacks))
		}
		sample := profile.Sample{Time: times[row], Count: 1, Stack: stacks.stacks[stack]}
		if stacks.idle[stack] {
			sample.State = snapshot.Sleeping
		}
		if len(s.Weight) > 0 {
			if err := weigh(&sample, s.Weight[row], timed); err != nil {
				return t, fmt.Errorf("sample %d: %w", row, err)
			}
		}
		if sample.Count == 0 || timed && f.record == nil && sample.Weight == 0 {
			continue // where a piece of time ends
		}
		t.Samples = append(t.Samples, sample)
	}
	return t, f.complete(i, &t, from, stacks, timed)
}

// complete adds what the record has of the rows, or what is assumed of them.
func (f *firefoxReader) complete(i int, t *profile.ThreadTrack, from *firefoxReadThread, stacks *stackMap, timed bool) error {
	switch {
	case f.record == nil:
		period := time.Duration(0)
		if interval := f.file.Meta.Interval; interval > 0 && interval < 1e9 {
			period = time.Duration(interval * 1e6)
		}
		t.Samples = byTime(t.Samples)
		for n := range t.Samples {
			s := &t.Samples[n]
			if !timed && period <= math.MaxInt64/time.Duration(s.Count) {
				s.Weight = period * time.Duration(s.Count)
			}
		}
	case i < len(f.record.Threads):
		if err := f.record.Threads[i].restore(t.Samples); err != nil {
			return err
		}
	}
	for n := range t.Samples {
		s := &t.Samples[n]
		if f.sum.add(int64(s.Count), int64(s.Weight)); f.sum.err != nil {
			return fmt.Errorf("sample %d: %w", n, f.sum.err)
		}
	}
	if f.record == nil || f.record.Trace == nil {
		return nil
	}
	var err error
	t.Calls, err = readCalls(from, stacks)
	return err
}

// restore gives rows what the format does not hold. Where rows are missing nothing fits,
// which record.apply says.
func (r *recordThread) restore(rows []profile.Sample) error {
	for _, n := range []int{len(r.Weights), len(r.Halted), len(r.States), len(r.Counts)} {
		if n != 0 && n != len(rows) {
			return nil
		}
	}
	for i := range rows {
		s := &rows[i]
		s.State = 0
		if r.Weights != nil {
			s.Weight = r.Weights[i]
		}
		if r.Halted != nil {
			s.Halted = r.Halted[i]
		}
		if r.States != nil {
			s.State = snapshot.State(r.States[i])
		}
		if r.Counts != nil {
			s.Count = r.Counts[i]
		}
	}
	return nil
}

// weigh takes the weight of a row: a number of samples, or milliseconds.
func weigh(s *profile.Sample, weight float64, timed bool) error {
	switch {
	case weight < 0:
		return fmt.Errorf("a weight of %v: a difference of two profiles is no profile", weight)
	case timed:
		d, err := nanoseconds(weight)
		if err != nil {
			return fmt.Errorf("a weight of %v ms", weight)
		}
		s.Weight = d
	case math.IsNaN(weight) || weight > 1<<53 || weight != math.Trunc(weight):
		return fmt.Errorf("a weight of %v samples", weight)
	default:
		s.Count = int(weight)
	}
	return nil
}

// times are those of n rows, given as such or as differences.
func (f *firefoxReader) times(at, deltas numbers, n int) ([]time.Duration, error) {
	if len(at) == 0 && len(deltas) == n {
		at = make(numbers, n)
		now := 0.0
		for i, d := range deltas {
			now += d
			at[i] = now
		}
	}
	if len(at) != n {
		return nil, fmt.Errorf("%d samples and %d times", n, len(at))
	}
	times := make([]time.Duration, n)
	for i, ms := range at {
		d, err := nanoseconds(ms)
		if err != nil {
			return nil, fmt.Errorf("sample %d: %w", i, err)
		}
		times[i] = d
	}
	return times, nil
}

// nanoseconds is a time in the unit of the file. Beyond 73 years it is damaged.
func nanoseconds(ms float64) (time.Duration, error) {
	ns := math.Round(ms * 1e6)
	if math.IsNaN(ns) || math.Abs(ns) > math.MaxInt64/4 {
		return 0, fmt.Errorf("a time of %v ms", ms)
	}
	return time.Duration(ns), nil
}

// readCalls reads the markers of calls that mprof wrote.
func readCalls(from *firefoxReadThread, stacks *stackMap) (calls []profile.Call, err error) {
	m := &from.Markers
	for i, d := range m.Data {
		if d.Cause == nil {
			continue
		}
		if i >= len(m.StartTime) || i >= len(m.EndTime) || d.Cause.Stack < 0 || d.Cause.Stack >= len(stacks.stacks) {
			return nil, fmt.Errorf("call %d: stack %d of %d, or no time", i, d.Cause.Stack, len(stacks.stacks))
		}
		start, err1 := nanoseconds(m.StartTime[i])
		end, err2 := nanoseconds(m.EndTime[i])
		net, err3 := nanoseconds(d.Net)
		if err := errors.Join(err1, err2, err3); err != nil {
			return nil, fmt.Errorf("call %d: %w", i, err)
		}
		calls = append(calls, profile.Call{Stack: stacks.stacks[d.Cause.Stack], Time: start, Duration: end - start, Net: net, AtLeast: d.AtLeast != ""})
	}
	return calls, nil
}
