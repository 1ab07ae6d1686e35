package cortexm

import (
	"time"

	"github.com/mprof/mprof/snapshot"
)

// Kinds of events of a run, besides what a snapshot says by itself.
const (
	EventTargetLost  = "Target lost"
	EventProbeLost   = "Probe lost"
	EventStands      = "Core stands" // halted by others, and left so
	EventFoundHalted = "Found halted"
	EventBack        = "Back"
	EventRecovered   = "Recovered" // after an error, without a break
	EventGap         = "Gap"       // of the host's own
)

// mostEvents bounds what a run tells: a wire with an error in every sample would
// tell more of its errors than of the program.
const mostEvents = 1000

// note keeps an event that began at a time of the clock.
func (s *Sampler) note(at, lasted time.Duration, kind string, cause error) {
	if s.noted++; s.noted > mostEvents {
		return
	}
	s.events = append(s.events, snapshot.Event{Time: max(0, at-s.start), Duration: lasted, Kind: kind, Text: cause.Error()})
}

// Events are those since the last call: what went wrong with target and probe
// and how it was mended, in the order in which it was known. Misses, resets and
// lockups are in the snapshots.
func (s *Sampler) Events() []snapshot.Event {
	events := s.events
	s.events = nil
	return events
}
