package live

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/mprof/mprof/profile"
)

// TestTimelineOfSamples looks closely at any part of a run: where a sample was taken, the rows
// are its stack, however long ago.
func TestTimelineOfSamples(t *testing.T) {
	s := newSampler(3)
	m, b := NewModel(), newBuilder(s.code)
	m.WatchSamples(b, Setup{})
	for range 80_000 {
		s.add(b)
	}
	if !m.run.timeline.exact.gone {
		t.Fatal("the run is too short")
	}
	random := rand.New(rand.NewPCG(1, 1))
	last := m.run.elapsed
	windows := make([]Window, 40)
	for i := range windows {
		from := random.Float64() * last.Seconds() * 0.98
		windows[i] = Window{From: from, To: from + 0.02 + random.Float64()*0.1, Pixels: 8000}
	}
	var during []*Timeline
	for _, w := range windows {
		during = append(during, m.Timeline(w))
	}
	p := b.Finish(profile.Acquisition{}, s.now)
	for i, w := range windows {
		judgeStacks(t, m, p, during[i])
		judgeStacks(t, m, p, m.Timeline(w))
	}
}

// judgeStacks wants the stack of every sample in an answer.
func judgeStacks(t *testing.T, m *Model, p *profile.Profile, a *Timeline) {
	t.Helper()
	names := whole(m).Functions.Name
	if !a.Exact || a.Since != 0 {
		t.Errorf("%v to %v s: exact %v, since %v", a.From, a.To, a.Exact, a.Since)
	}
	l, judged := a.Tracks[0], 0
	for _, s := range p.Threads[0].Samples {
		at := (s.Time - min(s.Weight/2, 50*time.Microsecond)).Seconds() // it stands for the time before it
		if at < a.From || at > a.To {
			continue
		}
		judged++
		var want []string
		for _, f := range p.Callers(s.Stack) {
			want = append([]string{p.Functions[f.Function].Name}, want...)
		}
		got := make([]string, len(want))
		for i, start := range l.Start {
			if start <= at && at < start+l.Length[i] && l.Depth[i] < len(got) {
				got[l.Depth[i]] = names[l.Function[i]]
			}
		}
		for d := range min(len(want), usualDepth) {
			if got[d] != want[d] {
				t.Fatalf("at %v the row %d is %q, the stack %q", s.Time, d, got[d], want)
			}
		}
	}
	if float64(judged) < math.Floor((a.To-a.From)*300) {
		t.Errorf("%v to %v s: %d samples only", a.From, a.To, judged)
	}
}
