package export

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
)

type firefoxThread struct {
	Name                  string          `json:"name"`
	IsMainThread          bool            `json:"isMainThread"`
	ProcessType           string          `json:"processType"`
	ProcessName           string          `json:"processName"`
	ProcessStartupTime    float64         `json:"processStartupTime"`
	ProcessShutdownTime   *float64        `json:"processShutdownTime"`
	RegisterTime          float64         `json:"registerTime"`
	UnregisterTime        *float64        `json:"unregisterTime"`
	PausedRanges          []struct{}      `json:"pausedRanges"`
	ShowMarkersInTimeline bool            `json:"showMarkersInTimeline"`
	PID                   string          `json:"pid"`
	TID                   string          `json:"tid"`
	Samples               *firefoxSamples `json:"samples"`
	Markers               firefoxMarkers  `json:"markers"`
}

// firefoxSamples: weight is the number of samples in a row, so that counts in the
// viewer are numbers of samples; null makes every row count once. Of traced calls it
// is time.
type firefoxSamples struct {
	Length         int        `json:"length"`
	Stack          []stackID  `json:"stack"`
	Time           []float64  `json:"time"` // ms
	Weight         *[]float64 `json:"weight"`
	WeightType     string     `json:"weightType"`     // samples, timedWeights
	ThreadCPUDelta []int64    `json:"threadCPUDelta"` // µs; of traced calls ns
}

// The core is one process, "1"; ids are numeric strings, which Perfetto wants.
const firefoxPID = "1"

// timedWeights is the type of weights that are time, in milliseconds.
const timedWeights = "tracing-ms"

func newFirefoxThreads(p *profile.Profile, shared *sharedTables) []firefoxThread {
	var threads []firefoxThread
	calls := newCallMarkers(p, shared)
	for i, t := range p.Threads {
		thread := firefoxThread{
			Name: t.Name, IsMainThread: i == 0, ProcessType: "default", ProcessName: processName(p),
			PausedRanges: []struct{}{}, ShowMarkersInTimeline: true, PID: firefoxPID, TID: fmt.Sprint(i + 1),
		}
		if p.Trace != nil {
			thread.Samples = newTracedSamples(t.Samples)
		} else {
			thread.Samples = newFirefoxSamples(t.Samples, p.Events)
		}
		var events []profile.Event
		if i == 0 {
			events = p.Events
		}
		thread.Markers = newFirefoxMarkers(events, t, calls, shared)
		threads = append(threads, thread)
	}
	shared.finish()
	return threads
}

func processName(p *profile.Profile) string {
	if p.Mapping.Name != "" {
		return p.Mapping.Name
	}
	return "firmware"
}

// stackID is an index of a stack; -1 is a sample without one, where the viewer
// draws a gap.
type stackID int

const noStack stackID = -1

// MarshalJSON writes null for a sample without a stack.
func (s stackID) MarshalJSON() ([]byte, error) {
	if s == noStack {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(s), 10), nil
}

// newFirefoxSamples adds a sample without a stack where time begins of which
// nothing is known.
func newFirefoxSamples(samples []profile.Sample, events []profile.Event) *firefoxSamples {
	s := &firefoxSamples{Stack: []stackID{}, Time: []float64{}, WeightType: "samples", ThreadCPUDelta: []int64{}}
	running := runningTimes(samples, events)
	weights := []float64{}
	for i, sample := range samples {
		events = s.addGaps(events, sample.Time)
		s.add(sample.Time, stackID(sample.Stack), running[i])
		for len(weights) < s.Length-1 {
			weights = append(weights, 0) // a gap
		}
		weights = append(weights, float64(sample.Count))
	}
	s.addGaps(events, math.MaxInt64)
	if slices.ContainsFunc(samples, func(x profile.Sample) bool { return x.Count != 1 }) {
		for len(weights) < s.Length {
			weights = append(weights, 0)
		}
		s.Weight = &weights
	}
	return s
}

func (s *firefoxSamples) add(at time.Duration, stack stackID, running time.Duration) {
	s.Length++
	s.Stack = append(s.Stack, stack)
	s.Time = append(s.Time, milliseconds(at))
	s.ThreadCPUDelta = append(s.ThreadCPUDelta, running.Microseconds())
}

// addGaps adds those that begin before a time, and returns the later events.
func (s *firefoxSamples) addGaps(events []profile.Event, before time.Duration) []profile.Event {
	for len(events) > 0 && events[0].Time < before {
		if e := events[0]; e.Off {
			s.add(e.Time, noStack, 0)
		}
		events = events[1:]
	}
	return events
}

// runningTimes is how long the core ran between each sample and the one
// before: not while it slept, which a sample tells for the time before it, nor
// while it was halted for a sample, nor while nothing is known of it.
func runningTimes(samples []profile.Sample, events []profile.Event) []time.Duration {
	running := make([]time.Duration, len(samples))
	for i, s := range samples {
		if i == 0 {
			continue
		}
		from := samples[i-1].Time + samples[i-1].Halted
		for len(events) > 0 && events[0].Time+events[0].Duration < from {
			events = events[1:]
		}
		if s.State&snapshot.Sleeping == 0 {
			running[i] = max(0, s.Time-from-profile.OffBetween(events, from, s.Time))
		}
	}
	return running
}

func milliseconds(d time.Duration) float64 { return float64(d) / 1e6 }

// firefoxCounter is a track of a rate.
type firefoxCounter struct {
	Name            string                `json:"name"`
	Category        string                `json:"category"`
	Description     string                `json:"description"`
	PID             string                `json:"pid"`
	MainThreadIndex int                   `json:"mainThreadIndex"`
	Samples         firefoxCounterSamples `json:"samples"`
	Display         firefoxCounterDisplay `json:"display"`
}

type firefoxCounterSamples struct {
	Length int       `json:"length"`
	Time   []float64 `json:"time"`
	Count  []float64 `json:"count"`
}

type firefoxCounterDisplay struct {
	GraphType            string              `json:"graphType"`
	Unit                 string              `json:"unit"`
	Color                string              `json:"color"`
	MarkerSchemaLocation *string             `json:"markerSchemaLocation"`
	SortWeight           int                 `json:"sortWeight"`
	Label                string              `json:"label"`
	TooltipRows          []firefoxTooltipRow `json:"tooltipRows"`
}

type firefoxTooltipRow struct {
	Type   string            `json:"type"`
	Source string            `json:"source"`
	Format map[string]string `json:"format"`
	Label  string            `json:"label"`
}

// newFirefoxCounters draws, of a profile of samples, in percent of the time: how long the core was
// halted for samples, and how long it ran. A count is the milliseconds since
// the counter sample before; the viewer divides by the distance. The first
// sample of a counter counts nothing, so it stands at time 0.
func newFirefoxCounters(p *profile.Profile) []firefoxCounter {
	if p.Trace != nil {
		return []firefoxCounter{}
	}
	samples := p.Threads[0].Samples
	running := runningTimes(samples, p.Events)
	halted := percentCounter("Halted", "Time that the core stood still for samples", "red", 50)
	core := percentCounter("Core running", "Time that the core was neither asleep nor halted", "blue", 40)
	for _, c := range []*firefoxCounter{&halted, &core} {
		c.add(0, 0)
	}
	for i, s := range samples {
		if s.Time <= 0 || i > 0 && s.Time == samples[i-1].Time {
			continue
		}
		halted.add(s.Time, s.Halted)
		core.add(s.Time, running[i])
	}
	return []firefoxCounter{core, halted}
}

func percentCounter(label, description, color string, weight int) firefoxCounter {
	return firefoxCounter{
		Name: label, Category: "mprof", Description: description, PID: firefoxPID,
		Samples: firefoxCounterSamples{Time: []float64{}, Count: []float64{}},
		Display: firefoxCounterDisplay{
			GraphType: "line-rate", Unit: "percent", Color: color, SortWeight: weight, Label: label,
			TooltipRows: []firefoxTooltipRow{{Type: "value", Source: "rate", Format: map[string]string{"unit": "percent"}, Label: description}},
		},
	}
}

func (c *firefoxCounter) add(at, d time.Duration) {
	c.Samples.Length++
	c.Samples.Time = append(c.Samples.Time, milliseconds(at))
	c.Samples.Count = append(c.Samples.Count, milliseconds(d))
}
