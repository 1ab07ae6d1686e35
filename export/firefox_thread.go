package export

import (
	"fmt"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
)

type firefoxThread struct {
	Name                  string         `json:"name"`
	IsMainThread          bool           `json:"isMainThread"`
	ProcessType           string         `json:"processType"`
	ProcessName           string         `json:"processName"`
	ProcessStartupTime    float64        `json:"processStartupTime"`
	ProcessShutdownTime   *float64       `json:"processShutdownTime"`
	RegisterTime          float64        `json:"registerTime"`
	UnregisterTime        *float64       `json:"unregisterTime"`
	PausedRanges          []struct{}     `json:"pausedRanges"`
	ShowMarkersInTimeline bool           `json:"showMarkersInTimeline"`
	PID                   string         `json:"pid"`
	TID                   string         `json:"tid"`
	Samples               firefoxSamples `json:"samples"`
	Markers               firefoxMarkers `json:"markers"`
}

// firefoxSamples: weight null makes every sample count once, so that counts in
// the viewer are numbers of samples.
type firefoxSamples struct {
	Length         int       `json:"length"`
	Stack          []int     `json:"stack"`
	Time           []float64 `json:"time"` // ms
	Weight         *[]int    `json:"weight"`
	WeightType     string    `json:"weightType"`
	ThreadCPUDelta []int64   `json:"threadCPUDelta"` // µs
}

// The core is one process, "1"; ids are numeric strings, which Perfetto wants.
const firefoxPID = "1"

func newFirefoxThreads(p *profile.Profile, shared *sharedTables) []firefoxThread {
	var threads []firefoxThread
	for i, t := range p.Threads {
		thread := firefoxThread{
			Name: t.Name, IsMainThread: i == 0, ProcessType: "default", ProcessName: processName(p),
			PausedRanges: []struct{}{}, ShowMarkersInTimeline: true, PID: firefoxPID, TID: fmt.Sprint(i + 1),
			Samples: newFirefoxSamples(t.Samples),
			Markers: newFirefoxMarkers(nil, shared),
		}
		if i == 0 {
			thread.Markers = newFirefoxMarkers(p.Events, shared)
		}
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

func newFirefoxSamples(samples []profile.Sample) firefoxSamples {
	n := len(samples)
	s := firefoxSamples{Length: n, Stack: make([]int, n), Time: make([]float64, n), WeightType: "samples", ThreadCPUDelta: make([]int64, n)}
	running := runningTimes(samples)
	for i, sample := range samples {
		s.Stack[i] = int(sample.Stack)
		s.Time[i] = milliseconds(sample.Time)
		s.ThreadCPUDelta[i] = running[i].Microseconds()
	}
	return s
}

// runningTimes is how long the core ran between each sample and the one
// before: not while it slept, which a sample tells for the time before it, nor
// while it was halted for a sample.
func runningTimes(samples []profile.Sample) []time.Duration {
	running := make([]time.Duration, len(samples))
	for i, s := range samples {
		if i > 0 && s.State&snapshot.Sleeping == 0 {
			running[i] = max(0, s.Time-samples[i-1].Time-samples[i-1].Halted)
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

// newFirefoxCounters draws, in percent of the time: how long the core was
// halted for samples, and how long it ran. A count is the milliseconds since
// the counter sample before; the viewer divides by the distance. The first
// sample of a counter counts nothing, so it stands at time 0.
func newFirefoxCounters(p *profile.Profile) []firefoxCounter {
	samples := p.Threads[0].Samples
	running := runningTimes(samples)
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
