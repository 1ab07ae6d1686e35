package tracing

import (
	"io"
	"os"

	"github.com/mprof/mprof/trace"
)

// maxRecognise is how many bytes of a file are looked at.
const maxRecognise = 1 << 20

// IsRecording tells whether a file holds packets of instrumented firmware: what
// mprof trace --record keeps.
func IsRecording(path string) bool {
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return false // what is read from it is gone, and a pipe that nobody writes to is waited for
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	d := trace.NewDecoder(ignore{}, trace.DecoderOptions{})
	if _, err := io.Copy(d, io.LimitReader(file, maxRecognise)); err != nil {
		return false
	}
	_ = d.Close() // never fails
	return d.Counts().Packets > 0
}

// ignore hears nothing.
type ignore struct{}

func (ignore) Records(trace.Batch)     {}
func (ignore) Metadata(trace.Metadata) {}
func (ignore) Status(trace.Status)     {}
func (ignore) Answer(_, _ byte)        {}
func (ignore) Loss(trace.Loss)         {}
