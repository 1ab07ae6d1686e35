package live

import (
	"math"

	"github.com/mprof/mprof/profile"
)

// table is one row per function that occurs, as readers have been told it.
type table struct {
	rows []Row // by function
	rev  []uint64
}

// put replaces a row where what is shown of it changes. Shares of all rows change with every
// sample: those of a function that had none in the meantime are told when they are off by
// what can be seen, or exact is asked for.
func (t *table) put(row Row, rev uint64, exact bool) {
	for len(t.rows) <= row.Function {
		t.rows, t.rev = append(t.rows, Row{Function: len(t.rows)}), append(t.rev, 0)
	}
	old := &t.rows[row.Function]
	if row == *old && t.rev[row.Function] > 0 || !exact && old.looksLike(&row) {
		return
	}
	*old = row
	t.rev[row.Function] = rev
}

// looksLike tells that nothing but shares differ, by less than can be seen.
func (a *Row) looksLike(b *Row) bool {
	x, y := *a, *b
	x.SelfShare, x.SelfError, x.TotalShare, x.TotalError = y.SelfShare, y.SelfError, y.TotalShare, y.TotalError
	return x == y && alike(a.SelfShare, b.SelfShare) && alike(a.TotalShare, b.TotalShare) &&
		alike(a.SelfError, b.SelfError) && alike(a.TotalError, b.TotalError)
}

// alike: shares are shown to 0.01 %, below that to two digits.
func alike(a, b float64) bool {
	off := math.Abs(a - b)
	return off == 0 || off < 2e-5 && (max(a, b) >= 1e-4 || off < max(a, b)/100)
}

func (t *table) since(rev uint64) []Row {
	rows := []Row{}
	for f, r := range t.rev {
		if r > rev {
			rows = append(rows, t.rows[f])
		}
	}
	return rows
}

// shares are the row of a function of which so many of n samples are known.
func shares(function int, self, total, n uint64) Row {
	s, t := profile.Proportion(self, n), profile.Proportion(total, n)
	return Row{Function: function, Self: self, Total: total, SelfShare: s.Value, SelfError: s.Error, TotalShare: t.Value, TotalError: t.Error}
}
