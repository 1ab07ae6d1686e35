package calls

import (
	"fmt"
	"strings"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/trace"
)

// lossWords stand behind a number, and name the event on the timeline.
var lossWords = [trace.NumLossKinds]struct{ what, event string }{
	trace.LostBytes:   {"stretches of bytes that are no packets, or packets with a wrong CRC", "Lost bytes"},
	trace.LostRecords: {"gaps in the numbers of the records", "Lost records"},
	trace.Dropped:     {"times that the target's buffer was full", "Dropped by the target"},
	trace.Malformed:   {"packets that make no sense, though their CRC is right", "Malformed packet"},
	trace.Unknown:     {"packets of an unknown type", "Unknown packet"},
}

// losses is what got lost.
type losses struct {
	kinds   [trace.NumLossKinds]profile.Loss
	records uint64                         // in all
	since   [trace.NumLossKinds]trace.Loss // behind the latest record
	open    bool
	from    int64
	era     uint32 // in which switches were seen
}

// mostEvents bounds the events on the timeline.
const mostEvents = 10_000

// Loss takes a gap in the stream.
func (b *Builder) Loss(l trace.Loss) {
	b.lock()
	defer b.unlock()
	if l.Kind >= trace.NumLossKinds {
		return
	}
	x := &b.losses
	k := &x.kinds[l.Kind]
	k.Pieces++
	k.Bytes += l.Bytes
	k.Calls += l.Records
	x.records += l.Records
	b.status.lost += l.Records
	s := &x.since[l.Kind]
	s.Kind, s.Bytes, s.Records = l.Kind, s.Bytes+l.Bytes, s.Records+l.Records
	if !x.open {
		x.open, x.from = true, b.clock.now
	}
	b.sealed(l.Kind)
}

// sealed begins a new era where a loss may have cost records: what waits for its
// caller from before may have lost it.
func (b *Builder) sealed(k trace.LossKind) {
	if k != trace.Unknown {
		b.era++
	}
}

// gap puts what got lost between the record before and a record on the timeline.
// Known calls that are missing have cost their callers time, at most as long as the gap
// is: it is taken from the call around it that was running.
func (b *Builder) gap(entry, exit int64) {
	x := &b.losses
	if !x.open {
		return
	}
	begun := x.from != 0
	if !begun {
		x.from = min(entry, exit)
	}
	var missing uint64
	for _, l := range x.since {
		missing += l.Records
	}
	end := entry
	if entry <= x.from {
		end = exit
	}
	length := max(0, end-x.from)
	if missing > 0 && begun && b.pair > 0 && b.version != 1 {
		i := b.items.take()
		fixed := min(int64(min(missing, 1<<32))*b.pair, min(length, 1<<54)<<8)
		before := x.from - 1 // a call that begins with the gap may be behind them
		b.items.all[i] = item{entry: before, exit: before, calls: missing, fixed: fixed, place: kindBreak, task: b.tasks.now}
		b.interrupts = b.insert(b.interrupts, i)
	}
	if b.version != 1 && b.era != x.era {
		x.era = b.era
		b.blind(x.from, exit)
	}
	b.lossEvent(length)
	x.open, x.since = false, [trace.NumLossKinds]trace.Loss{}
}

func (b *Builder) lossEvent(length int64) {
	x := &b.losses
	e := profile.Event{Time: time.Duration(x.from), Duration: time.Duration(length)}
	var details []string
	for _, l := range x.since {
		if l == (trace.Loss{}) {
			continue
		}
		e.Off = e.Off || l.Kind != trace.Unknown
		if e.Name == "" {
			e.Name = lossWords[l.Kind].event
		}
		detail := strings.ToLower(lossWords[l.Kind].event)
		if l.Records > 0 {
			detail += fmt.Sprintf(": %d records", l.Records)
		}
		if l.Bytes > 0 {
			detail += fmt.Sprintf(", %d bytes", l.Bytes)
		}
		details = append(details, detail)
	}
	e.Detail = strings.Join(details, "; ")
	if e.Name == "" { // a loss of nothing
		e.Name = "Lost bytes"
	}
	b.event(e)
}

func (b *Builder) event(e profile.Event) {
	if b.watcher != nil {
		b.watcher.Event(e)
	}
	if len(b.events) >= mostEvents {
		b.doubts.events++
		return
	}
	b.events = append(b.events, e)
}

// reset closes everything that was open: the target has started again.
func (b *Builder) reset() {
	b.resets++
	b.event(profile.Event{Time: time.Duration(b.clock.now), Name: "Reset", Detail: "the target has started again"})
	b.broken()
	b.version = 0
}

// broken ends the calls that wait for their callers, which never return, and begins a
// new epoch.
func (b *Builder) broken() {
	b.closeAll(func(*item) int32 { return placeLost })
	b.clock.restart()
	b.pace.restart()
	b.era++
	for _, c := range b.contexts {
		b.dropAll(&c.breaks)
		c.isAway, c.ended, c.seen = false, 0, 0
	}
	b.dropAll(&b.interrupts)
	b.dropAll(&b.tasks.unowned)
	b.dropAll(&b.inferred.roots)
	b.tasks = tasks{now: noTask, first: noTask}
}

func (b *Builder) dropAll(list *[]int32) {
	for _, i := range *list {
		b.items.drop(i)
	}
	*list = (*list)[:0]
}

// closeAll settles the calls that wait for their callers, below what label says.
func (b *Builder) closeAll(label func(*item) int32) {
	for _, c := range b.contexts {
		for _, o := range c.open {
			b.settleBelow(c, o, label(&b.items.all[o]))
		}
		c.open = c.open[:0]
	}
}
