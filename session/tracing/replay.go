package tracing

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mprof/mprof/firmware/examples"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/trace"
)

// DemoRecording is the name of the built-in recording in its profile.
const DemoRecording = "the built-in recording"

// Replay is the profile of a recording, with the error or the cause that cut it short;
// nil where there is nothing worth writing.
func (r *Run) Replay(ctx context.Context) (*profile.Profile, error) {
	in, size, err := r.openRecording()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	read := &countingReader{r: in}
	if r.options.Growing {
		read.r = io.LimitReader(in, size)
	}
	r.sink = newSink(r.builder, r.options.Progress)
	r.sink.read, r.sink.size = &read.n, size
	runErr := r.play(func() error {
		return trace.Replay(ctx, read, r.sink, trace.ReplayOptions{
			Name: r.source, Decoder: trace.DecoderOptions{Variant: r.options.Variant}, BuildID: r.buildID(), Force: r.options.Force,
			Remark: func(text string) { r.remark("%s", text) },
		})
	})
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		runErr = cause
	}
	reason := ""
	if r.options.Growing {
		reason = "the run goes on"
	}
	if runErr != nil {
		reason = runErr.Error()
	}
	if wrong := (*trace.BuildIDError)(nil); runErr != nil && (r.sink.calls == 0 || errors.As(runErr, &wrong)) {
		return nil, runErr // the recording is still there
	}
	r.bytes = uint64(read.n)
	return r.finish(reason), runErr
}

// openRecording opens what is to be played; its size is 0 where nobody knows.
func (r *Run) openRecording() (io.ReadCloser, int64, error) {
	switch {
	case r.options.Demo:
		r.source = DemoRecording
		return io.NopCloser(bytes.NewReader(examples.DemoRecording)), int64(len(examples.DemoRecording)), nil
	case r.options.From == "-":
		r.source = "standard input"
		return io.NopCloser(os.Stdin), 0, nil
	}
	r.source = cmp.Or(r.options.Source, r.options.From)
	file, err := os.Open(r.options.From)
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
