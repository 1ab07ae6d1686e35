package tracing_test

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/mprof/mprof/session/tracing"
)

// TestPipeIsNoRecording: to look at a pipe takes what is in it away from whoever reads it, and
// waits where nobody writes.
func TestPipeIsNoRecording(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	said := make(chan bool, 1)
	go func() { said <- tracing.IsRecording(path) }()
	select {
	case got := <-said:
		if got {
			t.Error("a pipe is taken for a recording")
		}
	case <-time.After(time.Minute):
		t.Error("a look at a pipe waits for somebody who writes to it")
	}
}
