package export

import (
	"bufio"
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mprof/mprof/profile"
)

// speedscopeSchema is the member "$schema" of every file (jlfwong/speedscope,
// src/lib/file-format-spec.ts).
const speedscopeSchema = "https://www.speedscope.app/file-format-schema.json"

type speedscopeFile struct {
	Schema   string              `json:"$schema"`
	Exporter string              `json:"exporter"`
	Name     string              `json:"name"`
	Shared   speedscopeShared    `json:"shared"`
	Profiles []speedscopeProfile `json:"profiles"`
	Record   string              `json:"mprof,omitempty"` // for mprof to read the file
}

type speedscopeShared struct {
	Frames []speedscopeFrame `json:"frames"`
}

// speedscopeFrame is a function: the viewer counts each row of the table by itself.
type speedscopeFrame struct {
	Name string `json:"name"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// speedscopeProfile is a thread. A row of Samples lists functions, the outermost first, and
// lasts as long as its weight.
type speedscopeProfile struct {
	Type    string  `json:"type"`
	Name    string  `json:"name"`
	Unit    string  `json:"unit"`
	Start   int64   `json:"startValue"`
	End     int64   `json:"endValue"`
	Samples [][]int `json:"samples"`
	Weights []int64 `json:"weights"`
}

// WriteSpeedscope writes the JSON of speedscope: a sampled profile for each thread, whose
// weights are nanoseconds, or numbers of samples where no time is known. A row without
// functions is time in which the thread did not run, or of which nothing is known.
func WriteSpeedscope(w io.Writer, p *profile.Profile) error {
	if err := p.Check(); err != nil {
		return err
	}
	record, err := packTables(p)
	if err != nil {
		return err
	}
	file := speedscopeFile{
		Schema: speedscopeSchema, Exporter: strings.TrimSpace("mprof " + p.Taken.Version), Name: processName(p),
		Shared: speedscopeShared{Frames: []speedscopeFrame{}}, Record: record,
	}
	for _, f := range p.Functions {
		file.Shared.Frames = append(file.Shared.Frames, speedscopeFrame{f.Name, f.File, f.Line})
	}
	stacks := make([][]int, len(p.Stacks))
	for i := range p.Threads {
		file.Profiles = append(file.Profiles, newSpeedscopeProfile(p, &p.Threads[i], stacks))
	}
	b := bufio.NewWriter(w)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	return cmp.Or(e.Encode(&file), b.Flush())
}

// weighted tells whether the samples stand for time.
func weighted(p *profile.Profile) bool {
	return slices.ContainsFunc(p.Threads, func(t profile.ThreadTrack) bool {
		return slices.ContainsFunc(t.Samples, func(s profile.Sample) bool { return s.Weight > 0 })
	})
}

// newSpeedscopeProfile writes the rows of a thread; stacks keeps those that were written
// before.
func newSpeedscopeProfile(p *profile.Profile, t *profile.ThreadTrack, stacks [][]int) speedscopeProfile {
	out := speedscopeProfile{Type: "sampled", Name: t.Name, Unit: "nanoseconds", Samples: [][]int{}, Weights: []int64{}}
	timed := weighted(p) || p.Trace != nil
	if !timed {
		out.Unit = "none"
	}
	for i := range t.Samples {
		s := &t.Samples[i]
		weight := int64(s.Weight)
		if !timed {
			weight = int64(s.Count)
		} else if gap := int64(begin(p, s)) - out.End; gap > 0 {
			out.Samples, out.Weights = append(out.Samples, []int{}), append(out.Weights, gap)
			out.End += gap
		}
		if stacks[s.Stack] == nil {
			stacks[s.Stack] = functionsOf(p, s.Stack)
		}
		out.Samples, out.Weights = append(out.Samples, stacks[s.Stack]), append(out.Weights, weight)
		out.End += weight
	}
	return out
}

// begin is when the time of a row begins: a sample stands for the time before it, a piece of
// a trace for that after it.
func begin(p *profile.Profile, s *profile.Sample) time.Duration {
	if p.Trace != nil {
		return s.Time
	}
	return s.Time - s.Weight
}

// functionsOf lists the functions of a stack, the outermost first.
func functionsOf(p *profile.Profile, at profile.StackIndex) (functions []int) {
	for _, f := range p.Callers(at) {
		functions = append(functions, int(f.Function))
	}
	slices.Reverse(functions)
	return functions
}
