package cortexm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/schedule"
	"github.com/mprof/mprof/snapshot"
)

// away is a target that cannot be sampled: off, without a probe, or halted by
// somebody else. It is tried again and again, ever more seldom, so that a dead one
// costs nothing, and every try is a sample that did not come.
type away struct {
	why   snapshot.Miss // Taken: it is there
	since time.Duration // on the clock of the run
	wait  time.Duration // from one try to the next
}

const (
	// mostWait bounds what is lost of the time when a target is back.
	mostWait = 100 * time.Millisecond
	// mostProbeWait is the same for a probe, which takes a second to start.
	mostProbeWait = 500 * time.Millisecond
	// tryShare is how much longer the next try waits than the last one took:
	// trying takes a fifth of the time at most.
	tryShare = 4
	// goneLongest is how long a probe that was unplugged is waited for.
	goneLongest = 30 * time.Second
)

// leave notes that the target is away, or still is, after a try that took so
// long. Its error ends the run: a probe that nobody can open again, or that does
// not come back.
func (s *Sampler) leave(why snapshot.Miss, cause error, took time.Duration) error {
	a, now := &s.away, s.clock.Now()
	if a.why != why {
		*a = away{why: why, since: now, wait: s.schedule.Period() / 2}
		s.note(now, 0, awayKind[why], cause)
	}
	most := mostWait
	if why == snapshot.ProbeGone {
		most = mostProbeWait
		if !s.core.p.CanReopen() || now-a.since > goneLongest {
			return cause
		}
	}
	a.wait = min(max(2*a.wait, tryShare*took), max(most, tryShare*took))
	return nil
}

// comeBack tries again. nil: the target is there, and its core runs.
func (s *Sampler) comeBack(ctx context.Context) error {
	if s.away.why == snapshot.Taken {
		return nil
	}
	err := s.stillStands(ctx)
	if err == nil && s.away.why != snapshot.Stopped {
		err = s.rescue(ctx)
	}
	if err == nil {
		s.back(s.clock.Now())
	}
	return err
}

// stillStands looks at a core that somebody else has halted, without touching
// it.
func (s *Sampler) stillStands(ctx context.Context) error {
	if s.away.why != snapshot.Stopped {
		return nil
	}
	s.aimed = false
	dhcsr, err := s.core.p.ReadWord(ctx, addrDHCSR)
	if err != nil {
		s.stats.Recoveries++
		if err = s.core.p.Recover(ctx); err == nil {
			dhcsr, err = s.core.p.ReadWord(ctx, addrDHCSR)
		}
	}
	if err == nil && dhcsr&(sHalt|dhcsrZero) != 0 {
		err = errStands
	}
	return err
}

var awayKind = map[snapshot.Miss]string{
	snapshot.OffTarget: EventTargetLost, snapshot.ProbeGone: EventProbeLost, snapshot.Stopped: EventStands,
}

// back notes that the target is there again. What lies before is no time that a
// sample stands for.
func (s *Sampler) back(now time.Duration) {
	if s.away.why == snapshot.Taken {
		return
	}
	s.note(now, 0, EventBack, fmt.Errorf("%v for %v", s.away.why, (now-s.away.since).Round(time.Millisecond)))
	if s.away.why == snapshot.ProbeGone {
		s.probeClock.running = false // it has begun anew
	}
	s.away = away{}
	s.skip(now)
}

// skip begins the time anew that the next sample stands for.
func (s *Sampler) skip(now time.Duration) {
	s.last, s.lastHalted = max(s.last, now-s.schedule.Period()), 0
	s.schedule.Skip(now)
}

// noteGap finds gaps that are not ours: the host slept, or the process was stopped. A
// sample after one stands for its own interval and not for the gap.
func (s *Sampler) noteGap(now time.Duration) {
	idle := now - s.last - s.lastHalted
	if s.away.why != snapshot.Taken || idle-s.schedule.Drawn() < schedule.GapLeast {
		return
	}
	s.stats.Gaps++
	s.note(s.last+s.lastHalted, idle, EventGap, errors.New("the host took no samples: it was suspended, or mprof was stopped"))
	s.skip(now)
}

// missOfLoss is how a target that could not be brought back is missed.
func missOfLoss(err error) snapshot.Miss {
	switch {
	case errors.Is(err, probe.ErrDisconnected):
		return snapshot.ProbeGone
	case errors.Is(err, errStands):
		return snapshot.Stopped
	}
	return snapshot.OffTarget
}
