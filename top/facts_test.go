package top

import (
	"strings"
	"testing"

	"github.com/mprof/mprof/live"
)

// What is in the buffer and its size are in one unit, that of the summary.
func TestBufferInOneUnit(t *testing.T) {
	s := &seen{kind: live.Calls, status: live.Status{BufferUsed: 1760, Buffer: 12144}}
	var all []string
	for _, f := range s.facts() {
		all = append(all, f.text)
	}
	if text := strings.Join(all, "; "); !strings.Contains(text, "buffer up to 1760 of 12144 bytes (14.5 %)") {
		t.Error(text)
	}
}
