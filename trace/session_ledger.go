package trace

// ledger compares what a target says that it sent with what arrived. Numbers show
// what is missing between two records; what is missing behind the last one, and
// in version 1 anything, only a STATUS of a target tells that stands still and has
// nothing left to send.
type ledger struct {
	running  bool   // START was acknowledged, STOP was not
	forgot   bool   // it ran, stands, and has sent less than before: it was reset
	fewer    bool   // it was stopped and has sent less than before: the same
	stands   bool   // it ran and stands, though it was not told to
	numbered bool   // records are of version 2
	based    bool   // it is known where numbers and counts began
	began    bool   // it has run since
	next     uint32 // number of the record to come
	unseen   uint32 // records before the first one of which a gap could be known
	received uint32 // records of version 1
	dropped  uint32 // by the target, as its records say
	sent     uint32 // of the last STATUS
}

// restart begins numbers and counts at 0.
func (l *ledger) restart(running bool) {
	*l = ledger{running: running, based: true, began: running, forgot: l.forgot}
}

// count takes records.
func (l *ledger) count(b Batch) {
	if b.Numbered && !l.numbered { // those of version 1 count as well
		l.next, l.received = l.next+min(l.received, b.Number-l.next), 0
	}
	l.numbered, l.began = b.Numbered, true
	if !b.Numbered {
		l.received += uint32(len(b.Records))
		return
	}
	if ahead := int32(b.Number - l.next); ahead > 0 && l.based {
		l.unseen += uint32(ahead)
	} else if ahead < 0 { // they began again
		l.unseen, l.dropped = 0, 0
	}
	l.next = b.Number + uint32(len(b.Records))
}

// skip takes numbers that have no record.
func (l *ledger) skip(g Loss) {
	switch g.Kind {
	case Dropped:
		l.dropped += uint32(g.Records)
		l.next += uint32(g.Records)
	case LostRecords:
		l.next += uint32(g.Records)
	case Malformed:
		l.received += uint32(g.Records)
	}
}

// behind tells whether a target says that it has sent fewer records than came.
func (l *ledger) behind(s Status) bool {
	if l.numbered {
		return int32(s.Sent+s.Dropped-l.next) < 0
	}
	return int32(s.Sent-l.received) < 0
}

// judge is what a STATUS proves to be missing.
func (l *ledger) judge(s Status) []Loss {
	if s.Known < KnownState {
		return nil
	}
	sent := l.sent
	if s.Known >= KnownSent {
		l.sent = s.Sent
	}
	if s.Running {
		l.running, l.began = true, true
		return nil
	}
	switch less := s.Known >= KnownSent && (s.Sent < sent || l.behind(s)); {
	case l.running && s.Known >= KnownSent && (less || s.Sent == 0 && s.Dropped == 0):
		l.forgot = true
		return nil
	case less:
		l.fewer = true
		return nil
	}
	l.stands = l.stands || l.running
	if s.Known < KnownWaiting || s.Waiting != 0 || !l.based || !l.began {
		return nil
	}
	if !l.numbered && l.next == 0 {
		lost := int32(s.Sent - l.received)
		l.received = s.Sent
		return []Loss{{Kind: LostRecords, Records: uint64(max(lost, 0))}}
	}
	missing := max(int32(s.Sent+s.Dropped-l.next), 0)
	dropped := min(missing, max(int32(s.Dropped-l.dropped), 0))
	lost := uint64(missing-dropped) + uint64(l.unseen)
	l.next, l.dropped, l.unseen = s.Sent+s.Dropped, s.Dropped, 0
	return []Loss{
		{Kind: LostRecords, Records: lost},
		{Kind: Dropped, Records: uint64(dropped)},
	}
}
