package profile

import (
	"cmp"
	"slices"
	"time"

	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/unwind"
)

// Options are the facts of a run that are known before it starts.
type Options struct {
	Start   time.Time
	Period  time.Duration
	Mapping Mapping   // of the application
	Others  []Mapping // of the other images on the target
	Thread  string    // name of the track, "Core 0" where empty
	// Flat: the samples are PCs, with the caller from LR where that needs no
	// memory. A stack that ends for want of memory is not cut.
	Flat bool
	// InCode tells which PCs of blocks are samples; nil: all.
	InCode func(pc uint32) bool
	// Source reads a source file by the name that the symbolizer gave; nil:
	// the profile carries no sources.
	Source func(file string) (string, bool)
}

// Builder adds samples up to a Profile. It is not safe for concurrent use.
type Builder struct {
	symbolizer Symbolizer
	options    Options
	profile    Profile
	tables     tables
	samples    []Sample
	taken      Acquisition
	asked      uint64
	missing    *Event // open run of missed samples
	misses     int
	missReason snapshot.Miss
	missedLast uint64 // in a row, up to now
	locked     bool   // the sample before found the core locked up
	blocks     blocks
	cuts       cuts
	watcher    Watcher  // nil: nobody
	fresh      []Sample // that it has not seen
}

// NewBuilder starts an empty profile.
func NewBuilder(sym Symbolizer, o Options) *Builder {
	if o.Thread == "" {
		o.Thread = "Core 0"
	}
	b := &Builder{symbolizer: sym, options: o, cuts: cuts{}}
	b.tables = newTables(&b.profile)
	return b
}

// Add takes one snapshot with its frames, leaf first, and the reason why they
// end. Neither is kept. A snapshot with Miss set counts as missed.
func (b *Builder) Add(s *snapshot.Snapshot, frames []unwind.Frame, stop unwind.Stop) {
	b.changing(func() { b.add(s, frames, stop) })
}

func (b *Builder) add(s *snapshot.Snapshot, frames []unwind.Frame, stop unwind.Stop) {
	b.asked++
	b.note(s)
	b.taken.Halted += max(s.Halted, 0) // a sample that was missed has its price, too
	if s.Miss != snapshot.Taken {
		b.miss(s)
		return
	}
	b.endMisses(s.Time)
	b.missedLast = 0
	if b.options.Flat && stop.Reason == unwind.NotCaptured {
		stop = unwind.Stop{}
	} else if stop.Reason < unwind.NumReasons {
		b.taken.Stops[stop.Reason]++
		b.cuts.add(frames, stop)
	}
	if n := guessed(frames); n > 0 {
		b.taken.Guessed.Stacks++
		b.taken.Guessed.Frames += n
	}
	if s.State&snapshot.Sleeping != 0 {
		b.taken.Sleeping++
	}
	weight := s.Weight
	if weight <= 0 {
		weight = max(b.options.Period, 0)
	}
	row := Sample{
		Time: s.Time, Weight: weight, Halted: max(s.Halted, 0), Count: 1, Stack: b.stack(s, frames, stop), State: s.State, Stop: stop,
	}
	b.samples = append(b.samples, row)
	b.show(row)
}

// note turns what the debug unit said into events.
func (b *Builder) note(s *snapshot.Snapshot) {
	if s.State&snapshot.Reset != 0 {
		b.taken.Resets++
		b.taken.LostResets += b.missedLast
		if s.Miss != snapshot.Taken && !off(s.Miss) {
			b.taken.LostResets++
		}
		b.event(Event{Time: s.Time, Name: "Reset", Detail: "the core was reset since the sample before"})
	}
	locked := b.locked
	if b.locked = s.State&snapshot.Lockup != 0; b.locked && !locked {
		b.event(Event{Time: s.Time, Name: "Lockup", Detail: "the core is locked up: a fault inside a fault handler"})
	}
	if s.State&snapshot.AlreadyHalted != 0 {
		b.event(Event{Time: s.Time, Name: "Halted by others", Detail: "the core stood still before the sample: a breakpoint or another debugger"})
	}
}

// Event adds an event.
func (b *Builder) Event(e Event) { b.changing(func() { b.event(e) }) }

func (b *Builder) event(e Event) {
	e.Off = e.Off || e.Name == hostGap && e.Duration > 0
	b.profile.Events = append(b.profile.Events, e)
	if b.watcher != nil {
		b.watcher.Event(e)
	}
}

// Finish returns the profile. Of a, the counts that the builder has seen
// itself are overwritten: NoPCs, Missed, Away, LostResets, Stops, Cuts, Guessed, Halted, HaltedP50, HaltedP99, Resets,
// Sleeping, Budget.Longer, Budget.Shortened, and Asked where it is 0. The builder is used up.
func (b *Builder) Finish(a Acquisition, duration time.Duration) (p *Profile) {
	b.changing(func() {
		if p = b.finish(a, duration); b.watcher != nil {
			b.watcher.Finish(p)
		}
	})
	b.watcher = nil
	return p
}

func (b *Builder) finish(a Acquisition, duration time.Duration) *Profile {
	b.endMisses(duration)
	b.samples = append(b.samples, b.blocks.bins.finish()...)
	p := &b.profile
	p.Start, p.Period, p.Duration = b.options.Start, b.options.Period, duration
	p.Mapping, p.Others = b.options.Mapping, b.options.Others
	slices.SortStableFunc(b.samples, func(x, y Sample) int { return int(min(max(x.Time-y.Time, -1), 1)) })
	slices.SortStableFunc(p.Events, func(x, y Event) int { return cmp.Or(cmp.Compare(x.Time, y.Time), cmp.Compare(x.Name, y.Name)) })
	p.Threads = []ThreadTrack{{Name: b.options.Thread, Samples: b.samples}}
	if n := len(b.samples); n > 0 {
		p.Duration = max(duration, b.samples[n-1].Time)
	}
	a.Away, a.LostResets = away(p.Events), b.taken.LostResets
	a.Missed, a.Stops, a.Resets, a.Sleeping, a.Halted = b.taken.Missed, b.taken.Stops, b.taken.Resets, b.taken.Sleeping, b.taken.Halted
	a.HaltedP50, a.HaltedP99 = halts(b.samples)
	a.Budget.Shortened = a.Stops[unwind.Shortened]
	a.Budget.Longer = longer(b.samples, a.Budget.MaxHalt)
	a.Cuts = b.cuts.list(b.symbolizer)
	a.NoPCs, a.Guessed = b.taken.NoPCs, b.taken.Guessed
	if a.Asked == 0 {
		a.Asked = b.asked
	}
	p.Taken = a
	if n := p.Samples(); p.Period <= 0 && n > 0 { // as fast as it went
		p.Period = p.Duration / time.Duration(n)
	}
	b.tables.uniqueNames()
	p.Sources = readSources(p, b.options.Source)
	return p
}

// halts are the median and the 99th percentile (nearest rank) of the time
// that the core stood still for a sample.
func halts(samples []Sample) (p50, p99 time.Duration) {
	if len(samples) == 0 {
		return 0, 0
	}
	halted := make([]time.Duration, len(samples))
	for i, s := range samples {
		halted[i] = s.Halted
	}
	slices.Sort(halted)
	rank := func(percent int) time.Duration { return halted[(len(halted)*percent+99)/100-1] }
	return rank(50), rank(99)
}

// longer counts the samples that halted the core for longer than a limit, if
// there is one.
func longer(samples []Sample, limit time.Duration) (n uint64) {
	for _, s := range samples {
		if limit > 0 && s.Halted > limit {
			n++
		}
	}
	return n
}

// readSources reads the files of all frames and functions; source may be nil.
func readSources(p *Profile, source func(file string) (string, bool)) map[string]string {
	if source == nil {
		return nil
	}
	found := map[string]string{}
	tried := map[string]bool{"": true}
	read := func(file string) {
		if !tried[file] {
			tried[file] = true
			if content, ok := source(file); ok {
				found[file] = content
			}
		}
	}
	for _, f := range p.Frames {
		read(f.File)
	}
	for _, f := range p.Functions {
		read(f.File)
	}
	return found
}
