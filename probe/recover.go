package probe

import (
	"context"
	"errors"
	"fmt"
)

// Recover brings the connection back after an error, with the mildest means
// that works: it takes up the lost responses and clears the sticky errors; then
// line reset and set-up; then the switch sequences, the dormant one too; then
// DAP_Disconnect and DAP_Connect; then, where Options.Reopen is there, a new
// transport. Whatever rung it takes, SELECT, CSW, TAR and the match mask are to
// be set again. It does not touch the core: a core that was halted still is.
//
// Packets under way when something went wrong are still executed, before the
// first of Recover: the probe takes them in order. Only a probe that lost its
// power forgets them.
//
// ErrDisconnected: the probe is gone, and Reopen did not find it. It may be
// asked again. ErrNoTarget: the probe works and nothing answers behind it; then
// no new transport is tried, which would not help.
func (p *Probe) Recover(ctx context.Context) error {
	rungs := []func(context.Context) error{p.recoverSticky, p.recoverLine, p.recoverWire, p.recoverProbe}
	p.outOfStep = true
	var err error
	for _, rung := range rungs {
		p.Invalidate()
		if err = rung(ctx); err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, ErrDisconnected) {
			break
		}
	}
	if p.options.Reopen != nil && !errors.Is(err, ErrNoTarget) {
		err = p.recoverTransport(ctx)
	}
	switch {
	case err == nil || ctx.Err() != nil || errors.Is(err, ErrDisconnected):
		return err
	}
	return fmt.Errorf("probe: no way back: %w", err)
}

// recoverSticky is enough after FAULT and WAIT: the debug port still answers
// and is still powered.
func (p *Probe) recoverSticky(ctx context.Context) error {
	if p.ap.idr == 0 {
		return errors.New("probe: not attached")
	}
	if err := p.Abort(ctx, AbortAllStuck); err != nil {
		return err
	}
	a, err := p.transfer(ctx, Req{WriteSELECT, 0}, Req{Op: ReadCTRLSTAT})
	if err != nil {
		return err
	}
	if status := a.Data[0]; status&powerAck != powerAck {
		return fmt.Errorf("probe: debug power is gone (CTRL/STAT 0x%08x)", status)
	}
	return p.checkAP(ctx)
}

// recoverLine helps after no acknowledge and parity errors.
func (p *Probe) recoverLine(ctx context.Context) error {
	if err := p.sequence(ctx, lineReset); err != nil {
		return err
	}
	if err := p.wakeDP(ctx); err != nil {
		return err
	}
	return p.checkAP(ctx)
}

// recoverWire helps after the target lost power or fell back to JTAG.
func (p *Probe) recoverWire(ctx context.Context) error {
	if err := p.connectTarget(ctx); err != nil {
		return err
	}
	return p.checkAP(ctx)
}

// recoverProbe helps when it is the probe that is confused.
func (p *Probe) recoverProbe(ctx context.Context) error {
	if err := p.status(ctx, append(p.scratch[:0], cmdDisconnect)); err != nil {
		return err
	}
	if err := p.connectSWD(ctx); err != nil {
		return err
	}
	if p.inReset {
		if err := p.holdReset(ctx); err != nil {
			return err
		}
	}
	return p.recoverWire(ctx)
}

// checkAP finds the port again if it is not yet known and sets it up.
func (p *Probe) checkAP(ctx context.Context) error {
	if p.ap.idr == 0 {
		if err := p.findAP(ctx); err != nil {
			return err
		}
	}
	return p.setUpAP(ctx)
}
