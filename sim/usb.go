package sim

import (
	"context"
	"fmt"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim/wire"
)

// usb is the cable: packets on their way to the probe and back.
type usb struct {
	line      *wire.Timeline
	queue     []sent     // not yet begun
	ready     []response // at the host, or on the way to it
	turnEnds  wire.Instant
	unplugged bool
	period    int            // how often the probe was plugged in before
	ends      []wire.Instant // when each period ended
	back      wire.Instant   // when the probe is there again
}

// sent is a packet handed to the operating system at a time. start is when the
// probe begins to work on it, known once it is the first in the queue.
type sent struct {
	packet    []byte
	at, start wire.Instant
	placed    bool
}

// response is one that the host can have from a time on.
type response struct {
	packet []byte
	at     wire.Instant
}

// Transport connects to the probe. Packets travel and execute in virtual time:
// WritePacket takes the host's turn-round since its last response, ReadPacket
// waits until its response is there. A deadline of the context bounds
// ReadPacket by as much virtual time as wall time is left (never below 20 ms
// where a response is on its way); when none is on its way 20 ms pass at once
// and the wait is over, and without a deadline ReadPacket waits for another
// goroutine to write. Several transports share the one probe; responses that
// an earlier one left unread are read first.
//
// A probe that was unplugged gives probe.ErrDisconnected for ever on the
// transports opened before; one opened after it came back works.
func (b *Board) Transport() probe.Transport {
	b.mu.Lock()
	defer b.mu.Unlock()
	return &transport{board: b, period: b.connect()}
}

// connect finds the probe, which may have come back, and says in which period.
func (b *Board) connect() int {
	if u := &b.usb; u.unplugged && b.now >= u.back {
		u.unplugged = false
		u.period++
		b.plugIn()
	}
	return b.usb.period
}

type transport struct {
	board  *Board
	period int
	closed bool
}

// idlePatience is the virtual time that a wait for nothing takes. What is left
// of a deadline on the wall clock would differ from run to run.
const idlePatience = 20 * time.Millisecond

// shortestPatience keeps a slow machine from losing responses that are there.
const shortestPatience = 20 * time.Millisecond

// PacketSize is the model's packet size in bytes.
func (t *transport) PacketSize() int { return t.board.model.PacketSize }

// Close ends the connection. Packets under way still execute; the target stays
// as they leave it.
func (t *transport) Close() error {
	b := t.board
	b.mu.Lock()
	defer b.mu.Unlock()
	t.closed = true
	b.moved.Broadcast()
	return nil
}

// WritePacket hands over one command packet, also when the deadline of ctx is over: that is one of the wall
// clock, and says only that this machine is slow. Time limits are for responses.
func (t *transport) WritePacket(ctx context.Context, p []byte) error {
	b := t.board
	b.mu.Lock()
	defer b.mu.Unlock()
	if ctx.Err() == context.DeadlineExceeded {
		ctx = context.WithoutCancel(ctx)
	}
	if err := t.check(ctx, "write"); err != nil {
		return err
	}
	if len(p) == 0 || len(p) > b.model.PacketSize {
		return fmt.Errorf("sim: write packet: %d bytes, the probe takes 1 to %d", len(p), b.model.PacketSize)
	}
	b.now = max(b.now, b.usb.turnEnds)
	if err := t.check(ctx, "write"); err != nil {
		return err
	}
	b.submit(p)
	b.moved.Broadcast()
	return nil
}

// ReadPacket waits for the next response.
func (t *transport) ReadPacket(ctx context.Context, p []byte) (int, error) {
	b := t.board
	b.mu.Lock()
	defer b.mu.Unlock()
	stop := context.AfterFunc(ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.moved.Broadcast()
	})
	defer stop()
	patience := never
	if end, ok := ctx.Deadline(); ok {
		patience = wire.Span(max(time.Until(end).Round(time.Millisecond), 0))
	}
	for len(b.usb.ready) == 0 {
		if len(b.usb.queue) > 0 && ctx.Err() != context.Canceled {
			b.executeNext()
			continue
		}
		if err := t.gone(); err != nil {
			return 0, err
		}
		if err := t.check(ctx, "read"); err != nil {
			return 0, err
		}
		if patience != never {
			b.elapse(b.now + wire.Span(idlePatience))
			return 0, t.timeout()
		}
		b.moved.Wait()
	}
	if ctx.Err() == context.Canceled {
		return 0, fmt.Errorf("sim: read packet: %w", ctx.Err())
	}
	return t.receive(p, patience)
}

// receive takes the next response, if it comes in time.
func (t *transport) receive(p []byte, patience wire.Instant) (int, error) {
	b := t.board
	if end, gone := b.ended(t.period); gone && b.usb.ready[0].at >= end {
		return 0, t.gone()
	}
	r := b.usb.ready[0]
	if patience != never && r.at > b.now+max(patience, wire.Span(shortestPatience)) {
		b.elapse(b.now + patience)
		return 0, t.timeout()
	}
	b.usb.ready = b.usb.ready[1:]
	b.elapse(max(b.now, r.at))
	b.usb.turnEnds = b.now + b.turnRound()
	n := copy(p, r.packet)
	if n < len(r.packet) {
		return n, fmt.Errorf("sim: read packet: %d bytes do not fit a buffer of %d", len(r.packet), len(p))
	}
	return n, nil
}

// check says why the transport cannot be used: closed, unplugged, or ctx over.
func (t *transport) check(ctx context.Context, what string) error {
	b := t.board
	if t.closed {
		return fmt.Errorf("sim: %s packet: transport is closed", what)
	}
	if end, gone := b.ended(t.period); gone && b.now >= end {
		return fmt.Errorf("sim: %s packet: %w", what, probe.ErrDisconnected)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("sim: %s packet: %w", what, err)
	}
	return nil
}

// gone waits for the end of a probe that is unplugged or about to be, with
// nothing left to come from it.
func (t *transport) gone() error {
	b := t.board
	end, gone := b.ended(t.period)
	if !gone {
		return nil
	}
	b.elapse(max(b.now, end))
	return fmt.Errorf("sim: read packet: %w", probe.ErrDisconnected)
}

func (t *transport) timeout() error {
	return fmt.Errorf("sim: read packet: %w", context.DeadlineExceeded)
}

// turnRound is how long the host takes from a response to its next request:
// the model's figure, give or take a quarter.
func (b *Board) turnRound() wire.Instant {
	t := wire.Span(b.model.HostTurn)
	if t < 4 {
		return t
	}
	return t*3/4 + wire.Instant(b.random.Int64N(int64(t)/2))
}

// unplug takes the probe off the bus for d, or for good.
func (b *Board) unplug(d time.Duration) {
	u := &b.usb
	if u.unplugged {
		return
	}
	u.unplugged = true
	u.ends = append(u.ends, b.at)
	u.back = b.until(d)
	u.queue = nil
	b.pins.SetPins(pinsHigh, pinNRESET)
	b.moved.Broadcast()
}

// ended says whether a period of being plugged in is over, and since when.
func (b *Board) ended(period int) (wire.Instant, bool) {
	if period >= len(b.usb.ends) {
		return 0, false
	}
	return b.usb.ends[period], true
}
