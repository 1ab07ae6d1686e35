package sampling

import (
	"strings"
	"testing"

	"github.com/mprof/mprof/cortexm"
	"github.com/mprof/mprof/snapshot"
)

// A watchdog that resets a halted core is named, and again by the recording.
func TestResetsWhileHaltedAreNamed(t *testing.T) {
	s := &Stacks{}
	s.remarkTroubles(snapshot.End{Facts: map[string]string{keyResetsHalted: "3"}})
	if len(s.remarks) != 1 || !strings.Contains(s.remarks[0], "watchdog") || !strings.HasPrefix(s.remarks[0], "3 resets") {
		t.Errorf("%q", s.remarks)
	}
	if facts := troubleFacts(cortexm.Stats{ResetsHalted: 3}); len(facts) != 1 || facts[0] != [2]string{keyResetsHalted, "3"} {
		t.Errorf("%v", facts)
	}
	if facts := troubleFacts(cortexm.Stats{}); len(facts) != 0 {
		t.Errorf("%v", facts)
	}
}
