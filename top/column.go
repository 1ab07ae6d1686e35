package top

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/live"
)

// column is one of the table.
type column struct {
	name string
	key  string // for --sort; "": nothing is sorted by it
	cell func(e *entry) string
	// order puts the first of two above the other. Columns of numbers begin with the largest.
	order func(a, b *entry) int
	// keep is how long the column stays when the terminal gets narrow: the lowest goes first.
	keep int
}

// sampleColumns are those of the summary of samples.
var sampleColumns = []column{
	{"self", "self", func(e *entry) string { return export.Percent(e.SelfShare) }, largest(func(e *entry) uint64 { return e.Self }), 9},
	{"±", "", func(e *entry) string { return export.PercentPoints(e.SelfError) }, nil, 8},
	{"samples", "", func(e *entry) string { return fmt.Sprint(e.Self) }, nil, 2},
	{"total", "total", func(e *entry) string { return export.Percent(e.TotalShare) }, largest(func(e *entry) uint64 { return e.Total }), 7},
	{"±", "", func(e *entry) string { return export.PercentPoints(e.TotalError) }, nil, 6},
	{"samples", "", func(e *entry) string { return fmt.Sprint(e.Total) }, nil, 1},
}

// callColumns are those of the summary of traced calls.
var callColumns = []column{
	{"calls", "calls", func(e *entry) string { return fmt.Sprint(e.Calls) }, largest(func(e *entry) uint64 { return e.Calls }), 7},
	{"total", "total", func(e *entry) string { return least(e) + span(e.TotalTime) }, largest(func(e *entry) float64 { return e.TotalTime }), 9},
	{"self", "self", func(e *entry) string { return span(e.SelfTime) }, largest(func(e *entry) float64 { return e.SelfTime }), 8},
	{"min", "min", returned(func(e *entry) string { return span(e.Min) }), largest(func(e *entry) float64 { return e.Min }), 3},
	{"mean", "mean", returned(func(e *entry) string { return least(e) + span(e.Mean) }), largest(func(e *entry) float64 { return e.Mean }), 6},
	{"p50", "p50", returned(func(e *entry) string { return span(e.P50) }), largest(func(e *entry) float64 { return e.P50 }), 2},
	{"p99", "p99", returned(func(e *entry) string { return span(e.P99) }), largest(func(e *entry) float64 { return e.P99 }), 4},
	{"max", "max", returned(func(e *entry) string { return least(e) + span(e.Max) }), largest(func(e *entry) float64 { return e.Max }), 5},
	{"at", "", returned(func(e *entry) string { return moment(e.LongestAt) }), nil, 1},
	{"on clock", "", returned(func(e *entry) string { return least(e) + span(e.Longest) }), nil, 1},
}

// nameColumn is the last one of both.
var nameColumn = column{name: "function", key: "name", order: func(a, b *entry) int { return strings.Compare(a.name, b.name) }}

// Keys are the columns that a table can be sorted by, its own order first.
func Keys(k live.Kind) (keys []string) {
	for _, c := range append(slices.Clone(columnsOf(k)), nameColumn) {
		if c.key != "" {
			keys = append(keys, c.key)
		}
	}
	if own := ownOrder(k); keys[0] != own {
		keys = append([]string{own}, slices.DeleteFunc(keys, func(k string) bool { return k == own })...)
	}
	return keys
}

// ownOrder is that of the summary.
func ownOrder(k live.Kind) string {
	if k == live.Calls {
		return "total"
	}
	return "self"
}

func columnsOf(k live.Kind) []column {
	if k == live.Calls {
		return callColumns
	}
	return sampleColumns
}

// contextColumns are what is known of one context: of its calls how many and how long they took
// in all, not each of them.
func contextColumns(k live.Kind) []column {
	if k == live.Calls {
		return callColumns[:3]
	}
	return sampleColumns
}

func largest[T cmp.Ordered](of func(*entry) T) func(a, b *entry) int {
	return func(a, b *entry) int { return cmp.Compare(of(b), of(a)) }
}

// sorted orders entries by a column; equal ones as the summary does.
func sorted(all []entry, k live.Kind, key string, reverse bool) {
	var by func(a, b *entry) int
	for _, c := range append(slices.Clone(columnsOf(k)), nameColumn) {
		if c.key == key {
			by = c.order
		}
	}
	slices.SortFunc(all, func(x, y entry) int {
		order := 0
		if by != nil {
			order = by(&x, &y)
		}
		if reverse {
			order = -order
		}
		if k == live.Calls {
			return cmp.Or(order, cmp.Compare(y.TotalTime, x.TotalTime), strings.Compare(x.name, y.name))
		}
		return cmp.Or(order, cmp.Compare(y.Self, x.Self), cmp.Compare(y.Total, x.Total), strings.Compare(x.name, y.name))
	})
}

// returned is a cell that is empty where no call has returned yet: its time is not known.
func returned(cell func(*entry) string) func(*entry) string {
	return func(e *entry) string {
		if e.Calls == 0 {
			return "-"
		}
		return cell(e)
	}
}

// least stands before a time that is only a lower bound.
func least(e *entry) string {
	if e.AtLeast {
		return ">"
	}
	return ""
}

func span(seconds float64) string { return export.Duration(time.Duration(seconds * 1e9)) }
