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
	Length    int             `json:"length"`
	Data      []firefoxMarker `json:"data"`
	Name      []int           `json:"name"`
	StartTime []float64       `json:"startTime"`
	EndTime   []float64       `json:"endTime"`
	Phase     []int           `json:"phase"`
	Category  []int           `json:"category"`
}

type firefoxMarker struct {
	Type   string `json:"type"`
	Detail string `json:"detail"`
}

// Phases of a marker. Unused times are 0, not null, for Perfetto.
const (
	phaseInstant  = 0
	phaseInterval = 1
)

func newFirefoxMarkers(events []profile.Event, shared *sharedTables) firefoxMarkers {
	m := firefoxMarkers{Data: []firefoxMarker{}, Name: []int{}, StartTime: []float64{}, EndTime: []float64{}, Phase: []int{}, Category: []int{}}
	for _, e := range events {
		phase, end := phaseInstant, 0.0
		if e.Duration > 0 {
			phase, end = phaseInterval, milliseconds(e.Time+e.Duration)
		}
		m.Length++
		m.Data = append(m.Data, firefoxMarker{eventSchema.Name, e.Detail})
		m.Name = append(m.Name, shared.strings.add(e.Name))
		m.StartTime = append(m.StartTime, milliseconds(e.Time))
		m.EndTime = append(m.EndTime, end)
		m.Phase = append(m.Phase, phase)
		m.Category = append(m.Category, int(profile.Unknown))
	}
	return m
}
