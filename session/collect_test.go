package session

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/mprof/mprof/firmware/examples"
	"github.com/mprof/mprof/session/tracing"
)

// TestCollectCallsFromTheFirstByte: wherever a growing recording ends when it is saved, there is a profile
// of it or nothing yet, and not an error of a recording that somebody named.
func TestCollectCallsFromTheFirstByte(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.mtrace")
	c, err := collectCalls(tracing.Options{Port: "sim", Recording: path}, "sim")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.now(t.Context()); !errors.Is(err, ErrNothing) {
		t.Errorf("before its file is there: %v", err)
	}
	profiles := 0
	for n := range 1000 {
		if err := os.WriteFile(path, examples.DemoRecording[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := c.now(t.Context())
		switch {
		case p == nil && !errors.Is(err, ErrNothing):
			t.Errorf("%d bytes: %v", n, err)
		case p != nil:
			profiles++
		}
	}
	if profiles == 0 {
		t.Error("no profile of 1000 bytes")
	}
}
