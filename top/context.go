package top

import (
	"slices"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/live"
	"github.com/mprof/mprof/profile"
)

// part is a part of the run: all of it, a task, or an interrupt.
type part struct {
	name  string
	holds func(s *seen, p place) bool // nil: everything
}

// contexts lists them. Of a trace they are its tracks; of samples thread mode and the exceptions that
// were seen on stacks.
func (s *seen) contexts() []part {
	all := []part{{name: "everything"}}
	if s.kind == live.Calls {
		for i, name := range s.tracks {
			all = append(all, part{name, func(_ *seen, p place) bool { return p.track == i }})
		}
		return all
	}
	var exceptions []int
	for _, n := range s.nodes {
		if n.exception != profile.None && !slices.Contains(exceptions, n.exception) {
			exceptions = append(exceptions, n.exception)
		}
	}
	if len(exceptions) == 0 {
		return all
	}
	in := func(exception int) func(*seen, place) bool {
		return func(s *seen, p place) bool { return s.nodes[p.node].exception == exception }
	}
	all = append(all, part{"thread mode", in(profile.None)})
	for _, e := range exceptions {
		all = append(all, part{s.functions[e].Exception(), in(e)})
	}
	return all
}

// entry is a row of the table.
type entry struct {
	live.Row
	name  string
	where string // file:line, "" where it is not known
	file  string // the whole path
}

// entries are the rows of a context, in no order. Shares are of the whole run in each context,
// so that they add up.
func (s *seen) entries(c part) []entry {
	rows, told := s.rows, s.told
	if c.holds != nil {
		rows, told = s.within(c)
	}
	var all []entry
	for f, ok := range told {
		if !ok || f >= len(s.functions) {
			continue
		}
		at := &s.functions[f]
		e := entry{Row: rows[f], name: at.Name, file: at.File}
		if at.File != "" {
			e.where = export.Place(at.File, at.Line)
		}
		all = append(all, e)
	}
	return all
}

// within adds up what ended in a context: a function on a path counts once, however deep it recurses,
// and not at all where it was interrupted.
func (s *seen) within(c part) (rows []live.Row, told []bool) {
	rows, told = make([]live.Row, len(s.functions)), make([]bool, len(s.functions))
	counted := make([]int, len(s.functions)) // by which place, that its total has
	number := 0
	for p, k := range s.counts {
		if !c.holds(s, p) {
			continue
		}
		number++
		leaf := &rows[s.nodes[p.node].function]
		if s.kind == live.Samples {
			leaf.Self += k.n
		} else {
			leaf.Calls, leaf.SelfTime = leaf.Calls+k.n, leaf.SelfTime+k.time
		}
		exception := s.nodes[p.node].exception
		for at := p.node; at != profile.None && s.nodes[at].exception == exception; at = s.nodes[at].parent {
			f := s.nodes[at].function
			if counted[f] == number {
				continue
			}
			counted[f] = number
			told[f] = true
			rows[f].Function = f
			if s.kind == live.Samples {
				rows[f].Total += k.n
			} else {
				rows[f].TotalTime += k.time
			}
		}
	}
	for f := range rows {
		if r := &rows[f]; s.kind == live.Samples {
			self, total := profile.Proportion(r.Self, s.status.Taken), profile.Proportion(r.Total, s.status.Taken)
			r.SelfShare, r.SelfError, r.TotalShare, r.TotalError = self.Value, self.Error, total.Value, total.Error
		}
	}
	return rows, told
}
