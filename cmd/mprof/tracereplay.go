package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mprof/mprof/firmware/examples"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/trace"
)

// program is what the command line names: nil without an ELF file.
func (f *traceFlags) program(args []string) (*symbol.Program, error) {
	switch {
	case f.builtIn(args):
		return openTracedDemo()
	case len(args) == 0 && len(f.extra) == 0:
		return nil, nil
	case len(args) == 0:
		return nil, usageError{errors.New("--extra-elf is for what is on the chip beside the application: name the application's ELF file, too")}
	}
	return openProgram(args, f.extra)
}

// replay plays a recording to its end.
func (r *tracingRun) replay(ctx context.Context) error {
	p, err := r.replayed(ctx)
	if p == nil {
		return err
	}
	return r.conclude(ctx, p, err, r.deliver(p))
}

// replayed is the profile of a recording, with the error that cut it short; nil where
// there is nothing worth writing.
func (r *tracingRun) replayed(ctx context.Context) (*profile.Profile, error) {
	in, size, err := r.openRecording()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	read := &countingReader{r: in}
	r.sink = newTraceSink(r.builder, newProgress(r.app.stderr, r.app.errTerminal && !r.flags.quiet && size > 0, 0))
	r.sink.read, r.sink.size = &read.n, size
	runErr := r.play(func() error {
		return trace.Replay(ctx, read, r.sink, trace.ReplayOptions{
			Name: r.source, Decoder: trace.DecoderOptions{Variant: r.flags.variant}, BuildID: r.buildID(), Force: r.flags.force,
			Remark: func(text string) { r.remark("%s", text) },
		})
	})
	reason := ""
	var sig *signalError
	if errors.As(context.Cause(ctx), &sig) {
		runErr, reason = sig, sig.Error()
	} else if runErr != nil {
		reason = runErr.Error()
	}
	if wrong := (*trace.BuildIDError)(nil); runErr != nil && (r.sink.calls == 0 || errors.As(runErr, &wrong)) {
		return nil, runErr // the recording is still there
	}
	r.bytes = uint64(read.n)
	return r.finish(reason), runErr
}

// openRecording opens what is to be played; its size is 0 where nobody knows.
func (r *tracingRun) openRecording() (io.ReadCloser, int64, error) {
	switch {
	case r.flags.demo:
		r.source = demoRecording
		return io.NopCloser(bytes.NewReader(examples.DemoRecording)), int64(len(examples.DemoRecording)), nil
	case r.flags.from == "-":
		r.source = "standard input"
		return io.NopCloser(os.Stdin), 0, nil
	}
	r.source = r.flags.from
	file, err := os.Open(r.flags.from)
	if err != nil {
		return nil, 0, fmt.Errorf("open the recording: %w", err)
	}
	if st, err := file.Stat(); err == nil && st.Mode().IsRegular() {
		return file, st.Size(), nil
	}
	return file, 0, nil
}

// countingReader knows how much was read.
type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
