package calls

import (
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/trace"
)

// Options are the facts of a run that are known before it starts.
type Options struct {
	profile.Options      // Start, Mapping, Others and Source
	Keep            int  // calls on the timeline, the newest; 0: DefaultKeep; less: none but the longest of each function
	NoCalibrate     bool // leave in the times what tracing cost
}

// DefaultKeep is how many calls the timeline holds.
const DefaultKeep = 200_000

// Builder makes a profile of what a target says. It is a trace.Sink. Its memory
// is bounded, however long the stream is. It is not safe for concurrent use.
type Builder struct {
	most       limits
	symbolizer profile.Symbolizer
	options    Options
	paths      *profile.Paths
	places     places
	tree       tree
	items      items
	clock      clock
	pace       pace
	contexts   []*context // in the order in which they were seen
	byID       [mostIDs]*context
	rest       *context // of calls whose contexts are too many
	tasks      tasks
	inferred   inferred
	interrupts []int32 // time of interrupts that is not yet taken from what they interrupted, by exit
	gathered   []int32 // of one call at a time
	waiting    int     // items that are part of calls that wait for their callers
	era        uint32  // a new one begins where records get lost

	version  int // of the unit that the clock has; 0: none
	shown    int // the latest of them
	metadata trace.Metadata
	early    []early // records that came before the unit of their times
	unread   uint64  // records that were left out for want of it
	pair     int64   // what a call costs its caller, 1/256 ns; 0 where it is not subtracted
	inner    int64   // the part of it that is in the call itself

	calls    uint64
	first    int64 // ns of the first entry
	last     int64 // and of the latest exit
	kept     []kept
	spent    int64 // self time of all calls
	losses   losses
	status   statuses
	events   []profile.Event
	resets   uint64
	numbers  numbers
	doubts   doubts
	believed bool // PairCost and InnerCost make sense
	watcher  Watcher
}

// doubts counts what could not be known for certain.
type doubts struct {
	negative     uint64 // calls whose costs were more than their time
	negativeTime int64
	overlaps     uint64 // calls that overlap others without being nested
	split        uint64 // calls that began within time of interrupts that is known only in sum
	mixed        uint64 // calls that began among calls that are known only in sum
	switches     uint64 // context switches that were not seen
	contexts     uint64 // calls of contexts that are too many
	units        uint64 // times that the unit of times changed
	resets       uint64 // that only the target's clock tells
	events       uint64 // losses that are not on the timeline
}

// NewBuilder starts an empty profile.
func NewBuilder(sym profile.Symbolizer, o Options) *Builder {
	if o.Keep == 0 {
		o.Keep = DefaultKeep
	}
	o.Keep = max(o.Keep, 0)
	b := &Builder{symbolizer: sym, options: o, paths: profile.NewPaths(sym), most: usualLimits, tree: newTree(), items: newItems()}
	b.tree.most = b.most.paths
	b.places = newPlaces(b.paths)
	b.tasks.now, b.tasks.first = noTask, noTask
	return b
}

// Arrived says when, on the clock of the host, the bytes arrived of what is to come.
// Without it, a silence of more than 2^32 ticks of the target is too short by a multiple of that.
func (b *Builder) Arrived(at time.Duration) {
	b.lock()
	defer b.unlock()
	at = min(max(at, 0), 1<<58)
	b.clock.arrived, b.clock.heard = max(at, b.clock.arrived), true
}

// Records takes calls that returned, and context switches.
func (b *Builder) Records(batch trace.Batch) {
	b.lock()
	defer b.unlock()
	b.unsaidReset(&batch)
	b.status.received += uint64(len(batch.Records))
	if !b.unit(batch.Version) {
		b.keepEarly(batch)
		return
	}
	for i := range batch.Records {
		b.record(&batch.Records[i], batch.Version)
	}
	if b.clock.heard && len(batch.Records) > 0 {
		b.pace.note(b.clock.now, b.clock.arrived, len(batch.Records))
	}
}

// record takes one.
func (b *Builder) record(r *trace.Record, version int) {
	if r.Switch() && version != 1 {
		at, _ := b.clock.exit(r.Entry, 0)
		b.gap(at, at)
		b.switched(r.Context, at)
		return
	}
	raw, duration := r.Exit(), r.Duration
	exit, ticks := b.clock.exit(raw, duration)
	entry := b.clock.entry(ticks, duration)
	b.gap(entry, exit)
	i := b.items.take()
	it := &b.items.all[i]
	*it = item{
		entry: entry, exit: exit, busy: exit - entry, calls: 1, fixed: b.pair - b.inner, place: b.places.find(r.Func),
		depth: r.Depth, seq: b.calls, era: b.era, atLeast: duration == trace.Saturated,
	}
	b.waiting++
	if b.first = min(b.first, entry); b.calls == 0 {
		b.first = entry
	}
	b.last = max(b.last, exit)
	b.calls++
	if version == 1 || r.Context == trace.NoContext {
		b.inferredReturn(i)
	} else {
		b.returnedIn(r.Context, i)
	}
	if b.waiting > b.most.waiting {
		b.squeeze()
	}
}

// returnedIn takes a call of a context that is known.
func (b *Builder) returnedIn(id uint16, i int32) {
	c := b.contextOf(id)
	it := &b.items.all[i]
	switch {
	case c == b.rest:
		b.doubts.contexts++
		b.sum(c, i)
		b.settle(c, i, b.tree.label(c.root, placeUnknown), it.depth)
		return
	case id >= trace.FirstException:
		b.takeInterrupts(c, it.entry)
	default:
		b.runs(c, it.entry, it.exit)
	}
	b.enclose(c, i)
	if it.depth > 0 {
		return
	}
	if id >= trace.FirstException {
		b.interrupted(i)
	}
	b.settle(c, i, c.root, 0)
}
