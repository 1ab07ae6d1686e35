package truth

import (
	"cmp"
	"slices"
)

// widestGap is the largest hole between functions that a table spans: flash
// and RAM get tables of their own. 2 bytes a halfword of code.
const widestGap = 64 << 10

// unsizedTail is how far the last function reaches if it has no size.
const unsizedTail = 4 << 10

// index finds functions by address in constant time: every table has the
// function of each halfword of a range.
type index struct {
	tables []table
	lows   []uint32 // by function number
}

type table struct {
	base uint32
	at   []uint32 // function numbers by halfword from base; 0: none
}

// at is the number of the function at addr, 0 where there is none.
func (x *index) at(addr uint32) int32 {
	for i := range x.tables {
		t := &x.tables[i]
		if j := (addr - t.base) / 2; j < uint32(len(t.at)) && addr >= t.base {
			return int32(t.at[j])
		}
	}
	return 0
}

// entry says whether addr is where function f starts.
func (x *index) entry(addr uint32, f int32) bool { return f != 0 && x.lows[f] == addr }

// newIndex numbers the functions from 1 in the order of their addresses and
// returns their names by number; 0 is Unknown.
func newIndex(functions []Function) (index, []string) {
	all := slices.Clone(functions)
	slices.SortStableFunc(all, func(a, b Function) int { return cmp.Compare(a.Low, b.Low) })
	all = slices.CompactFunc(all, func(kept, f Function) bool { return kept.Low == f.Low })
	for i := range all {
		f := &all[i]
		switch {
		case f.High != 0:
		case i+1 < len(all) && all[i+1].Low-f.Low <= widestGap:
			f.High = all[i+1].Low
		default:
			f.High = f.Low + unsizedTail
		}
	}
	x := index{lows: []uint32{0}}
	names := []string{Unknown}
	for i := 0; i < len(all); {
		j, end := i+1, all[i].High
		for ; j < len(all) && uint64(all[j].Low) <= uint64(end)+widestGap; j++ {
			end = max(end, all[j].High)
		}
		x.tables = append(x.tables, newTable(all[i:j], end, uint32(len(names))))
		for _, f := range all[i:j] {
			x.lows, names = append(x.lows, f.Low), append(names, f.Name)
		}
		i = j
	}
	return x, names
}

// newTable lays functions over each other: the one that starts last is on top.
func newTable(functions []Function, end, number uint32) table {
	base := functions[0].Low
	t := table{base, make([]uint32, (max(end, base)-base+1)/2)}
	for i, f := range functions {
		for a := (f.Low - base) / 2; a < (max(f.High, f.Low)-base+1)/2; a++ {
			t.at[a] = number + uint32(i)
		}
	}
	return t
}
