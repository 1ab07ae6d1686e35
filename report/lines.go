package report

import (
	"slices"

	"github.com/mprof/mprof/profile"
)

// lineBuilder counts what falls to the lines of a function. Parts are numbered: two of the function, two of each place, see counter.
type lineBuilder struct {
	counter
	p        *profile.Profile
	function profile.FunctionIndex
	index    map[place]int
	places   []place
	symbols  []profile.SymbolIndex // that its frames are in
	addrs    map[string][]uint32   // of frames, by file
	amounts  []Amount
	traced   bool
}

func newLineBuilder(p *profile.Profile, f profile.FunctionIndex) *lineBuilder {
	b := &lineBuilder{p: p, function: f, index: map[place]int{}, addrs: map[string][]uint32{}, traced: p.Trace != nil}
	for i := range p.Frames {
		frame := &p.Frames[i]
		if frame.Function != f {
			continue
		}
		if at := placeOf(frame); b.index[at] == 0 {
			b.places = append(b.places, at)
			b.index[at] = len(b.places)
			b.addrs[at.file] = append(b.addrs[at.file], frame.Addr)
		}
		if frame.Symbol != profile.None && !slices.Contains(b.symbols, frame.Symbol) {
			b.symbols = append(b.symbols, frame.Symbol)
		}
	}
	n := 2 + 2*len(b.places)
	b.counter = newCounter(n)
	b.amounts = amounts(p, n, b.in)
	return b
}

func placeOf(f *profile.Frame) place {
	if f.Line <= 0 {
		return place{}
	}
	return place{f.File, f.Line}
}

// in lists the parts that a stack belongs to.
func (b *lineBuilder) in(_ int, at profile.StackIndex) []int32 {
	b.begin()
	for s, f := range b.p.Callers(at) {
		if f.Function == b.function {
			b.add(0, s == at)
			b.add(2*b.index[placeOf(f)], s == at)
		}
	}
	return b.parts
}

// unknown is what fell to no line that is known.
func (b *lineBuilder) unknown() Amount {
	if i := b.index[place{}]; i > 0 {
		return b.amounts[2*i+1]
	}
	return Amount{Traced: b.traced}
}

func compareBool(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return 1
	}
	return -1
}
