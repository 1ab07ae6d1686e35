package trace

import (
	"context"
	"time"
)

// maxEarly bounds what is kept of the bytes before a run.
const maxEarly = 1 << 20

// early is what came before a run: evidence where nobody understands it, and
// the beginning of a run where firmware talks and does not listen.
type early struct {
	bytes []byte
	total int
}

// feed decodes a piece of the stream and keeps it.
func (s *Session) feed(a arrival) {
	s.came += len(a.bytes)
	if s.keep {
		s.record(a.bytes)
	} else {
		s.early.total += len(a.bytes)
		s.early.bytes = append(s.early.bytes, a.bytes[:min(len(a.bytes), maxEarly-len(s.early.bytes))]...)
	}
	if t, ok := s.heard.to.(Arrivals); ok {
		t.Arrived(a.at.Sub(s.origin))
	}
	_, _ = s.decoder.Write(a.bytes) // never fails
	if v, ok := s.decoder.Variant(); ok {
		s.wire = v // firmware takes what it sends
	}
}

// record gives bytes to SessionOptions.Record; the first error stays.
func (s *Session) record(b []byte) {
	if s.o.Record != nil && s.writing == nil {
		_, s.writing = s.o.Record.Write(b)
	}
}

// keepEarly records what came before the run.
func (s *Session) keepEarly() {
	s.record(s.early.bytes)
	s.early.bytes, s.keep = nil, true
}

// pump decodes what comes until something happened, for at most d, and what has come by then. The error is
// ErrLost or that of ctx.
func (s *Session) pump(ctx context.Context, d time.Duration, happened func() bool) (bool, error) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for !happened() {
		select {
		case a, ok := <-s.line.in:
			if !ok {
				return happened(), s.line.lost(s.o.Port)
			}
			s.feed(a)
		case <-timer.C:
			return s.pumpQueued(happened)
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
	return true, nil
}

// pumpQueued decodes what came while nobody looked, as on a machine that is busy, until something happened.
func (s *Session) pumpQueued(happened func() bool) (bool, error) {
	for range len(s.line.in) {
		if happened() {
			break
		}
		a, ok := <-s.line.in
		if !ok {
			return happened(), s.line.lost(s.o.Port)
		}
		s.feed(a)
	}
	return happened(), nil
}

// send sends a command.
func (s *Session) send(command byte, body ...byte) {
	if command == CommandStatus {
		s.asked++
	}
	s.sendBytes(s.wire.AppendPacket(nil, command, body...))
}

// maxSent bounds what is kept of what was sent, to know it again.
const maxSent = 256

func (s *Session) sendBytes(b []byte) {
	if s.line.send(b) {
		s.sent = append(s.sent, b[:min(len(b), maxSent-len(s.sent))]...)
	}
}

// interval is how long to wait for the answer to the attempt n, from 0: four times a
// quarter of a second, later half a one.
func (s *Session) interval(attempt int) time.Duration {
	return s.o.Patience / approaches << min(attempt/4, 1)
}

// attempts fit into Patience. Firmware may hear one command in seven not at all (the demo on its board), where it masks
// interrupts for longer than two bytes take.
const attempts = 8

// answerTime is how long an answer may take that stands behind what a target had
// recorded: 64 KiB of buffer.
func (s *Session) answerTime() time.Duration {
	const buffer = 64 << 10
	if s.o.Baud <= 0 {
		return 3 * s.o.Patience
	}
	return s.o.Patience + buffer*10*time.Second/time.Duration(s.o.Baud)
}

// ask sends a command until something happened, and tells whether it did. Commands get lost, so
// that they are repeated: those that may be.
func (s *Session) ask(ctx context.Context, happened func() bool, command byte, body ...byte) (bool, error) {
	s.awaited = command
	for t := s.begins(); ; {
		s.send(command, body...)
		if ok, err := s.pump(ctx, s.interval(t.attempt), happened); ok || err != nil {
			return ok, err
		}
		if t.over() {
			return false, nil
		}
	}
}

// tries tells how long to ask again: for Patience, and longer while bytes come. They may be
// what a bad line left of an answer, or stand before it.
type tries struct {
	s        *Session
	attempt  int
	silent   int // attempts in a row in which nothing came
	came     int // bytes before this attempt
	deadline time.Time
}

func (s *Session) begins() *tries {
	return &tries{s: s, came: s.came, deadline: time.Now().Add(s.answerTime())}
}

// over ends an attempt, and tells whether it was the last one.
func (t *tries) over() bool {
	t.attempt++
	if t.silent++; t.s.came > t.came {
		t.silent, t.came = 0, t.s.came
	}
	return t.silent >= attempts || t.attempt >= attempts && time.Now().After(t.deadline)
}

// more is true once a counter of the listener has gone on.
func more(counter *int) func() bool {
	before := *counter
	return func() bool { return *counter > before }
}
