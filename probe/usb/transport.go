//go:build cgo

package usb

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/gousb"

	"github.com/mprof/mprof/probe"
)

const (
	// readsAhead is how many IN transfers are posted: as many packets as
	// probes buffer, so that responses never wait for the host.
	readsAhead = 8
	// queued is how many responses are kept that nobody has asked for.
	queued = 64
	// mostFailures is how many reads in a row may fail before the probe counts
	// as gone, and failurePause the time between: a cable that is pulled gives
	// protocol errors for a while.
	mostFailures = 8
	failurePause = 20 * time.Millisecond
)

// transport is a probe that was opened.
type transport struct {
	channel
	name        string
	context     *gousb.Context
	dev         *gousb.Device
	config      *gousb.Config
	intf        *gousb.Interface
	inEndpoint  *gousb.InEndpoint
	outEndpoint *gousb.OutEndpoint // nil: SET_REPORT

	stop    context.CancelFunc
	stopped chan struct{} // closed when nothing is read ahead any more
	packets chan packet
	stalled chan chan struct{} // requests to clear a halt, closed when it is done
	end     error              // why reading stopped; valid once stopped is closed
	sending sync.Mutex         // a packet is under way, or the interface is reopened
	report  []byte
}

// packet is a response, or a failure to read one.
type packet struct {
	data []byte
	err  error
}

// PacketSize is the smaller wMaxPacketSize of both directions; for HID it is
// the size of a report.
func (t *transport) PacketSize() int { return min(t.inPacket, t.outPacket) }

// start begins to read ahead.
func (t *transport) start() {
	ctx, cancel := context.WithCancel(context.Background())
	t.stop = cancel
	t.stopped = make(chan struct{})
	t.packets = make(chan packet, queued)
	t.stalled = make(chan chan struct{})
	t.report = make([]byte, t.outPacket)
	go t.pump(ctx)
}

// pump reads until the probe is gone or the transport closed.
func (t *transport) pump(ctx context.Context) {
	defer close(t.stopped)
	for failures := 0; ; {
		n, done, err := t.pumpStream(ctx)
		if ctx.Err() != nil {
			t.end = probe.ErrDisconnected
			return
		}
		if n > 0 {
			failures = 0
		}
		failures++
		pause := failurePause
		if done != nil || isStall(err) {
			pause = 0
			err = errors.Join(err, t.clearHaltBetween())
		}
		if done != nil {
			close(done)
			if err == nil {
				continue
			}
		}
		err = translate("read from "+t.name, err)
		if errors.Is(err, probe.ErrDisconnected) {
			t.end = err
			return
		}
		if failures > mostFailures {
			t.end = fmt.Errorf("%w: %w", err, probe.ErrDisconnected)
			return
		}
		t.deliver(ctx, packet{err: err})
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// pumpStream keeps readsAhead transfers posted until one fails, or somebody
// asks for a halt to be cleared, and says how many packets came.
func (t *transport) pumpStream(ctx context.Context) (packets int, done chan struct{}, err error) {
	s, err := t.inEndpoint.NewStream(t.inPacket, readsAhead)
	if err != nil {
		return 0, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	asked := make(chan chan struct{}, 1)
	go func() {
		defer close(asked)
		select {
		case done := <-t.stalled:
			asked <- done
			cancel()
		case <-ctx.Done():
		}
	}()
	defer func() {
		cancel()
		if done = <-asked; done != nil {
			err = nil // it was we who ended it
		}
	}()
	buf := make([]byte, t.inPacket)
	for {
		n, err := s.ReadContext(ctx, buf)
		if err != nil {
			return packets, nil, err
		}
		if n > 0 { // an empty packet only ends a transfer
			packets++
			t.deliver(ctx, packet{data: append([]byte(nil), buf[:n]...)})
		}
	}
}

func (t *transport) deliver(ctx context.Context, p packet) {
	select {
	case t.packets <- p:
	case <-ctx.Done():
	}
}

// ReadPacket takes the next response, which may have come already.
func (t *transport) ReadPacket(ctx context.Context, p []byte) (int, error) {
	select {
	case k := <-t.packets:
		return t.take(k, p)
	default:
	}
	select {
	case k := <-t.packets:
		return t.take(k, p)
	case <-t.stopped:
		select { // what came before the end
		case k := <-t.packets:
			return t.take(k, p)
		default:
			return 0, t.end
		}
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func (t *transport) take(k packet, p []byte) (int, error) {
	if k.err != nil {
		return 0, k.err
	}
	if len(k.data) > len(p) {
		return 0, fmt.Errorf("usb: packet of %d bytes for a buffer of %d", len(k.data), len(p))
	}
	return copy(p, k.data), nil
}

// WritePacket returns when the probe has taken the packet. HID reports are
// padded to their size.
func (t *transport) WritePacket(ctx context.Context, p []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(p) == 0 || len(p) > t.outPacket {
		return fmt.Errorf("usb: write of %d bytes, packets have at most %d", len(p), t.outPacket)
	}
	select {
	case <-t.stopped:
		return t.end
	default:
	}
	if t.kind == KindHID {
		clear(t.report[copy(t.report, p):])
		p = t.report
	}
	err := t.send(ctx, p)
	if err == nil {
		return nil
	}
	if isStall(err) {
		t.unstall(ctx)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return translate("write to "+t.name, err)
}

// send moves one packet. SET_REPORT is HID 1.11 section 7.2.2: an output report
// without an identifier.
func (t *transport) send(ctx context.Context, p []byte) error {
	t.sending.Lock()
	defer t.sending.Unlock()
	if t.outEndpoint != nil {
		_, err := t.outEndpoint.WriteContext(ctx, p)
		return err
	}
	const classOut, setReport, outputReport = 0x21, 0x09, 2 << 8
	_, err := t.dev.Control(classOut, setReport, outputReport, uint16(t.number), p)
	return err
}

// Close gives the interface back to its kernel driver and closes the device.
func (t *transport) Close() error {
	if t.context == nil {
		return nil
	}
	t.stop()
	<-t.stopped
	err := errors.Join(t.closeDevice(), t.context.Close())
	t.context = nil
	return err
}

func (t *transport) closeDevice() error {
	if t.intf != nil {
		t.intf.Close()
	}
	var err error
	if t.config != nil {
		err = t.config.Close()
	}
	return errors.Join(err, t.dev.Close())
}
