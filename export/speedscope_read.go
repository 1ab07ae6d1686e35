package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/mprof/mprof/profile"
)

const speedscopeRemark = "speedscope's format holds names, files and weights only: how it was sampled and what that cost is not known"

// speedscopeUnits are the lengths of the units of weights, in ns; 0: no time.
var speedscopeUnits = map[string]float64{"none": 0, "nanoseconds": 1, "microseconds": 1e3, "milliseconds": 1e6, "seconds": 1e9}

// speedscopeInput is what is read of a file.
type speedscopeInput struct {
	Schema   string `json:"$schema"`
	Exporter string
	Name     string
	Shared   speedscopeShared
	Profiles []struct {
		Type    string
		Name    string
		Unit    string
		Start   float64 `json:"startValue"`
		Samples [][]int
		Weights numbers
		Events  []struct {
			Type  string
			Frame int
			At    float64
		}
	}
	Record string `json:"mprof"`
}

// readSpeedscope reads sampled and evented profiles of speedscope.
func readSpeedscope(data []byte, in Input) (*profile.Profile, error) {
	file := &speedscopeInput{}
	if err := json.Unmarshal(data, file); err != nil {
		return nil, fmt.Errorf("damaged JSON: %w", jsonReason(err))
	}
	if len(file.Profiles) == 0 {
		return nil, errors.New("a file of speedscope without profiles")
	}
	r := &speedscopeReader{file: file, paths: newNamedPaths()}
	for i := range file.Profiles {
		if err := r.profile(i); err != nil {
			return nil, fmt.Errorf("profile %d (%s): %w", i, file.Profiles[i].Name, err)
		}
	}
	p := r.paths.rows.Finish()
	p.Threads = r.threads
	p.Mapping.Name = file.Name
	if in.Program != nil {
		p.Mapping, p.Others = in.Program.Mappings()[0], in.Program.Mappings()[1:]
	}
	p.Duration = r.last
	remarks := []string{speedscopeRemark}
	if file.Exporter != "" {
		remarks = append([]string{"read from a profile of " + file.Exporter}, remarks...)
	}
	of := countsBySelf
	if r.timed {
		of = weightsBySelf
		remarks = append(remarks, measured(p)...)
	}
	unrecorded(p, remarks...)
	return recall(p, file.Record, of(p), of)
}

type speedscopeReader struct {
	file    *speedscopeInput
	paths   namedPaths
	threads []profile.ThreadTrack
	sum     sums
	last    time.Duration // end of the longest thread
	timed   bool
}

func (r *speedscopeReader) profile(i int) error {
	from := &r.file.Profiles[i]
	unit, known := speedscopeUnits[from.Unit]
	if !known {
		return fmt.Errorf("its weights are %s, which is neither a time nor a number of samples", clip(from.Unit))
	}
	name := from.Name
	if name == "" {
		name = fmt.Sprintf("Profile %d", i)
	}
	r.timed = r.timed || unit > 0
	r.threads = append(r.threads, profile.ThreadTrack{Name: strings.ToValidUTF8(name, "\uFFFD")})
	switch from.Type {
	case "sampled":
		return r.sampled(i, unit)
	case "evented":
		return r.evented(i, unit)
	}
	return fmt.Errorf("type %s is neither sampled nor evented", clip(from.Type))
}

func (r *speedscopeReader) sampled(i int, unit float64) error {
	from := &r.file.Profiles[i]
	if len(from.Samples) != len(from.Weights) {
		return fmt.Errorf("%d samples and %d weights", len(from.Samples), len(from.Weights))
	}
	at := time.Duration(0)
	for n, stack := range from.Samples {
		s, err := speedscopeWeight(from.Weights[n], unit)
		if err != nil {
			return fmt.Errorf("sample %d: %w", n, err)
		}
		s.Time = at
		at += s.Weight
		if len(stack) == 0 || s.Count == 0 {
			continue // a gap
		}
		if s.Stack, err = r.stack(stack); err != nil {
			return fmt.Errorf("sample %d: %w", n, err)
		}
		if err := r.add(s); err != nil {
			return fmt.Errorf("sample %d: %w", n, err)
		}
	}
	return nil
}

// speedscopeWeight is a row of that weight: a time, or a number of samples.
func speedscopeWeight(weight, unit float64) (s profile.Sample, err error) {
	switch ns := math.Round(weight * unit); {
	case unit == 0 && (math.IsNaN(weight) || weight < 0 || weight > 1<<53 || weight != math.Trunc(weight)):
		return s, fmt.Errorf("a weight of %v, which is no number of samples", weight)
	case unit == 0:
		s.Count = int(weight)
	case math.IsNaN(ns) || ns < 0 || ns > math.MaxInt64/4:
		return s, fmt.Errorf("a weight of %v", weight)
	default:
		s.Count, s.Weight = 1, time.Duration(ns)
	}
	return s, nil
}

// evented makes a row of each time between two events, of what is open then.
func (r *speedscopeReader) evented(i int, unit float64) error {
	from := &r.file.Profiles[i]
	if unit == 0 {
		return errors.New("calls that begin and end at no time: its unit is none")
	}
	var open []int
	at := from.Start
	for n, e := range from.Events {
		s, err := speedscopeWeight(e.At-at, unit)
		if err == nil && s.Weight > 0 && len(open) > 0 {
			if s.Stack, err = r.stack(open); err == nil {
				s.Time = time.Duration(math.Round((at - from.Start) * unit))
				err = r.add(s)
			}
		}
		at = e.At
		switch {
		case err != nil:
		case e.Type == "O" && len(open) < maxReadDepth:
			open = append(open, e.Frame)
		case e.Type == "O":
			err = fmt.Errorf("more than %d calls inside each other", maxReadDepth)
		case e.Type == "C" && len(open) > 0 && open[len(open)-1] == e.Frame:
			open = open[:len(open)-1]
		default:
			err = fmt.Errorf("%s of frame %d, which is not the one that is open", clip(e.Type), e.Frame)
		}
		if err != nil {
			return fmt.Errorf("event %d: %w", n, err)
		}
	}
	return nil
}

func (r *speedscopeReader) add(s profile.Sample) error {
	if r.sum.add(int64(s.Count), int64(s.Weight)); r.sum.err != nil {
		return r.sum.err
	}
	if s.Time < 0 || s.Time > math.MaxInt64/2 {
		return errors.New("its times are beyond 146 years")
	}
	t := &r.threads[len(r.threads)-1]
	t.Samples = append(t.Samples, s)
	r.last = max(r.last, s.Time+s.Weight)
	return checkTables(r.paths.rows)
}

// stack is that of the frames, the outermost first.
func (r *speedscopeReader) stack(frames []int) (profile.StackIndex, error) {
	at := noPath
	if len(frames) > maxReadDepth {
		return at.stack, fmt.Errorf("a stack of %d frames, and %d are the most", len(frames), maxReadDepth)
	}
	for _, frame := range frames {
		if frame < 0 || frame >= len(r.file.Shared.Frames) {
			return at.stack, fmt.Errorf("frame %d of %d", frame, len(r.file.Shared.Frames))
		}
		at = r.paths.step(at, frame, func() profile.Function {
			of := &r.file.Shared.Frames[frame]
			return profile.Function{Name: of.Name, File: of.File, Line: max(0, of.Line), Label: of.File == "" && isLabel(of.Name)}
		})
	}
	return at.stack, nil
}
