package cortexm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/schedule"
)

// haltTries is how often S_HALT is read: an access that the core waits for may take a while.
const haltTries = 100

// Hold halts a core that was taken over with Control or without Observe, calls f, and lets the core run
// whatever became of f. It returns for how long the core stood, as the host's clock saw it: at most as
// much is true. A core that does not halt is not held, and f is not called.
func (c *Core) Hold(ctx context.Context, clock Clock, f func(context.Context) error) (stood time.Duration, err error) {
	begun := clock.Now()
	defer func() {
		if e := c.release(ctx); e != nil {
			err = errors.Join(err, e)
		}
		stood = clock.Now() - begun
	}()
	err = c.halt(ctx)
	if err != nil && ctx.Err() == nil && c.p.Recover(ctx) == nil { // what the wire lost once
		err = c.halt(ctx)
	}
	if err != nil {
		return 0, err
	}
	return 0, f(ctx)
}

func (c *Core) halt(ctx context.Context) error {
	if err := c.p.WriteWord(ctx, addrDHCSR, dhcsrHalt); err != nil {
		return fmt.Errorf("cortexm: halt the core: %w", err)
	}
	var dhcsr uint32
	for range haltTries {
		var err error
		if dhcsr, err = c.p.ReadWord(ctx, addrDHCSR); err != nil {
			return fmt.Errorf("cortexm: read DHCSR: %w", err)
		}
		if dhcsr&sHalt != 0 {
			return nil
		}
	}
	return fmt.Errorf("cortexm: the core does not halt: DHCSR 0x%08x", dhcsr)
}

// release lets the core run. Where the connection does not carry it, Detach tries again.
func (c *Core) release(ctx context.Context) error {
	ctx, cancel := schedule.Patience(context.WithoutCancel(ctx), detachTime)
	defer cancel()
	err := c.p.WriteWord(ctx, addrDHCSR, dhcsrRun)
	if err != nil && !errors.Is(err, probe.ErrDisconnected) {
		if e := c.p.Recover(ctx); e == nil {
			err = c.p.WriteWord(ctx, addrDHCSR, dhcsrRun)
		}
	}
	if err != nil {
		return fmt.Errorf("cortexm: resume the core: %w", err)
	}
	return nil
}
