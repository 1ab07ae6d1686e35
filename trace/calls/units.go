package calls

import (
	"slices"

	"github.com/mprof/mprof/trace"
)

// early is records of version 2 that came before the METADATA that says what their
// times mean.
type early struct {
	records []trace.Record
	lost    bool // something before them
	since   [trace.NumLossKinds]trace.Loss
}

// mostEarly bounds them.
const mostEarly = 1 << 16

// By how many ticks a record may be earlier than the one before: in version 1, where an
// interrupt may come between reading the clock and storing the record; and in version 2,
// where none should be.
const (
	back1 = 1_000_000
	back2 = 4096
)

// unit makes the clock fit the version of the records to come, and tells whether it
// does.
func (b *Builder) unit(version int) bool {
	if version == b.version {
		return true
	}
	next := b.clock
	if version == 1 {
		next.setUnit(1e6, 0, back1)
	} else if !next.setUnit(b.metadata.TimerHz, b.metadata.TickShift, back2) {
		return false
	}
	if b.version != 0 {
		b.doubts.units++
		b.broken()
		next.running = false
	}
	b.clock = next
	b.version, b.shown = version, version
	return true
}

// keepEarly keeps records until their unit is known.
func (b *Builder) keepEarly(batch trace.Batch) {
	n := 0
	for _, e := range b.early {
		n += len(e.records)
	}
	if n+len(batch.Records) > mostEarly || len(b.early) >= mostEarly/8 {
		b.giveUpEarly()
	}
	b.early = append(b.early, early{slices.Clone(batch.Records), b.losses.open, b.losses.since})
	b.losses.open, b.losses.since = false, [trace.NumLossKinds]trace.Loss{}
}

// giveUpEarly counts them as lost.
func (b *Builder) giveUpEarly() {
	if len(b.early) == 0 {
		return
	}
	for _, e := range b.early {
		for i := range e.records {
			if !e.records[i].Switch() {
				b.unread++
			}
		}
	}
	b.early = nil
	b.era++
}

// Metadata takes what the target says of itself.
func (b *Builder) Metadata(m trace.Metadata) {
	b.lock()
	defer b.unlock()
	if m.Flags&trace.FlagStarted != 0 && m.Known >= trace.KnownFlags && b.calls > 0 {
		b.reset()
		b.status.restart()
	}
	before := b.metadata
	m.Contexts = slices.Clone(m.Contexts)
	if m.Known < trace.KnownContexts || len(m.Contexts) == 0 {
		m.Contexts = before.Contexts
	}
	if m.Known < trace.KnownTimerHz { // it says nothing new
		m.TimerHz, m.TickShift = before.TimerHz, before.TickShift
	}
	b.metadata = m
	if b.version > 1 && (m.TimerHz != before.TimerHz || m.TickShift != before.TickShift) {
		version := b.version
		b.doubts.units++
		b.broken()
		b.version = 0
		b.unit(version)
	}
	b.calibrate()
	b.takeEarly()
}

// takeEarly takes the records that have waited for the unit of their times.
func (b *Builder) takeEarly() {
	if len(b.early) == 0 || !b.unit(2) {
		return
	}
	all := append(b.early, early{lost: b.losses.open, since: b.losses.since})
	b.early = nil
	for _, e := range all {
		if e.lost {
			b.losses.open, b.losses.since, b.losses.from = true, e.since, b.clock.now
			b.era++
		}
		for i := range e.records {
			b.record(&e.records[i], 2)
		}
	}
}

// mostCost is what a call may cost to be believed, in 1/256 ns: 1 ms.
const mostCost = 1_000_000 << 8

// calibrate takes what a call costs from the METADATA.
func (b *Builder) calibrate() {
	pair, inner := cost(b.metadata.PairCost, &b.metadata), cost(b.metadata.InnerCost, &b.metadata)
	known := b.metadata.Known >= trace.KnownCosts && b.metadata.TimerHz != 0
	b.believed = known && pair <= mostCost && inner <= pair
	b.pair, b.inner = 0, 0
	if b.believed && !b.options.NoCalibrate {
		b.pair, b.inner = pair, inner
	}
}
