package export

import (
	"encoding/hex"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	mprof "github.com/mprof/mprof/profile"
)

// WritePprof writes a gzip-compressed profile.proto (github.com/google/pprof,
// proto/profile.proto): sample types samples/count and cpu/nanoseconds, of traced
// calls calls/count and time/nanoseconds, the latter the default; locations with all
// inlined lines.
func WritePprof(w io.Writer, p *mprof.Profile) error {
	if err := p.Check(); err != nil {
		return err
	}
	b := pprofBuilder{source: p, locations: map[pprofLocation]*profile.Location{}}
	b.out = &profile.Profile{
		SampleType:        []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		DefaultSampleType: "cpu",
		DurationNanos:     int64(p.Duration),
		Comments:          comments(p),
	}
	if p.Trace != nil {
		b.out.SampleType[0].Type, b.out.SampleType[1].Type = "calls", "time"
		b.out.DefaultSampleType = "time"
	} else {
		b.out.PeriodType, b.out.Period = &profile.ValueType{Type: "cpu", Unit: "nanoseconds"}, int64(p.Period)
	}
	if !p.Start.IsZero() {
		b.out.TimeNanos = p.Start.UnixNano()
	}
	b.mapping()
	b.functions()
	for _, t := range p.Threads {
		b.samples(t)
	}
	r := newRecord(p)
	r.addSums(p, p.Summed())
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	b.out.Comments = append(b.out.Comments, recordComment+string(text))
	if err := b.out.CheckValid(); err != nil {
		return err
	}
	return b.out.Write(w)
}

// pprofLocation is what makes a location: a physical frame with its inlined
// calls, by the outermost frame and how many stand on it.
type pprofLocation struct {
	outer mprof.FrameIndex
	inner mprof.FrameIndex
}

type pprofBuilder struct {
	source    *mprof.Profile
	out       *profile.Profile
	locations map[pprofLocation]*profile.Location
}

// mapping claims all symbol information: names are final, and pprof must not
// look for the ELF with the host's tools.
func (b *pprofBuilder) mapping() {
	for i, m := range b.source.Mappings() {
		b.out.Mapping = append(b.out.Mapping, &profile.Mapping{
			ID: uint64(i + 1), Start: uint64(m.Low), Limit: uint64(m.High), File: m.Path, BuildID: hex.EncodeToString(m.BuildID),
			HasFunctions: true, HasFilenames: true, HasLineNumbers: true, HasInlineFrames: true,
		})
	}
}

// systemName is the name that pprof gets for one in the symbol table. It shortens a name
// that equals that and looks like C++ or Rust; names that are no plain identifiers
// get none where they have no other.
func systemName(f mprof.Function) string {
	if f.Linkage == f.Name && !isIdentifier(f.Name) {
		return ""
	}
	return f.Linkage
}

// functions writes the table of functions one to one.
func (b *pprofBuilder) functions() {
	for i, f := range b.source.Functions {
		b.out.Function = append(b.out.Function, &profile.Function{
			ID: uint64(i + 1), Name: f.Name, SystemName: systemName(f), Filename: f.File, StartLine: int64(f.Line),
		})
	}
}

func isIdentifier(s string) bool {
	for _, c := range s {
		if !(c == '_' || c == '.' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
			return false
		}
	}
	return s != ""
}

// samples adds the samples of a thread, those of one stack together. A track of
// traced calls is a context: a task, an interrupt.
func (b *pprofBuilder) samples(t mprof.ThreadTrack) {
	track := "thread"
	if b.source.Trace != nil {
		track = "context"
	}
	type total struct{ count, nanos int64 }
	totals := map[mprof.StackIndex]total{}
	for _, s := range t.Samples {
		sum := totals[s.Stack]
		totals[s.Stack] = total{sum.count + int64(s.Count), sum.nanos + int64(s.Weight)}
	}
	stacks := make([]mprof.StackIndex, 0, len(totals))
	for s := range totals {
		stacks = append(stacks, s)
	}
	slices.Sort(stacks)
	for _, s := range stacks {
		sample := &profile.Sample{
			Value: []int64{totals[s].count, totals[s].nanos},
			Label: map[string][]string{track: {t.Name}},
		}
		sample.Location = b.stack(s, sample.Label)
		b.out.Sample = append(b.out.Sample, sample)
	}
}

// stack lists the locations of a stack, leaf first, and labels it with the
// innermost exception ("irq"), with sleep, and where frames of it are guesses.
func (b *pprofBuilder) stack(at mprof.StackIndex, labels map[string][]string) (locations []*profile.Location) {
	if f := b.source.Frames[b.source.Stacks[at].Frame]; f.Category == mprof.Idle {
		labels["state"] = []string{"sleeping"}
	}
	var lines []profile.Line
	var inner mprof.FrameIndex
	for node, f := range b.source.Callers(at) {
		function := &b.source.Functions[f.Function]
		if exc := function.Exception(); exc != "" && labels["irq"] == nil {
			labels["irq"] = []string{exc}
		}
		if f.Guessed {
			labels["stack"] = []string{"guessed"}
		}
		if len(lines) == 0 {
			inner = b.source.Stacks[node].Frame
		}
		lines = append(lines, profile.Line{Function: b.out.Function[f.Function], Line: int64(f.Line), Column: int64(f.Col)})
		if f.Depth > 0 {
			continue
		}
		locations = append(locations, b.location(pprofLocation{b.source.Stacks[node].Frame, inner}, f, lines))
		lines = nil
	}
	return locations
}

func (b *pprofBuilder) location(key pprofLocation, f *mprof.Frame, lines []profile.Line) *profile.Location {
	if l, ok := b.locations[key]; ok {
		return l
	}
	l := &profile.Location{ID: uint64(len(b.out.Location) + 1), Address: uint64(f.Addr), Line: lines}
	if i := b.source.MappingOf(f.Addr); f.Addr != 0 && i != mprof.None {
		l.Mapping = b.out.Mapping[i]
	}
	b.locations[key] = l
	b.out.Location = append(b.out.Location, l)
	return l
}

// comments say how the samples were taken, a line per group: pprof prints them
// above every report.
func comments(p *mprof.Profile) (out []string) {
	for _, group := range facts(p) {
		var parts []string
		for _, f := range group.facts {
			parts = append(parts, f.label+": "+f.text())
		}
		out = append(out, group.title+": "+strings.Join(parts, "; "))
	}
	return out
}
