package diff

import (
	"cmp"
	"math"
	"slices"
)

// changes are what is tested of a row.
func (r *Row) changes() []*Change {
	return []*Change{&r.Self, &r.Total, &r.Call, &r.CallRate}
}

// weigh says which changes of the whole comparison are significant.
func (d *Diff) weigh() {
	var all []*Change
	for _, rows := range [][]Row{d.Functions, d.Contexts} {
		for i := range rows {
			all = append(all, rows[i].changes()...)
		}
	}
	d.Tests = weigh(all)
}

// weigh adjusts P for how many changes are looked at together, and says which are
// significant: by S. Holm's procedure (Scand. J. Statist. 6, 1979, 65), the chance of
// calling anything significant that has not changed is at most 1 - Level, however the
// changes depend on each other. That is what a gate in CI needs; to bound the
// share of false ones among many (Benjamini and Hochberg) would not. Changes with so few samples
// that even all of them in one run would prove nothing do not count (R. E. Tarone,
// Biometrics 46, 1990, 515). It returns how many do.
func weigh(all []*Change) (tests int) {
	var known []*Change
	for _, c := range all {
		if c.Known {
			known = append(known, c)
		}
		c.Significant, c.Few, c.Adjusted = false, false, 1
	}
	tested := enough(known)
	slices.SortStableFunc(tested, func(a, b *Change) int { return cmp.Compare(a.P, b.P) })
	adjusted := 0.
	for i, c := range tested {
		adjusted = max(adjusted, math.Min(1, c.P*float64(len(tested)-i)))
		c.Adjusted = adjusted
		c.Significant = adjusted < 1-Level
	}
	return len(tested)
}

// enough leaves out those with too few samples: k is the least number of tests such that no
// more than k could give a P of (1 - Level) / k.
func enough(known []*Change) (tested []*Change) {
	slices.SortStableFunc(known, func(a, b *Change) int { return cmp.Compare(a.least, b.least) })
	k := 0
	for k < len(known) && known[k].least <= (1-Level)/float64(k+1) {
		k++
	}
	for i, c := range known {
		c.Few = i >= k
	}
	return known[:k]
}

// sort puts what is significant first, then what changed most.
func (d *Diff) sort() {
	for _, rows := range [][]Row{d.Functions, d.Contexts} {
		slices.SortStableFunc(rows, func(a, b Row) int {
			return cmp.Or(-compareBool(a.Significant(), b.Significant()), cmp.Compare(b.size(), a.size()), cmp.Compare(a.Name, b.Name))
		})
	}
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// Significant tells whether any change of the row is.
func (r *Row) Significant() bool {
	return slices.ContainsFunc(r.changes(), func(c *Change) bool { return c.Significant })
}

// size is the largest change of a share: of those that are significant, where any is.
func (r *Row) size() (size float64) {
	significant := r.Self.Significant || r.Total.Significant
	for _, c := range []*Change{&r.Self, &r.Total} {
		if c.compared && (c.Significant || !significant) {
			size = max(size, math.Abs(c.Value))
		}
	}
	return size
}
