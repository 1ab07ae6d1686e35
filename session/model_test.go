package session

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/profile"
)

// TestModelEqualsProfile: what a page shows when a run is over is what is saved of it, to the
// last bit: rows of the table, counts and times of each path in each track.
func TestModelEqualsProfile(t *testing.T) {
	for name, c := range map[string]Connect{
		"samples": {Kind: Samples, Probe: "sim", Rate: 1000},
		"pcsr":    {Kind: Samples, Probe: "sim", Method: "pcsr"},
		"calls":   {Kind: Calls, Port: "sim"},
	} {
		t.Run(name, func(t *testing.T) {
			s, ctx := newSession(t), t.Context()
			must(t, s.Connect(ctx, c))
			must(t, s.Start(ctx, Start{Duration: 2 * time.Second}))
			for s.State().Phase != Ready {
				s.Model().Since(0, 0) // looking changes nothing
				time.Sleep(20 * time.Millisecond)
			}
			p, err := s.Profile(ctx)
			must(t, err)
			u := s.Model().Since(0, 0)
			want, got := rowsOfProfile(p), map[string]live.Row{}
			for _, row := range u.Table {
				at := u.Functions.Name[row.Function]
				if row.Function = 0; row != (live.Row{}) {
					got[at] = row
				}
			}
			if diff := cmp.Diff(want, got); diff != "" || len(got) < 5 {
				t.Errorf("%d rows (-profile +model):\n%s", len(got), diff)
			}
			if diff := cmp.Diff(pathsOfProfile(p), pathsOfModel(u)); diff != "" {
				t.Errorf("paths (-profile +model):\n%s", diff)
			}
			if diff := cmp.Diff(p.Taken.Remarks, u.Status.Remarks); diff != "" && len(p.Taken.Remarks)+len(u.Status.Remarks) > 0 {
				t.Errorf("remarks (-profile +model):\n%s", diff)
			}
			if len(u.Events) != len(p.Events) || u.Status.Elapsed != p.Duration.Seconds() {
				t.Errorf("%d events, %v s; the profile has %d in %v", len(u.Events), u.Status.Elapsed, len(p.Events), p.Duration)
			}
		})
	}
}

func rowsOfProfile(p *profile.Profile) map[string]live.Row {
	rows := map[string]live.Row{}
	if p.Trace == nil {
		for _, e := range p.Top() {
			rows[e.Name] = live.Row{Self: uint64(e.Self), Total: uint64(e.Total), SelfShare: e.SelfShare.Value, SelfError: e.SelfShare.Error,
				TotalShare: e.TotalShare.Value, TotalError: e.TotalShare.Error}
		}
		return rows
	}
	for _, f := range p.Trace.Functions {
		rows[p.Functions[f.Function].Name] = live.Row{Calls: f.Calls, SelfTime: f.Self.Seconds(), TotalTime: f.Total.Seconds(), Min: f.Min.Seconds(),
			Mean: f.Mean.Seconds(), P50: f.P50.Seconds(), P99: f.P99.Seconds(), Max: f.Max.Seconds(), LongestAt: f.LongestAt.Seconds(), Longest: f.Longest.Seconds(), Open: f.Open, AtLeast: f.AtLeast}
	}
	return rows
}

// ended is what ended in a path.
type ended struct {
	Count uint64
	Time  time.Duration
}

func pathsOfProfile(p *profile.Profile) map[string]ended {
	sums := map[string]ended{}
	for _, track := range p.Threads {
		for _, s := range track.Samples {
			path := ""
			for _, f := range p.Callers(s.Stack) {
				path = ";" + p.Functions[f.Function].Name + path
			}
			x := sums[track.Name+path]
			sums[track.Name+path] = ended{x.Count + uint64(s.Count), x.Time + s.Weight}
		}
	}
	return sums
}

func pathsOfModel(u *live.Update) map[string]ended {
	sums := map[string]ended{}
	for i, node := range u.Counts.Node {
		var names []string
		for at := node; at >= 0; at = u.Nodes.Parent[at] {
			names = append([]string{u.Functions.Name[u.Nodes.Function[at]]}, names...)
		}
		path := u.Tracks[u.Counts.Track[i]] + ";" + strings.Join(names, ";")
		if count, ns := u.Counts.Count[i], time.Duration(u.Counts.Time[i]*1e9+0.5); count > 0 || ns > 0 {
			x := sums[path]
			sums[path] = ended{x.Count + count, x.Time + ns}
		}
	}
	return sums
}
