package sim

import (
	"context"
	"fmt"

	"github.com/mprof/mprof/probe"
)

// PacedTransport connects to the probe in real time, for clients that know
// nothing of the board's clock: other programs, over USB. From the first on
// until the last is closed the board's clock follows the wall clock and the
// target runs while nobody sends. A packet executes from the moment at which it
// was written, and its response is there when the wall clock has reached the
// moment at which it arrives in the model: bus, HID frames, SWCLK and overheads
// take their time, while the host's turn-round is what it is. Deadlines are
// those of the wall clock.
//
// Board.Sleep waits by the wall clock meanwhile. A Transport that is used at
// the same time puts the clock ahead.
func (b *Board) PacedTransport() probe.Transport {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.joinPace()
	return &paced{transport: transport{board: b, period: b.connect()}}
}

// paced is a transport by the wall clock.
type paced struct{ transport }

// Close ends the connection; the last of its kind stops the clock.
func (t *paced) Close() error {
	b := t.board
	b.mu.Lock()
	if t.closed {
		b.mu.Unlock()
		return nil
	}
	t.closed = true
	stopped := b.leavePace()
	b.mu.Unlock()
	wait(stopped)
	return nil
}

// WritePacket hands over one command packet at this moment.
func (t *paced) WritePacket(ctx context.Context, p []byte) error {
	b := t.board
	b.mu.Lock()
	defer b.mu.Unlock()
	b.follow()
	if err := t.check(ctx, "write"); err != nil {
		return err
	}
	if len(p) == 0 || len(p) > b.model.PacketSize {
		return fmt.Errorf("sim: write packet: %d bytes, the probe takes 1 to %d", len(p), b.model.PacketSize)
	}
	b.submit(p)
	b.moved.Broadcast()
	return nil
}

// ReadPacket waits for the next response. The packet is executed here, ahead
// of the wall clock, and the response kept until its time.
func (t *paced) ReadPacket(ctx context.Context, p []byte) (int, error) {
	b := t.board
	b.mu.Lock()
	defer b.mu.Unlock()
	stop := context.AfterFunc(ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.moved.Broadcast()
	})
	defer stop()
	for {
		now := b.follow()
		if err := t.check(ctx, "read"); err != nil {
			return 0, err
		}
		for len(b.usb.ready) == 0 && len(b.usb.queue) > 0 {
			b.executeNext()
		}
		end, gone := b.ended(t.period)
		switch left := len(b.usb.ready) > 0; {
		case gone && (!left || b.usb.ready[0].at >= end):
			b.waitFor(end)
		case left && b.usb.ready[0].at <= now:
			r := b.usb.ready[0]
			b.usb.ready = b.usb.ready[1:]
			if n := copy(p, r.packet); n < len(r.packet) {
				return n, fmt.Errorf("sim: read packet: %d bytes do not fit a buffer of %d", len(r.packet), len(p))
			}
			return len(r.packet), nil
		case left:
			b.waitFor(b.usb.ready[0].at)
		default:
			b.moved.Wait()
		}
	}
}

// Strike makes an event of a Script happen at this moment, for tests in real
// time: Unplug, TargetReset and so on, not faults of transfers and packets.
func (b *Board) Strike(f Fault) error {
	if _, err := (Script{f}).arm(); err != nil {
		return err
	}
	if f.Kind.ofTransfer() || f.Kind.ofPacket() {
		return fmt.Errorf("sim: fault of kind %d waits for a transfer or packet", f.Kind)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.strike(&f)
	return nil
}
