package report

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/mprof/mprof/profile"
)

// ContextTable is what ran in each context: tasks and interrupts.
type ContextTable struct {
	Contexts []Context `json:"contexts"` // by self, the largest first; they add up to everything
	Traced   bool      `json:"-"`
}

// Context is a task, an interrupt, thread mode, or sleep.
type Context struct {
	Name  string `json:"name"`
	Track string `json:"track,omitempty"` // where a profile has several
	Kind  string `json:"kind"`            // "task", "interrupt", "thread mode", "asleep", "not known"
	Self  Amount `json:"self"`            // the core ran in this context
	// Total of an interrupt is with those that interrupted it.
	Total Amount `json:"total"`
	// Calls returned in the context, of a trace.
	Calls uint64 `json:"calls,omitempty"`
	// RunShare is the part of the run that a trace saw the context busy, 0 to 1.
	RunShare  *float64          `json:"run_share,omitempty"`
	Functions []ContextFunction `json:"functions"`                // by self, the largest first
	More      int               `json:"more_functions,omitempty"` // that are not listed
}

// ContextFunction is what a function did in a context.
type ContextFunction struct {
	Name  string `json:"name"`
	Self  Amount `json:"self"`
	Total Amount `json:"total"`
	Calls uint64 `json:"calls,omitempty"`
}

// ErrNoContexts is a profile whose samples do not say where they were taken.
var ErrNoContexts = errors.New("report: samples of DWT_PCSR are addresses alone: whether the core was in a handler, and in which, is not known")

// AddContexts adds the table of contexts, with so many functions of each at most (0: all).
func (r *Report) AddContexts(functions int) error {
	if r.profile.Taken.Method == profile.MethodPCSR {
		return ErrNoContexts
	}
	b := newContextBuilder(r.profile)
	r.Contexts = &ContextTable{Traced: r.profile.Trace != nil, Contexts: b.table(functions)}
	return nil
}

// The kinds of contexts.
const (
	kindTask      = "task"
	kindInterrupt = "interrupt"
	kindThread    = "thread mode"
	kindAsleep    = "asleep"
	kindUnknown   = "not known"
)

// contextKey is a context of a track.
type contextKey struct {
	track      int
	kind, name string
}

// contextOf is the context in which a stack ends, and all that it is in, that one included, the innermost first.
func contextOf(p *profile.Profile, track int, at profile.StackIndex) (own contextKey, in []contextKey) {
	leaf := &p.Frames[p.Stacks[at].Frame]
	root := leaf
	for _, f := range p.Callers(at) {
		root = f
		if name := p.Functions[f.Function].Exception(); name != "" {
			in = append(in, contextKey{track, kindInterrupt, name})
		}
	}
	own = contextKey{track, kindThread, kindThread}
	switch {
	case p.Trace != nil && p.Functions[root.Function].Exception() != "":
		own = contextKey{track, kindInterrupt, p.Threads[track].Name}
		return own, []contextKey{own}
	case p.Trace != nil:
		own = contextKey{track, kindTask, p.Threads[track].Name}
	case leaf.Category == profile.Idle:
		own = contextKey{track, kindAsleep, kindAsleep}
	case len(in) > 0:
		return in[0], in
	case leaf.Category == profile.Interrupt:
		own = contextKey{track, kindInterrupt, "handler mode"}
	case p.Taken.Unrecorded: // nothing says that it would name them all
		own = contextKey{track, kindUnknown, "no interrupt named in the file"}
	}
	return own, append([]contextKey{own}, in...)
}

// contextBuilder counts. Parts are numbered: two of each context, two of each function in one, see counter.
type contextBuilder struct {
	counter
	p         *profile.Profile
	contexts  map[contextKey]int
	keys      []contextKey
	functions map[functionIn]int
	list      []functionIn
	amounts   []Amount
}

// functionIn is a function in a context.
type functionIn struct {
	context  int
	function profile.FunctionIndex
}

func newContextBuilder(p *profile.Profile) *contextBuilder {
	b := &contextBuilder{p: p, contexts: map[contextKey]int{}, functions: map[functionIn]int{}}
	for track := range p.Threads {
		met := make(map[profile.StackIndex]bool)
		for i := range p.Threads[track].Samples {
			if at := p.Threads[track].Samples[i].Stack; !met[at] {
				met[at] = true
				b.meet(track, at)
			}
		}
	}
	n := 2*len(b.keys) + 2*len(b.list)
	b.counter = newCounter(n)
	b.amounts = amounts(p, n, b.in)
	return b
}

// meet notes what a stack belongs to.
func (b *contextBuilder) meet(track int, at profile.StackIndex) {
	own, in := contextOf(b.p, track, at)
	for _, key := range append(in, own) {
		if _, ok := b.contexts[key]; !ok {
			b.contexts[key] = len(b.keys)
			b.keys = append(b.keys, key)
		}
	}
	for _, f := range b.p.Callers(at) {
		k := functionIn{b.contexts[own], f.Function}
		if _, ok := b.functions[k]; !ok {
			b.functions[k] = len(b.list)
			b.list = append(b.list, k)
		}
	}
}

// in lists the parts that a stack belongs to.
func (b *contextBuilder) in(track int, at profile.StackIndex) []int32 {
	own, in := contextOf(b.p, track, at)
	b.begin()
	for i, key := range in {
		b.add(2*b.contexts[key], i == 0)
	}
	for s, f := range b.p.Callers(at) {
		b.add(2*len(b.keys)+2*b.functions[functionIn{b.contexts[own], f.Function}], s == at)
	}
	return b.parts
}

// table makes the rows.
func (b *contextBuilder) table(functions int) []Context {
	rows := make([]Context, len(b.keys))
	for i, key := range b.keys {
		rows[i] = Context{Name: key.name, Kind: key.kind, Self: b.amounts[2*i], Total: b.amounts[2*i+1], Functions: []ContextFunction{}}
		if b.p.Trace != nil {
			rows[i].Calls = uint64(rows[i].Self.Samples)
			if b.p.Duration > 0 {
				share := float64(rows[i].Self.Time) / float64(b.p.Duration)
				rows[i].RunShare = &share
			}
		} else if len(b.p.Threads) > 1 {
			rows[i].Track = b.p.Threads[key.track].Name
		}
	}
	for i, k := range b.list {
		part := 2*len(b.keys) + 2*i
		f := ContextFunction{Name: b.p.Functions[k.function].Name, Self: b.amounts[part], Total: b.amounts[part+1]}
		if b.p.Trace != nil {
			f.Calls = uint64(f.Self.Samples)
		}
		rows[k.context].Functions = append(rows[k.context].Functions, f)
	}
	for i := range rows {
		list := rows[i].Functions
		slices.SortStableFunc(list, func(x, y ContextFunction) int {
			return cmp.Or(bySize(x.Self, y.Self), bySize(x.Total, y.Total), strings.Compare(x.Name, y.Name))
		})
		rows[i].More = 0
		if functions > 0 && len(list) > functions {
			rows[i].More, rows[i].Functions = len(list)-functions, list[:functions]
		}
	}
	slices.SortStableFunc(rows, func(x, y Context) int {
		return cmp.Or(bySize(x.Self, y.Self), bySize(x.Total, y.Total), strings.Compare(x.Name, y.Name))
	})
	return rows
}

// bySize orders the larger amount first.
func bySize(x, y Amount) int {
	if x.Traced {
		return cmp.Or(cmp.Compare(y.Time, x.Time), cmp.Compare(y.Samples, x.Samples))
	}
	return cmp.Or(cmp.Compare(y.Samples, x.Samples), cmp.Compare(y.Time, x.Time))
}
