package calls

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/trace"
)

// Finish returns the profile. Calls that wait for their callers stand below a
// label that says why. Of a, Method, Away and Resets are overwritten, and remarks are
// added. Duration is that of the run, 0 where it is not known. Times
// begin with the first entry that is known. Trace.Bytes is left to the caller. The
// builder is used up.
func (b *Builder) Finish(a profile.Acquisition, duration time.Duration) *profile.Profile {
	b.lock()
	defer b.unlock()
	b.giveUpEarly()
	if b.losses.open {
		b.lossEvent(0)
	}
	b.closeAll(func(it *item) int32 {
		if it.era == b.era {
			return placeOpen
		}
		return placeUnknown
	})
	if b.watcher != nil {
		b.watcher.Finish()
	}
	since := time.Duration(b.first)
	stacks, open := b.stacks()
	threads, kept := b.threads(stacks, since)
	t := b.trace(kept, open, since)
	for i := range b.events {
		b.events[i].Time = max(0, b.events[i].Time-since)
	}
	a.Resets = b.resets
	a.Remarks = append(slices.Clone(a.Remarks), b.remarks()...)
	end := max(duration, time.Duration(b.last-b.first))
	for _, e := range b.events {
		end = max(end, e.Time+e.Duration)
	}
	return b.paths.Finish(b.options.Options, threads, b.events, t, a, end)
}

// openLabel is a label that stands for calls which had not returned.
type openLabel struct {
	function profile.FunctionIndex
	net      int64 // of what they called
}

// stacks writes all paths into the tables of the profile. It returns the stack of each
// node, and how long what still ran is known to have taken.
func (b *Builder) stacks() ([]profile.StackIndex, []openLabel) {
	stacks := make([]profile.StackIndex, len(b.tree.nodes))
	var open []openLabel
	for _, c := range b.ordered() {
		in, top := profile.Thread, profile.StackIndex(profile.None)
		if b.exception(c) && b.tree.nodes[c.root].child != 0 {
			in = profile.Interrupt
			top = b.paths.Label(profile.None, b.paths.LabelOf(uint16(c.id-trace.FirstException)), in)
		}
		b.tree.visit(c.root, top, func(n int32, above profile.StackIndex) profile.StackIndex {
			place := b.tree.nodes[n].place
			if place < 0 {
				stacks[n] = b.paths.Label(above, placeLabels[place], profile.Unknown)
				if place == placeOpen {
					open = append(open, openLabel{b.paths.At(stacks[n]), b.below(n)})
				}
			} else if p := &b.places.all[place]; b.places.others == place+1 {
				stacks[n] = b.paths.Label(above, tooManyFunctions, profile.Unknown)
			} else {
				stacks[n] = b.paths.Call(above, p.addr, in)
			}
			return stacks[n]
		})
	}
	return stacks, open
}

// below is the time of the calls below a label.
func (b *Builder) below(n int32) (sum int64) {
	for _, c := range b.tree.children(n) {
		if b.tree.nodes[c].place < 0 {
			sum = saturate(sum, b.below(c))
		}
		sum = saturate(sum, b.tree.nodes[c].net)
	}
	return sum
}

// exception tells whether a context is one.
func (b *Builder) exception(c *context) bool {
	return c.id >= trace.FirstException && c.id < mostIDs
}

// ordered lists the contexts: tasks, interrupts, those without a name.
func (b *Builder) ordered() []*context {
	all := slices.Clone(b.contexts)
	slices.SortStableFunc(all, func(x, y *context) int { return cmp.Compare(x.id, y.id) })
	return all
}

// threads makes a track of each context that has calls, at least one.
func (b *Builder) threads(stacks []profile.StackIndex, since time.Duration) (threads []profile.ThreadTrack, kept uint64) {
	calls := make([][]profile.Call, len(b.contexts))
	for _, k := range b.keptCalls() {
		at := stacks[b.tree.at(k.node)]
		calls[k.context] = append(calls[k.context], profile.Call{
			Stack: at, Time: time.Duration(k.time) - since, Duration: time.Duration(k.elapsed), Net: time.Duration(k.net), AtLeast: k.atLeast,
		})
		kept++
	}
	names := map[string]bool{}
	for _, c := range b.ordered() {
		c.pieces.Rename(func(n profile.StackIndex) profile.StackIndex { return stacks[b.tree.at(int32(n))] })
		track := profile.ThreadTrack{Name: b.name(c), Samples: c.pieces.Finish(since), Calls: calls[c.index]}
		if len(track.Samples) == 0 {
			continue
		}
		slices.SortStableFunc(track.Calls, func(x, y profile.Call) int {
			return cmp.Or(cmp.Compare(x.Time, y.Time), cmp.Compare(y.Duration, x.Duration))
		})
		if names[track.Name] {
			track.Name = fmt.Sprintf("%s (%d)", track.Name, c.id)
		}
		names[track.Name] = true
		threads = append(threads, track)
	}
	if len(threads) == 0 {
		threads = []profile.ThreadTrack{{Name: "Thread mode"}}
	}
	return threads, kept
}

// keptCalls are the newest, and the longest of each function.
func (b *Builder) keptCalls() []kept {
	b.forget()
	seen := make(map[uint64]bool, len(b.places.stats))
	all := b.kept
	for i := range b.places.stats {
		k := &b.places.stats[i].longest
		if k.node != 0 && k.seq+uint64(b.options.Keep) < b.calls && !seen[k.seq] {
			seen[k.seq] = true
			all = append(all, *k)
		}
	}
	return all
}

// name of a context.
func (b *Builder) name(c *context) string {
	switch {
	case c == b.rest:
		return "Other contexts"
	case c.id >= inferredID:
		return fmt.Sprintf("Context %d", c.id-inferredID+1)
	case b.exception(c):
		return b.symbolizer.Handler(uint16(c.id - trace.FirstException))
	}
	for _, n := range b.metadata.Contexts {
		if int(n.ID) == c.id && n.Name != "" {
			return n.Name
		}
	}
	for id, other := range b.byID[:trace.FirstException] {
		if other != nil && id != 0 {
			return fmt.Sprintf("Task %d", c.id)
		}
	}
	return "Thread mode"
}

// trace is the statistics.
func (b *Builder) trace(kept uint64, open []openLabel, since time.Duration) *profile.Trace {
	b.status.restart()
	t := &profile.Trace{
		Calls: b.calls, Kept: kept, Version: b.shown, TickHz: b.clock.hz, LostCalls: b.status.missing + b.unread, Resets: b.resets,
		TooDeep: b.status.tooDeep, Unmatched: b.status.unmatched, HighWater: b.status.highWater, Buffer: uint64(b.metadata.BufferBytes),
		Calibrated: b.pair > 0 || b.inner > 0,
	}
	if b.believed {
		t.PairCost, t.InnerCost = nanoseconds(cost(b.metadata.PairCost, &b.metadata)), nanoseconds(cost(b.metadata.InnerCost, &b.metadata))
	}
	for k, l := range b.losses.kinds {
		if l.Pieces > 0 {
			l.What = lossWords[k].what
			t.Losses = append(t.Losses, l)
		}
	}
	totals := b.totals()
	for i := range b.places.stats {
		if s := &b.places.stats[i]; s.calls > 0 {
			t.Functions = append(t.Functions, s.statistics(time.Duration(totals[i]), since))
		}
	}
	var sum int64
	for _, l := range open {
		sum = saturate(sum, l.net)
	}
	if len(open) > 0 {
		t.Functions = append(t.Functions, profile.FunctionTimes{Function: open[0].function, Total: time.Duration(sum), Open: true})
	}
	slices.SortStableFunc(t.Functions, func(x, y profile.FunctionTimes) int {
		return cmp.Or(cmp.Compare(y.Total, x.Total), cmp.Compare(x.Function, y.Function))
	})
	return t
}

// nanoseconds rounds from 1/256 ns.
func nanoseconds(fixed int64) time.Duration { return time.Duration((fixed + 128) >> 8) }

// statistics are the statistics of a function.
func (s *stat) statistics(total, since time.Duration) profile.FunctionTimes {
	return profile.FunctionTimes{
		Function: s.function, Calls: s.calls, Total: total, Self: time.Duration(s.self),
		Min: time.Duration(s.min), Mean: time.Duration(uint64(s.net) / s.calls), P50: s.percentile(50), P99: s.percentile(99), Max: time.Duration(s.max),
		LongestAt: time.Duration(s.longest.time) - since, Longest: time.Duration(s.longest.elapsed), AtLeast: s.atLeast,
	}
}

// totals is the time of the outermost calls of each function.
func (b *Builder) totals() []int64 {
	totals := make([]int64, len(b.places.stats))
	within := make([]int, len(b.places.stats))
	var down func(n int32)
	down = func(n int32) {
		for c := b.tree.nodes[n].child; c != 0; c = b.tree.nodes[c].next {
			if b.tree.nodes[c].place < 0 {
				down(c)
				continue
			}
			s := b.places.all[b.tree.nodes[c].place].stat
			if within[s] == 0 {
				totals[s] = saturate(totals[s], b.tree.nodes[c].net)
			}
			within[s]++
			down(c)
			within[s]--
		}
	}
	for _, c := range b.contexts {
		down(c.root)
	}
	return totals
}
