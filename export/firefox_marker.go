package export

import "github.com/mprof/mprof/profile"

type firefoxMarkerSchema struct {
	Name         string               `json:"name"`
	Display      []string             `json:"display"`
	Fields       []firefoxMarkerField `json:"fields"`
	TooltipLabel string               `json:"tooltipLabel"`
	TableLabel   string               `json:"tableLabel"`
	ChartLabel   string               `json:"chartLabel"`
	Description  string               `json:"description"`
}

type firefoxMarkerField struct {
	Key    string `json:"key"`
	Label  string `json:"label"`
	Format string `json:"format"`
}

// eventSchema describes all events: resets, misses, lockups, and what else a
// run noted.
var eventSchema = firefoxMarkerSchema{
	Name:         "SamplingEvent",
	Display:      []string{"marker-chart", "marker-table", "timeline-overview"},
	Fields:       []firefoxMarkerField{{"detail", "Detail", "string"}},
	TooltipLabel: "{marker.name}", TableLabel: "{marker.data.detail}", ChartLabel: "{marker.data.detail}",
	Description: "Something that happened to the target or to the sampling.",
}

type firefoxMarkers struct {
	Length    int       `json:"length"`
	Data      []any     `json:"data"` // firefoxEvent, firefoxCall
	Name      []int     `json:"name"`
	StartTime []float64 `json:"startTime"`
	EndTime   []float64 `json:"endTime"`
	Phase     []int     `json:"phase"`
	Category  []int     `json:"category"`
}

type firefoxEvent struct {
	Type   string `json:"type"`
	Detail string `json:"detail"`
}

// Phases of a marker. Unused times are 0, not null, for Perfetto.
const (
	phaseInstant  = 0
	phaseInterval = 1
)

// newFirefoxMarkers draws events and the calls of a track, by time.
func newFirefoxMarkers(events []profile.Event, t profile.ThreadTrack, calls *callMarkers, shared *sharedTables) firefoxMarkers {
	m := firefoxMarkers{Data: []any{}, Name: []int{}, StartTime: []float64{}, EndTime: []float64{}, Phase: []int{}, Category: []int{}}
	context := 0
	if len(t.Calls) > 0 {
		context = shared.strings.add(t.Name)
	}
	for i := range t.Calls {
		c := &t.Calls[i]
		for len(events) > 0 && events[0].Time <= c.Time {
			m.event(events[0], shared)
			events = events[1:]
		}
		m.call(c, calls, context)
	}
	for _, e := range events {
		m.event(e, shared)
	}
	return m
}

func (m *firefoxMarkers) event(e profile.Event, shared *sharedTables) {
	phase, end := phaseInstant, 0.0
	if e.Duration > 0 {
		phase, end = phaseInterval, milliseconds(e.Time+e.Duration)
	}
	m.add(shared.strings.add(e.Name), milliseconds(e.Time), end, phase, profile.Unknown, firefoxEvent{eventSchema.Name, e.Detail})
}

func (m *firefoxMarkers) add(name int, start, end float64, phase int, c profile.Category, data any) {
	m.Length++
	m.Data = append(m.Data, data)
	m.Name = append(m.Name, name)
	m.StartTime = append(m.StartTime, start)
	m.EndTime = append(m.EndTime, end)
	m.Phase = append(m.Phase, phase)
	m.Category = append(m.Category, int(c))
}
