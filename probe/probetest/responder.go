package probetest

import (
	"context"
	"sync"

	"github.com/mprof/mprof/probe"
)

// Responder is a probe.Transport whose answers come from a function, in the
// order of the requests. An answer of nil is a response that does not come.
type Responder struct {
	size    int
	answer  func(request []byte) []byte
	mu      sync.Mutex
	closed  bool
	pending [][]byte
	signal  chan struct{} // a token while pending may not be empty
	gone    chan struct{}
}

// NewResponder answers on a transport of packetSize bytes.
func NewResponder(packetSize int, answer func(request []byte) []byte) *Responder {
	return &Responder{size: packetSize, answer: answer, signal: make(chan struct{}, 1), gone: make(chan struct{})}
}

// WritePacket runs the function.
func (r *Responder) WritePacket(ctx context.Context, p []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return probe.ErrDisconnected
	}
	if a := r.answer(p); a != nil {
		r.push(a)
	}
	return nil
}

func (r *Responder) push(a []byte) {
	r.pending = append(r.pending, append([]byte(nil), a...))
	select {
	case r.signal <- struct{}{}:
	default:
	}
}

// Inject queues a response that nobody asked for, as a probe holds from an
// earlier session.
func (r *Responder) Inject(a []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.push(a)
}

// ReadPacket waits for the next answer.
func (r *Responder) ReadPacket(ctx context.Context, p []byte) (int, error) {
	for {
		r.mu.Lock()
		if len(r.pending) > 0 {
			n := copy(p, r.pending[0])
			r.pending = r.pending[1:]
			r.mu.Unlock()
			return n, nil
		}
		r.mu.Unlock()
		select {
		case <-r.signal:
		case <-r.gone:
			return 0, probe.ErrDisconnected
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// PacketSize is what NewResponder was given.
func (r *Responder) PacketSize() int { return r.size }

// Close ends the connection: reading and writing give ErrDisconnected.
func (r *Responder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.closed = true
		close(r.gone)
	}
	return nil
}

var _ probe.Transport = (*Responder)(nil)
