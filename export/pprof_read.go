package export

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	mprof "github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
)

// recordComment begins the comment that holds the record. pprof does not show comments
// that begin with #.
const recordComment = "#mprof "

const (
	pprofSums  = "pprof holds sums: when each sample was taken is not known, and timelines show samples one stack after the other"
	pprofCalls = "pprof holds sums: single calls are not known"
)

// looksPprof tells whether data begins like a profile.proto: with a field of that
// message (numbers 1 to 15; wire types 0 and 2).
func looksPprof(data []byte) bool {
	tag := data[0]
	wire, field := tag&7, tag>>3
	return (wire == 0 || wire == 2) && field >= 1 && field <= 15
}

// readPprof reads an uncompressed profile.proto.
func readPprof(data []byte, in Input) (*mprof.Profile, error) {
	if len(data) > maxReadPprof {
		return nil, fmt.Errorf("a pprof profile of more than %d MiB", maxReadPprof>>20)
	}
	from, err := profile.ParseUncompressed(data)
	if err != nil {
		return nil, fmt.Errorf("neither a whole pprof profile nor any other: %w", err)
	}
	if err := from.CheckValid(); err != nil {
		return nil, fmt.Errorf("damaged pprof profile: %w", err)
	}
	r, remarks, err := pprofRecord(from.Comments)
	if err != nil {
		return nil, err
	}
	u := &pprofUnfolder{from: from, rows: mprof.NewRows(), tracks: map[string]int{}, labels: map[string]bool{}}
	if r != nil {
		u.traced = r.Trace != nil
		for _, name := range r.Labels {
			u.labels[name] = true
		}
		for _, f := range from.Function { // those without samples, too
			u.rows.Function(u.function(f, 0), 0)
		}
		for _, name := range r.Tracks {
			u.track(name)
		}
	}
	if err := u.values(); err != nil {
		return nil, err
	}
	for i, s := range from.Sample {
		if err := u.add(s); err != nil {
			return nil, fmt.Errorf("sample %d: %w", i, err)
		}
	}
	p := u.finish()
	if r == nil {
		foreignPprof(p, from, in, remarks)
		return p, nil
	}
	if err := r.apply(p); err != nil {
		return nil, err
	}
	if p.Trace != nil {
		p.Trace.Kept = 0
		note(p, pprofCalls)
	} else {
		note(p, pprofSums)
	}
	return p, nil
}

// pprofRecord is the record of a profile that mprof wrote; nil where it wrote none, or
// where several were merged. The comments of others are remarks.
func pprofRecord(comments []string) (r *record, remarks []string, err error) {
	found := 0
	for _, c := range comments {
		if text, ok := strings.CutPrefix(c, recordComment); ok {
			if r, err = parseRecord([]byte(text)); err != nil {
				return nil, nil, err
			}
			found++
		} else if len(remarks) < 20 {
			remarks = append(remarks, c)
		}
	}
	if found > 1 {
		return nil, []string{fmt.Sprintf("%d profiles of mprof were merged in it: what they say of their runs is left out", found)}, nil
	}
	return r, remarks, nil
}

// foreignPprof says what is known of somebody else's profile.
func foreignPprof(p *mprof.Profile, from *profile.Profile, in Input, remarks []string) {
	p.Period = 0
	if t := from.PeriodType; t != nil && timeUnits[t.Unit] > 0 {
		p.Period = max(0, time.Duration(from.Period)*timeUnits[t.Unit])
	}
	p.Duration = max(p.Duration, time.Duration(from.DurationNanos))
	if in.Program != nil {
		p.Mapping, p.Others = in.Program.Mappings()[0], in.Program.Mappings()[1:]
	} else if len(from.Mapping) > 0 {
		m := from.Mapping[0]
		p.Mapping = mprof.Mapping{Path: m.File, Name: m.File[strings.LastIndexAny(m.File, `/\`)+1:]}
	}
	unrecorded(p, append(remarks, pprofSums)...)
}

// timeUnits are those that pprof gives to times.
var timeUnits = map[string]time.Duration{
	"nanoseconds": 1, "ns": 1, "microseconds": time.Microsecond, "us": time.Microsecond, "milliseconds": time.Millisecond, "ms": time.Millisecond,
	"seconds": time.Second, "s": time.Second,
}

// pprofUnfolder turns locations of several lines into frames.
type pprofUnfolder struct {
	from        *profile.Profile
	rows        *mprof.Rows
	count, time int           // which values they are; -1: there is none
	unit        time.Duration // of the time
	threads     []mprof.ThreadTrack
	tracks      map[string]int
	labels      map[string]bool // functions that the record calls labels
	traced      bool
	sum         sums
}

// values finds a number of samples and a time among the values of each sample.
func (u *pprofUnfolder) values() error {
	u.count, u.time = -1, -1
	var seen []string
	for i, t := range u.from.SampleType {
		seen = append(seen, t.Type+"/"+t.Unit)
		switch unit := timeUnits[t.Unit]; {
		case unit > 0 && (u.time < 0 || t.Type == u.from.DefaultSampleType):
			u.time, u.unit = i, unit
		case t.Unit == "count" && u.count < 0 && (t.Type == "samples" || t.Type == "sample" || t.Type == "calls" || t.Type == "count" || t.Type == "contentions"):
			u.count = i
		}
	}
	if u.count < 0 && u.time < 0 {
		return fmt.Errorf("its values are neither samples nor time but %s", strings.Join(seen, ", "))
	}
	return nil
}

func (u *pprofUnfolder) add(s *profile.Sample) error {
	if len(s.Location) == 0 {
		return errors.New("no stack")
	}
	if len(s.Location) > maxReadDepth {
		return fmt.Errorf("a stack of %d frames, and %d are the most", len(s.Location), maxReadDepth)
	}
	count, weight := int64(1), int64(0)
	if u.count >= 0 {
		count = s.Value[u.count]
	}
	if u.time >= 0 {
		weight = s.Value[u.time]
		if u.unit > 1 && weight > (1<<63-1)/int64(u.unit) {
			return fmt.Errorf("a time of %d %s", weight, u.from.SampleType[u.time].Unit)
		}
		weight *= int64(u.unit)
	}
	if u.sum.add(count, weight); u.sum.err != nil {
		return u.sum.err
	}
	if count == 0 && (weight == 0 || !u.traced) {
		return nil
	}
	state := snapshot.State(0)
	if slices.Contains(s.Label["state"], "sleeping") {
		state = snapshot.Sleeping
	}
	t := &u.threads[u.track(trackName(s))]
	t.Samples = append(t.Samples, mprof.Sample{Count: int(count), Weight: time.Duration(weight), State: state, Stack: u.stack(s.Location, state)})
	return checkRows(u.rows.Stacks(), "different stacks")
}

// trackName is the thread that the labels of a sample name.
func trackName(s *profile.Sample) string {
	for _, key := range []string{"thread", "context"} {
		if v := s.Label[key]; len(v) > 0 && v[0] != "" {
			return v[0]
		}
	}
	return defaultTrack
}

// defaultTrack is the name of a thread that a file does not name.
const defaultTrack = "Core 0"

// track is the number of the thread of that name.
func (u *pprofUnfolder) track(name string) int {
	i, ok := u.tracks[name]
	if !ok {
		i = len(u.threads)
		u.tracks[name] = i
		u.threads = append(u.threads, mprof.ThreadTrack{Name: name})
	}
	return i
}

// stack adds locations, which are leaf first; so are the lines of one.
func (u *pprofUnfolder) stack(locations []*profile.Location, state snapshot.State) mprof.StackIndex {
	at, category := mprof.StackIndex(mprof.None), mprof.Thread
	for n, l := range slices.Backward(locations) {
		address := uint32(0)
		if l.Address <= 1<<32-1 {
			address = uint32(l.Address)
		}
		lines := l.Line
		if len(lines) == 0 {
			lines = []profile.Line{{Function: &profile.Function{Name: fmt.Sprintf("0x%x", l.Address)}}}
		}
		for i, line := range slices.Backward(lines) {
			f := u.function(line.Function, address)
			category = follow(f, category)
			frame := mprof.Frame{
				Function: u.rows.Function(f, 0), Symbol: mprof.None, Addr: address, File: f.File, Line: int(max(0, line.Line)), Col: int(max(0, line.Column)),
				Depth: len(lines) - 1 - i, Category: category, Guessed: strings.HasSuffix(f.Name, guessedMark),
			}
			if n == 0 && i == 0 && state != 0 {
				frame.Category = mprof.Idle
			}
			at = u.rows.Stack(at, u.rows.Frame(frame))
		}
	}
	return at
}

func (u *pprofUnfolder) function(f *profile.Function, address uint32) mprof.Function {
	if f == nil {
		return mprof.Function{Name: fmt.Sprintf("0x%08x", address), Label: true}
	}
	out := mprof.Function{Name: f.Name, Linkage: f.SystemName, File: f.Filename, Line: int(max(0, f.StartLine))}
	if out.Name == "" {
		out.Name = fmt.Sprintf("0x%08x", address)
	}
	out.Label = u.labels[out.Name] || f.Filename == "" && f.SystemName == "" && isLabel(out.Name)
	return out
}

func (u *pprofUnfolder) finish() *mprof.Profile {
	p := u.rows.Finish()
	p.Threads = u.threads
	if len(p.Threads) == 0 {
		p.Threads = []mprof.ThreadTrack{{Name: defaultTrack}}
	}
	if n := u.from.TimeNanos; n != 0 {
		p.Start = time.Unix(0, n).UTC()
	}
	p.Sums = &mprof.Sums{}
	inOrder(p)
	return p
}
