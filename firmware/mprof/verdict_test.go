package mprof_test

import (
	"testing"

	"github.com/mprof/mprof/trace"
)

// verdict compares what the decoder says with the oracle.
type verdict struct {
	t       *testing.T
	o       *oracle
	version int
	tickHz  uint64

	epoch    int // of the last record
	least    int // the next record's: at least this one
	next     int // item of that epoch
	received int // in that epoch
	status   trace.Status
	statuses int
	metadata []trace.Metadata
}

func (v *verdict) Metadata(m trace.Metadata) { v.metadata = append(v.metadata, m) }
func (v *verdict) Status(s trace.Status)     { v.status, v.statuses = s, v.statuses+1 }

func (v *verdict) Loss(l trace.Loss) {
	if l.Kind != trace.Dropped {
		v.t.Errorf("the decoder lost something: %+v", l)
	}
}

func (v *verdict) Answer(command, reason byte) {
	if reason == 0 && (command == trace.CommandStart || command == trace.CommandReset) {
		v.least = v.epoch + 1
	}
}

// Records finds each record among what ended, at its number.
func (v *verdict) Records(b trace.Batch) {
	if b.Version != v.version || b.Numbered != (b.Version == 2) {
		v.t.Errorf("records of version %d, want %d", b.Version, v.version)
	}
	for i, r := range b.Records {
		number := -1
		if b.Numbered {
			number = int(b.Number) + i
		}
		if !v.find(r, number) {
			v.t.Errorf("record %d: %+v never happened, or not then (epoch %d, %d)", number, r, v.epoch, v.least)
			return
		}
	}
}

// find looks in this epoch, or in a later one.
func (v *verdict) find(r trace.Record, number int) bool {
	for e := max(v.epoch, v.least); e < len(v.o.epochs); e++ {
		from := 0
		if e == v.epoch {
			from = v.next
		}
		items := v.o.epochs[e].items
		for i := from; i < len(items); i++ {
			if number >= 0 && i != number || !v.is(r, items[i]) {
				continue
			}
			if e != v.epoch {
				v.epoch, v.received = e, 0
			}
			v.next, v.received = i+1, v.received+1
			return true
		}
	}
	return false
}

func (v *verdict) is(r trace.Record, want item) bool {
	if v.version == 1 {
		return want.function > 1 && r.Func&^1 == want.function && r.Depth == want.depth && v.isTime1(r, want)
	}
	if r.Func != want.function || r.Context != want.context || r.Depth != want.depth || r.Exit() != uint32(want.exit) && r.Duration != trace.Saturated {
		return false
	}
	if d := want.exit - want.entry; r.Duration == trace.Saturated {
		return d >= 1<<31 // marked by a poll since then
	} else {
		return d == uint64(r.Duration)
	}
}

// isTime1 allows one microsecond: ticks are not whole ones.
func (v *verdict) isTime1(r trace.Record, want item) bool {
	us := func(ticks uint64) uint64 { return ticks/v.tickHz*1_000_000 + ticks%v.tickHz*1_000_000/v.tickHz }
	entry, exit := us(want.entry), us(want.exit)
	if r.Duration == trace.Saturated {
		return exit-entry >= trace.Saturated-2_000_000 || want.exit-want.entry >= 1<<31
	}
	near := func(got uint32, want uint64) bool { d := got - uint32(want); return d+1 <= 1 }
	return near(r.Entry, entry) && near(r.Exit(), exit) && exit-entry < 1<<32+1
}

// end compares the counts.
func (v *verdict) end() {
	t := v.t
	last := v.o.epochs[len(v.o.epochs)-1]
	received := 0
	if v.epoch == len(v.o.epochs)-1 {
		received = v.received
	}
	missing, switches := len(last.items)-received, 0
	if v.version == 1 {
		for _, i := range last.items {
			if i.function == 0 {
				switches++
			}
		}
	}
	s := v.status
	if v.statuses == 0 || len(v.metadata) < 2 || v.metadata[0].Flags&trace.FlagStarted == 0 {
		t.Errorf("%d STATUS, %d METADATA", v.statuses, len(v.metadata))
	}
	if s.Running || s.Waiting != 0 || int(s.Sent) != received {
		t.Errorf("%+v after STOP, and %d records came", s, received)
	}
	if int(s.Dropped) > missing || int(s.Dropped) < missing-switches {
		t.Errorf("%d of %d are missing, %d of them switches; %d dropped", missing, len(last.items), switches, s.Dropped)
	}
	if s.TooDeep != last.tooDeep || s.Unmatched != last.unmatched {
		t.Errorf("too deep %d, want %d; unmatched %d, want %d", s.TooDeep, last.tooDeep, s.Unmatched, last.unmatched)
	}
}
