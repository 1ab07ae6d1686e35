package live

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/profile"
)

// whole is all that a reader gets that knows nothing.
func whole(m *Model) *Update { return m.Since(0, 0) }

// TestSamplesEqualProfile: when the run is over, the model says what the profile says, to
// the last bit.
func TestSamplesEqualProfile(t *testing.T) {
	for seed := range uint64(10) {
		for _, blocks := range []bool{false, true} {
			s := newSampler(seed)
			m, b := NewModel(), newBuilder(s.code)
			m.WatchSamples(b, Setup{})
			for i := range 3000 {
				if blocks {
					s.addBlock(b)
				} else {
					s.add(b)
				}
				if i%97 == 0 {
					m.Since(0, 0)
				}
			}
			p := b.Finish(profile.Acquisition{}, s.now)
			m.Finish(p)
			u := whole(m)
			compareSamples(t, u, p)
			if n := outermost(m.Timeline(Window{})); n != u.Status.Taken {
				t.Errorf("%d samples on the timeline, %d were taken", n, u.Status.Taken)
			}
		}
	}
}

// outermost counts what is in the first row.
func outermost(a *Timeline) (n uint64) {
	for _, l := range a.Tracks {
		for i, depth := range l.Depth {
			if depth == 0 {
				n += l.Count[i]
			}
		}
	}
	return n
}

func compareSamples(t *testing.T, u *Update, p *profile.Profile) {
	t.Helper()
	compareTable(t, u, p)
	comparePaths(t, u, p)
	idle := p.IdleShare()
	got := []float64{float64(u.Status.Taken), float64(u.Status.Asked), u.Status.IdleShare, u.Status.IdleError, u.Status.StolenShare, u.Status.HaltedP50, u.Status.HaltedP99, u.Status.Elapsed, float64(u.Status.Resets)}
	want := []float64{float64(p.Samples()), float64(p.Taken.Asked), idle.Value, idle.Error, p.HaltedShare(), p.Taken.HaltedP50.Seconds(), p.Taken.HaltedP99.Seconds(), p.Duration.Seconds(), float64(p.Taken.Resets)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("status (-profile +model):\n%s", diff)
	}
	if len(u.Events) != len(p.Events) {
		t.Errorf("%d events, the profile has %d", len(u.Events), len(p.Events))
	}
}

func compareTable(t *testing.T, u *Update, p *profile.Profile) {
	t.Helper()
	want := map[string]Row{}
	for _, e := range p.Top() {
		want[e.Name] = Row{Self: uint64(e.Self), Total: uint64(e.Total), SelfShare: e.SelfShare.Value, SelfError: e.SelfShare.Error,
			TotalShare: e.TotalShare.Value, TotalError: e.TotalShare.Error}
	}
	got := map[string]Row{}
	for _, row := range u.Table {
		name := u.Functions.Name[row.Function]
		row.Function = 0
		got[name] = row
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("table (-profile +model):\n%s", diff)
	}
	if len(got) < 10 {
		t.Errorf("%d functions only", len(got))
	}
}

// pathKey is a path of names with the category of its end.
type pathKey struct{ path, category string }

// comparePaths adds up the samples by their paths of functions.
func comparePaths(t *testing.T, u *Update, p *profile.Profile) {
	t.Helper()
	type sum struct {
		count uint64
		time  float64
	}
	want := map[pathKey]sum{}
	for _, s := range p.ByStack() {
		var k pathKey
		for at, f := range p.Callers(s.Stack) {
			k.path = ";" + p.Functions[f.Function].Name + k.path
			if at == s.Stack {
				k.category = f.Category.String()
			}
		}
		x := want[k]
		want[k] = sum{x.count + uint64(s.Samples), x.time + s.Weight.Seconds()}
	}
	got := map[pathKey]sum{}
	for i, n := range u.Counts.Node {
		k := pathKey{category: profile.Category(u.Nodes.Category[n]).String()}
		for at := n; at >= 0; at = u.Nodes.Parent[at] {
			k.path = ";" + u.Functions.Name[u.Nodes.Function[at]] + k.path
		}
		x := got[k]
		got[k] = sum{x.count + u.Counts.Count[i], x.time + u.Counts.Time[i]}
	}
	nearly := cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }) // sums of seconds
	if diff := cmp.Diff(want, got, nearly, cmp.AllowUnexported(sum{})); diff != "" {
		t.Errorf("paths (-profile +model):\n%s", diff)
	}
}

// TestTooManyPaths: what has no node of its own is counted below a label, and its functions in
// the table all the same.
func TestTooManyPaths(t *testing.T) {
	s := newSampler(1)
	m, b := NewModel(), newBuilder(s.code)
	m.WatchSamples(b, Setup{})
	m.run.feed.(*sampling).mostNodes = 100
	for range 3000 {
		s.add(b)
	}
	p := b.Finish(profile.Acquisition{}, s.now)
	u := whole(m)
	compareTable(t, u, p)
	sum, more := uint64(0), uint64(0)
	for i, n := range u.Counts.Node {
		if sum += u.Counts.Count[i]; u.Functions.Name[u.Nodes.Function[n]] == morePaths {
			more += u.Counts.Count[i]
		}
	}
	if len(u.Nodes.Parent) != 101 || sum != uint64(p.Samples()) || more == 0 || more == sum || len(u.Status.Remarks) != 1 {
		t.Errorf("%d nodes, %d of %d samples, %d of them below the label; %q", len(u.Nodes.Parent), sum, p.Samples(), more, u.Status.Remarks)
	}
}
