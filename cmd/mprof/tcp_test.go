package main

import (
	"strings"
	"testing"
)

// TestProbeOverTCP: an address where nobody listens is an error like a probe
// that is not plugged in, and not a name to be looked for on USB.
func TestProbeOverTCP(t *testing.T) {
	s := mprof(t.Context(), nil, "probe", "check", "--probe", "tcp:127.0.0.1:1")
	if s.code != 1 || !strings.Contains(s.stderr, "no probe found") || !strings.Contains(s.stderr, "127.0.0.1:1") {
		t.Errorf("exit code %d: %s", s.code, s.stderr)
	}
}
