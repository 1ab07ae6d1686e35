package probe

import (
	"context"
	"errors"
	"fmt"
)

// gone is the transport of a probe that is not there.
type gone int

func (gone) WritePacket(context.Context, []byte) error       { return ErrDisconnected }
func (gone) ReadPacket(context.Context, []byte) (int, error) { return 0, ErrDisconnected }
func (g gone) PacketSize() int                               { return int(g) }
func (gone) Close() error                                    { return nil }

// CanReopen tells whether Recover can open a probe that was lost again.
func (p *Probe) CanReopen() bool { return p.options.Reopen != nil }

// recoverTransport helps when the probe was unplugged and is back, or when its
// firmware began anew: the transport is opened again, what an earlier session
// left in it is dropped, and everything is set up as by Open.
//
// It must be the same probe: requests were laid out for its packets.
func (p *Probe) recoverTransport(ctx context.Context) error {
	before, execute, away := p.info, p.execute, gone(p.transport.PacketSize())
	_ = p.transport.Close() // whatever it says, it is not used any more
	p.transport, p.owed = away, 0
	t, err := p.options.Reopen(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("probe: open it again: %w (%w)", ErrDisconnected, err)
	}
	err = p.takeTransport(ctx, t)
	if err == nil && (p.info != before || p.execute != execute) {
		err = fmt.Errorf("probe: another probe came back: %s %s instead of %s %s", p.info.Product, p.info.Serial, before.Product, before.Serial)
	}
	if err == nil {
		err = p.connectSWD(ctx)
	}
	if err == nil {
		err = p.recoverWire(ctx)
	}
	if err != nil && !errors.Is(err, ErrNoTarget) && ctx.Err() == nil { // the next try begins here
		_ = t.Close()
		p.transport = away
	}
	if p.info != before {
		p.info, p.execute = before, execute
	}
	return err
}

// takeTransport is what identify does, on a transport that may be somebody
// else's.
func (p *Probe) takeTransport(ctx context.Context, t Transport) error {
	if n := p.transport.PacketSize(); t.PacketSize() != n {
		return fmt.Errorf("probe: another probe came back: packets of %d bytes, not %d", t.PacketSize(), n)
	}
	p.transport, p.outOfStep, p.turn = t, true, 0
	if err := p.drain(ctx); err != nil {
		return err
	}
	if err := p.settleUnknown(ctx); err != nil {
		return err
	}
	p.info, p.execute = Info{PacketSize: t.PacketSize(), PacketCount: 1}, false
	if err := twice(ctx, p.readInfo); err != nil {
		return err
	}
	if err := twice(ctx, p.testExecute); err != nil && !errors.Is(err, ErrTimeout) && !errors.Is(err, ErrResponse) {
		return err
	}
	return nil
}
