package cortexm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/schedule"
)

// detachTime bounds the last attempts to leave a core running.
const detachTime = 5 * time.Second

// Detach leaves the core alone: sticky errors are cleared, DEMCR is as it was,
// the core runs and C_DEBUGEN is clear. Where that does not work at once the
// connection is recovered and it is tried again. It is not ended by a ctx that
// has ended already, and may be called again.
func (c *Core) Detach(ctx context.Context) error {
	if c.detached {
		return nil
	}
	ctx, cancel := schedule.Patience(context.WithoutCancel(ctx), detachTime)
	defer cancel()
	err := c.letGo(ctx)
	for range 2 {
		if err == nil || errors.Is(err, probe.ErrDisconnected) && !c.p.CanReopen() {
			break
		}
		if e := c.p.Recover(ctx); e != nil {
			err = fmt.Errorf("cortexm: detach: %w", e)
			if errors.Is(e, probe.ErrDisconnected) {
				break
			}
			continue
		}
		err = c.letGo(ctx)
	}
	c.detached = err == nil || errors.Is(err, probe.ErrDisconnected)
	return err
}

func (c *Core) letGo(ctx context.Context) error {
	c.p.Invalidate()
	if c.p.InReset() {
		if err := c.p.ReleaseReset(ctx); err != nil {
			return fmt.Errorf("cortexm: release nRESET: %w", err)
		}
	}
	if err := c.p.Abort(ctx, abortClear); err != nil {
		return fmt.Errorf("cortexm: detach: %w", err)
	}
	if c.observer && !c.held {
		return c.restoreDEMCR(ctx)
	}
	if c.held {
		return c.letGoAtReset(ctx)
	}
	if err := c.p.WriteWord(ctx, addrDHCSR, dhcsrRun); err != nil {
		return fmt.Errorf("cortexm: resume the core: %w", err)
	}
	if err := c.restoreDEMCR(ctx); err != nil {
		return err
	}
	if err := c.p.WriteWord(ctx, addrDHCSR, dhcsrDetach); err != nil {
		return fmt.Errorf("cortexm: clear C_DEBUGEN: %w", err)
	}
	dhcsr, err := c.p.ReadWord(ctx, addrDHCSR)
	if err != nil {
		return fmt.Errorf("cortexm: read DHCSR after detaching: %w", err)
	}
	if dhcsr&dhcsrZero != 0 || dhcsr&(cDebugEn|sHalt) != 0 {
		return fmt.Errorf("cortexm: the core does not let go: DHCSR 0x%08x after C_DEBUGEN was cleared", dhcsr)
	}
	return nil
}

// letGoAtReset lets a core go that stands, or may stand, at its reset vector. The
// write that clears C_DEBUGEN is the one that resumes it, and the last: the
// program may turn the SWD pins off at once. That it was acknowledged is enough.
func (c *Core) letGoAtReset(ctx context.Context) error {
	if err := c.restoreDEMCR(ctx); err != nil {
		return err
	}
	if err := c.p.WriteWord(ctx, addrDHCSR, dhcsrDetach); err != nil {
		return fmt.Errorf("cortexm: let the core run from its reset vector: %w", err)
	}
	c.held = false
	return nil
}

func (c *Core) restoreDEMCR(ctx context.Context) error {
	if !c.demcrOurs {
		return nil
	}
	if err := c.p.WriteWord(ctx, addrDEMCR, c.demcr); err != nil {
		return fmt.Errorf("cortexm: restore DEMCR: %w", err)
	}
	return nil
}
