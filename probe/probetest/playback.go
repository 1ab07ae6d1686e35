package probetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/mprof/mprof/probe"
)

// errSilent marks a response that does not come.
var errSilent = errors.New("silence")

// ErrDeviation: the driver sent something else than the conversation has.
var ErrDeviation = errors.New("the request is not the one expected")

// Playback is a probe.Transport that plays a conversation: it expects the
// requests in order and hands out the responses that follow them. Requests may
// run ahead of responses. Close fails when something is left over.
type Playback struct {
	size int

	mu        sync.Mutex
	packets   []Packet
	written   int // packets of kind Request that were sent
	deviation error
	responses []int // of each response or failure: requests before it
	read      int
}

// NewPlayback plays packets on a transport of packetSize bytes.
func NewPlayback(packetSize int, packets []Packet) *Playback {
	p := &Playback{size: packetSize, packets: packets}
	requests := 0
	for _, k := range packets {
		if k.Kind == Request {
			requests++
			continue
		}
		p.responses = append(p.responses, requests)
	}
	return p
}

// Script is NewPlayback of a text. It panics on a text that is none.
func Script(packetSize int, text string) *Playback {
	packets, err := Parse(strings.NewReader(text))
	if err != nil {
		panic(err)
	}
	return NewPlayback(packetSize, packets)
}

// nth is packet number n among the requests, or among the others.
func (p *Playback) nth(n int, requests bool) (Packet, bool) {
	for _, k := range p.packets {
		if (k.Kind == Request) != requests {
			continue
		}
		if n == 0 {
			return k, true
		}
		n--
	}
	return Packet{}, false
}

// WritePacket compares a request with the conversation.
func (p *Playback) WritePacket(ctx context.Context, data []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	want, ok := p.nth(p.written, true)
	if !ok || !bytes.Equal(want.Data, data) {
		p.deviation = fmt.Errorf("probetest: request %d: sent [% x], expected [% x]: %w", p.written, data, want.Data, ErrDeviation)
		return p.deviation
	}
	p.written++
	return nil
}

// ReadPacket hands out the next response if its requests were sent; otherwise
// it waits for the end of ctx, as a probe would let it.
func (p *Playback) ReadPacket(ctx context.Context, dst []byte) (int, error) {
	p.mu.Lock()
	k, ok := p.nth(p.read, false)
	ok = ok && p.responses[p.read] <= p.written
	if ok {
		p.read++
	}
	p.mu.Unlock()
	switch {
	case !ok || k.Err == errSilent:
		<-ctx.Done()
		return 0, ctx.Err()
	case k.Kind == Failure:
		return 0, k.Err
	}
	if len(k.Data) > len(dst) {
		return 0, fmt.Errorf("probetest: response of %d bytes for a buffer of %d", len(k.Data), len(dst))
	}
	return copy(dst, k.Data), nil
}

// PacketSize is what NewPlayback was given.
func (p *Playback) PacketSize() int { return p.size }

// Close fails when the driver deviated, or when packets are left over.
func (p *Playback) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.deviation != nil {
		return p.deviation
	}
	if k, ok := p.nth(p.written, true); ok {
		return fmt.Errorf("probetest: not sent: %s", k)
	}
	if k, ok := p.nth(p.read, false); ok {
		return fmt.Errorf("probetest: not read: %s", k)
	}
	return nil
}

var _ probe.Transport = (*Playback)(nil)
