package probetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/mprof/mprof/probe"
)

// Recorder is a probe.Transport that passes everything on and writes the
// conversation down, in the form that Parse reads.
type Recorder struct {
	probe.Transport
	mu  sync.Mutex
	w   io.Writer
	err error
}

// NewRecorder writes what happens on t to w.
func NewRecorder(t probe.Transport, w io.Writer) *Recorder {
	return &Recorder{Transport: t, w: w}
}

func (r *Recorder) note(p Packet) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := fmt.Fprintln(r.w, p); err != nil && r.err == nil {
		r.err = err
	}
}

// WritePacket passes a request on; one that was not taken is not noted.
func (r *Recorder) WritePacket(ctx context.Context, p []byte) error {
	err := r.Transport.WritePacket(ctx, p)
	if err == nil {
		r.note(Packet{Kind: Request, Data: p})
	}
	return err
}

// ReadPacket passes a response on. A read that the caller gave up without a
// request under way is noted like any other: "! timeout".
func (r *Recorder) ReadPacket(ctx context.Context, p []byte) (int, error) {
	n, err := r.Transport.ReadPacket(ctx, p)
	switch {
	case err == nil:
		r.note(Packet{Kind: Response, Data: p[:n]})
	case errors.Is(err, probe.ErrDisconnected):
		r.note(Packet{Kind: Failure, Err: probe.ErrDisconnected})
	default:
		r.note(Packet{Kind: Failure, Err: errSilent})
	}
	return n, err
}

// Close closes the transport and reports what kept the conversation from being
// written.
func (r *Recorder) Close() error {
	err := r.Transport.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(err, r.err)
}
