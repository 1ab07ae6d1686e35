package probe

import (
	"context"
	"errors"
	"fmt"
)

// ErrNoTarget: the probe works and nothing answers behind it.
var ErrNoTarget = errors.New("the target does not answer")

// Bits of the ABORT register (ADIv5.2 section B2.2.1).
const (
	AbortDAP      uint32 = 1 << 0 // give up the AP transaction that is stuck
	AbortSTKCMP   uint32 = 1 << 1
	AbortSTKERR   uint32 = 1 << 2
	AbortWDERR    uint32 = 1 << 3
	AbortORUNERR  uint32 = 1 << 4
	AbortSticky          = AbortSTKCMP | AbortSTKERR | AbortWDERR | AbortORUNERR
	AbortAllStuck        = AbortSticky | AbortDAP
)

// Bits of CTRL/STAT (ADIv5.2 section B2.2.2). ORUNDETECT stays off: the probe
// retries after WAIT by itself.
const (
	powerRequest uint32 = 1<<30 | 1<<28 // CSYSPWRUPREQ, CDBGPWRUPREQ
	powerAck     uint32 = 1<<31 | 1<<29 // CSYSPWRUPACK, CDBGPWRUPACK
)

// powerPolls is how often the power-up is asked for: each is a round trip of
// 0.1 to 2 ms.
const powerPolls = 256

// connectTries: the JTAG-to-SWD sequence and the dormant one take turns.
const connectTries = 4

// transfer runs one DAP_Transfer. The answer is p.answer.
func (p *Probe) transfer(ctx context.Context, reqs ...Req) (*Answer, error) {
	r, err := p.command(ctx, AppendTransfer(p.scratch[:0], reqs))
	if err != nil {
		return nil, err
	}
	if _, err := ParseTransfer(r, reqs, &p.answer); err != nil {
		p.outOfStep = p.outOfStep || errors.Is(err, ErrResponse)
		return nil, fmt.Errorf("probe: %w", err)
	}
	return &p.answer, nil
}

// connectSWD sets the probe up: port, clock, retries, turnaround.
func (p *Probe) connectSWD(ctx context.Context) error {
	r, err := p.command(ctx, append(p.scratch[:0], cmdConnect, portSWD))
	if err != nil {
		return err
	}
	if len(r) < 2 {
		return fmt.Errorf("probe: %w", badResponse("DAP_Connect", r))
	}
	if r[1] != portSWD {
		return fmt.Errorf("probe: DAP_Connect: the probe does not do SWD (answered port %d)", r[1])
	}
	if err := p.SetClock(ctx, p.options.SWCLKHz); err != nil {
		return err
	}
	o := p.options
	if err := p.status(ctx, AppendTransferConfigure(p.scratch[:0], o.IdleCycles, o.WaitRetry, o.MatchRetry)); err != nil {
		return err
	}
	return p.status(ctx, append(p.scratch[:0], cmdSWDConfigure, 0)) // turnaround 1 cycle, no data phase on WAIT and FAULT
}

// connectTarget finds a debug port on the wire and powers it up. Until one has
// answered, the chips that only answer to TARGETSEL are tried, too.
func (p *Probe) connectTarget(ctx context.Context) error {
	p.Invalidate()
	targets, err := p.addressees()
	if err != nil {
		return err
	}
	var first error
	for i, t := range targets {
		p.targetsel = t
		tries := connectTries
		if i > 0 {
			tries = 2
		}
		err := p.tryConnect(ctx, tries)
		var refused *TransferError
		if err == nil || !errors.As(err, &refused) {
			return err
		}
		if first == nil {
			first = err
		}
	}
	p.targetsel = targets[0]
	if t := p.targetsel; t != nil {
		first = fmt.Errorf("probe: TARGETSEL 0x%08x: %w", *t, first)
	}
	if p.inReset {
		return fmt.Errorf("%w while nRESET was low (%w)", first, ErrNoTarget)
	}
	return fmt.Errorf("%w (%w)", first, ErrNoTarget)
}

// tryConnect tries the switch sequences in turn.
func (p *Probe) tryConnect(ctx context.Context, tries int) (err error) {
	for try := range tries {
		if try%2 == 0 {
			err = p.sequences(ctx, jtagToSWD)
		} else {
			err = p.sequences(ctx, jtagToDormant, dormantToSWD)
		}
		if err == nil {
			err = p.wakeDP(ctx)
		}
		var refused *TransferError
		if err == nil || !errors.As(err, &refused) {
			return err
		}
	}
	return err
}

func (p *Probe) sequences(ctx context.Context, all ...[]byte) error {
	for _, s := range all {
		if err := p.sequence(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// wakeDP goes on from a line reset: TARGETSEL where there are several ports,
// DPIDR, which alone is legal then, the sticky flags cleared, the debug domain
// powered up.
func (p *Probe) wakeDP(ctx context.Context) error {
	err := p.identifyDP(ctx)
	if errors.Is(err, errShared) {
		if err = p.sequence(ctx, lineReset); err == nil {
			err = p.identifyDP(ctx)
		}
	}
	if err != nil {
		return err
	}
	if err := p.clearSELECT1(ctx); err != nil {
		return err
	}
	return p.powerUp(ctx)
}

// identifyDP makes sure which port answers before anything is asked of it.
func (p *Probe) identifyDP(ctx context.Context) error {
	if t := p.targetsel; t != nil {
		if err := p.selectTarget(ctx, *t); err != nil {
			return err
		}
	}
	a, err := p.transfer(ctx, Req{Op: ReadDPIDR})
	if err != nil {
		return err
	}
	dpidr := a.Data[0]
	if dpidr&1 == 0 || dpidr == 0xFFFFFFFF { // ADIv5: bit 0 reads as one
		return fmt.Errorf("probe: DPIDR 0x%08x is none: %w", dpidr, &TransferError{Reg: "read DPIDR", Ack: Protocol})
	}
	p.dpidr = dpidr
	if err := p.Abort(ctx, AbortSticky); err != nil {
		return err
	}
	return p.checkTarget(ctx)
}

// powerUp requests system and debug power and waits for both.
func (p *Probe) powerUp(ctx context.Context) error {
	p.cache.selected = false
	if _, err := p.transfer(ctx, Req{WriteSELECT, 0}, Req{WriteCTRLSTAT, powerRequest}); err != nil {
		return err
	}
	var status uint32
	for range powerPolls {
		a, err := p.transfer(ctx, Req{Op: ReadCTRLSTAT})
		if err != nil {
			return err
		}
		if status = a.Data[0]; status&powerAck == powerAck {
			return nil
		}
	}
	return fmt.Errorf("probe: the debug domain does not power up (CTRL/STAT 0x%08x): %w", status, ErrNoTarget)
}

// Abort writes the ABORT register, which works whatever sticky error is set.
// With AbortDAP the access port may have lost its state: it is set up again at
// its next use.
func (p *Probe) Abort(ctx context.Context, bits uint32) error {
	if bits&AbortDAP != 0 {
		p.Invalidate()
	}
	_, err := p.transfer(ctx, Req{WriteABORT, bits})
	return err
}
