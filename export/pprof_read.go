package export

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	mprof "github.com/mprof/mprof/profile"
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
	switch {
	case err != nil && printable(data):
		return nil, ErrFormat
	case err != nil:
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
		if u.time >= 0 && (u.count < 0 || from.SampleType[u.count].Type == "calls") { // calls are no samples
			remarks = append(remarks, measured(p)...)
		}
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
