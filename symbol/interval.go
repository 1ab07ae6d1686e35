package symbol

import (
	"cmp"
	"slices"
	"sort"
)

// intervals finds what lies around an address among ranges that may overlap:
// O(log n) and the number of those that start before the address and are not
// passed by yet.
type intervals[T any] struct {
	list  []interval[T] // sorted by Low
	reach []uint32      // reach[i] is the highest High of list[:i+1]
}

type interval[T any] struct {
	Range
	what T
}

func (x *intervals[T]) add(r Range, what T) {
	x.list = append(x.list, interval[T]{r, what})
}

// sort ends adding.
func (x *intervals[T]) sort() {
	slices.SortStableFunc(x.list, func(a, b interval[T]) int { return cmp.Compare(a.Low, b.Low) })
	x.reach = make([]uint32, len(x.list))
	for i, r := range x.list {
		x.reach[i] = r.High
		if i > 0 {
			x.reach[i] = max(r.High, x.reach[i-1])
		}
	}
}

// around calls do for each range that holds addr, the one that starts last
// first.
func (x *intervals[T]) around(addr uint32, do func(r Range, what T)) {
	i := sort.Search(len(x.list), func(i int) bool { return x.list[i].Low > addr })
	for i--; i >= 0 && x.reach[i] > addr; i-- {
		if x.list[i].High > addr {
			do(x.list[i].Range, x.list[i].what)
		}
	}
}
