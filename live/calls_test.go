package live

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/trace/calls"
)

// TestCallsEqualProfile: when the run is over, the model says what the profile says, to the last
// bit.
func TestCallsEqualProfile(t *testing.T) {
	for seed := range uint64(10) {
		m, b := NewModel(), calls.NewBuilder(firmware{functions: 40}, calls.Options{})
		m.WatchCalls(b, Setup{})
		begin(b)
		s := newProgram(seed)
		s.losses = int(seed)
		for range 40 {
			s.feed(b, 1000)
			whole(m)
		}
		p := b.Finish(profile.Acquisition{}, 0)
		m.Finish(p)
		compareCalls(t, whole(m), p)
	}
}

func compareCalls(t *testing.T, u *Update, p *profile.Profile) {
	t.Helper()
	want, got := map[string]Row{}, map[string]Row{}
	for _, f := range p.Trace.Functions {
		want[p.Functions[f.Function].Name] = Row{Calls: f.Calls, SelfTime: f.Self.Seconds(), TotalTime: f.Total.Seconds(), Min: f.Min.Seconds(), Mean: f.Mean.Seconds(),
			P50: f.P50.Seconds(), P99: f.P99.Seconds(), Max: f.Max.Seconds(), LongestAt: f.LongestAt.Seconds(), Longest: f.Longest.Seconds(), Open: f.Open, AtLeast: f.AtLeast}
	}
	for _, row := range u.Table {
		name := u.Functions.Name[row.Function]
		if row.Function = 0; row != (Row{}) {
			got[name] = row
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("table (-profile +model):\n%s", diff)
	}
	if len(got) < 15 {
		t.Errorf("%d functions only", len(got))
	}
	compareTracks(t, u, p)
	s := u.Status
	if s.Calls != p.Trace.Calls || s.Lost != p.Trace.LostCalls || s.Elapsed != p.Duration.Seconds() || s.Buffer != p.Trace.Buffer {
		t.Errorf("status %+v; the profile has %d calls, %d lost, %v", s, p.Trace.Calls, p.Trace.LostCalls, p.Duration)
	}
	if diff := cmp.Diff(p.Taken.Remarks, s.Remarks); diff != "" && len(p.Taken.Remarks) > 0 {
		t.Errorf("remarks (-profile +model):\n%s", diff)
	}
	if len(u.Events) != len(p.Events) {
		t.Errorf("%d events, the profile has %d", len(u.Events), len(p.Events))
	}
	for i := range min(len(u.Events), len(p.Events)) {
		if u.Events[i] != told(p.Events[i], 0) {
			t.Errorf("event %+v, the profile has %+v", u.Events[i], p.Events[i])
		}
	}
}

// compareTracks compares what ended in each path of each track, exactly.
func compareTracks(t *testing.T, u *Update, p *profile.Profile) {
	t.Helper()
	type sum struct {
		calls uint64
		ns    int64
	}
	want, got := map[string]sum{}, map[string]sum{}
	for _, track := range p.Threads {
		for _, s := range track.Samples {
			var names []string
			for _, f := range p.Callers(s.Stack) {
				names = append([]string{p.Functions[f.Function].Name}, names...)
			}
			k := track.Name + ": " + strings.Join(names, ";")
			x := want[k]
			want[k] = sum{x.calls + uint64(s.Count), x.ns + int64(s.Weight)}
		}
	}
	for i, n := range u.Counts.Node {
		path := ""
		for at := n; at >= 0; at = u.Nodes.Parent[at] {
			path = ";" + u.Functions.Name[u.Nodes.Function[at]] + path
		}
		x := sum{u.Counts.Count[i], int64(u.Counts.Time[i]*1e9 + 0.5)}
		if x != (sum{}) {
			got[u.Tracks[u.Counts.Track[i]]+": "+path[1:]] = x
		}
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(sum{})); diff != "" {
		t.Errorf("paths (-profile +model):\n%s", diff)
	}
}
