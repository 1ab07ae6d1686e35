package trace

// listener stands between a Decoder and the sink of a run. It knows what the
// target has said, whether the target was reset, and adds what only the end of a
// run tells: the records behind the last one that arrived.
type listener struct {
	to Sink // nil: nobody wants to hear it

	packets   int // of any kind
	records   int
	metadatas int // all of them
	asked     int // those that were asked for
	metadata  Metadata
	statuses  int
	status    Status
	answers   int
	answered  [256]int  // ACKs and NACKs by command
	reason    [256]byte // of the last one

	gprof func(GprofPiece) // who asked for pieces; nil: nobody

	told    bool // the sink has METADATA
	started bool // the target says that it has just started
	settled bool // it has answered GET_METADATA since
	live    bool // it runs, or has stopped and did not say that all was sent
	cut     bool // it was reset while that was so, and nothing has come since
	ledger
}

// resetSeen tells whether the target was reset since the last call of
// begin: it said so, or it stands still and has forgotten what it sent.
func (l *listener) resetSeen() bool { return l.started || l.forgot }

// begin forgets that the target said so; what it forgot itself stays until the sink
// has heard of it.
func (l *listener) begin() { l.started = false }

// Records passes them on.
func (l *listener) Records(b Batch) {
	l.packets++
	l.records += len(b.Records)
	l.live, l.cut = true, false
	l.count(b)
	if l.to != nil {
		l.to.Records(b)
	}
}

// Metadata keeps it. One that comes after the target has forgotten a run is
// marked as that of a target that has started.
func (l *listener) Metadata(m Metadata) {
	l.packets++
	l.metadatas++
	l.reason[CommandGetMetadata] = 0
	l.settled = true
	switch {
	case m.Flags&FlagStarted != 0:
		l.started, l.settled = true, false
		l.cut, l.live = l.cut || l.live, false
		l.restart(false)
	case l.forgot:
		m.Flags |= FlagStarted
		m.Known = max(m.Known, KnownFlags)
		l.forgot = false
		l.asked++
		l.restart(false)
	default:
		l.asked++
		if m.Known >= KnownFlags && m.Flags&FlagRunning == 0 && l.records == 0 {
			l.restart(false) // nothing runs: what comes begins with a START
		}
	}
	l.metadata = m
	if l.to != nil {
		l.told = true
		l.to.Metadata(m)
	}
}

// Status keeps it, and reports the records that it proves to be missing.
func (l *listener) Status(s Status) {
	l.packets++
	l.statuses++
	l.status = s
	missing := l.judge(s)
	switch {
	case l.forgot || l.fewer:
		l.cut, l.live = l.cut || l.live, false
	case s.Known >= KnownState:
		l.live = s.Running || s.Known >= KnownWaiting && s.Waiting > 0
	}
	if l.to == nil {
		return
	}
	for _, m := range missing {
		if m.Records > 0 {
			l.to.Loss(m)
		}
	}
	l.to.Status(s)
}

// Gprof passes a piece to whoever asked for it.
func (l *listener) Gprof(p GprofPiece) {
	l.packets++
	if l.gprof != nil {
		l.gprof(p)
	}
}

// Answer keeps it.
func (l *listener) Answer(command, reason byte) {
	l.packets++
	l.answers++
	l.answered[command]++
	l.reason[command] = reason
	if reason == 0 {
		switch command {
		case CommandStart:
			l.tellForgot()
			l.restart(true)
			l.live, l.cut = true, false
		case CommandReset:
			l.restart(false)
		case CommandStop:
			l.running = false
		}
	}
	if l.to != nil {
		l.to.Answer(command, reason)
	}
}

// tellForgot marks the reset of a target that says nothing of itself.
func (l *listener) tellForgot() {
	if !l.forgot {
		return
	}
	l.forgot = false
	if l.to != nil {
		m := l.metadata
		m.Flags |= FlagStarted
		m.Known = max(m.Known, KnownFlags)
		l.to.Metadata(m)
	}
}

// Loss passes it on.
func (l *listener) Loss(g Loss) {
	if g.Kind != LostBytes {
		l.packets++
	}
	l.skip(g)
	if l.to != nil {
		l.to.Loss(g)
	}
}
