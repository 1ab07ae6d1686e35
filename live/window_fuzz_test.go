package live

import (
	"math"
	"testing"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/trace/calls"
)

// FuzzWindow asks for whatever a page may: an answer is bounded, in order, and lies in the window.
func FuzzWindow(f *testing.F) {
	m, b := NewModel(), calls.NewBuilder(firmware{functions: 40}, calls.Options{})
	m.WatchCalls(b, Setup{})
	begin(b)
	s := newProgram(1)
	s.losses = 5
	s.feed(b, 40_000)
	b.Finish(profile.Acquisition{}, 0)
	f.Add(0.0, 0.0, 1000, -1, 0)
	f.Add(0.1, 0.2, 10, 0, 3)
	f.Add(math.NaN(), math.Inf(1), -1, 7, -5)
	f.Add(-1e300, 1e300, 1<<40, -9, 1<<40)
	f.Add(0.2, 0.1, 1, 1, 1)
	f.Fuzz(func(t *testing.T, from, to float64, pixels, track, depth int) {
		a := m.Timeline(Window{From: from, To: to, Pixels: pixels, Track: track, Depth: depth})
		if a.To < a.From || a.From < 0 || math.IsNaN(a.From) || math.IsInf(a.To, 0) {
			t.Fatalf("an answer from %v to %v", a.From, a.To)
		}
		rows, spans := rowsOf(t, a)
		if spans > mostAnswer {
			t.Fatalf("%d spans", spans)
		}
		for k := range rows {
			if track >= 0 && int(k[0]) != track || depth > 0 && int(k[1]) >= depth {
				t.Fatalf("asked for track %d, depth %d: row %v", track, depth, k)
			}
		}
		for _, l := range a.Tracks {
			for i := range l.Start {
				if l.Start[i] > a.To+1e-9 || l.Start[i]+l.Length[i] < a.From-1e-9 {
					t.Fatalf("a span at %v s, %v s long, in a window from %v to %v", l.Start[i], l.Length[i], a.From, a.To)
				}
			}
		}
	})
}
