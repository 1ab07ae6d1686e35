// Package placement chooses what to move into a small memory. In: items with a
// size and a value, what the calls between them cost, a budget. Out: the set of
// the greatest value that fits, and a bound where the search was cut short.
package placement

import (
	"fmt"
	"math"
)

// Item is something that can be moved.
type Item struct {
	Size    int64 // bytes
	Value   int64 // what moving it is worth, such as samples
	Bridges []int // those that it needs once it is moved
}

// Bridge is what a moved item needs in order to reach something that stays,
// such as the veneer of a call. Several items share one.
type Bridge struct {
	Size int64 // bytes
	To   int   // the item behind it: the bridge is needless where that is moved, too; -1: it always stays
}

// Problem is a knapsack with bridges.
type Problem struct {
	Items   []Item
	Bridges []Bridge
	Budget  int64 // bytes
}

// Choice is a set of items that fits.
type Choice struct {
	Items   []int // ascending
	Bridges []int // that these items need, ascending
	Value   int64 // of the items
	Size    int64 // of items and bridges, bytes
	Bound   int64 // no set within the budget is worth more
}

// Exact tells whether no other set is worth more.
func (c Choice) Exact() bool { return c.Value == c.Bound }

// maxBudget keeps products of a value and a size in 64 bits.
const maxBudget = 1 << 32

// check refuses what is no problem.
func (p *Problem) check() error {
	if p.Budget < 0 || p.Budget > maxBudget {
		return fmt.Errorf("placement: budget of %d bytes: not in 0 to %d", p.Budget, int64(maxBudget))
	}
	left := math.MaxInt64/(p.Budget+2) - 1
	for i, it := range p.Items {
		if it.Size < 0 || it.Size > maxBudget {
			return fmt.Errorf("placement: item %d: size of %d bytes: not in 0 to %d", i, it.Size, int64(maxBudget))
		}
		if it.Value < 0 || it.Value > left {
			return fmt.Errorf("placement: item %d: value %d: negative, or the sum is too large for a budget of %d bytes", i, it.Value, p.Budget)
		}
		left -= it.Value
		for _, b := range it.Bridges {
			if b < 0 || b >= len(p.Bridges) {
				return fmt.Errorf("placement: item %d: bridge %d: there are %d", i, b, len(p.Bridges))
			}
		}
	}
	for i, b := range p.Bridges {
		if b.Size < 0 || b.Size > maxBudget {
			return fmt.Errorf("placement: bridge %d: size of %d bytes: not in 0 to %d", i, b.Size, int64(maxBudget))
		}
		if b.To < -1 || b.To >= len(p.Items) {
			return fmt.Errorf("placement: bridge %d: to item %d: there are %d", i, b.To, len(p.Items))
		}
	}
	return nil
}

// Choose finds the set of the greatest value within the budget, and of those
// the smallest. Without bridges it is exact by dynamic programming wherever the
// table fits (tableCells); with bridges, or beyond that, by branch and bound,
// which gives up after maxNodes: Choice.Bound then says how much better another
// set could be at most.
func Choose(p Problem) (Choice, error) {
	if err := p.check(); err != nil {
		return Choice{}, err
	}
	s := newSearch(&p)
	s.run()
	return s.choice(), nil
}
