package cortexm

import (
	"context"
	"errors"
	"fmt"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/snapshot"
)

// prepare sets the match retries and mask and, after anything unusual, SELECT,
// CSW and TAR. It costs nothing in the normal case.
func (s *Sampler) prepare(ctx context.Context) error {
	if s.aimed {
		return nil
	}
	if err := s.core.p.SetMatchRetry(ctx, s.retries); err != nil {
		return err
	}
	s.core.p.Invalidate()
	if err := s.core.p.SelectBank(ctx, probe.BankData, addrDHCSR); err != nil {
		return err
	}
	aimed, err := newSequence(s.limits, []*transfer{s.planner.steps.ready()})
	if err != nil {
		return err
	}
	if err := aimed.run(ctx, s.core.p); err != nil {
		return err
	}
	s.aimed = true
	return aimed.packets[0].transfers[0].err
}

// missOfPreparation says why a sample could not even begin.
func missOfPreparation(err error) snapshot.Miss {
	var refused *probe.TransferError
	if errors.As(err, &refused) {
		return snapshot.OffTarget
	}
	return missOfError(err)
}

// afterwards makes sure, after every sample, that the core runs, and draws the
// conclusions from what went wrong. Its error ends the run.
func (s *Sampler) afterwards(ctx context.Context, c *capture, err error) error {
	s.adaptRetries(c.miss)
	if c.state()&snapshot.Reset != 0 || c.faulted || c.miss == snapshot.TargetFault {
		s.aimed = false
	}
	if err == nil && c.running() {
		return nil
	}
	if err == nil {
		err = errors.New(c.miss.String())
	}
	begin := s.clock.Now()
	lost := s.rescue(ctx)
	took := s.clock.Now() - begin
	if lost != nil {
		return s.leave(missOfLoss(lost), lost, took)
	}
	s.note(begin, took, EventRecovered, err)
	if s.skip(begin + took); took > mostWait && c.miss == snapshot.NoAck {
		c.miss = snapshot.OffTarget // it was mended while it was tried
	}
	return nil
}

// Retries of the value match on S_HALT: doubled when a core is too slow to halt,
// halved again when it has been fast enough for a while, because every alternative
// that fails takes them, too. The most hold a core that does not halt for 65
// transfers.
const (
	mostRetries = 64
	// mostSecureRetries is enough for a core that is slow: one in Secure state
	// never halts, however long it is waited for.
	mostSecureRetries = 8
	fastEnough        = 50  // samples
	longStanding      = 400 // samples, after it was halved too early
)

func (s *Sampler) adaptRetries(m snapshot.Miss) {
	switch {
	case m == snapshot.NotHalted && s.retries < mostRetries, m == snapshot.Secure && s.retries < mostSecureRetries:
		s.patience = fastEnough
		if s.inTime < longStanding && s.retries > 0 {
			s.patience = longStanding
		}
		s.retries, s.inTime, s.aimed = max(1, 2*s.retries), 0, false
	case m == snapshot.Taken && s.retries > s.leastRetries:
		if s.inTime++; s.inTime >= s.patience {
			s.retries, s.inTime, s.aimed = max(s.leastRetries, s.retries/2), 0, false
		}
	}
}

// rescue lets the core run after a sample that did not come through: first the
// guard again, then the connection is recovered, and the guard again. Where the
// target is away already, it is tried once.
//
// errStands: the core does not run although it was told to.
func (s *Sampler) rescue(ctx context.Context) (err error) {
	s.aimed = false
	known := s.away.why != snapshot.Taken
	for i := range 3 {
		if known || i > 0 && !errors.Is(err, errStands) {
			s.stats.Recoveries++
			err = s.core.p.Recover(ctx)
			if errors.Is(err, probe.ErrDisconnected) || errors.Is(err, probe.ErrNoTarget) {
				return err
			}
		}
		if i == 0 || err == nil || errors.Is(err, errStands) {
			if err = s.guard(ctx); err == nil {
				return nil
			}
		}
		if known {
			return err
		}
	}
	return err
}

// errStands: nothing went wrong, and the core is halted again. A BKPT in the
// program does that, or a breakpoint that another debugger has set.
var errStands = errors.New("cortexm: the core halts again by itself: a BKPT in the program, a breakpoint, or another debugger")

// guard looks whether the core stands still, and sends the guard. nil: the core runs.
func (s *Sampler) guard(ctx context.Context) error {
	t := s.planner.steps.guard()
	q, err := newSequence(s.limits, []*transfer{s.planner.steps.look(), t})
	if err != nil {
		return err
	}
	c := &capture{}
	err = s.transact(ctx, q, c)
	s.reset = s.reset || c.reset || c.resetAfter
	s.stood = s.stood || !c.sawBefore || c.before&(dhcsrZero|sHalt) == sHalt
	if err != nil {
		return err
	}
	switch {
	case t.err != nil:
		return fmt.Errorf("cortexm: resume the core: %w", t.err)
	case c.running():
		return nil
	case c.after&(dhcsrZero|cDebugEn|sHalt) == cDebugEn|sHalt:
		return errStands
	}
	return fmt.Errorf("cortexm: the core does not resume: DHCSR 0x%08x", c.after)
}
