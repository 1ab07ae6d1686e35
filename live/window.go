package live

import (
	"cmp"
	"slices"
	"time"
)

const (
	mostPixels  = 8192
	usualPixels = 1000
	usualDepth  = 32
	mostAnswer  = 50_000 // spans
	mostScanned = 1 << 16
)

// Timeline is a window of the timeline. Answering takes time in proportion to the spans that lie in
// it, at the level of detail that fits its pixels; the run waits while they are copied.
func (m *Model) Timeline(w Window) *Timeline {
	v := m.view(w)
	v.order()
	pixel := max(1, (v.to-v.from)/time.Duration(v.pixels))
	spans, merged := v.merge(pixel)
	for len(spans) > mostAnswer {
		pixel *= 2
		spans, merged = v.merge(pixel)
	}
	return &Timeline{Run: v.run, From: (v.from - v.origin).Seconds(), To: (v.to - v.origin).Seconds(), Tracks: v.lanes(spans),
		Gaps: v.gaps, Exact: v.exact && !merged, Since: v.since.Seconds()}
}

// view is what was copied of a model to answer for a window.
type view struct {
	run      uint64
	from, to time.Duration // of the spans' clock
	origin   time.Duration
	since    time.Duration
	pixels   int
	track    int
	names    []string
	spans    []span
	exact    bool
	gaps     []Event
}

// view copies it.
func (m *Model) view(w Window) *view {
	m.reading.Lock()
	defer m.reading.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.current()
	v := &view{run: r.number, origin: r.origin, pixels: w.Pixels, track: w.Track, names: slices.Clone(r.tracks)}
	if v.pixels <= 0 {
		v.pixels = usualPixels
	}
	v.pixels = min(v.pixels, mostPixels)
	depth := w.Depth
	if depth <= 0 {
		depth = usualDepth
	}
	v.from, v.to = r.origin+duration(w.From), r.origin+duration(w.To)
	if w.To <= 0 {
		v.to = r.origin + r.elapsed
	}
	v.to = max(v.to, v.from)
	t := r.timeline
	i := t.choose(v.from, v.to, (v.to-v.from)/time.Duration(v.pixels))
	v.exact = i < 0
	if t.exact.gone && r.detail == nil {
		v.since = max(0, t.exact.lost-r.origin)
	}
	if i >= 0 && r.detail != nil {
		v.spans, v.exact = r.detail(v.from, v.to)
	}
	if !v.exact || i < 0 {
		v.spans = t.collect(i, v.from, v.to)
	}
	v.spans = slices.DeleteFunc(v.spans, func(s span) bool {
		return int(s.depth) >= depth || v.track >= 0 && int(s.track) != v.track
	})
	v.gaps = r.gapsBetween(v.from, v.to)
	return v
}

// duration of so many seconds, which came from a page.
func duration(seconds float64) time.Duration {
	if !(seconds > 0) { // NaN
		return 0
	}
	return time.Duration(min(seconds, 1e8) * float64(time.Second))
}

// choose is the level for a window: the coarsest whose bins are no wider than a pixel, a
// coarser one where that does not reach back so far; -1: the spans as they were.
func (t *timeline) choose(from, to, pixel time.Duration) int {
	if t.exact.covers(from) && t.exact.count(from, to) <= mostScanned {
		return -1
	}
	i := -1
	for i+1 < len(t.levels) && t.levels[i+1].width <= pixel {
		i++
	}
	if i < 0 && t.exact.covers(from) {
		return -1
	}
	for i = max(i, 0); i+1 < len(t.levels) && !t.levels[i].ring.covers(from); i++ {
	}
	return i
}

// collect is what a window has at a level: the ring, and what has not come there yet.
func (t *timeline) collect(i int, from, to time.Duration) (out []span) {
	if i < 0 {
		out = t.exact.collect(out, from, to)
	} else {
		out = t.levels[i].ring.collect(out, from, to)
		for k := range t.levels[:i+1] {
			for _, rows := range t.levels[k].open {
				for d := range rows {
					if c := &rows[d]; c.count > 0 && c.start < to && c.end() >= from {
						out = append(out, c.span)
					}
				}
			}
		}
	}
	for d := range t.flame.rows[:min(len(t.flame.rows), mostRows)] {
		if s := t.flame.span(d); s.start < to && s.end() >= from {
			out = append(out, s)
		}
	}
	return out
}

// order puts the spans into the order of tracks, rows and times. Those of a row came nearly in it.
func (v *view) order() {
	var at [mostTracks*mostRows + 1]int32 // where the spans of a row begin
	row := func(s *span) int { return int(s.track)*mostRows + int(s.depth) }
	for i := range v.spans {
		at[row(&v.spans[i])+1]++
	}
	for i := 1; i < len(at); i++ {
		at[i] += at[i-1]
	}
	ordered := make([]span, len(v.spans))
	for i := range v.spans {
		s := &v.spans[i]
		ordered[at[row(s)]] = *s
		at[row(s)]++ // in the end, where the next row begins
	}
	from := int32(0)
	byTime := func(a, b span) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.length, a.length)) }
	for _, to := range at {
		if part := ordered[from:to]; !slices.IsSortedFunc(part, byTime) {
			slices.SortFunc(part, byTime)
		}
		from = to
	}
	v.spans = ordered
}

// merge makes one of spans that are narrower than a pixel and begin in the same one.
func (v *view) merge(pixel time.Duration) (out []span, merged bool) {
	var open cell
	flush := func() {
		if open.count > 0 {
			out = append(out, open.span)
		}
		open = cell{}
	}
	for _, s := range v.spans {
		bin := (s.start - v.from) / pixel
		same := open.count > 0 && open.track == s.track && open.depth == s.depth && open.bin == bin
		switch {
		case s.length >= pixel:
			flush()
			out = append(out, s)
		case same:
			open.join(s, s.length)
			merged = true
		default:
			flush()
			open = cell{span: s, bin: bin, most: s.length}
		}
	}
	flush()
	return out, merged
}

// lanes writes spans, which are in order, as columns.
func (v *view) lanes(spans []span) []Lane {
	lanes := []Lane{}
	for track, name := range v.names {
		if v.track >= 0 && track != v.track {
			continue
		}
		l := Lane{Track: track, Name: name, Start: []float64{}, Length: []float64{}, Depth: []int{}, Function: []int{}, Count: []uint64{}}
		for len(spans) > 0 && int(spans[0].track) <= track {
			if s := spans[0]; int(s.track) == track {
				l.Start, l.Length = append(l.Start, (s.start-v.origin).Seconds()), append(l.Length, s.length.Seconds())
				l.Depth, l.Function, l.Count = append(l.Depth, int(s.depth)), append(l.Function, int(s.function)), append(l.Count, uint64(s.count))
			}
			spans = spans[1:]
		}
		lanes = append(lanes, l)
	}
	return lanes
}

// gapsBetween lists what nothing is known of, what is missed right now included.
func (r *run) gapsBetween(from, to time.Duration) []Event {
	gaps := []Event{}
	for _, x := range r.events.between(from, to) {
		gaps = append(gaps, told(x, r.origin))
	}
	if r.feed != nil {
		if x, ok := r.feed.missing(); ok && x.Off && x.Time <= to {
			x.Duration = max(0, min(to, r.origin+r.elapsed)-x.Time)
			gaps = append(gaps, told(x, r.origin))
		}
	}
	return gaps
}
