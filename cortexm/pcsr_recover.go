package cortexm

import (
	"context"
	"fmt"
	"time"

	"github.com/mprof/mprof/snapshot"
)

// lose gives up what is under way: nobody knows what will come of it. What was
// asked for counts as missed, one sample where nothing was.
func (s *PCSampler) lose(ctx context.Context, m snapshot.Miss, cause error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	lost := 0
	for _, p := range s.flight {
		lost += p.n
	}
	s.spare, s.flight = append(s.spare, s.flight...), s.flight[:0]
	s.flush(nil)
	err := s.recover(ctx, cause)
	if s.away != snapshot.Taken {
		m = s.away
	}
	s.miss(m, lost)
	return err
}

// Pauses between attempts to reach a target, from the second one on.
const (
	leastBackoff = time.Millisecond
	mostBackoff  = 100 * time.Millisecond
)

// recover brings the connection back; where it cannot the target is off, or the
// probe gone. It waits longer each time, until PCs come again. Its error ends the
// run.
func (s *PCSampler) recover(ctx context.Context, cause error) error {
	s.aimed, s.stream = false, nil
	s.stats.Recoveries++
	if s.backoff > 0 {
		if err := s.clock.Sleep(ctx, s.backoff); err != nil {
			return err
		}
	}
	s.backoff = min(max(leastBackoff, 2*s.backoff), mostBackoff)
	err := s.core.p.Recover(ctx)
	now := s.clock.Now()
	if err == nil {
		if s.away == snapshot.Taken {
			s.note(now, EventRecovered, cause)
		}
		return nil
	}
	if why := missOfLoss(err); s.away != why {
		s.away, s.awaySince = why, now
		s.note(now, awayKind[why], err)
	}
	if s.away == snapshot.ProbeGone && (!s.core.p.CanReopen() || now-s.awaySince > goneLongest) {
		return err
	}
	return ctx.Err()
}

// back notes that the target is there again.
func (s *PCSampler) back() {
	if s.away != snapshot.Taken {
		now := s.clock.Now()
		s.note(now, EventBack, fmt.Errorf("%v for %v", s.away, (now-s.awaySince).Round(time.Millisecond)))
	}
	s.away = snapshot.Taken
}

// note keeps an event, as many of them as Sampler does.
func (s *PCSampler) note(at time.Duration, kind string, cause error) {
	if s.noted++; s.noted <= mostEvents {
		s.events = append(s.events, snapshot.Event{Time: max(0, at-s.start), Kind: kind, Text: cause.Error()})
	}
}

// Events are those since the last call, as those of Sampler.
func (s *PCSampler) Events() []snapshot.Event {
	events := s.events
	s.events = nil
	return events
}

// Remarks are sentences about the run for its user.
func (s *PCSampler) Remarks() []string { return nil }
