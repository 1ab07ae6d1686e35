package export

import (
	"cmp"
	"slices"

	"github.com/mprof/mprof/gmon"
	"github.com/mprof/mprof/profile"
)

// gmonArcs are the traced calls by caller and callee, both by the address of their entry, which is
// all that a trace says. Calls by no function, such as those of handlers, come from addresses
// at the end of the address space, where no code is: see gmonRoots.
func gmonArcs(p *profile.Profile) (arcs []gmon.Arc) {
	if p.Trace == nil {
		return nil
	}
	type arc struct{ from, self uint32 }
	counts := map[arc]uint64{}
	roots := gmonRoots(p)
	for _, s := range p.ByStack() {
		self, known := physicalAddr(p, s.Stack)
		if !known || s.Samples == 0 {
			continue
		}
		counts[arc{gmonCaller(p, s.Stack, roots), self}] += uint64(s.Samples)
	}
	for a, n := range counts {
		arcs = append(arcs, gmon.Arc{From: a.from, Self: a.self, Count: n})
	}
	slices.SortFunc(arcs, func(a, b gmon.Arc) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Self, b.Self)) })
	return arcs
}

// gmonCaller is the address of what called the function where a stack ends.
func gmonCaller(p *profile.Profile, s profile.StackIndex, roots map[string]uint32) uint32 {
	for p.Frames[p.Stacks[s].Frame].Depth > 0 { // inlined: up to the physical function
		s = p.Stacks[s].Prefix
	}
	caller := p.Stacks[s].Prefix
	if caller == profile.None {
		return roots[noCaller]
	}
	if addr, known := physicalAddr(p, caller); known {
		return addr
	}
	return roots[rootName(p, caller)]
}

const (
	noCaller = "<no caller>"
	lastRoot = 0xfffffffc // behind it is gprof's last symbol, which it never looks up
	endRoots = 0xfffff000 // what is from here on is no code
	noRoot   = endRoots
)

func rootName(p *profile.Profile, s profile.StackIndex) string {
	return p.Functions[p.Frames[p.Stacks[s].Frame].Function].Name
}

// gmonRoots gives an address to each label that calls functions: exceptions, what is below a cut, and
// what has no caller at all. gprof knows no symbol there and drops such arcs, as it does
// with those that mcount counts in handlers, whose caller is an EXC_RETURN value.
func gmonRoots(p *profile.Profile) map[string]uint32 {
	roots := map[string]uint32{}
	if p.Trace == nil {
		return roots
	}
	names := []string{noCaller}
	for i := range p.Stacks {
		if prefix := p.Stacks[i].Prefix; prefix != profile.None {
			if _, known := physicalAddr(p, prefix); !known {
				names = append(names, rootName(p, prefix))
			}
		}
	}
	slices.Sort(names)
	for i, name := range slices.Compact(names) {
		roots[name] = uint32(max(lastRoot-2*i, noRoot))
	}
	return roots
}
