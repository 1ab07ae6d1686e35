package export

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/unwind"
)

// recordVersion is that of the record; a reader takes its own and older ones.
const recordVersion = 1

// record is what other people's formats have no place for: how samples were taken and
// what that cost, by which a profile that is read says the same as the one that was
// written. It is JSON: the member "mprof" of a file of the Firefox Profiler, and a
// comment of pprof, which hides those that begin with #. Durations are in ns.
type record struct {
	Version  int
	Samples  int // in all rows: where they are not, somebody has changed the file
	Duration time.Duration
	Period   time.Duration
	Mapping  profile.Mapping
	Others   []profile.Mapping `json:",omitempty"`
	Taken    recordTaken
	Events   []profile.Event
	Tracks   []string          // names of all threads
	Labels   []string          // names of functions that are labels
	Linkages map[string]string `json:",omitempty"` // of functions, where the format loses it
	Sums     *recordSums       `json:",omitempty"`
	Trace    *recordTrace      `json:",omitempty"`
	Threads  []recordThread    `json:",omitempty"` // of a file with single rows
	Frames   *recordFrames     `json:",omitempty"` // of a file with a table of frames
}

// recordTaken names reasons in words, as numbers of theirs may change.
type recordTaken struct {
	profile.Acquisition
	Missed map[string]uint64
	Stops  map[string]uint64
	Cuts   []recordCut
}

type recordCut struct {
	Reason, Function string
	Stacks           uint64
}

type recordSums struct {
	Squares float64
	Errors  map[string][2]float64 `json:",omitempty"` // by function: self, total
	Idle    float64               `json:",omitempty"`
}

type recordTrace struct {
	profile.Trace
	Functions []recordTimes
}

type recordTimes struct {
	Name string
	profile.FunctionTimes
	Function int `json:",omitempty"` // not written: Name says it
}

func newRecord(p *profile.Profile) *record {
	r := &record{
		Version: recordVersion, Samples: p.Samples(), Duration: p.Duration, Period: p.Period, Mapping: shortMapping(p.Mapping),
		Taken:  recordTaken{Acquisition: p.Taken, Missed: map[string]uint64{}, Stops: map[string]uint64{}},
		Events: append([]profile.Event{}, p.Events...), Labels: []string{},
	}
	for _, m := range p.Others {
		r.Others = append(r.Others, shortMapping(m))
	}
	for miss, n := range p.Taken.Missed {
		if n > 0 {
			r.Taken.Missed[snapshot.Miss(miss).String()] = n
		}
	}
	for reason, n := range p.Taken.Stops {
		if n > 0 {
			r.Taken.Stops[unwind.Reason(reason).String()] = n
		}
	}
	for _, c := range p.Taken.Cuts {
		r.Taken.Cuts = append(r.Taken.Cuts, recordCut{c.Reason.String(), c.Function, c.Stacks})
	}
	r.Linkages = lostLinkages(p)
	for _, t := range p.Threads {
		r.Tracks = append(r.Tracks, t.Name)
	}
	for _, f := range p.Functions {
		if f.Label {
			r.Labels = append(r.Labels, f.Name)
		}
	}
	if p.Trace != nil {
		r.Trace = &recordTrace{Trace: *p.Trace}
		for _, f := range p.Trace.Functions {
			r.Trace.Functions = append(r.Trace.Functions, recordTimes{Name: p.Functions[f.Function].Name, FunctionTimes: f})
		}
	}
	return r
}

// lostLinkages are those of functions that are only inlined, and those that pprof would
// shorten.
func lostLinkages(p *profile.Profile) map[string]string {
	physical := make([]bool, len(p.Functions))
	for _, f := range p.Frames {
		physical[f.Function] = physical[f.Function] || f.Depth == 0 && f.Symbol != profile.None
	}
	lost := map[string]string{}
	for i, f := range p.Functions {
		if f.Linkage != "" && (!physical[i] || systemName(f) != f.Linkage) {
			lost[f.Name] = f.Linkage
		}
	}
	return lost
}

// shortMapping leaves out what an image with a build id does not need.
func shortMapping(m profile.Mapping) profile.Mapping {
	if len(m.BuildID) > 0 {
		m.TextPrefix = nil
	}
	return m
}

// addSums keeps the errors of a file that only has sums.
func (r *record) addSums(p *profile.Profile, s *profile.Sums) {
	if s == nil {
		return
	}
	r.Sums = &recordSums{Squares: s.Squares, Idle: s.Idle}
	if s.Errors == nil {
		return
	}
	r.Sums.Errors = map[string][2]float64{}
	for f, e := range s.Errors {
		r.Sums.Errors[p.Functions[f].Name] = e
	}
}

// parseRecord reads a record. One that this mprof does not know is an error.
func parseRecord(text []byte) (*record, error) {
	r := &record{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("what mprof has noted in it is damaged: %w", jsonReason(err))
	}
	if r.Version < 1 || r.Version > recordVersion {
		return nil, fmt.Errorf("it was written by a newer mprof (%s): its notes have version %d, and this one knows %d", r.Taken.Version, r.Version, recordVersion)
	}
	return r, nil
}

// apply makes p, whose tables and rows have been read, say what the record says of it.
// Where somebody has taken samples out of the file since, or put others in, that is
// left out, and a remark says so; of a trace it is an error.
func (r *record) apply(p *profile.Profile) error {
	p.Mapping, p.Others = r.Mapping, r.Others
	functions := map[string]profile.FunctionIndex{}
	for i, f := range p.Functions {
		functions[f.Name] = profile.FunctionIndex(i)
	}
	for _, name := range r.Labels {
		if i, ok := functions[name]; ok {
			p.Functions[i].Label = true
		}
	}
	for name, linkage := range r.Linkages {
		if i, ok := functions[name]; ok {
			p.Functions[i].Linkage = linkage
		}
	}
	n := p.Samples()
	switch {
	case n != r.Samples && r.Trace != nil:
		return fmt.Errorf("it has %d of the %d calls that mprof wrote: somebody has changed it", n, r.Samples)
	case n != r.Samples:
		unrecorded(p, fmt.Sprintf("the file has %d of the %d samples that mprof wrote: what it says of the whole run is left out", n, r.Samples))
		return nil
	}
	p.Duration, p.Period, p.Events, p.Taken = r.Duration, r.Period, r.Events, r.acquisition()
	if r.Sums != nil && p.Sums != nil {
		r.Sums.restore(p.Sums, functions)
	}
	if r.Trace != nil {
		p.Trace = r.Trace.restore(functions)
	}
	return nil
}

func (r *recordSums) restore(s *profile.Sums, functions map[string]profile.FunctionIndex) {
	s.Squares, s.Idle = r.Squares, r.Idle
	if len(r.Errors) > 0 {
		s.Errors = map[profile.FunctionIndex][2]float64{}
	}
	for name, e := range r.Errors {
		if i, ok := functions[name]; ok {
			s.Errors[i] = e
		}
	}
}

// restore finds the functions again. Those that are not in the file are missed by
// Check, if they have calls.
func (r *recordTrace) restore(functions map[string]profile.FunctionIndex) *profile.Trace {
	t := r.Trace
	t.Functions = nil
	for _, f := range r.Functions {
		if i, ok := functions[f.Name]; ok {
			f.FunctionTimes.Function = i
			t.Functions = append(t.Functions, f.FunctionTimes)
		}
	}
	return &t
}

// acquisition puts the reasons back under their numbers.
func (r *record) acquisition() profile.Acquisition {
	a := r.Taken.Acquisition
	a.Missed, a.Stops, a.Cuts = [snapshot.NumMisses]uint64{}, [unwind.NumReasons]uint64{}, nil
	for miss := range snapshot.NumMisses {
		a.Missed[miss] = r.Taken.Missed[miss.String()]
	}
	reasons := map[string]unwind.Reason{}
	for reason := range unwind.NumReasons {
		reasons[reason.String()] = reason
		a.Stops[reason] = r.Taken.Stops[reason.String()]
	}
	for _, c := range r.Taken.Cuts {
		if reason, ok := reasons[c.Reason]; ok {
			a.Cuts = append(a.Cuts, profile.Cut{Reason: reason, Function: c.Function, Stacks: c.Stacks})
		}
	}
	return a
}
