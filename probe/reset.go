package probe

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrNoReset: the probe cannot drive nRESET.
var ErrNoReset = errors.New("nRESET does not go low")

// resetTime is how long nRESET is held low, and what it has to go up again.
const resetTime = 20 * time.Millisecond

// Reset pulses nRESET and connects again: the debug port may have been reset
// too. It needs the reset wire; without one nothing happens to the target.
func (p *Probe) Reset(ctx context.Context) error {
	if _, err := p.Pins(ctx, 0, PinNRESET, 0); err != nil {
		return err
	}
	err := p.delay(ctx, resetTime)
	if e := p.ReleaseReset(ctx); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return p.Recover(ctx)
}

// holdReset drives nRESET low and keeps it so until ReleaseReset.
func (p *Probe) holdReset(ctx context.Context) error {
	p.inReset = true
	got, err := p.Pins(ctx, 0, PinNRESET, time.Millisecond)
	if err != nil {
		return err
	}
	if got&PinNRESET != 0 {
		return fmt.Errorf("probe: hold the target in reset: %w", ErrNoReset)
	}
	return p.delay(ctx, resetTime)
}

// InReset says whether nRESET is held low: Open did so with ConnectUnderReset.
func (p *Probe) InReset() bool { return p.inReset }

// ReleaseReset lets nRESET go up and waits until it is. The target starts.
func (p *Probe) ReleaseReset(ctx context.Context) error {
	p.Invalidate()
	_, err := p.Pins(ctx, PinNRESET, PinNRESET, resetTime)
	if err == nil {
		p.inReset = false
	}
	return err
}
