package profile

import (
	"slices"
	"sync"
	"time"
)

// Watcher sees a builder at work, so that somebody can look at a run that goes on. It is
// locked while the builder changes, and its methods are called locked, from the
// goroutine of the run.
type Watcher interface {
	sync.Locker
	// Samples takes rows that have been added. The tables of p hold their stacks; they
	// only grow, and names in them are not unique yet. Neither is kept.
	Samples(p *Profile, rows []Sample)
	Event(e Event)
	// Finish takes the profile: the builder is used up.
	Finish(p *Profile)
}

// Watch lets w see what is added from now on.
func (b *Builder) Watch(w Watcher) { b.watcher = w }

// changing runs what changes the builder, and shows the watcher the samples that it
// added.
func (b *Builder) changing(change func()) {
	if b.watcher == nil {
		change()
		return
	}
	b.watcher.Lock()
	defer b.watcher.Unlock()
	b.fresh = b.fresh[:0]
	change()
	if len(b.fresh) > 0 {
		b.watcher.Samples(&b.profile, b.fresh)
	}
}

// show keeps a sample for the watcher.
func (b *Builder) show(row Sample) {
	if b.watcher != nil {
		b.fresh = append(b.fresh, row)
	}
}

// Taken is what has been counted so far: all that Finish says that it overwrites, but
// Away, Cuts and the percentiles of Halted.
func (b *Builder) Taken() Acquisition {
	a := b.taken
	a.Asked = b.asked
	return a
}

// Missing is the event of samples that are missed right now, which lasts since its
// Time.
func (b *Builder) Missing() (Event, bool) {
	if b.missing == nil {
		return Event{}, false
	}
	return *b.missing, true
}

// Rows are the samples so far, but for those that came in blocks.
func (b *Builder) Rows() []Sample { return b.samples }

// Thread is the name of the track.
func (b *Builder) Thread() string { return b.options.Thread }

// BlockErrors is what Summed would say of a profile that ended now: the standard errors of
// samples that come in blocks. It looks at every row, of which there are no more than 65,536
// and those of an open bin.
func (b *Builder) BlockErrors(duration time.Duration) *Sums {
	p := b.profile
	p.Duration = duration
	p.Taken.Sleeping = b.taken.Sleeping
	p.Threads = []ThreadTrack{{Samples: b.blocks.bins.copied()}}
	return p.Summed()
}

// copied is the rows as finish would return them now.
func (b *bins) copied() []Sample {
	if b.width == 0 {
		return nil
	}
	c := *b
	c.cells, c.slot = slices.Clone(b.cells), make([]int32, len(b.slot))
	c.rows = slices.Clone(b.rows)
	return c.finish()
}

// Unique are the names of functions as a profile has them in the end, where no two
// are alike; place is the address of the code of each.
func Unique(functions []Function, place []uint32) []string {
	t := tables{profile: &Profile{Functions: slices.Clone(functions)}, places: place}
	t.uniqueNames()
	names := make([]string, len(functions))
	for i, f := range t.profile.Functions {
		names[i] = f.Name
	}
	return names
}

// Place is the address of the first code that was seen of a function.
func (b *Builder) Place(f FunctionIndex) uint32 { return b.tables.places[f] }

// Proportion is k of n independent samples with its standard error: see Entry.
func Proportion(k, n uint64) Share { return share(float64(k), float64(n), float64(n)) }
