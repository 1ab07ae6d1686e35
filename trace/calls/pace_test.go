package calls

import (
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/trace"
)

// The clock of a target that is far off shows; what a buffer and a slow line delay does not.
func TestPace(t *testing.T) {
	for _, c := range []struct {
		name         string
		target, host time.Duration // of the run
		calls        int           // a second of the host's
		buffer       uint32
		reset, want  bool
	}{
		{"right", 10 * time.Second, 10 * time.Second, 1000, 4096, false, false},
		{"an oscillator of 4 %", 10 * time.Second, 10400 * time.Millisecond, 1000, 4096, false, false},
		{"half the frequency", 20 * time.Second, 10 * time.Second, 1000, 4096, false, true},
		{"wraps that nobody counts", 2 * time.Second, 10 * time.Second, 1000, 4096, false, true},
		{"the same, over a reset", 2 * time.Second, 10 * time.Second, 1000, 4096, true, true},
		{"right, over a reset", 10 * time.Second, 10 * time.Second, 1000, 4096, true, false},
		{"a large buffer and 9600 baud", 5 * time.Second, 10 * time.Second, 200, 16384, false, false},
		{"too short", time.Second, 1900 * time.Millisecond, 1000, 4096, false, false},
	} {
		b := NewBuilder(names{}, Options{})
		m := microseconds()
		m.BufferBytes, m.Known = c.buffer, trace.KnownContexts
		b.Metadata(m)
		n := int(c.host.Seconds() * float64(c.calls))
		for i := range n {
			if c.reset && i == n/2 {
				m.Flags = trace.FlagStarted
				b.Metadata(m)
			}
			b.Arrived(c.host * time.Duration(i) / time.Duration(n))
			entry := uint32(int64(c.target/time.Microsecond) * int64(i) / int64(n))
			records(b, at(0, 0, work, entry, entry+10))
		}
		text := strings.Join(finish(t, b).Taken.Remarks, "\n")
		if got := strings.Contains(text, "by the clock of the target"); got != c.want {
			t.Errorf("%s: %q", c.name, text)
		}
	}
}

// The clock of the host alone decides nothing.
func TestPaceWithoutHost(t *testing.T) {
	b := NewBuilder(names{}, Options{})
	b.Metadata(microseconds())
	records(b, at(0, 0, work, 0, 10), at(0, 0, work, 50_000_000, 50_000_010))
	if p := finish(t, b); len(p.Taken.Remarks) != 0 {
		t.Errorf("%q", p.Taken.Remarks)
	}
}
