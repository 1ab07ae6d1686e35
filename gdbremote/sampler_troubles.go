package gdbremote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/mprof/mprof/schedule"
	"github.com/mprof/mprof/snapshot"
)

// Kinds of events of a run, besides what a snapshot says by itself.
const (
	EventServerLost   = "GDB server lost"
	EventNoAnswer     = "GDB server silent"
	EventRefused      = "GDB server refused"
	EventFoundStopped = "Found halted"
	EventStops        = "Target stops" // again and again
	EventBack         = "Back"
	EventGap          = "Gap" // of the host's own
)

// mostEvents bounds what a run tells.
const mostEvents = 1000

// away is a target that cannot be sampled. It is tried ever more seldom, and every
// try is a sample that did not come.
type away struct {
	why   snapshot.Miss // Taken: it is there
	since time.Duration // on the clock of the run
	wait  time.Duration // from one try to the next
	tries int
	cause error // of the first
}

const (
	// mostWait bounds what is lost of the time when a target is back, or runs again.
	mostWait = 250 * time.Millisecond
	// goneLongest is how long a server that is gone is waited for.
	goneLongest = 10 * time.Second
	// silentTries is how often in a row a server that had answered may fail to.
	silentTries = 3
)

// afterwards puts what went wrong into the snapshot, and decides whether the run
// goes on.
func (s *Sampler) afterwards(sp *snapshot.Snapshot, t *taken, err error) {
	if err != nil {
		if errors.Is(err, ErrDisconnected) {
			s.client.lastWords()
		}
		if s.client.ended != nil {
			err = s.client.ended // what else happened follows from it
		}
	}
	switch {
	case err != nil:
		sp.Miss = missOf(err)
		s.leave(sp.Miss, err)
	case t.stop.Already:
		sp.State |= snapshot.AlreadyHalted
		sp.Miss = snapshot.Stopped
		s.leave(sp.Miss, standsError(t))
	default:
		s.back()
		sp.Regs, sp.Windows = t.regs, t.windows
	}
}

func missOf(err error) snapshot.Miss {
	var refused *RefusedError
	switch {
	case errors.Is(err, ErrDisconnected):
		return snapshot.ServerGone
	case errors.As(err, &refused):
		return snapshot.Refused
	case errors.Is(err, ErrAnswer):
		return snapshot.BadResponse
	case errors.As(err, new(*ExitedError)):
		return snapshot.OffTarget
	}
	return snapshot.ServerTimeout
}

// standsError says where a target stood that nobody had asked to.
func standsError(t *taken) error {
	where := "an unknown address"
	if pc, ok := t.regs.Value(snapshot.PC); ok {
		where = fmt.Sprintf("0x%08x", pc)
	}
	return fmt.Errorf("the target stood at %s, %v: a breakpoint in the program, or another debugger; it was let run on", where, t.stop)
}

var awayKind = map[snapshot.Miss]string{
	snapshot.ServerGone: EventServerLost, snapshot.ServerTimeout: EventNoAnswer,
	snapshot.Refused: EventRefused, snapshot.BadResponse: EventRefused, snapshot.Stopped: EventFoundStopped,
}

// leave notes that there is no sample, and for how long to wait. A run that has
// never had one ends at once, so that its user can do something about it; only what
// stopped the target by itself is passed over.
func (s *Sampler) leave(why snapshot.Miss, cause error) {
	a, now := &s.away, s.clock.Now()
	if a.why != why {
		*a = away{why: why, since: now, cause: cause}
		if kind := awayKind[why]; kind != "" {
			s.note(now, 0, kind, cause)
		}
	}
	a.tries++
	a.wait = min(max(2*a.wait, s.schedule.Period()/2), mostWait)
	switch {
	case why == snapshot.OffTarget:
		s.ended = cause
	case why == snapshot.Stopped:
		if a.tries == silentTries {
			s.note(now, 0, EventStops, cause)
		}
	case why == snapshot.ServerGone:
		if s.options.Reconnect == nil || now-a.since > goneLongest {
			s.ended = a.cause
		}
	case s.stats.Taken == 0, a.tries >= silentTries:
		s.ended = cause
	}
}

// comeBack makes a new connection where the old one is lost, and lets the target
// behind it run.
func (s *Sampler) comeBack(ctx context.Context) error {
	if s.away.why != snapshot.ServerGone {
		return nil
	}
	c, err := s.options.Reconnect(ctx)
	if err == nil {
		err = c.Resume(ctx)
		if err != nil {
			_ = c.Close()
		}
	}
	if err != nil {
		if !mayComeBack(err) {
			s.ended = err
		}
		return fmt.Errorf("%w: %w", ErrDisconnected, err)
	}
	_ = s.client.Close() // it is lost
	s.client = c
	s.stats.Reconnects++
	s.extra.dear = !c.pipelines
	s.back()
	// What it ran for is not known: this sample stands for nothing yet.
	s.skip(s.clock.Now())
	return s.clock.Sleep(ctx, s.schedule.Period()/2)
}

// mayComeBack tells the errors of a server that is not there yet from those of one that
// is another one now.
func mayComeBack(err error) bool {
	return errors.As(err, new(*net.OpError)) || errors.Is(err, ErrDisconnected) || errors.Is(err, ErrTimeout)
}

// back notes that the target can be sampled again. What lies before is no time that
// a sample stands for.
func (s *Sampler) back() {
	if s.away.why == snapshot.Taken {
		return
	}
	now := s.clock.Now()
	if s.away.tries >= silentTries || s.away.why != snapshot.Stopped {
		s.note(now, 0, EventBack, fmt.Errorf("%v for %v", s.away.why, (now-s.away.since).Round(time.Millisecond)))
	}
	s.away = away{}
}

// skip begins the time anew that the next sample stands for.
func (s *Sampler) skip(now time.Duration) {
	s.last, s.lastHalted = max(s.last, now-s.schedule.Period()), 0
	s.schedule.Skip(now)
}

// noteGap finds time in which the host itself stood still. A sample after it stands
// for its own interval and not for the gap.
func (s *Sampler) noteGap(now time.Duration) {
	idle := now - s.last - s.lastHalted
	if s.away.why != snapshot.Taken || idle-s.schedule.Drawn() < schedule.GapLeast {
		return
	}
	s.note(s.last+s.lastHalted, idle, EventGap, errors.New("the host took no samples: it was suspended, or mprof was stopped"))
	s.skip(now)
}

// note keeps an event that began at a time of the clock.
func (s *Sampler) note(at, lasted time.Duration, kind string, cause error) {
	if s.noted++; s.noted > mostEvents {
		return
	}
	s.events = append(s.events, snapshot.Event{Time: max(0, at-s.start), Duration: lasted, Kind: kind, Text: cause.Error()})
}

// Events are those since the last call, in the order in which they were known.
func (s *Sampler) Events() []snapshot.Event {
	events := s.events
	s.events = nil
	return events
}
