package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/mprof/mprof/trace"
)

// live traces what is behind a port.
func (r *tracingRun) live(ctx context.Context, args []string) error {
	raw := newRawFile(r.flags)
	s, err := r.open(ctx, raw, args)
	if err != nil {
		err = errors.Join(err, raw.close(r.flags.record != ""))
		if raw.bytes > 0 && r.flags.record != "" {
			err = fmt.Errorf("%w; the %s that came are in %s", err, countBytes(raw.bytes), raw.path)
		}
		return interrupted(ctx, err)
	}
	r.sink = newTraceSink(r.builder, newProgress(r.app.stderr, r.app.errTerminal && !r.flags.quiet, time.Duration(r.flags.duration)))
	r.sink.itsOwn = isSimPort(r.flags.port)
	runErr := r.play(func() error { return r.run(ctx, s) })
	reason := endReason(ctx, runErr)
	runErr = errors.Join(runErr, s.Close())
	if raw.failed != nil {
		r.remark("%v: there is no copy of them", raw.failed)
	}
	p := r.finish(reason)
	outputErr := r.deliver(p)
	keep := r.flags.record != "" || outputErr != nil
	if outputErr != nil && raw.bytes > 0 && raw.failed == nil {
		which := "all bytes"
		if raw.short {
			which = "the first " + countBytes(raw.bytes)
		}
		again := strings.Join(append([]string{"mprof trace --from", raw.path}, r.flags.elfArguments(args)...), " ")
		outputErr = fmt.Errorf("%w\n  %s that came are in %s: %s makes profiles from it", outputErr, which, raw.path, again)
	}
	return r.conclude(ctx, p, errors.Join(runErr, raw.close(keep)), outputErr)
}

// interrupted is the signal that ended what failed, if it was one.
func interrupted(ctx context.Context, err error) error {
	var sig *signalError
	if errors.Is(err, context.Canceled) && errors.As(context.Cause(ctx), &sig) {
		return sig
	}
	return err
}

// open opens the port and finds out what is behind it.
func (r *tracingRun) open(ctx context.Context, raw *rawFile, args []string) (*trace.Session, error) {
	f := r.flags
	port, err := f.openPort(ctx, args)
	if err != nil {
		return nil, err
	}
	r.source = port.name
	o := trace.SessionOptions{
		Port: port.name, Baud: port.baud, Decoder: trace.DecoderOptions{Variant: f.variant}, BuildID: r.buildID(), Force: f.force,
		Cycles: f.cycles, Record: raw, Remark: func(text string) { r.remark("%s", text) },
	}
	if f.version1 {
		o.Version = 1
	}
	return trace.Open(ctx, port, o)
}

// openPort opens the port; the simulated board runs the ELF file.
func (f *traceFlags) openPort(ctx context.Context, args []string) (*tracePort, error) {
	if !isSimPort(f.port) {
		return openPort(ctx, f.port, f.baud)
	}
	elf, err := f.tracedImage(args)
	if err != nil {
		return nil, err
	}
	port, err := openSimPort(ctx, f.port, elf)
	if err != nil {
		return nil, err
	}
	return &tracePort{ReadWriteCloser: port, name: f.port}, nil
}

// run traces until the duration or a signal ends it.
func (r *tracingRun) run(ctx context.Context, s *trace.Session) error {
	if d := time.Duration(r.flags.duration); d > 0 {
		limited, cancel := context.WithTimeout(ctx, d)
		defer cancel()
		ctx = limited
	}
	start := time.Now()
	ended := make(chan time.Duration, 1) // what comes behind STOP is no part of the run
	stop := context.AfterFunc(ctx, func() { ended <- time.Since(start) })
	err := s.Run(ctx, r.sink)
	if stop() {
		ended <- time.Since(start)
	}
	r.took, r.bytes = <-ended, s.Counts().Bytes
	return err
}

// rawFile keeps all bytes of a run as they come. There is no file before the
// first of them: a run that finds nobody leaves an older recording alone.
type rawFile struct {
	path   string
	file   *os.File
	bytes  uint64
	wanted bool  // by --record; else a run goes on without it
	failed error // of a file that nobody asked for
	short  bool  // a write failed
}

// newRawFile is the file of --record, or one beside the first output that goes
// away when the outputs are written.
func newRawFile(f *traceFlags) *rawFile {
	path := f.record
	if path == "" {
		path = recordingBeside(f.outputs[0], ".bin")
	}
	return &rawFile{path: path, wanted: f.record != ""}
}

// Write appends to the file.
func (r *rawFile) Write(p []byte) (n int, err error) {
	if len(p) == 0 || r.failed != nil {
		return len(p), nil
	}
	if n, err = r.append(p); err != nil && !r.wanted {
		r.failed = err
		_ = r.close(false)
		return len(p), nil
	}
	return n, err
}

// append creates the file with its first bytes.
func (r *rawFile) append(p []byte) (n int, err error) {
	if r.file == nil {
		if r.file, err = os.Create(r.path); err != nil {
			return 0, fmt.Errorf("keep the bytes that come: %w", err)
		}
	}
	n, err = r.file.Write(p)
	r.bytes += uint64(n)
	if err != nil {
		r.short = true
		err = fmt.Errorf("keep the bytes that come: %w", err)
	}
	return n, err
}

// close closes the file, and removes it unless somebody wants it.
func (r *rawFile) close(keep bool) error {
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	if !keep {
		_ = os.Remove(r.path)
	}
	return err
}
