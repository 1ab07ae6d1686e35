package unwind

import (
	"errors"
	"sort"
)

// cfi finds rules in call frame information. Sections are indexed when the
// first rule is asked for, an FDE is lowered when it is first hit.
type cfi struct {
	machine  *machine
	sections []section
	index    index
	built    bool
	damaged  int // FDEs that were needed and could not be decoded
	err      error
}

// table is an FDE lowered to the rules of a machine.
type table struct {
	rows []tableRow // sorted by loc
	err  error
}

type tableRow struct {
	loc  uint32
	rule Rule
}

var errRows = errors.New("too many rows")

// maxRows bounds the rows of one function.
const maxRows = 1 << 16

// find gives the rule at pc and the bounds of the FDE around it.
func (x *cfi) find(c *code, pc uint32) (Rule, Range, bool) {
	d := x.lookup(c, pc)
	if d == nil {
		return Rule{}, Range{}, false
	}
	around := Range{d.low, d.high}
	rows := d.table.rows
	n := sort.Search(len(rows), func(i int) bool { return rows[i].loc > pc })
	if n == 0 || rows[n-1].rule.cfa == unspecified {
		return Rule{}, around, false
	}
	return rows[n-1].rule, around, true
}

// failure says why there is no rule at pc: nil where the sections have nothing
// about it.
func (x *cfi) failure(c *code, pc uint32) error {
	if d := x.lookup(c, pc); d != nil {
		return d.table.err
	}
	return x.index.err
}

// lookup finds the FDE of pc, lowered.
func (x *cfi) lookup(c *code, pc uint32) *description {
	if !x.built {
		x.built = true
		x.index.build(x.sections, c)
		x.err = x.index.err
	}
	d := x.index.find(pc, c)
	if d == nil {
		return nil
	}
	if d.table == nil {
		d.table = lowerAll(d, x.machine)
		if d.table.err != nil {
			x.damaged++
			if x.err == nil {
				x.err = d.table.err
			}
		}
	}
	return d
}

// lowerAll runs the instructions of an FDE. The last row says where the rules
// end: that of the function, or earlier after an error.
func lowerAll(d *description, m *machine) *table {
	t := &table{}
	end, full := d.low, false
	err := d.sec.rows(&d.fde, func(r row, next uint32) bool {
		if full = len(t.rows) == maxRows; full {
			return false
		}
		if next == r.loc {
			return true
		}
		rule, _ := lower(r, d.cie.ra, m)
		rule.exact = d.cie.signal
		t.rows = append(t.rows, tableRow{r.loc, rule})
		end = next
		return true
	})
	if full && err == nil {
		err = &DecodeError{Section: d.sec.name, Offset: uint32(d.offset), Err: errRows}
	}
	t.err = err
	t.rows = append(t.rows, tableRow{loc: end})
	return t
}
