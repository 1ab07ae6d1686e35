package live

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
)

// drawn is a run whose spans are known: calls that nest, in two tracks.
type drawn struct {
	random *rand.Rand
	now    time.Duration
	all    []span
	keep   bool
	scale  time.Duration // of what a call takes
	sums   map[[2]uint16]sum
}

type sum struct {
	count  uint64
	length time.Duration
}

func newDrawn(seed uint64) *drawn {
	return &drawn{random: rand.New(rand.NewPCG(seed, 11)), keep: true, scale: 2 * time.Microsecond, sums: map[[2]uint16]sum{}}
}

func (d *drawn) call(t *timeline, track, depth uint16) {
	start := d.now
	d.now += time.Duration(1 + d.random.ExpFloat64()*float64(d.scale))
	for n := d.random.IntN(3); n > 0 && depth < 8; n-- {
		d.call(t, track, depth+1)
		d.now += time.Duration(d.random.ExpFloat64() * float64(d.scale))
	}
	if d.random.IntN(5000) == 0 {
		d.now += time.Duration(d.random.ExpFloat64() * float64(3*time.Millisecond))
	}
	s := span{start: start, length: d.now - start, function: int32(d.random.IntN(10)), count: 1, track: track, depth: depth}
	t.add(s)
	if d.keep {
		d.all = append(d.all, s)
	}
	k := [2]uint16{track, depth}
	d.sums[k] = sum{d.sums[k].count + 1, d.sums[k].length + s.length}
}

func (d *drawn) run(t *timeline, calls uint64) {
	for n := uint64(0); n < calls; {
		before := d.total()
		d.call(t, uint16(d.random.IntN(2)), 0)
		n += d.total() - before
		d.now += time.Duration(d.random.ExpFloat64() * float64(5*d.scale))
	}
}

func (d *drawn) total() (n uint64) {
	for _, s := range d.sums {
		n += s.count
	}
	return n
}

// ask is the answer of a model that has a timeline only.
func ask(t *timeline, end time.Duration, w Window) *Timeline {
	r := newRun(1, Calls, nil)
	r.timeline, r.elapsed, r.tracks = t, end, []string{"main", "SysTick"}
	return (&Model{run: r}).Timeline(w)
}

// rowsOf adds an answer up, and wants its rows in order, without overlaps.
func rowsOf(t *testing.T, a *Timeline) (rows map[[2]uint16]sum, spans int) {
	t.Helper()
	rows = map[[2]uint16]sum{}
	for _, l := range a.Tracks {
		end := map[int]float64{}
		for i, start := range l.Start {
			depth := l.Depth[i]
			if before, ok := end[depth]; ok && start < before-2e-9 {
				t.Fatalf("track %d, row %d: a span at %v s overlaps the one before, which ends at %v s", l.Track, depth, start, before)
			}
			end[depth] = start + l.Length[i]
			k := [2]uint16{uint16(l.Track), uint16(depth)}
			rows[k] = sum{rows[k].count + l.Count[i], rows[k].length + time.Duration(math.Round(l.Length[i]*1e9))}
			spans++
		}
	}
	return rows, spans
}

// TestTimelineExact: a window of the newest calls has them as they were.
func TestTimelineExact(t *testing.T) {
	line, d := newTimeline(), newDrawn(1)
	d.run(line, 100_000)
	exact := 0
	for range 200 {
		from := time.Duration(d.random.Int64N(int64(d.now)))
		to := min(d.now, from+time.Duration(d.random.Int64N(int64(300*time.Microsecond))))
		a := ask(line, d.now, Window{From: from.Seconds(), To: to.Seconds(), Pixels: 8192, Track: -1})
		if !a.Exact { // several calls in a pixel
			continue
		}
		exact++
		var want, got []span
		for _, s := range d.all {
			if s.start < to && s.end() >= from {
				want = append(want, s)
			}
		}
		for _, l := range a.Tracks {
			for i := range l.Start {
				got = append(got, span{start: time.Duration(math.Round(l.Start[i] * 1e9)), length: time.Duration(math.Round(l.Length[i] * 1e9)),
					function: int32(l.Function[i]), count: uint32(l.Count[i]), track: uint16(l.Track), depth: uint16(l.Depth[i])})
			}
		}
		for _, list := range [][]span{want, got} {
			slices.SortFunc(list, func(x, y span) int {
				return cmp.Or(cmp.Compare(x.track, y.track), cmp.Compare(x.depth, y.depth), cmp.Compare(x.start, y.start), cmp.Compare(x.length, y.length))
			})
		}
		if diff := gocmp.Diff(want, got, gocmp.AllowUnexported(span{})); diff != "" {
			t.Fatalf("window %v to %v (-calls +answer):\n%s", from, to, diff)
		}
	}
	if exact < 20 {
		t.Errorf("%d windows only are exact", exact)
	}
}

// TestTimelineLosesNothing: a view of the whole run holds every call and all of their time, however
// long the run was; and so does a part of it, but for what lies on its edges.
func TestTimelineLosesNothing(t *testing.T) {
	for _, scale := range []time.Duration{100 * time.Nanosecond, 2 * time.Microsecond, 300 * time.Microsecond} {
		t.Run(fmt.Sprint(scale), func(t *testing.T) {
			line, d := newTimeline(), newDrawn(2)
			d.scale = scale
			d.run(line, 1_000_000)
			for _, pixels := range []int{100, 1000, 3000} {
				rows, spans := rowsOf(t, ask(line, d.now, Window{Pixels: pixels, Track: -1}))
				if diff := gocmp.Diff(d.sums, rows, gocmp.AllowUnexported(sum{})); diff != "" {
					t.Errorf("%d pixels (-calls +answer):\n%s", pixels, diff)
				}
				if spans > mostAnswer {
					t.Errorf("%d pixels: %d spans", pixels, spans)
				}
			}
			for range 20 {
				d.judgePart(t, line)
			}
		})
	}
}

// judgePart compares a window with the calls in it: only bins on its edges may be wrong, whose
// width is that of a pixel or, of what is older, of the run divided by what a level holds.
func (d *drawn) judgePart(t *testing.T, line *timeline) {
	t.Helper()
	from := time.Duration(d.random.Int64N(int64(d.now)))
	to := from + time.Duration(d.random.Int64N(int64(d.now-from)+1))
	rows, _ := rowsOf(t, ask(line, d.now, Window{From: from.Seconds(), To: to.Seconds(), Pixels: 1000, Track: -1}))
	inside, touching := map[[2]uint16]sum{}, map[[2]uint16]sum{}
	edge := max((to-from)/500, d.now/500)
	add := func(to map[[2]uint16]sum, s span) {
		k := [2]uint16{s.track, s.depth}
		to[k] = sum{to[k].count + 1, to[k].length + s.length}
	}
	for _, s := range d.all {
		if s.start >= from && s.end() <= to {
			add(inside, s)
		}
		if s.start < to+edge && s.end() > from-edge {
			add(touching, s)
		}
	}
	for k, got := range rows {
		if low, high := inside[k], touching[k]; got.count > high.count || got.length > high.length {
			t.Errorf("window %v to %v, row %v: %+v; there are %+v in it, and %+v with its edges", from, to, k, got, low, high)
		}
	}
	inner := map[[2]uint16]sum{}
	for _, s := range d.all {
		if s.start >= from+edge && s.end() <= to-edge {
			add(inner, s)
		}
	}
	for k, low := range inner {
		if got := rows[k]; got.count < low.count || got.length < low.length {
			t.Errorf("window %v to %v, row %v: %+v; there are %+v within its edges", from, to, k, got, low)
		}
	}
}

// TestTimelineBounded: the memory of a timeline does not grow with the run beyond what its rings
// hold, and nothing is lost all the same.
func TestTimelineBounded(t *testing.T) {
	line, d := newTimeline(), newDrawn(3)
	d.keep = false
	size := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := size()
	d.run(line, 3_000_000)
	used := size() - before
	most := uint64(exactSpans+numLevels*levelSpans) * 32 * 5 / 4
	if used > most {
		t.Errorf("%d bytes, more than %d", used, most)
	}
	t.Logf("%d calls in %v: %.1f MB", d.total(), d.now, float64(used)/1e6)
	rows, _ := rowsOf(t, ask(line, d.now, Window{Track: -1}))
	if diff := gocmp.Diff(d.sums, rows, gocmp.AllowUnexported(sum{})); diff != "" {
		t.Errorf("(-calls +answer):\n%s", diff)
	}
	runtime.KeepAlive(line)
}
