package tracing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/trace"
)

// Open opens the port and finds out what is behind it. On an error it is closed.
func (r *Run) Open(ctx context.Context) error {
	o := r.options
	r.raw = &rawFile{path: o.Recording, wanted: o.RecordingWanted}
	r.sink = newSink(r.builder, o.Progress)
	r.sink.itsOwn = target.IsSim(o.Port)
	err := r.connect(ctx)
	if err != nil {
		err = errors.Join(err, r.raw.close(o.RecordingWanted))
		if r.raw.bytes > 0 && o.RecordingWanted {
			err = fmt.Errorf("%w; the %s that came are in %s", err, countBytes(r.raw.bytes), r.raw.path)
		}
	}
	return err
}

func (r *Run) connect(ctx context.Context) error {
	o := r.options
	port, err := target.OpenPort(ctx, o.Port, o.Baud, o.ELF)
	if err != nil {
		return err
	}
	r.source = port.Name
	session := trace.SessionOptions{
		Port: port.Name, Baud: port.Baud, Decoder: trace.DecoderOptions{Variant: o.Variant}, BuildID: r.buildID(), Force: o.Force,
		Cycles: o.Cycles, Record: r.raw, Remark: func(text string) { r.remark("%s", text) },
	}
	if o.Version1 {
		session.Version = 1
	}
	r.session, err = trace.Open(ctx, port, session)
	return err
}

// Live traces until the duration, the context or an error ends it, and closes the port.
// The end of the context is no error. The profile is of what came until then. What is to
// become of the recording is said by keepRecording.
func (r *Run) Live(ctx context.Context) (*profile.Profile, error) {
	runErr := r.play(func() error { return r.run(ctx) })
	reason := target.EndReason(ctx, runErr)
	runErr = errors.Join(runErr, r.session.Close())
	if r.raw.failed != nil {
		r.remark("%v: there is no copy of them", r.raw.failed)
	}
	return r.finish(reason), runErr
}

// KeepRecording closes the recording of a port and keeps it, or not.
func (r *Run) KeepRecording(keep bool) error { return r.raw.close(keep) }

// Recorded says what the recording holds: "all bytes", "the first 90 bytes"; "" for nothing.
func (r *Run) Recorded() string {
	switch {
	case r.raw.bytes == 0 || r.raw.failed != nil:
		return ""
	case r.raw.short:
		return "the first " + countBytes(r.raw.bytes)
	}
	return "all bytes"
}

// run traces until the duration or the context ends it.
func (r *Run) run(ctx context.Context) error {
	if d := r.options.Duration; d > 0 {
		limited, cancel := context.WithTimeout(ctx, d)
		defer cancel()
		ctx = limited
	}
	start := time.Now()
	ended := make(chan time.Duration, 1) // what comes behind STOP is no part of the run
	stop := context.AfterFunc(ctx, func() { ended <- time.Since(start) })
	err := r.session.Run(ctx, r.sink)
	if stop() {
		ended <- time.Since(start)
	}
	r.took, r.bytes = <-ended, r.session.Counts().Bytes
	return err
}

func countBytes(n uint64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}
