package export

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/mprof/mprof/profile"
)

// Pair is two profiles of one program, to be written as a difference.
type Pair struct {
	Old, New *profile.Profile
	// Same is the function of New that each one of Old is, None where there is none.
	Same []profile.FunctionIndex
	// OldWhole and NewWhole are what shares are of: samples, of traces the nanoseconds observed. Counts
	// and times of Old are multiplied by their ratio, so that the two compare.
	OldWhole, NewWhole float64
}

// scale is what counts and times of Old are multiplied by.
func (pair Pair) scale() float64 { return pair.NewWhole / pair.OldWhole }

// DiffFormat is one kind of file of a difference.
type DiffFormat struct {
	Name  string // for people
	Ext   string // what the file name ends in, dots included
	Write func(w io.Writer, pair Pair) error
	// Next is the command that shows such a file, %s for its path.
	Next string
}

// DiffFormats are all formats of a difference.
var DiffFormats = []DiffFormat{
	{"Firefox Profiler, compressed", ".json.gz", writeFirefoxDiffGzip, "mprof view %s"},
	{"Firefox Profiler", ".json", WriteFirefoxDiff, "mprof view %s"},
	{"pprof", ".pb.gz", WritePprofDiff, "go tool pprof -http=: %s"},
	{"pprof", ".pprof", WritePprofDiff, "go tool pprof -http=: %s"},
	{"flame graph of the difference as a picture", ".svg", WriteSVGDiff, "chromium %s"},
	{"folded stacks with two counts", ".folded", WriteFoldedDiff, "flamegraph.pl %s > diff.svg"},
	{"folded stacks with two counts", ".txt", WriteFoldedDiff, "flamegraph.pl %s > diff.svg"},
}

// DiffByPath returns the format that the extension of path names; "-" and device files get
// folded stacks.
func DiffByPath(path string) (DiffFormat, error) {
	lower := strings.ToLower(filepath.Base(path))
	if isStream(path) {
		lower = "diff.folded"
	}
	var known []string
	for _, f := range DiffFormats {
		if strings.HasSuffix(lower, f.Ext) && len(lower) > len(f.Ext) {
			return f, nil
		}
		known = append(known, fmt.Sprintf("%s (%s)", f.Ext, f.Name))
	}
	return DiffFormat{}, fmt.Errorf("export: %s: the extension names no format of a difference; use one of %s", path, strings.Join(known, ", "))
}

// WriteDiffFile writes a difference in the format that path names, as WriteFile does.
func WriteDiffFile(path string, pair Pair) error {
	f, err := DiffByPath(path)
	if err != nil {
		return err
	}
	return Write(path, func(w io.Writer) error { return f.Write(w, pair) })
}

// DiffNext are the commands that show files of a difference, to type next.
func DiffNext(paths []string) (commands []string) {
	for _, path := range paths {
		if f, err := DiffByPath(path); err == nil && !isStream(path) {
			commands = append(commands, fmt.Sprintf(f.Next, quote(path)))
		}
	}
	return commands
}

// joined is the profile of both runs: the tables of New, behind them those of Old, whose
// functions have the names of New. Frames of Old have no addresses, as these would be taken
// for addresses of New's program. Threads are those of Old, then those of New.
type joined struct {
	*profile.Profile
	old int // threads of Old
}

func (pair Pair) join() (*joined, error) {
	for _, p := range []*profile.Profile{pair.Old, pair.New} {
		if err := p.Check(); err != nil {
			return nil, err
		}
	}
	if len(pair.Same) != len(pair.Old.Functions) {
		return nil, fmt.Errorf("export: %d functions are matched, and the old profile has %d", len(pair.Same), len(pair.Old.Functions))
	}
	if !(pair.OldWhole > 0 && pair.NewWhole > 0) || math.IsInf(pair.OldWhole, 0) || math.IsInf(pair.NewWhole, 0) {
		return nil, fmt.Errorf("export: shares of %v and of %v", pair.OldWhole, pair.NewWhole)
	}
	p := *pair.New
	p.Functions = append([]profile.Function{}, p.Functions...)
	functions := pair.functions(&p)
	p.Frames = append([]profile.Frame{}, p.Frames...)
	for _, f := range pair.Old.Frames {
		f.Function, f.Symbol, f.Addr = functions[f.Function], profile.None, 0
		p.Frames = append(p.Frames, f)
	}
	frames, stacks := profile.FrameIndex(len(pair.New.Frames)), profile.StackIndex(len(pair.New.Stacks))
	p.Stacks = append([]profile.Stack{}, p.Stacks...)
	for _, s := range pair.Old.Stacks {
		if s.Frame += frames; s.Prefix != profile.None {
			s.Prefix += stacks
		}
		p.Stacks = append(p.Stacks, s)
	}
	p.Threads = append(renamed(pair.Old.Threads, "old", stacks), renamed(pair.New.Threads, "new", 0)...)
	p.Events, p.Sums = nil, nil
	p.Duration = max(pair.Old.Duration, pair.New.Duration)
	p.Sources = map[string]string{}
	for _, from := range []*profile.Profile{pair.Old, pair.New} { // where both have a file, New's
		for file, content := range from.Sources {
			p.Sources[file] = content
		}
	}
	return &joined{&p, len(pair.Old.Threads)}, nil
}

// functions adds those of Old that New has not, and says what each one of Old is.
func (pair Pair) functions(p *profile.Profile) []profile.FunctionIndex {
	taken := map[string]bool{}
	for _, f := range p.Functions {
		taken[f.Name] = true
	}
	to := make([]profile.FunctionIndex, len(pair.Old.Functions))
	for i, f := range pair.Old.Functions {
		if to[i] = pair.Same[i]; to[i] != profile.None {
			continue
		}
		for taken[f.Name] {
			f.Name += " (old)"
		}
		taken[f.Name] = true
		to[i] = profile.FunctionIndex(len(p.Functions))
		p.Functions = append(p.Functions, f)
	}
	return to
}

// renamed are threads with their stacks at another place.
func renamed(threads []profile.ThreadTrack, which string, stacks profile.StackIndex) (out []profile.ThreadTrack) {
	for _, t := range threads {
		t.Name = which + ": " + t.Name
		t.Samples, t.Calls = append([]profile.Sample{}, t.Samples...), append([]profile.Call{}, t.Calls...)
		for i := range t.Samples {
			t.Samples[i].Stack += stacks
		}
		for i := range t.Calls {
			t.Calls[i].Stack += stacks
		}
		out = append(out, t)
	}
	return out
}

// scaled multiplies counts one after the other such that their sum is right: what is
// rounded off of one is left to the next.
type scaled struct {
	by        float64
	sum       float64
	delivered int64
}

func (s *scaled) next(n int64) int64 {
	s.sum += float64(n) * s.by
	out := int64(math.Round(s.sum)) - s.delivered
	s.delivered += out
	return out
}

// sizes are the two totals of a stack: of samples and their times.
type sizes struct {
	count int64
	time  time.Duration
}

// byStack adds up the samples of threads.
func byStack(threads []profile.ThreadTrack, stacks int) []sizes {
	all := make([]sizes, stacks)
	for _, t := range threads {
		for i := range t.Samples {
			s := &all[t.Samples[i].Stack]
			s.count += int64(t.Samples[i].Count)
			s.time += t.Samples[i].Weight
		}
	}
	return all
}
