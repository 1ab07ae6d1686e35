package export

import (
	"time"

	"github.com/mprof/mprof/profile"
)

// callSchema describes a traced call. How long it took on the clock is the length
// of its marker. Not in "timeline-overview", where nested calls would hide each
// other and the events.
var callSchema = firefoxMarkerSchema{
	Name:    "Call",
	Display: []string{"marker-chart", "marker-table"},
	Fields: []firefoxMarkerField{
		{"net", "Net of interrupts and other contexts", "duration"}, {"context", "Context", "unique-string"},
		{"depth", "Callers above it", "integer"}, {"atLeast", "Length", "string"},
	},
	TooltipLabel: "{marker.name}", TableLabel: "net {marker.data.net}", ChartLabel: "{marker.name}",
	Description: "A traced call, from its entry to its return.",
}

// firefoxCall is the data of a call's marker. Cause gives it a stack in the
// viewer: its callers.
type firefoxCall struct {
	Type    string       `json:"type"`
	Net     float64      `json:"net"`     // ms
	Context int          `json:"context"` // a string
	Depth   int          `json:"depth"`
	AtLeast string       `json:"atLeast,omitempty"`
	Cause   firefoxCause `json:"cause"`
}

type firefoxCause struct {
	Stack int `json:"stack"`
}

// callMarkers is what the markers of calls share, by stack.
type callMarkers struct {
	name     []int // of the function, in the table of strings
	depth    []int // how many functions are above
	category []profile.Category
}

func newCallMarkers(p *profile.Profile, shared *sharedTables) *callMarkers {
	if p.Trace == nil {
		return nil
	}
	m := &callMarkers{}
	for _, s := range p.Stacks {
		frame := p.Frames[s.Frame]
		depth := 0
		if s.Prefix != profile.None {
			depth = m.depth[s.Prefix]
			if p.Frames[p.Stacks[s.Prefix].Frame].Addr != 0 { // no label
				depth++
			}
		}
		m.name = append(m.name, shared.strings.add(p.Functions[frame.Function].Name))
		m.depth = append(m.depth, depth)
		m.category = append(m.category, frame.Category)
	}
	return m
}

// call adds the marker of one call.
func (m *firefoxMarkers) call(c *profile.Call, shared *callMarkers, context int) {
	data := firefoxCall{Type: callSchema.Name, Net: milliseconds(c.Net), Context: context, Depth: shared.depth[c.Stack], Cause: firefoxCause{int(c.Stack)}}
	if c.AtLeast {
		data.AtLeast = "that long or longer"
	}
	m.add(shared.name[c.Stack], milliseconds(c.Time), milliseconds(c.Time+c.Duration), phaseInterval, shared.category[c.Stack], data)
}

// newTracedSamples writes a row where a piece of self time begins. The viewer draws
// a row until the next one of its track, and half way to its neighbours where
// it draws the use of the processor; so a piece with nothing behind it ends in a row
// of its own, and in one without a stack at the same time.
func newTracedSamples(pieces []profile.Sample) *firefoxSamples {
	s := &firefoxSamples{Stack: []stackID{}, Time: []float64{}, WeightType: timedWeights, ThreadCPUDelta: []int64{}}
	weights := make([]float64, 0, len(pieces))
	row := func(at time.Duration, stack stackID, weight, ran time.Duration) {
		s.add(at, stack, 0)
		s.ThreadCPUDelta[s.Length-1] = ran.Nanoseconds()
		weights = append(weights, milliseconds(weight))
	}
	var ran time.Duration // since the row before
	for i, piece := range pieces {
		row(piece.Time, stackID(piece.Stack), piece.Weight, ran)
		end := piece.Time + piece.Weight
		if i+1 < len(pieces) && pieces[i+1].Time <= end {
			ran = pieces[i+1].Time - piece.Time
			continue
		}
		row(end, stackID(piece.Stack), 0, piece.Weight)
		row(end, noStack, 0, 0)
		ran = 0
	}
	s.Weight = &weights
	return s
}
