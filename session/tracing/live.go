package tracing

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/mprof/mprof/live"
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
	if m := r.options.Model; m != nil {
		m.WatchCalls(r.builder, live.Setup{Source: r.Source()})
		for _, text := range r.remarks {
			m.Remark(text)
		}
		r.sink.arrived = func(at time.Duration) {
			m.Bytes(r.session.Counts().Bytes)
			if !r.sink.itsOwn {
				m.Elapsed(at)
			}
		}
	}
	runErr := r.play(func() error { return r.run(ctx) })
	reason := target.EndReason(ctx, runErr)
	runErr = errors.Join(runErr, r.session.Close())
	if r.raw.failed != nil {
		r.remark("%v: there is no copy of them", r.raw.failed)
	}
	return r.finish(reason), runErr
}

// Show shows the run to a model while it goes on; nil: to none. Before Open.
func (r *Run) Show(m *live.Model) { r.options.Model = m }

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

// run traces until the context ends it, or the duration after the target's START.
func (r *Run) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if d := r.options.Duration; d > 0 {
		over := time.AfterFunc(math.MaxInt64, cancel)
		defer over.Stop()
		r.sink.begun = func() { over.Reset(d) }
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

// Source reads the source files of the program; nil: there is none.
func (r *Run) Source() func(file string) (string, bool) { return sourceOf(r.Program) }

// Close closes the port of a run that does not begin.
func (r *Run) Close() error { return errors.Join(r.session.Close(), r.raw.close(false)) }

// Found is what a run traces, through what.
type Found struct {
	Firmware string // its name, "" where it does not say
	Port     string
}

// Found says what is traced.
func (r *Run) Found() Found {
	m, _ := r.session.Metadata()
	return Found{Firmware: m.Name, Port: r.source}
}

// Look finds out which firmware a run with these options would trace, and whether it is the
// one that the ELF file is for. The firmware is told to record nothing, as before a run.
func Look(ctx context.Context, o Options) (Found, error) {
	o.Recording, o.RecordingWanted, o.Model = "", false, nil
	r, err := New(o)
	if err == nil {
		err = r.Open(ctx)
	}
	if err != nil {
		return Found{}, err
	}
	return r.Found(), r.session.Close()
}
