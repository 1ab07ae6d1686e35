package trace

import (
	"context"
	"errors"
	"time"
)

// statusInterval is how often a target is asked for its counts: each second.
func (s *Session) statusInterval() time.Duration { return s.o.Patience / 3 }

// silence is how long a target that was heard may say nothing until the user is
// told: five seconds.
func (s *Session) silence() time.Duration { return silentTicks * s.statusInterval() }

const silentTicks = 5

// Run starts profiling and gives all that comes to a sink, from this goroutine,
// until ctx ends: then it stops profiling, and returns once everything has come
// that the target had recorded. A target that was reset is started again. The
// error is ErrLost, a *RefusedError, a *BuildIDError of a target that was exchanged, or that of Record;
// the sink has then got all that came before. Once.
func (s *Session) Run(ctx context.Context, sink Sink) error {
	s.origin = time.Now()
	err := s.begin(ctx, sink)
	if s.listens && !s.obeyed && ignoreEnd(ctx, err) == nil && err != nil {
		since := ""
		if s.heard.started {
			since = " after it was reset,"
		}
		s.remark("the firmware did not answer %s%s before the run ended", commandNames[s.awaited], since)
	}
	if err == nil {
		if b, ok := sink.(Beginnings); ok {
			b.Begun()
		}
		err = s.trace(ctx)
	}
	if err == nil || !errors.Is(err, ErrLost) {
		err = errors.Join(ignoreEnd(ctx, err), s.end())
	}
	_ = s.decoder.Close() // never fails
	return errors.Join(err, s.writing)
}

// ignoreEnd: that ctx ends is how a run ends.
func ignoreEnd(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return nil
	}
	return err
}

// begin empties the target's buffer and starts it. What it had recorded before does
// not belong to the run.
func (s *Session) begin(ctx context.Context, sink Sink) error {
	if !s.listens {
		s.beginDeaf(sink)
		return nil
	}
	if _, err := s.ask(ctx, more(&s.heard.answered[CommandReset]), CommandReset); err != nil {
		return err
	}
	s.early.bytes, s.keep = nil, true
	s.record(s.decoder.beginAnew())
	s.heard.to, s.heard.live, s.heard.cut = sink, false, false
	return s.start(ctx)
}

// beginDeaf takes what came of firmware that cannot be told when to begin.
func (s *Session) beginDeaf(sink Sink) {
	b := s.early.bytes
	s.keepEarly()
	s.heard.restart(false)
	s.heard.to = sink
	s.decoder = NewDecoder(s.heard, s.o.Decoder)
	if t, ok := sink.(Arrivals); ok {
		t.Arrived(0)
	}
	_, _ = s.decoder.Write(b) // never fails
	if gone := s.early.total - len(b); gone > 0 {
		_ = s.decoder.Flush() // never fails
		sink.Loss(Loss{Kind: LostBytes, Bytes: uint64(gone)})
	}
}

// start agrees on the version, which a target forgets with a reset, and sends
// START.
func (s *Session) start(ctx context.Context) error {
	s.heard.begin()
	agreed, err := s.agree(ctx)
	if err != nil {
		return err
	}
	if agreed {
		s.heard.begin()
	}
	if err := s.tellKnown(); err != nil {
		return err
	}
	return s.sendStart(ctx)
}

// sendStart sends START. One that was obeyed already would begin the numbers at
// 0 a second time, so it is repeated only if the target says that it stands.
func (s *Session) sendStart(ctx context.Context) error {
	h := s.heard
	acks, records := h.answered[CommandStart], h.records
	begun := func() bool {
		return h.answered[CommandStart] > acks || h.records > records || h.running || h.started
	}
	defer func() {
		s.obeyed = begun()
		s.ran = s.ran || s.obeyed
	}()
	h.restart(false)
	s.awaited = CommandStart
	s.send(CommandStart)
	for attempt := range 2 * attempts {
		ok, err := s.pump(ctx, s.interval(attempt), begun)
		if err != nil {
			return err
		}
		if ok {
			break
		}
		ok, err = s.pumpStatus(ctx, attempt)
		if err != nil {
			return err
		}
		if ok && !begun() {
			if h.metadata.Known >= KnownTickShift { // it may stand because it was reset, and have forgotten the version
				s.send(CommandGetMetadata, s.versionBody()...)
			}
			s.send(CommandStart)
		}
	}
	if h.answered[CommandStart] > acks && h.reason[CommandStart] != 0 {
		return &RefusedError{s.o.Port, CommandStart, h.reason[CommandStart]}
	}
	return nil
}

// trace takes records until ctx ends.
func (s *Session) trace(ctx context.Context) error {
	tick := time.NewTicker(s.statusInterval())
	defer tick.Stop()
	w := watch{session: s, last: time.Now()}
	defer w.end()
	for s.writing == nil {
		select {
		case a, ok := <-s.line.in:
			if !ok {
				return s.line.lost(s.o.Port)
			}
			s.feed(a)
			w.came(a.at)
		case <-tick.C:
			if s.listens && s.heard.reason[CommandStatus] == 0 {
				s.send(CommandStatus)
			}
			s.askWhatItIs()
			w.tick()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		late, err := s.hearLate()
		if err != nil {
			return err
		}
		if s.listens && (late || s.heard.resetSeen()) || w.again {
			w.again = false
			if err := s.start(ctx); err != nil {
				return err
			}
		} else if s.older() {
			if _, err := s.agree(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}
