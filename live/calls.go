package live

import (
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/trace/calls"
)

// tracing watches the builder of a traced run. Calls go to the timeline as they return; what
// they add up to is looked up in the builder when somebody looks.
type tracing struct {
	m         *Model
	r         *run
	b         *calls.Builder
	functions []int32 // by number in the builder: ours, plus 1
	labels    map[string]int32
	isLabel   []bool // by function
	isOpen    int32  // the function that is the label of what still runs, -1: there is none
	begun     bool   // origin is known
	end       time.Duration
	sums      []counted // by slot of counts: what is found
	totals    []int64   // by function, ns
	rows      []profile.FunctionTimes
	known     []bool // of rows
	open      int64  // time of calls whose callers still run
	waiting   bool   // there are some
}

// WatchCalls forgets the run before, and shows what b takes from now on.
func (m *Model) WatchCalls(b *calls.Builder, s Setup) {
	w := &tracing{m: m, b: b, labels: map[string]int32{}, isOpen: -1}
	w.r = m.begin(Calls, s, w)
	b.Watch(w)
}

// Lock locks the model.
func (w *tracing) Lock() { w.m.mu.Lock() }

// Unlock unlocks it.
func (w *tracing) Unlock() { w.m.mu.Unlock() }

// Returned puts a call on the timeline.
func (w *tracing) Returned(context int, f profile.FunctionIndex, entry, elapsed time.Duration, depth uint16) {
	r := w.r
	if !w.begun || entry < r.origin {
		w.begin(entry)
	}
	exit := entry + elapsed
	w.end = max(w.end, exit)
	r.elapsed = max(r.elapsed, w.end-r.origin)
	if context < mostTracks {
		r.timeline.add(span{start: entry, length: elapsed, function: w.function(f), count: 1, track: uint16(context), depth: min(depth, mostRows)})
	}
	r.pace.add(exit-r.origin, 1)
	r.touch()
}

// begin moves the begin of the run, by which all times count that readers know.
func (w *tracing) begin(origin time.Duration) {
	if len(w.r.events.all) > 0 {
		w.r.replaced()
	}
	w.begun, w.r.origin = true, origin
}

// Event takes one.
func (w *tracing) Event(e profile.Event) {
	w.r.events.add(e, w.r.touch())
	w.end = max(w.end, e.Time+e.Duration)
}

// Finish looks for the last time.
func (w *tracing) Finish() {
	w.r.touch()
	w.survey(w.r)
	w.r.feed = nil
}

func (w *tracing) missing() (profile.Event, bool) { return w.b.Gap() }

// function is the number of one of the builder's.
func (w *tracing) function(f profile.FunctionIndex) int32 {
	for int(f) >= len(w.functions) {
		w.functions = append(w.functions, 0)
	}
	if w.functions[f] == 0 {
		row, place := w.b.Function(f)
		w.functions[f] = w.add(row, place) + 1
	}
	return w.functions[f] - 1
}

func (w *tracing) add(row profile.Function, place uint32) int32 {
	r := w.r
	at := int32(len(r.functions.rows))
	if r.functions.add(row, place, r.touch()) {
		r.replaced()
	}
	w.totals, w.isLabel = append(w.totals, 0), append(w.isLabel, false)
	w.rows, w.known = append(w.rows, profile.FunctionTimes{}), append(w.known, false)
	return at
}

// survey looks into the builder.
func (w *tracing) survey(r *run) {
	counts := w.b.Counts()
	if counts.Calls != r.status.Calls {
		r.pace.came = time.Now()
	}
	if w.begun && counts.First != r.origin {
		w.begin(counts.First)
	}
	clear(w.sums)
	clear(w.totals)
	clear(w.known)
	w.open, w.waiting = 0, false
	w.b.Look(w)
	w.publish()
	w.status(&counts)
}

// Context names a track.
func (w *tracing) Context(i int, name string) {
	for i >= len(w.r.tracks) {
		w.r.tracks = append(w.r.tracks, "")
	}
	w.r.tracks[i] = name
}

// Function takes the statistics of one.
func (w *tracing) Function(f profile.FunctionIndex, t *profile.FunctionTimes) {
	at := w.function(f)
	w.rows[at], w.known[at] = *t, true
}

// Down is the node of a path.
func (w *tracing) Down(parent int32, f profile.FunctionIndex, label string, in profile.Category) int32 {
	k := nodeKey{parent: parent, category: in}
	if f != profile.None {
		k.function = w.function(f)
	} else {
		k.function = w.label(label)
	}
	at, _ := w.r.nodes.down(k, false, w.r.touch())
	return at
}

// label is the function that stands for a label.
func (w *tracing) label(name string) int32 {
	at, ok := w.labels[name]
	if !ok {
		at = w.add(profile.Function{Name: name, Label: true}, 0)
		w.labels[name], w.isLabel[at] = at, true
		if name == calls.OpenLabel {
			w.isOpen = at
		}
	}
	return at
}

// Add adds to a node.
func (w *tracing) Add(context int, at int32, n uint64, self, net time.Duration) {
	nodes := w.r.nodes.all
	slot := w.slot(int32(context), &nodes[at], at)
	for int(slot) >= len(w.sums) {
		w.sums = append(w.sums, counted{})
	}
	x := &w.sums[slot]
	x.count += n
	x.time = time.Duration(saturate(int64(x.time), int64(self)))
	if node := &nodes[at]; node.outermost {
		w.totals[node.function] = saturate(w.totals[node.function], int64(net))
	}
	for p := nodes[at].parent; p >= 0 && w.isLabel[nodes[p].function]; p = nodes[p].parent {
		if nodes[p].function == w.isOpen {
			w.open, w.waiting = saturate(w.open, int64(net)), true
		}
	}
}

// slot is where the counts of a node in a track are.
func (w *tracing) slot(track int32, n *node, at int32) int32 {
	if n.slot == 0 || n.track != track {
		n.track, n.slot = track, w.r.counts.slot(track, at)+1
	}
	return n.slot - 1
}

func saturate(a, b int64) int64 {
	if sum := a + b; sum >= a {
		return sum
	}
	return 1<<63 - 1
}

// publish tells what has changed.
func (w *tracing) publish() {
	r := w.r
	rev := r.touch()
	for i := range w.sums {
		x, old := &w.sums[i], &r.counts.all[i]
		if x.count != old.count || x.time != old.time || r.counts.rev[i] == 0 {
			old.count, old.time = x.count, x.time
			r.counts.rev[i] = rev
		}
	}
	for f, known := range w.known {
		row := Row{Function: f}
		switch {
		case known:
			row = w.row(f)
		case int32(f) == w.isOpen && w.waiting:
			row.TotalTime, row.Open = time.Duration(w.open).Seconds(), true
		case f >= len(r.table.rows) || r.table.rev[f] == 0:
			continue
		}
		r.table.put(row, rev, true)
	}
}

// row is that of a function.
func (w *tracing) row(f int) Row {
	t := &w.rows[f]
	return Row{
		Function: f, Calls: t.Calls, SelfTime: t.Self.Seconds(), TotalTime: time.Duration(w.totals[f]).Seconds(), Min: t.Min.Seconds(), Mean: t.Mean.Seconds(),
		P50: t.P50.Seconds(), P99: t.P99.Seconds(), Max: t.Max.Seconds(), LongestAt: (t.LongestAt - w.r.origin).Seconds(), Longest: t.Longest.Seconds(), AtLeast: t.AtLeast,
	}
}

// status takes what the builder counts.
func (w *tracing) status(c *calls.Counts) {
	r := w.r
	r.elapsed = max(r.elapsed, w.end-r.origin)
	s := &r.status
	s.Calls, s.Lost, s.Resets, s.BufferUsed, s.Buffer, s.Remarks = c.Calls, c.Lost, c.Resets, c.HighWater, c.Buffer, c.Remarks
	times := make([]time.Duration, len(r.tracks))
	for i := range r.counts.all {
		x := &r.counts.all[i]
		times[x.track] += x.time
	}
	s.Contexts = s.Contexts[:0]
	for i, sum := range times {
		if r.elapsed > 0 {
			s.Contexts = append(s.Contexts, Share{Track: i, Value: float64(sum) / float64(r.elapsed)})
		}
	}
}
