package export

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mprof/mprof/gmon"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/symbol"
)

// calls takes the arcs.
func (g *gmonReader) calls(arcs []gmon.Arc) {
	for _, a := range arcs {
		r, ok := g.program.Bounds(a.Self)
		if !ok {
			continue // of code that is not known
		}
		var caller *gmonFunction
		if _, known := g.program.Bounds(a.From); known {
			caller = g.function(a.From)
		}
		f := g.function(r.Low)
		if caller != f { // its calls of itself share nothing out
			f.callers = append(f.callers, gmonCall{caller, a.Count})
		}
	}
	for _, f := range g.order {
		f.join()
	}
	g.cycles()
}

// join adds up the calls of each caller.
func (f *gmonFunction) join() {
	low := func(c gmonCall) int64 {
		if c.caller == nil {
			return -1
		}
		return int64(c.caller.low)
	}
	slices.SortFunc(f.callers, func(a, b gmonCall) int { return cmp.Compare(low(a), low(b)) })
	out := f.callers[:0]
	for _, c := range f.callers {
		if n := len(out); n > 0 && out[n-1].caller == c.caller {
			out[n-1].count += c.count
		} else {
			out = append(out, c)
		}
	}
	f.callers = out
}

// maxGmonStacks bounds the call paths, which grow with a power of the depth; maxGmonDepth their length.
const (
	maxGmonStacks = 200_000
	maxGmonDepth  = 256
)

// gmonPath is a way that leads to a function: callers, the nearest first.
type gmonPath struct {
	callers []*gmonFunction
	samples uint64
}

// stacks makes the samples, function by function: the paths that lead to it share its samples,
// and its addresses share those of the paths.
func (g *gmonReader) stacks() {
	g.stacksLeft = maxGmonStacks
	slices.SortFunc(g.order, func(a, b *gmonFunction) int { return cmp.Compare(a.low, b.low) })
	for _, f := range g.order {
		if f.samples == 0 {
			g.calledOnly(f)
			continue
		}
		var paths []gmonPath
		g.climb([]*gmonFunction{f}, f.samples, &paths)
		at, left := 0, f.at[0].samples
		for _, path := range paths {
			root := g.callerStack(path.callers)
			for path.samples > 0 {
				n := min(path.samples, left)
				g.add(f, f.at[at].addr, root, n)
				path.samples -= n
				if left -= n; left == 0 && at+1 < len(f.at) {
					at++
					left = f.at[at].samples
				}
			}
		}
	}
}

// calledOnly adds the frame of a function that was called and never found: it is in no stack, but without its row in
// the table of WriteGmonSymbols gprof would give its calls to the function before.
func (g *gmonReader) calledOnly(f *gmonFunction) {
	if at := g.program.Lookup(f.low); len(at) > 0 {
		l := &at[len(at)-1]
		g.rows.Frame(profile.Frame{Function: g.rows.Function(profile.Function{Name: l.Name, Linkage: l.Linkage, File: l.File, Line: l.Line}, l.Low),
			Symbol: g.symbol(l), Addr: f.low, Category: profile.Thread})
	}
}

// symbol is the row of a physical function.
func (g *gmonReader) symbol(l *symbol.Location) profile.SymbolIndex {
	return g.rows.Symbol(profile.Symbol{Name: l.Linkage, Low: l.Low, High: max(l.Low, l.High)})
}

// climb follows the callers of the last function of a path, as far as they are known.
func (g *gmonReader) climb(path []*gmonFunction, samples uint64, out *[]gmonPath) {
	f := path[len(path)-1]
	calls := f.entries()
	if g.stacksLeft < len(calls) || len(path) >= maxGmonDepth {
		g.cut = g.cut || len(calls) > 0
		calls = nil
	}
	if len(calls) == 0 {
		g.stacksLeft--
		*out = append(*out, gmonPath{slices.Clone(path[1:]), samples})
		return
	}
	counts := make([]uint64, len(calls))
	for i, c := range calls {
		counts[i] = c.count
	}
	for i, n := range shareOut(samples, counts) {
		if n == 0 {
			continue
		}
		up := path
		if f.cycle != nil {
			up = append(slices.Clone(path), f.cycle.way(f, calls[i].entry)...)
		}
		if calls[i].caller != nil {
			g.climb(append(up, calls[i].caller), n, out)
			continue
		}
		g.stacksLeft--
		*out = append(*out, gmonPath{slices.Clone(up[1:]), n})
	}
}

// entries are the calls of f, or of its circle from outside.
func (f *gmonFunction) entries() []gmonEntry {
	if f.cycle != nil {
		return f.cycle.calls
	}
	out := make([]gmonEntry, len(f.callers))
	for i, c := range f.callers {
		out[i] = gmonEntry{c, f}
	}
	return out
}

// callerStack is the stack of a path without its function.
func (g *gmonReader) callerStack(callers []*gmonFunction) profile.StackIndex {
	at := profile.StackIndex(profile.None)
	for i := len(callers) - 1; i >= 0; i-- {
		at = g.frame(at, callers[i].low, true)
	}
	return at
}

// add is n samples at an address of f.
func (g *gmonReader) add(f *gmonFunction, addr uint32, root profile.StackIndex, n uint64) {
	if n > 0 {
		g.samples = append(g.samples, profile.Sample{Count: int(n), Weight: g.length(n), Stack: g.frame(root, addr, false)})
	}
}

// frame is a stack whose innermost frames are the functions at addr: the physical one, and what is
// inlined there. Of a caller only its entry is known, which is in no inlined function.
func (g *gmonReader) frame(root profile.StackIndex, addr uint32, caller bool) profile.StackIndex {
	at := g.program.Lookup(addr)
	if len(at) == 0 {
		label := cmp.Or(g.program.Region(addr), fmt.Sprintf("0x%08x", addr))
		return g.rows.Stack(root, g.rows.Frame(profile.Frame{
			Function: g.rows.Function(profile.Function{Name: label, Label: true}, 0), Symbol: profile.None, Addr: addr, Category: profile.Unknown,
		}))
	}
	outer := at[len(at)-1]
	if caller {
		at = at[len(at)-1:]
	}
	symbol := g.symbol(&outer)
	for i := len(at) - 1; i >= 0; i-- {
		l := &at[i]
		root = g.rows.Stack(root, g.rows.Frame(profile.Frame{
			Function: g.rows.Function(profile.Function{Name: l.Name, Linkage: l.Linkage, File: l.File, Line: l.Line}, l.Low),
			Symbol:   symbol, Addr: addr, File: l.CallFile, Line: l.CallLine, Col: l.CallColumn, Depth: len(at) - 1 - i, Category: profile.Thread,
		}))
	}
	return root
}
