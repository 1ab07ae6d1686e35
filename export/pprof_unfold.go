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
	return checkTables(u.rows)
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
