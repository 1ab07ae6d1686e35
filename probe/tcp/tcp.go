// Package tcp reaches a CMSIS-DAP probe over a network. In: its address. Out: a
// probe.Transport. The framing is that of OpenOCD's "cmsis-dap backend tcp" (its
// src/jtag/drivers/cmsis_dap_tcp.c), which probes on ESP32 boards speak: before
// each packet 8 bytes, little-endian: signature 32 ("DAP\0"), length 16 of what
// follows, type 8 (1 request, 2 response), reserved 8.
package tcp

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/mprof/mprof/probe"
)

const (
	signature    = 0x00504144 // "DAP\0"
	typeRequest  = 1
	typeResponse = 2
	headerSize   = 8

	// DefaultPort is where such probes listen.
	DefaultPort = "4441"
	// packetSize is the largest packet in bytes, without the header.
	packetSize = 1024
	// queued is how many responses are kept that nobody has asked for.
	queued = 64
)

// transport is a connection to a probe.
type transport struct {
	conn    net.Conn
	writing []byte
	packets chan []byte
	stopped chan struct{} // closed when nothing comes any more
	end     error         // why; valid once stopped is closed
	close   sync.Once
}

// Open connects to the probe at address, HOST or HOST:PORT.
func Open(ctx context.Context, address string) (probe.Transport, error) {
	if _, _, err := net.SplitHostPort(address); err != nil {
		address = net.JoinHostPort(strings.Trim(address, "[]"), DefaultPort)
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", address) // without Nagle's delay, as Go does
	if err != nil {
		return nil, fmt.Errorf("tcp: %w: %w", probe.ErrNotFound, err)
	}
	t := &transport{conn: conn, packets: make(chan []byte, queued), stopped: make(chan struct{})}
	go t.receive()
	return t, nil
}

// receive takes responses off the connection until it ends. A packet is never
// left half-read, which would put the next ones out of step.
func (t *transport) receive() {
	defer close(t.stopped)
	for {
		p, err := readPacket(t.conn)
		if err != nil {
			t.end = fmt.Errorf("tcp: %w: %w", probe.ErrDisconnected, err)
			return
		}
		select {
		case t.packets <- p:
		default: // nobody reads: what is lost is found missing by whoever waits for it
		}
	}
}

var errFrame = errors.New("what comes is no CMSIS-DAP over TCP")

// readPacket reads one response with its header.
func readPacket(r io.Reader) ([]byte, error) {
	var head [headerSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	length := binary.LittleEndian.Uint16(head[4:])
	if binary.LittleEndian.Uint32(head[:]) != signature || head[6] != typeResponse || length > packetSize {
		return nil, fmt.Errorf("%w: header % x", errFrame, head)
	}
	p := make([]byte, length)
	_, err := io.ReadFull(r, p)
	return p, err
}

// PacketSize is the largest packet in bytes.
func (t *transport) PacketSize() int { return packetSize }

// WritePacket sends one command packet.
func (t *transport) WritePacket(ctx context.Context, p []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(p) == 0 || len(p) > packetSize {
		return fmt.Errorf("tcp: write of %d bytes, packets have at most %d", len(p), packetSize)
	}
	b := binary.LittleEndian.AppendUint32(t.writing[:0], signature)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(p)))
	t.writing = append(append(b, typeRequest, 0), p...)
	if err := t.conn.SetWriteDeadline(time.Time{}); err != nil { // none: that of ctx may go on behind its time
		return fmt.Errorf("tcp: %w: %w", probe.ErrDisconnected, err)
	}
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = t.conn.SetWriteDeadline(time.Unix(0, 1)) // long ago: the write ends
		close(stopped)
	})
	n, err := t.conn.Write(t.writing)
	if !stop() {
		<-stopped
	}
	switch {
	case err != nil && n == 0 && ctx.Err() != nil: // there is no room: nothing went
		return ctx.Err()
	case err != nil:
		// A part of it may be on its way: the stream is of no more use.
		return fmt.Errorf("tcp: %w: %w", probe.ErrDisconnected, errors.Join(err, t.Close()))
	}
	return nil
}

// ReadPacket waits for the next response.
func (t *transport) ReadPacket(ctx context.Context, p []byte) (int, error) {
	select {
	case k := <-t.packets:
		return take(k, p)
	default:
	}
	select {
	case k := <-t.packets:
		return take(k, p)
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-t.stopped:
	}
	select { // what came before the end
	case k := <-t.packets:
		return take(k, p)
	default:
		return 0, t.end
	}
}

func take(k, p []byte) (int, error) {
	if len(k) > len(p) {
		return 0, fmt.Errorf("tcp: packet of %d bytes for a buffer of %d", len(k), len(p))
	}
	return copy(p, k), nil
}

// Close ends the connection.
func (t *transport) Close() (err error) {
	t.close.Do(func() {
		err = t.conn.Close()
		<-t.stopped
	})
	return err
}
