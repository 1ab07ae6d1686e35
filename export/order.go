package export

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mprof/mprof/profile"
)

// Order is by what the functions of a trace are listed, the largest first.
type Order string

// ByTotal is the order of a Profile.
const ByTotal Order = "total"

// Orders are all orders: the columns of the table.
var Orders = []Order{ByTotal, "self", "calls", "min", "mean", "p50", "p99", "max", "name"}

// OfSamples tells whether it is a column of samples, too.
func (o Order) OfSamples() bool { return o == ByTotal || o == "self" || o == "name" }

// Top lists the functions of samples in this order: that of Profile.Top where it is
// "self" or "".
func (o Order) Top(p *profile.Profile) []profile.Entry {
	all := p.Top()
	slices.SortStableFunc(all, func(a, b profile.Entry) int {
		switch o {
		case ByTotal:
			return cmp.Compare(b.Total, a.Total)
		case "name":
			return cmp.Compare(a.Name, b.Name)
		}
		return 0
	})
	return all
}

// ParseOrder returns the order of that name.
func ParseOrder(name string) (Order, error) {
	if slices.Contains(Orders, Order(name)) {
		return Order(name), nil
	}
	var known []string
	for _, o := range Orders {
		known = append(known, string(o))
	}
	return "", fmt.Errorf("%q is no column to sort by: use one of %s", name, strings.Join(known, ", "))
}

// key is the value of a function that the order looks at.
func (o Order) key(f *profile.FunctionTimes) time.Duration {
	switch o {
	case "self":
		return f.Self
	case "calls":
		return time.Duration(min(f.Calls, 1<<63-1))
	case "min":
		return f.Min
	case "mean":
		return f.Mean
	case "p50":
		return f.P50
	case "p99":
		return f.P99
	case "max":
		return f.Max
	}
	return f.Total
}

// Sorted are the functions of a trace in this order; ties are by total, then by
// name.
func (o Order) Sorted(p *profile.Profile) []profile.FunctionTimes {
	all := slices.Clone(p.Trace.Functions)
	name := func(f profile.FunctionTimes) string { return p.Functions[f.Function].Name }
	slices.SortStableFunc(all, func(a, b profile.FunctionTimes) int {
		if o == "name" {
			return cmp.Compare(name(a), name(b))
		}
		return cmp.Or(cmp.Compare(o.key(&b), o.key(&a)), cmp.Compare(b.Total, a.Total), cmp.Compare(name(a), name(b)))
	})
	return all
}
