package diff

import (
	"iter"
	"slices"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
)

// side is one run, counted. Of samples sums are numbers of them, of traces nanoseconds.
type side struct {
	p         *profile.Profile
	length    time.Duration
	whole     spectrum  // samples, or the time observed
	functions []*counts // nil: does not occur
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

// tally counts a run.
func tally(p *profile.Profile, o Options) *side {
	s := &side{p: p, length: max(p.Duration, 1), functions: make([]*counts, len(p.Functions)), byContext: map[string]*counts{}}
	if p.Trace != nil {
		s.observed()
	}
	seen := make([]int, len(p.Functions)) // number of the stack that counted the function last
	stamp := 0
	for key, n := range s.stacks(o) {
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
	}
	s.restore()
	return s
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

// stacks adds up the rows of each stack in each context, in the order of the tables.
func (s *side) stacks(o Options) iter.Seq2[stackKey, *rows] {
	contexts := contextsOf(s.p)
	found := map[stackKey]*rows{}
	var order []stackKey
	var at phases
	for _, t := range s.p.Threads {
		for i := range t.Samples {
			x := &t.Samples[i]
			if o.Awake && x.State&snapshot.Sleeping != 0 {
				continue
			}
			key := stackKey{x.Stack, contexts.name(t.Name, x)}
			r := found[key]
			if r == nil {
				r = s.newRows()
				found[key] = r
				order = append(order, key)
			}
			if s.p.Trace != nil {
				r.size.span(x.Time, x.Time+x.Weight, s.length, float64(x.Weight))
			}
			if x.Count > 0 {
				at.at(float64(x.Time) / float64(s.length))
				r.counted().point(&at, float64(x.Count))
			}
		}
	}
	return func(yield func(stackKey, *rows) bool) {
		for _, key := range order {
			if !yield(key, found[key]) {
				return
			}
		}
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

// Contexts of samples.
const (
	threadMode = "thread mode"
	asleep     = "asleep"
)

// contexts names the context of each sample.
type contexts struct {
	p       *profile.Profile
	byStack []string // innermost exception, "": none
}

func contextsOf(p *profile.Profile) contexts {
	c := contexts{p: p, byStack: make([]string, len(p.Stacks))}
	for i, s := range p.Stacks { // callers stand before callees
		if exc := p.Functions[p.Frames[s.Frame].Function].Exception(); exc != "" {
			c.byStack[i] = exc
		} else if s.Prefix != profile.None {
			c.byStack[i] = c.byStack[s.Prefix]
		}
	}
	return c
}

// name is the interrupt that a sample found running; else, of several tracks, the
// track; else what the core did. Of a trace it is the track.
func (c contexts) name(track string, s *profile.Sample) string {
	switch exc := c.byStack[s.Stack]; {
	case c.p.Trace != nil:
		return track
	case exc != "":
		return exc
	case len(c.p.Threads) > 1:
		return track
	case s.State&snapshot.Sleeping != 0:
		return asleep
	}
	return threadMode
}

func contextNames(sides ...*side) (names []string) {
	for _, s := range sides {
		for name := range s.byContext {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func checkContext(name string, was, is *side) error {
	if known := contextNames(was, is); name != "" && !slices.Contains(known, name) {
		return &ContextError{name, known}
	}
	return nil
}
