package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Paths are the functions and call paths of a trace, which knows functions by the
// addresses of their entries.
type Paths struct {
	symbolizer Symbolizer
	profile    Profile
	tables     tables
}

// NewPaths starts without any.
func NewPaths(sym Symbolizer) *Paths {
	p := &Paths{symbolizer: sym}
	p.tables = newTables(&p.profile)
	return p
}

// Function is the function at an address, whose bit 0 does not count: the physical one,
// whatever is inlined there. Code of no function of the program is a label:
// what its memory is called, or the address.
func (p *Paths) Function(addr uint32) FunctionIndex {
	return p.profile.Frames[p.frame(addr, Unknown)].Function
}

// Call is the stack of a function that was called by the end of another one.
func (p *Paths) Call(caller StackIndex, addr uint32, in Category) StackIndex {
	return p.tables.stack(caller, p.frame(addr, in))
}

func (p *Paths) frame(addr uint32, in Category) FrameIndex {
	addr &^= 1
	at := p.symbolizer.Lookup(addr)
	if len(at) == 0 {
		// A function was called there, whatever the memory around it is.
		name := strings.TrimSpace(fmt.Sprintf("0x%08x %s", addr, p.symbolizer.Region(addr)))
		return p.tables.frame(Frame{Function: p.tables.function(Function{Name: name, Label: true}, 0), Symbol: None, Addr: addr, Category: Unknown})
	}
	l := &at[len(at)-1]
	return p.tables.frame(Frame{
		Function: p.tables.function(Function{Name: l.Name, Linkage: l.Linkage, File: l.File, Line: l.Line}, l.Low),
		Symbol:   p.tables.symbol(Symbol{Name: l.Linkage, Low: l.Low, High: max(l.Low, l.High)}),
		Addr:     addr, File: l.File, Line: l.Line, Category: in,
	})
}

// Label is a stack that ends with a label.
func (p *Paths) Label(caller StackIndex, name string, in Category) StackIndex {
	f := p.tables.function(Function{Name: name, Label: true}, 0)
	return p.tables.stack(caller, p.tables.frame(Frame{Function: f, Symbol: None, Category: in}))
}

// LabelOf is the label that stands for an exception.
func (p *Paths) LabelOf(exc uint16) string { return exceptionLabel(p.symbolizer.Handler(exc)) }

// At is the function where a stack ends.
func (p *Paths) At(s StackIndex) FunctionIndex {
	return p.profile.Frames[p.profile.Stacks[s].Frame].Function
}

// Row is a function, whose name is not unique yet, and the address of the first code that was seen of
// it.
func (p *Paths) Row(f FunctionIndex) (Function, uint32) {
	return p.profile.Functions[f], p.tables.places[f]
}

// Finish returns the profile of a trace. Tracks, events, t and a are
// its own from then on; Away is overwritten. The paths are used up.
func (p *Paths) Finish(o Options, threads []ThreadTrack, events []Event, t *Trace, a Acquisition, duration time.Duration) *Profile {
	out := &p.profile
	out.Start, out.Period, out.Duration = o.Start, max(o.Period, 0), max(duration, 0)
	out.Mapping, out.Others = o.Mapping, o.Others
	out.Threads, out.Events, out.Trace = threads, events, t
	slices.SortStableFunc(out.Events, func(x, y Event) int { return cmp.Or(cmp.Compare(x.Time, y.Time), cmp.Compare(x.Name, y.Name)) })
	a.Method, a.Away = MethodTrace, away(out.Events)
	out.Taken = a
	p.tables.uniqueNames()
	out.Sources = readSources(out, o.Source)
	return out
}
