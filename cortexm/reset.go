package cortexm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mprof/mprof/probe"
)

// AIRCR (ARMv7-M ARM B3.2.6): a write needs VECTKEY; SYSRESETREQ resets the
// chip, but for its debug logic.
const (
	addrAIRCR          = 0xE000ED0C
	aircrReset  uint32 = 0x05FA0004
	resetPoll          = time.Millisecond
	resetTime          = 2 * time.Second // that a chip may take to answer after a reset
	resetPolls         = 200             // of one that answers
	sysResetReq        = "AIRCR.SYSRESETREQ"
	nRESET             = "nRESET"
)

// ResetReport says what a reset did.
type ResetReport struct {
	// By names what reset the core: "nRESET" or "AIRCR.SYSRESETREQ".
	By string
	// Caught: the core stands at its reset vector until Run. Otherwise it
	// runs already: the reset took the vector catch along.
	Caught bool
}

// errNotReset: nothing came of a reset.
var errNotReset = errors.New("cortexm: neither nRESET nor AIRCR.SYSRESETREQ resets the core")

// Reset resets the target, by nRESET where that is wired, else by
// AIRCR.SYSRESETREQ, and catches the core at its reset vector, where it stands
// until Run or Detach. On an error the core may stand: call Detach.
func (c *Core) Reset(ctx context.Context, clock Clock) (ResetReport, error) {
	r, err := c.resetBy(ctx, clock, nRESET, c.p.Reset)
	if errors.Is(err, errNotReset) {
		r, err = c.resetBy(ctx, clock, sysResetReq, c.requestReset)
	}
	return r, err
}

// Start reports on the reset that Attach was made under; ok is false without.
func (c *Core) Start() (r ResetReport, ok bool) { return c.start, c.start.By != "" }

// comeOutOfReset is the end of connecting under reset: with the vector catch
// set, nRESET goes up. Where it is not wired, SYSRESETREQ does as well.
func (c *Core) comeOutOfReset(ctx context.Context, clock Clock) (err error) {
	c.start, err = c.resetBy(ctx, clock, nRESET, c.p.ReleaseReset)
	if errors.Is(err, errNotReset) {
		c.start, err = c.resetBy(ctx, clock, sysResetReq, c.requestReset)
	}
	return err
}

// requestReset writes SYSRESETREQ. The write may get no acknowledge: the reset
// comes at once.
func (c *Core) requestReset(ctx context.Context) error {
	err := c.p.WriteWord(ctx, addrAIRCR, aircrReset)
	var refused *probe.TransferError
	if errors.As(err, &refused) {
		return nil
	}
	return err
}

// resetBy resets the core in one way, with VC_CORERESET set before and cleared
// after (ARMv7-M ARM C1.6.5).
func (c *Core) resetBy(ctx context.Context, clock Clock, by string, reset func(context.Context) error) (r ResetReport, err error) {
	demcr, err := c.p.ReadWord(ctx, addrDEMCR)
	if err != nil {
		return r, fmt.Errorf("cortexm: read DEMCR: %w", err)
	}
	c.held, c.demcrOurs = true, true // from here on it may stand
	for _, w := range []struct{ addr, v uint32 }{{addrDHCSR, dhcsrRun}, {addrDEMCR, demcr | vcCoreReset}} {
		if err := c.p.WriteWord(ctx, w.addr, w.v); err != nil {
			return r, fmt.Errorf("cortexm: set VC_CORERESET: write 0x%08x: %w", w.addr, err)
		}
	}
	if _, err := c.p.ReadWord(ctx, addrDHCSR); err != nil { // clears S_RESET_ST
		return r, fmt.Errorf("cortexm: read DHCSR: %w", err)
	}
	if err := reset(ctx); err != nil && !errors.Is(err, probe.ErrNoTarget) {
		return r, fmt.Errorf("cortexm: reset by %s: %w", by, err)
	}
	dhcsr, err := c.awaitReset(ctx, clock)
	if err != nil {
		return r, err
	}
	if err := c.p.WriteWord(ctx, addrDEMCR, demcr&^vcCoreReset); err != nil {
		return r, fmt.Errorf("cortexm: clear VC_CORERESET: %w", err)
	}
	if dhcsr&sHalt == 0 { // the reset may have cleared C_DEBUGEN as well
		if err := c.Run(ctx); err != nil {
			return r, err
		}
	}
	if dhcsr&(sHalt|sResetSt) == 0 {
		return r, errNotReset
	}
	return ResetReport{By: by, Caught: c.held}, nil
}

// awaitReset waits until the core stands at its reset vector, or was reset
// without. S_RESET_ST clears on read, so it is collected; some polls follow it,
// because a core is caught only when its reset ends.
func (c *Core) awaitReset(ctx context.Context, clock Clock) (seen uint32, err error) {
	const after = 20
	end := clock.Now() + resetTime
	for left := resetPolls; left > 0; {
		v, err := c.readAfterReset(ctx)
		switch {
		case err != nil && (ctx.Err() != nil || errors.Is(err, probe.ErrDisconnected) || clock.Now() >= end):
			return seen, fmt.Errorf("cortexm: read DHCSR after the reset: %w", err)
		case err == nil:
			left--
			seen |= v & (sResetSt | sHalt)
		}
		if seen&sHalt != 0 {
			return seen, nil
		}
		if seen&sResetSt != 0 {
			left = min(left, after)
		}
		if err := clock.Sleep(ctx, resetPoll); err != nil {
			return seen, err
		}
	}
	return seen, nil
}

// readAfterReset reads DHCSR, over a connection that the reset may have ended.
func (c *Core) readAfterReset(ctx context.Context) (uint32, error) {
	v, err := c.p.ReadWord(ctx, addrDHCSR)
	if err != nil && ctx.Err() == nil {
		if err = c.p.Recover(ctx); err == nil {
			v, err = c.p.ReadWord(ctx, addrDHCSR)
		}
	}
	if v&dhcsrZero != 0 { // it did not come from DHCSR
		v = 0
	}
	return v, err
}

// Held says whether the core stands at its reset vector until Run.
func (c *Core) Held() bool { return c.held }

// Run lets a core go that Reset, or Attach under reset, has caught, and an
// observed one without C_DEBUGEN. It does nothing to one that runs.
func (c *Core) Run(ctx context.Context) error {
	if !c.held {
		return nil
	}
	v := dhcsrRun
	if c.observer {
		v = dhcsrDetach
	}
	if err := c.p.WriteWord(ctx, addrDHCSR, v); err != nil {
		return fmt.Errorf("cortexm: let the core run from its reset vector: %w", err)
	}
	c.held = false
	return nil
}
