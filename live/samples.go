package live

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/mprof/mprof/profile"
)

// sampling watches the builder of a run of samples.
type sampling struct {
	m         *Model
	r         *run
	b         *profile.Builder
	stacks    []stackPlace
	number    []int32                 // by function of the profile: ours
	theirs    []profile.FunctionIndex // and back
	self      []uint64                // by function
	total     []uint64
	taken     uint64
	halts     halts
	blocks    bool // samples come in rows
	errors    *profile.Sums
	erred     time.Time
	kept      func() []profile.Sample // those of the run so far, by time
	more      stackPlace              // of stacks whose paths are too many
	seen      []uint64                // by function: stamp of the sample that counted it last
	stamp     uint64
	mostNodes int
}

// stackPlace is where a stack of the profile is counted.
type stackPlace struct{ node, slot, frame int32 }

// mostNodes bounds the flame graph. The table counts what is beyond it all the same.
const (
	mostNodes = 1 << 18
	morePaths = "<more paths>"
)

// WatchSamples forgets the run before, and shows what b takes from now on.
func (m *Model) WatchSamples(b *profile.Builder, s Setup) {
	w := &sampling{m: m, b: b, mostNodes: mostNodes}
	w.kept = b.Rows
	w.r = m.begin(Samples, s, w)
	w.Lock()
	w.r.detail = w.detail
	w.Unlock()
	b.Watch(w)
}

// Lock locks the model.
func (w *sampling) Lock() { w.m.mu.Lock() }

// Unlock unlocks it.
func (w *sampling) Unlock() { w.m.mu.Unlock() }

// Samples counts them.
func (w *sampling) Samples(p *profile.Profile, rows []profile.Sample) {
	r := w.r
	rev := r.touch()
	w.learn(p, rev)
	r.pace.came = time.Now()
	for i := range rows {
		s := &rows[i]
		n := uint64(s.Count)
		at := &w.stacks[s.Stack]
		c := &r.counts.all[at.slot]
		c.count += n
		c.time += s.Weight
		r.counts.rev[at.slot] = rev
		w.taken += n
		if w.full() && at.node == w.more.node {
			w.countFunctions(p, s.Stack, n)
		} else {
			w.self[r.nodes.all[at.node].function] += n
			r.nodes.eachFunction(at.node, func(f int32) { w.total[f] += n })
		}
		r.selfs[at.frame] += n
		w.halts.add(s.Halted)
		r.pace.add(s.Time, n)
		r.elapsed = max(r.elapsed, s.Time)
		r.timeline.flame.take(s, at.node, &r.nodes)
	}
	if len(rows) > 1 {
		w.blocks, r.detail = true, nil
	}
}

// full tells that there are stacks without nodes of their own.
func (w *sampling) full() bool { return w.more.slot > 0 }

// countFunctions counts the functions of a stack that has no node.
func (w *sampling) countFunctions(p *profile.Profile, stack profile.StackIndex, n uint64) {
	for len(w.seen) < len(w.total) {
		w.seen = append(w.seen, 0)
	}
	w.self[w.number[p.Frames[p.Stacks[stack].Frame].Function]] += n
	w.stamp++
	for _, frame := range p.Callers(stack) {
		if f := w.number[frame.Function]; w.seen[f] != w.stamp {
			w.seen[f] = w.stamp
			w.total[f] += n
		}
	}
}

// mostDrawn bounds the samples of which a window is drawn one by one.
const mostDrawn = 1 << 15

// detail is a window drawn of the samples themselves, which the run keeps for its profile; so
// it can be looked at as closely an hour later. false: they are too many.
func (w *sampling) detail(from, to time.Duration) (spans []span, ok bool) {
	rows := w.kept()
	index := func(at time.Duration) int {
		i, _ := slices.BinarySearchFunc(rows, at, func(s profile.Sample, at time.Duration) int { return cmp.Compare(s.Time, at) })
		return i
	}
	around := (to - from) / 2 // spans begin and end outside of the window
	low, high := index(from-around), min(index(to+around)+1, len(rows))
	if high-low > mostDrawn {
		return nil, false
	}
	f := flame{emit: func(s span) {
		if s.start < to && s.end() >= from {
			spans = append(spans, s)
		}
	}}
	for i := range rows[low:high] {
		s := &rows[low+i]
		f.take(s, w.stacks[s.Stack].node, &w.r.nodes)
	}
	f.close(0)
	return spans, true
}

// learn takes the functions and stacks that are new.
func (w *sampling) learn(p *profile.Profile, rev uint64) {
	r := w.r
	for f := len(w.number); f < len(p.Functions); f++ {
		w.number = append(w.number, w.function(p.Functions[f], profile.FunctionIndex(f), rev))
	}
	for f := len(r.lines); f < len(p.Frames); f++ {
		line := p.Frames[f]
		line.Function = profile.FunctionIndex(w.number[line.Function])
		r.lines, r.selfs = append(r.lines, line), append(r.selfs, 0)
	}
	for i := len(w.stacks); i < len(p.Stacks); i++ {
		w.stacks = append(w.stacks, w.place(p, profile.StackIndex(i), rev))
	}
	if len(r.tracks) == 0 {
		r.tracks = []string{w.b.Thread()}
	}
}

// place is where a new stack is counted: its caller has a place.
func (w *sampling) place(p *profile.Profile, stack profile.StackIndex, rev uint64) stackPlace {
	r, row := w.r, p.Stacks[stack]
	frame := &p.Frames[row.Frame]
	key := nodeKey{parent: -1, function: w.number[frame.Function], category: frame.Category}
	if row.Prefix != profile.None {
		key.parent = w.stacks[row.Prefix].node
	}
	if len(r.nodes.all) >= w.mostNodes && r.nodes.find(key) < 0 {
		return w.beyond(int32(row.Frame))
	}
	node, changed := r.nodes.down(key, frame.Depth > 0, rev)
	if changed {
		r.replaced()
	}
	return stackPlace{node: node, slot: r.counts.slot(0, node), frame: int32(row.Frame)}
}

// function is the number of one of the profile's, None for a label of our own.
func (w *sampling) function(row profile.Function, theirs profile.FunctionIndex, rev uint64) int32 {
	r, place := w.r, uint32(0)
	if theirs != profile.None {
		place = w.b.Place(theirs)
	}
	at := int32(len(r.functions.rows))
	if r.functions.add(row, place, rev) {
		r.replaced()
	}
	w.theirs, w.self, w.total = append(w.theirs, theirs), append(w.self, 0), append(w.total, 0)
	return at
}

// beyond is the place of a stack that is one too many.
func (w *sampling) beyond(frame int32) stackPlace {
	if !w.full() {
		rev := w.r.touch()
		label := w.function(profile.Function{Name: morePaths, Label: true}, profile.None, rev)
		w.more.node, _ = w.r.nodes.down(nodeKey{parent: -1, function: label, category: profile.Unknown}, false, rev)
		w.more.slot = w.r.counts.slot(0, w.more.node)
		w.r.remark(fmt.Sprintf("there are more than %d call paths: the others are together in %s; the table knows their functions", w.mostNodes, morePaths))
	}
	return stackPlace{node: w.more.node, slot: w.more.slot, frame: frame}
}

// Event takes one.
func (w *sampling) Event(e profile.Event) {
	w.r.events.add(e, w.r.touch())
	w.r.elapsed = max(w.r.elapsed, e.Time+e.Duration)
}

// Finish is the end of the run.
func (w *sampling) Finish(p *profile.Profile) {
	r := w.r
	r.elapsed = max(r.elapsed, p.Duration)
	if w.blocks = w.blocks || p.InBlocks(); w.blocks {
		w.errors = p.Summed()
	}
	if w.blocks {
		r.detail = nil
	}
	w.kept = func() []profile.Sample { return p.Threads[0].Samples }
	r.touch()
	w.fill(true)
	r.feed = nil
}

func (w *sampling) missing() (profile.Event, bool) { return w.b.Missing() }

// survey brings the table and the status up to date.
func (w *sampling) survey(r *run) {
	if w.blocks && time.Since(w.erred) > errorsEvery {
		w.errors, w.erred = w.b.BlockErrors(r.elapsed), time.Now()
	}
	w.fill(false)
}

// errorsEvery is how often the errors of samples in blocks are computed anew, which takes all
// of their rows.
const errorsEvery = time.Second

// fill writes the table and the status.
func (w *sampling) fill(exact bool) {
	r := w.r
	rev := r.touch()
	for f, total := range w.total {
		if total == 0 {
			continue
		}
		row := shares(f, w.self[f], total, w.taken)
		if w.errors != nil {
			if e, ok := w.errors.Errors[w.theirs[f]]; ok {
				row.SelfError, row.TotalError = e[0], e[1]
			}
		}
		r.table.put(row, rev, exact)
	}
	w.status(w.b.Taken())
}

func (w *sampling) status(a profile.Acquisition) {
	s := &w.r.status
	s.Asked, s.Taken, s.Cut, s.Resets = a.Asked, w.taken, a.CutStacks(), a.Resets
	if w.r.elapsed > 0 {
		s.StolenShare = float64(a.Halted) / float64(w.r.elapsed)
	}
	s.HaltedP50, s.HaltedP99 = w.halts.percentile(50).Seconds(), w.halts.percentile(99).Seconds()
	idle := profile.Proportion(a.Sleeping, w.taken)
	if s.IdleShare, s.IdleError = idle.Value, idle.Error; w.errors != nil {
		s.IdleError = w.errors.Idle
	}
}
