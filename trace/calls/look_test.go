package calls

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/trace"
)

// pathSums is what ended in each path, and the statistics of each function without Function
// and Longest.
type pathSums struct {
	Paths     map[string][2]int64 // calls, self
	Functions map[string]profile.FunctionTimes
}

// looked is what Look shows, as a visitor that adds it up.
type looked struct {
	b     *Builder
	paths []lookedPath
	index map[string]int32
	out   pathSums
	total map[string]time.Duration
	open  bool
	still time.Duration // in calls below the label of those that still run
}

type lookedPath struct {
	parent int32
	name   string
	label  bool
}

func look(b *Builder) pathSums {
	l := &looked{b: b, index: map[string]int32{}, total: map[string]time.Duration{}, out: pathSums{map[string][2]int64{}, map[string]profile.FunctionTimes{}}}
	b.Look(l)
	for name, f := range l.out.Functions {
		f.Total = l.total[name]
		l.out.Functions[name] = f
	}
	if l.open {
		l.out.Functions[OpenLabel] = profile.FunctionTimes{Total: l.still, Open: true}
	}
	return l.out
}

func (l *looked) Context(int, string) {}

func (l *looked) Function(f profile.FunctionIndex, t *profile.FunctionTimes) {
	row, _ := l.b.Function(f)
	out := *t
	out.Function, out.Longest = 0, 0
	out.LongestAt -= l.b.Counts().First
	l.out.Functions[row.Name] = out
}

func (l *looked) Down(parent int32, f profile.FunctionIndex, label string, in profile.Category) int32 {
	p := lookedPath{parent, label, true}
	if f != profile.None {
		row, _ := l.b.Function(f)
		p.name, p.label = row.Name, false
	}
	l.open = l.open || label == OpenLabel
	key := p.name
	if parent >= 0 {
		key = l.path(parent) + ";" + p.name
	}
	at, ok := l.index[key]
	if !ok {
		at = int32(len(l.paths))
		l.index[key], l.paths = at, append(l.paths, p)
	}
	return at
}

func (l *looked) path(at int32) string {
	if parent := l.paths[at].parent; parent >= 0 {
		return l.path(parent) + ";" + l.paths[at].name
	}
	return l.paths[at].name
}

func (l *looked) Add(_ int, at int32, calls uint64, self, net time.Duration) {
	key := l.path(at)
	x := l.out.Paths[key]
	l.out.Paths[key] = [2]int64{x[0] + int64(calls), saturate(x[1], int64(self))}
	name := l.paths[at].name
	outermost, top := true, true
	for p := l.paths[at].parent; p >= 0; p = l.paths[p].parent {
		outermost = outermost && (l.paths[p].label || l.paths[p].name != name)
		if top = top && l.paths[p].label; top && l.paths[p].name == OpenLabel {
			l.still = time.Duration(saturate(int64(l.still), int64(net)))
		}
	}
	if outermost {
		l.total[name] = time.Duration(saturate(int64(l.total[name]), int64(net)))
	}
}

// finished is the same of a profile.
func finished(p *profile.Profile) pathSums {
	out := pathSums{map[string][2]int64{}, map[string]profile.FunctionTimes{}}
	for _, s := range p.ByStack() {
		var names []string
		for _, f := range p.Callers(s.Stack) {
			names = append([]string{p.Functions[f.Function].Name}, names...)
		}
		key := strings.Join(names, ";")
		x := out.Paths[key]
		out.Paths[key] = [2]int64{x[0] + int64(s.Samples), saturate(x[1], int64(s.Weight))}
	}
	for _, f := range p.Trace.Functions {
		name := p.Functions[f.Function].Name
		f.Function, f.Longest = 0, 0
		out.Functions[name] = f
	}
	return out
}

// judgeLook wants a builder to show what its profile holds.
func judgeLook(t *testing.T, b *Builder) *profile.Profile {
	t.Helper()
	before, counts := look(b), b.Counts()
	p := b.Finish(profile.Acquisition{}, 0)
	for key, x := range before.Paths {
		if x == [2]int64{} {
			delete(before.Paths, key) // a path on which calls have not returned
		}
	}
	if diff := cmp.Diff(finished(p), before); diff != "" {
		t.Fatalf("look (-profile +look):\n%s", diff)
	}
	if counts.Calls != p.Trace.Calls || counts.HighWater != p.Trace.HighWater || counts.Resets != p.Trace.Resets {
		t.Fatalf("look: %+v, the profile: %d calls, buffer %d, %d resets", counts, p.Trace.Calls, p.Trace.HighWater, p.Trace.Resets)
	}
	return p
}

// finishLooked does so where paths are not too many: which of them are then below a label depends on
// the order in which they come.
func finishLooked(t *testing.T, b *Builder) *profile.Profile {
	if look(b); b.tree.live+3*b.waiting+mostIDs >= b.tree.most {
		return b.Finish(profile.Acquisition{}, 0)
	}
	return judgeLook(t, b)
}

// TestLook stops random programs anywhere: what Look shows is what the profile holds that
// is made then, and looking changes nothing.
func TestLook(t *testing.T) {
	for seed := range seeds(400) {
		s := newSimulator(seed)
		s.tasks = 1 + int(seed%3)
		s.run()
		random := rand.New(rand.NewPCG(seed, 9))
		version, end := 2-int(seed%2)*int(seed%5/4), random.IntN(len(s.records)+1)
		b := NewBuilder(names{}, Options{})
		if seed%4 == 0 {
			b.most.waiting = 20 + random.IntN(100)
		}
		b.Metadata(s.metadata())
		for i := 0; i < end; {
			n := min(1+random.IntN(20), end-i)
			s.feed(b, version, s.records[i:i+n])
			if i += n; random.IntN(10) == 0 {
				b.Loss(trace.Loss{Kind: trace.LostRecords, Records: 1})
			}
			if random.IntN(10) == 0 {
				look(b)
			}
		}
		if err := judgeLook(t, b).Check(); err != nil {
			t.Fatal(err)
		}
	}
}
