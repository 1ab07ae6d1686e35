package unwind

import (
	"cmp"
	"slices"
	"sort"
)

// description is an FDE in the index: the addresses that it is trusted for and
// its rules once they were asked for.
type description struct {
	fde
	sec     *section
	from    uint32 // trusted for [from, to), which no other description is
	to      uint32
	weak    bool // no function symbol confirms it
	matches bool // the symbol has the same end
	table   *table
}

// index finds the FDE of an address.
type index struct {
	sorted  []description // by from; ranges do not overlap
	ignored int           // FDEs of functions that the linker dropped
	err     error         // the first that made a section end early
}

// build reads the heads of all CIEs and FDEs once: O(n log n).
//
// Linkers leave the FDEs of dropped functions behind, at address 0 or where
// other code lies now. So an FDE counts only inside an executable range, a
// function symbol that starts where it starts makes it strong, and a strong one
// displaces others.
func (x *index) build(sections []section, c *code) {
	var all []description
	for i := range sections {
		s := &sections[i]
		err := s.each(func(f fde) { all = x.consider(all, s, f, c) })
		if x.err == nil {
			x.err = err
		}
	}
	slices.SortStableFunc(all, func(a, b description) int {
		if n := cmp.Compare(a.low, b.low); n != 0 {
			return n
		}
		return cmp.Compare(a.rank(), b.rank())
	})
	x.disentangle(all)
}

func (d *description) rank() int {
	switch {
	case d.weak:
		return 2
	case d.matches:
		return 0
	}
	return 1
}

func (x *index) consider(all []description, s *section, f fde, c *code) []description {
	if f.low == f.high {
		return all
	}
	if !c.holds(f.low, f.high) {
		x.ignored++
		return all
	}
	d := description{fde: f, sec: s, from: f.low, to: f.high, weak: true}
	if fn, ok := c.function(f.low); ok && fn.Contains(f.low) {
		d.weak = fn.Low != f.low && f.high > fn.High
		d.matches = fn.Low == f.low && fn.High == f.high
	}
	return append(all, d)
}

// disentangle drops weak descriptions that overlap strong ones; of two that
// start together the better ranked stays, and one that starts inside another
// ends it.
func (x *index) disentangle(all []description) {
	var strong []Range
	for i := range all {
		if !all[i].weak {
			strong = append(strong, Range{all[i].low, all[i].high})
		}
	}
	// reach[i] is the highest end of strong[:i+1]: overlap is one comparison.
	reach := make([]uint32, len(strong))
	for i, r := range strong {
		reach[i] = r.High
		if i > 0 {
			reach[i] = max(r.High, reach[i-1])
		}
	}
	for _, d := range all {
		if d.weak {
			if n := sort.Search(len(strong), func(i int) bool { return strong[i].Low >= d.high }); n > 0 && reach[n-1] > d.low {
				x.ignored++
				continue
			}
		}
		if n := len(x.sorted); n > 0 {
			before := &x.sorted[n-1]
			if before.from == d.from {
				x.ignored++
				continue
			}
			before.to = min(before.to, d.from)
		}
		x.sorted = append(x.sorted, d)
	}
}

// each calls do for every FDE of the section. An entry that cannot be read is
// passed over where its length is known; the first such error is returned.
func (s *section) each(do func(fde)) error {
	c := newCursor(s.name, s.data)
	var first error
	note := func(err error) {
		if first == nil {
			first = err
		}
	}
	cies := map[int]*cie{}
	for c.more() {
		e, ok := s.nextEntry(&c)
		if !ok {
			if c.err == nil && !s.eh { // a length of 0 is padding here, the end in .eh_frame
				continue
			}
			note(c.err)
			if e.end == 0 {
				break
			}
			c.err, c.off = nil, e.end
			continue
		}
		if e.id >= 0 {
			k, known := cies[e.id]
			if !known {
				var err error
				k, err = s.readCIE(e.id)
				if err != nil {
					note(err)
					k = nil
				}
				cies[e.id] = k
			}
			if k != nil {
				f, err := s.readFDE(c, e, k)
				if err != nil {
					note(err)
				} else {
					do(f)
				}
			}
		}
		c.off = e.end
	}
	return first
}

// find gives the description trusted for pc. A weak one is not where a symbol
// says that another function lies there.
func (x *index) find(pc uint32, c *code) *description {
	n := sort.Search(len(x.sorted), func(i int) bool { return x.sorted[i].from > pc })
	if n == 0 {
		return nil
	}
	d := &x.sorted[n-1]
	if pc >= d.to {
		return nil
	}
	if d.weak {
		if _, ok := c.function(pc); ok {
			return nil
		}
	}
	return d
}
