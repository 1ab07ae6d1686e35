package top

import (
	"fmt"
	"slices"

	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/profile"
)

// seen is what updates have told so far.
type seen struct {
	run, rev  uint64
	kind      live.Kind
	functions []profile.Function
	nodes     []node
	tracks    []string
	counts    map[place]count
	rows      []live.Row // by function
	told      []bool     // which rows were
	events    []live.Event
	status    live.Status
	over      bool // the run
}

// node is a call path: of a function above its parent.
type node struct {
	parent, function int
	// exception is the function that labels the boundary of the innermost exception on the path,
	// profile.None in thread mode.
	exception int
}

// place is where samples or calls are counted.
type place struct{ track, node int }

type count struct {
	n    uint64  // samples, or calls that returned
	time float64 // s
}

// apply takes an update. What does not fit to what was told before is an error: the caller asks for
// everything then.
func (s *seen) apply(u *live.Update) error {
	if u.Since == 0 || u.Run != s.run {
		*s = seen{counts: map[place]count{}}
	}
	s.run, s.rev, s.kind, s.status = u.Run, u.Rev, u.Kind, u.Status
	s.tracks = nil
	for _, name := range u.Tracks {
		s.tracks = append(s.tracks, printable(name))
	}
	if err := s.applyTree(u); err != nil {
		*s = seen{}
		return err
	}
	for _, r := range u.Table {
		for len(s.rows) <= r.Function {
			s.rows, s.told = append(s.rows, live.Row{}), append(s.told, false)
		}
		s.rows[r.Function], s.told[r.Function] = r, r != live.Row{Function: r.Function}
	}
	s.events = append(s.events, u.Events...)
	if extra := len(s.events) - mostEvents; extra > 0 {
		s.events = slices.Delete(s.events, 0, extra)
	}
	return nil
}

// mostEvents are kept: the latest is shown.
const mostEvents = 100

// applyTree takes functions, call paths, and what ended there.
func (s *seen) applyTree(u *live.Update) error {
	if n := u.Functions.From; len(u.Functions.Name) > 0 && n != len(s.functions) {
		return fmt.Errorf("top: functions from %d on, %d are known", n, len(s.functions))
	}
	for i, name := range u.Functions.Name {
		s.functions = append(s.functions, profile.Function{Name: printable(name), File: printable(u.Functions.File[i]), Line: u.Functions.Line[i], Label: u.Functions.Label[i]})
	}
	if n := u.Nodes.From; len(u.Nodes.Parent) > 0 && n != len(s.nodes) {
		return fmt.Errorf("top: call paths from %d on, %d are known", n, len(s.nodes))
	}
	for i, parent := range u.Nodes.Parent {
		at := node{parent: parent, function: u.Nodes.Function[i], exception: profile.None}
		if at.function < 0 || at.function >= len(s.functions) || parent >= len(s.nodes) || parent < profile.None {
			return fmt.Errorf("top: call path %d is of function %d below %d", len(s.nodes), at.function, parent)
		}
		if s.functions[at.function].Exception() != "" {
			at.exception = at.function
		} else if parent != profile.None {
			at.exception = s.nodes[parent].exception
		}
		s.nodes = append(s.nodes, at)
	}
	for i, n := range u.Counts.Node {
		if n < 0 || n >= len(s.nodes) {
			return fmt.Errorf("top: counts of call path %d, %d are known", n, len(s.nodes))
		}
		s.counts[place{u.Counts.Track[i], n}] = count{u.Counts.Count[i], u.Counts.Time[i]}
	}
	return nil
}
