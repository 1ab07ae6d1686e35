package calls

import (
	"fmt"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/trace"
)

// statuses is what the target counts, added up over its starts.
type statuses struct {
	begun     bool         // the start of the counts is in the stream
	first     trace.Status // otherwise, the first that came: what was before is not of this stream
	some      bool
	now       trace.Status
	at        int64  // when it came, ns on the timeline
	received  uint64 // records since START, or the first STATUS
	lost      uint64 // records that the stream itself says are missing, since then
	missing   uint64 // before
	tooDeep   uint64
	unmatched uint64
	highWater uint64
}

// Status takes what the target counts.
func (b *Builder) Status(s trace.Status) {
	b.lock()
	defer b.unlock()
	x := &b.status
	if !x.begun && !x.some {
		x.first = s
		x.missing += x.lost
		x.received, x.lost = 0, 0
	}
	if n := since(s.Dropped, max(x.now.Dropped, x.first.Dropped)); n > 0 && b.shown == 1 && s.Known >= trace.KnownDropped {
		b.droppedSomewhere(n)
	}
	x.now, x.some = s, true
	x.at = b.clock.now
}

// droppedSomewhere notes records that the target has dropped since the STATUS before: in
// version 1, nothing says where.
func (b *Builder) droppedSomewhere(n uint64) {
	k := &b.losses.kinds[trace.Dropped]
	k.Pieces++
	k.Calls += n
	from := b.status.at
	if from == 0 {
		from = b.first
	}
	b.event(profile.Event{
		Time: time.Duration(from), Duration: time.Duration(max(0, b.clock.now-from)), Name: lossWords[trace.Dropped].event,
		Detail: fmt.Sprintf("%d records, somewhere between", n),
	})
	b.era++
}

// Answer takes an ACK: START and RESET_BUFFERS make the target count from 0, and empty its
// buffer.
func (b *Builder) Answer(command, reason byte) {
	b.lock()
	defer b.unlock()
	if reason != 0 || command != trace.CommandStart && command != trace.CommandReset {
		return
	}
	b.status.restart()
	b.numbers.again = true
	b.era++
	b.blind(b.clock.now, b.clock.now)
}

// restart adds up what has been counted.
func (s *statuses) restart() {
	s.missing += s.missingNow()
	s.tooDeep += since(s.now.TooDeep, s.first.TooDeep)
	s.unmatched += since(s.now.Unmatched, s.first.Unmatched)
	s.highWater = max(s.highWater, uint64(s.now.HighWater))
	s.now, s.first, s.some, s.begun = trace.Status{}, trace.Status{}, false, true
	s.received, s.lost = 0, 0
}

// since is what a count has grown by; it does not grow less.
func since(now, first uint32) uint64 { return uint64(now - min(first, now)) }

// missingNow is how many records are missing since START: those of which the stream
// says so, or those that the target has counted, whichever is more. What was dropped or lost
// behind the last packet stands only in the STATUS.
func (s *statuses) missingNow() uint64 {
	counted := uint64(0)
	if s.now.Known >= trace.KnownDropped {
		counted = since(s.now.Dropped, s.first.Dropped)
	}
	if s.now.Known >= trace.KnownWaiting && s.now.Waiting == 0 {
		if all := since(s.now.Sent, s.first.Sent) + since(s.now.Dropped, s.first.Dropped); all > s.received {
			counted = max(counted, all-s.received)
		}
	}
	return max(counted, s.lost)
}
