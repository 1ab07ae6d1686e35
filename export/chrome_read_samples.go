package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
)

// chromeSession is one profile of V8, which comes in chunks.
type chromeSession struct {
	track *chromeInputTrack
	nodes map[int64]chromeInputNode
	paths map[int64]namedPath
	now   float64 // µs
	rows  []chromeRow
}

type chromeInputNode struct {
	parent   int64
	function int
	known    bool // parent is
}

// chromeRow is a sample at a time.
type chromeRow struct {
	node int64
	at   float64
}

// chromeProfile is the argument of such an event.
type chromeProfile struct {
	Data struct {
		Start   *looseNumber `json:"startTime"`
		Profile *struct {
			Start *looseNumber `json:"startTime"`
			Nodes []struct {
				ID       int64
				Parent   *int64
				Children []int64
				Frame    struct {
					Name string `json:"functionName"`
					URL  string `json:"url"`
					Line int    `json:"lineNumber"`
				} `json:"callFrame"`
			}
			Samples []int64
			Deltas  numbers `json:"timeDeltas"`
		} `json:"cpuProfile"`
		Deltas numbers `json:"timeDeltas"`
	}
}

// chunk takes a part of a profile of V8. Its time begins with that of the first part.
func (r *chromeReader) chunk(e *chromeInput) error {
	var args chromeProfile
	if err := json.Unmarshal(e.Args, &args); err != nil {
		return fmt.Errorf("its arguments: %w", jsonReason(err))
	}
	t := r.track(e)
	key := t.pid + "/" + strings.Trim(string(e.ID), `"`)
	if len(e.ID) == 0 {
		key = t.pid + "/" + t.tid + "/"
	}
	s := r.sampled[key]
	if s == nil {
		s = &chromeSession{track: t, nodes: map[int64]chromeInputNode{}, paths: map[int64]namedPath{}}
		r.sampled[key] = s
		r.chunked = append(r.chunked, s)
	}
	d := &args.Data
	if d.Start != nil {
		s.now = d.Start.value
	}
	if d.Profile == nil {
		return nil
	}
	if d.Profile.Start != nil {
		s.now = d.Profile.Start.value
	}
	for _, n := range d.Profile.Nodes {
		node := chromeInputNode{function: r.function(profile.Function{Name: n.Frame.Name, File: n.Frame.URL, Line: line(int64(n.Frame.Line) + 1)})}
		if had, ok := s.nodes[n.ID]; ok {
			node.parent, node.known = had.parent, had.known
		}
		if n.Parent != nil {
			node.parent, node.known = *n.Parent, true
		}
		s.nodes[n.ID] = node
		for _, child := range n.Children {
			c, ok := s.nodes[child]
			if !ok {
				c.function = -1 // stands in a later part
			}
			c.parent, c.known = n.ID, true
			s.nodes[child] = c
		}
	}
	deltas := d.Deltas
	if len(deltas) == 0 {
		deltas = d.Profile.Deltas
	}
	if len(deltas) != len(d.Profile.Samples) {
		return fmt.Errorf("%d samples and %d times", len(d.Profile.Samples), len(deltas))
	}
	for i, node := range d.Profile.Samples {
		s.now += deltas[i]
		s.rows = append(s.rows, chromeRow{node, s.now})
	}
	return checkRows(len(s.rows), "samples")
}

// makeRows makes rows of samples where there are some, else of calls.
func (r *chromeReader) makeRows() error {
	if !r.anySamples() {
		for _, t := range r.order {
			if err := r.unfold(t); err != nil {
				return err
			}
		}
		return nil
	}
	for _, t := range r.order {
		if n := len(t.marks); n > 0 {
			r.notes["calls (X, B, E) beside the samples are left out"] += n
		}
		for _, s := range r.chunked {
			if s.track == t {
				if err := r.session(s); err != nil {
					return err
				}
			}
		}
	}
	return r.plainSamples()
}

// session makes rows of a profile of V8: a sample lasts until the next one.
func (r *chromeReader) session(s *chromeSession) error {
	for i, row := range s.rows {
		path, err := r.nodePath(s, row.node, 0)
		if err != nil {
			return fmt.Errorf("sample %d: %w", i, err)
		}
		sample := profile.Sample{Count: 1, Stack: path.stack}
		if sample.Time, err = microsecondsOf(row.at); err != nil {
			return fmt.Errorf("sample %d: %w", i, err)
		}
		if i+1 < len(s.rows) {
			lasts, err := microsecondsOf(s.rows[i+1].at - row.at)
			if err != nil {
				return fmt.Errorf("sample %d: %w", i, err)
			}
			sample.Weight = max(0, lasts)
		}
		if path.stack == profile.None {
			continue // at the root: nothing ran
		}
		if r.known[s.nodes[row.node].function].Name == "(idle)" {
			sample.State = snapshot.Sleeping
		}
		if err := r.add(s.track, sample); err != nil {
			return err
		}
	}
	return nil
}

// nodePath is the path that a node ends.
func (r *chromeReader) nodePath(s *chromeSession, id int64, depth int) (namedPath, error) {
	if path, ok := s.paths[id]; ok {
		return path, nil
	}
	n, ok := s.nodes[id]
	switch {
	case !ok || n.function < 0:
		return noPath, fmt.Errorf("node %d is not in the file", id)
	case depth >= maxReadDepth:
		return noPath, fmt.Errorf("a stack of more than %d frames", maxReadDepth)
	}
	path := noPath
	if n.known {
		var err error
		if path, err = r.nodePath(s, n.parent, depth+1); err != nil {
			return noPath, err
		}
	}
	if r.known[n.function].Name != "(root)" {
		path = r.paths.step(path, n.function, func() profile.Function { return r.known[n.function] })
	}
	s.paths[id] = path
	return path, nil
}

// plainSamples makes rows of samples with stackFrames.
func (r *chromeReader) plainSamples() error {
	paths := map[string]namedPath{}
	for i := range r.samples {
		s := &r.samples[i]
		path, err := r.framePath(paths, strings.Trim(string(s.Stack), `"`), 0)
		if err != nil {
			return fmt.Errorf("sample %d: %w", i, err)
		}
		sample := profile.Sample{Count: 1, Stack: path.stack}
		if w := s.Weight; w.known {
			if math.IsNaN(w.value) || w.value < 0 || w.value > 1<<53 || w.value != math.Trunc(w.value) {
				return fmt.Errorf("sample %d: a weight of %v", i, w.value)
			}
			sample.Count = int(w.value)
		}
		if !s.Time.known {
			return fmt.Errorf("sample %d: no time (ts)", i)
		}
		if sample.Time, err = microsecondsOf(s.Time.value); err != nil {
			return fmt.Errorf("sample %d: %w", i, err)
		}
		if sample.Count == 0 || path.stack == profile.None {
			continue
		}
		if err := r.add(r.track(s), sample); err != nil {
			return fmt.Errorf("sample %d: %w", i, err)
		}
	}
	return nil
}

func (r *chromeReader) framePath(paths map[string]namedPath, id string, depth int) (namedPath, error) {
	if path, ok := paths[id]; ok {
		return path, nil
	}
	f, ok := r.stacks[id]
	switch {
	case !ok:
		return noPath, fmt.Errorf("stack frame %s is not in the file", clip(id))
	case depth >= maxReadDepth:
		return noPath, errors.New("a stack without an end")
	}
	path := noPath
	if parent := strings.Trim(string(f.Parent), `"`); parent != "" && parent != "null" {
		var err error
		if path, err = r.framePath(paths, parent, depth+1); err != nil {
			return noPath, err
		}
	}
	function := r.function(profile.Function{Name: f.Name})
	path = r.paths.step(path, function, func() profile.Function { return r.known[function] })
	paths[id] = path
	return path, nil
}
