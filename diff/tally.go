package diff

import (
	"errors"
	"fmt"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
)

// side is one run, counted. Of samples sums are numbers of them, of traces nanoseconds.
type side struct {
	p         *profile.Profile
	length    time.Duration
	unsaid    bool      // see contexts
	whole     spectrum  // samples, or the time observed
	functions []*counts // nil: does not occur
	occur     int       // how many do
	byContext map[string]*counts
	kept      [][]call // by function: calls of a trace, once somebody asks
}

// counts are those of one function or one context.
type counts struct {
	self, total, calls spectrum
	below              float64    // calls within its calls, of traces
	known              [2]float64 // standard errors of self and total that the file says, where it has sums only; else 0
	occurs             bool
}

// at is a function; one that does not occur has counts of 0.
func (s *side) at(f profile.FunctionIndex) *counts {
	if f == profile.None || s.functions[f] == nil {
		return &counts{}
	}
	return s.functions[f]
}

func (s *side) context(name string) *counts {
	if c := s.byContext[name]; c != nil {
		return c
	}
	return &counts{}
}

// mostFunctions bounds those that occur in a run: each takes a KiB.
const mostFunctions = 1 << 17

// tally counts a run. unsaid: see contexts.
func tally(p *profile.Profile, o Options, unsaid bool) (*side, error) {
	s := &side{p: p, unsaid: unsaid, length: max(p.Duration, 1), functions: make([]*counts, len(p.Functions)), byContext: map[string]*counts{}}
	if p.Trace != nil {
		s.observed()
	}
	seen := make([]int, len(p.Functions)) // number of the stack that counted the function last
	stamp := 0
	s.stacks(o, func(key stackKey, n *rows) {
		c := s.in(key.context)
		c.occurs = true
		c.total.add(&n.size, 1)
		if n.calls != nil {
			c.calls.add(n.calls, 1)
		} else {
			s.whole.add(&n.size, 1)
		}
		if o.Context == "" || o.Context == key.context {
			stamp++
			s.addStack(key.stack, n, stamp, seen, o.Context != "")
		}
	})
	if s.occur > mostFunctions {
		return nil, fmt.Errorf("%d functions occur in it, and %d are the most that are compared", s.occur, mostFunctions)
	}
	switch {
	case s.whole.sum > 0:
	case p.Trace != nil:
		return nil, errors.New("a trace of no time")
	default:
		return nil, errors.New("no samples of a core that was awake")
	}
	s.restore()
	return s, nil
}

// stackKey is a stack in a context.
type stackKey struct {
	stack   profile.StackIndex
	context string
}

// rows are those of one stack: samples or time, and calls that returned.
type rows struct {
	size  spectrum
	calls *spectrum // nil: of samples
}

// mostStacks bounds the stacks that are added up before they are taken to their functions.
const mostStacks = 1 << 16

// stacks adds up the rows of each stack in each context, and calls take with them, in the order of
// the rows; with the same stack again where there are very many.
func (s *side) stacks(o Options, take func(stackKey, *rows)) {
	contexts := contextsOf(s.p, s.unsaid)
	found := map[stackKey]*rows{}
	var order []stackKey
	flush := func() {
		for _, key := range order {
			take(key, found[key])
		}
		clear(found)
		order = order[:0]
	}
	for _, t := range s.p.Threads {
		for i := range t.Samples {
			x := &t.Samples[i]
			if o.Awake && x.State&snapshot.Sleeping != 0 {
				continue
			}
			key := stackKey{x.Stack, contexts.name(t.Name, x)}
			r := found[key]
			if r == nil {
				if len(order) == mostStacks {
					flush()
				}
				r = s.newRows()
				found[key] = r
				order = append(order, key)
			}
			s.addRow(r, x)
		}
	}
	flush()
}

// addRow adds a row of samples, or of a trace, to those of its stack.
func (s *side) addRow(r *rows, x *profile.Sample) {
	if s.p.Trace != nil {
		r.size.span(x.Time, x.Time+x.Weight, s.length, float64(x.Weight))
	}
	if x.Count > 0 {
		var at phases
		at.at(float64(x.Time) / float64(s.length))
		r.counted().point(&at, float64(x.Count))
	}
}

func (s *side) newRows() *rows {
	if s.p.Trace != nil {
		return &rows{calls: &spectrum{}}
	}
	return &rows{}
}

// counted is where numbers of samples or calls are added up.
func (r *rows) counted() *spectrum {
	if r.calls != nil {
		return r.calls
	}
	return &r.size
}

// addStack adds a stack to its functions, to each once however deep it recurses; alone: without
// what an interrupt found running.
func (s *side) addStack(stack profile.StackIndex, n *rows, stamp int, seen []int, alone bool) {
	for at, frame := range s.p.Callers(stack) {
		c := s.functions[frame.Function]
		if c == nil {
			if s.occur++; s.occur > mostFunctions {
				return
			}
			c = &counts{occurs: true}
			s.functions[frame.Function] = c
		}
		if at == stack {
			c.self.add(&n.size, 1)
		}
		switch {
		case n.calls == nil:
		case at == stack:
			c.calls.add(n.calls, 1)
		default:
			c.below += n.calls.sum
		}
		if seen[frame.Function] != stamp {
			seen[frame.Function] = stamp
			c.total.add(&n.size, 1)
		}
		if alone && s.p.Functions[frame.Function].Exception() != "" {
			return
		}
	}
}

func (s *side) in(context string) *counts {
	c := s.byContext[context]
	if c == nil {
		c = &counts{}
		s.byContext[context] = c
	}
	return c
}

// observed is the time of a trace of which something is known.
func (s *side) observed() {
	s.whole.span(0, s.length, s.length, float64(s.p.Duration))
	end := time.Duration(0)
	for _, e := range s.p.Events {
		if !e.Off {
			continue
		}
		from, to := max(e.Time, end), min(e.Time+e.Duration, s.length)
		if end = max(end, to); from < to {
			var off spectrum
			off.span(from, to, s.length, float64(to-from))
			s.whole.add(&off, -1)
		}
	}
}

// restore takes the standard errors that a file of sums says.
func (s *side) restore() {
	if s.p.Sums == nil {
		return
	}
	for f, e := range s.p.Sums.Errors {
		if c := s.functions[f]; c != nil {
			c.known = e
		}
	}
}
