package cortexm

import (
	"cmp"
	"slices"
)

// Extent is the half-open range [Low, High) of target addresses.
type Extent struct{ Low, High uint32 }

// Range is another word for it, where the range is not that of a stack.
type Range = Extent

// contains tells whether addr lies in e.
func (e Extent) contains(addr uint32) bool { return addr >= e.Low && addr < e.High }

// words is the number of whole words.
func (e Extent) words() int {
	if e.High <= e.Low {
		return 0
	}
	return int(e.High-e.Low) / 4
}

// clamp cuts e to the RAM that holds its low end, so that no read runs into a
// bus fault. Without knowledge of RAM it is as it was.
func (e Extent) clamp(ram []Range) Extent {
	for _, r := range ram {
		if r.contains(e.Low) {
			e.High = min(e.High, r.High)
			return e
		}
	}
	if len(ram) > 0 {
		e.High = e.Low
	}
	return e
}

// merged sorts ranges and joins those that touch.
func merged(ranges []Range) (out []Range) {
	sorted := slices.SortedFunc(slices.Values(ranges), func(a, b Range) int { return cmp.Compare(a.Low, b.Low) })
	for _, r := range sorted {
		if n := len(out); n > 0 && r.Low <= out[n-1].High {
			out[n-1].High = max(out[n-1].High, r.High)
		} else if r.High > r.Low {
			out = append(out, r)
		}
	}
	return out
}

// from raises the low end of e to the start of the RAM that holds its top.
func (e Extent) from(ram []Range) Extent {
	for _, r := range ram {
		if r.contains(e.High - 1) {
			e.Low = max(e.Low, r.Low)
		}
	}
	return e
}

// without are the parts of e outside of o.
func (e Extent) without(o Extent) (parts []Extent) {
	if o.Low >= o.High || o.High <= e.Low || o.Low >= e.High {
		return []Extent{e}
	}
	if e.Low < o.Low {
		parts = append(parts, Extent{e.Low, o.Low})
	}
	if o.High < e.High {
		parts = append(parts, Extent{o.High, e.High})
	}
	return parts
}
