package profile

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/mprof/mprof/unwind"
)

// Cut counts stacks that end for one reason with one function: what is not
// known of them are its callers.
type Cut struct {
	Reason   unwind.Reason
	Function string
	Stacks   uint64
}

// cutAt is where a stack is known no farther: the lookup address of its last
// frame that is no guess.
type cutAt struct {
	reason unwind.Reason
	addr   uint32
}

// cuts counts stacks by where they end.
type cuts map[cutAt]uint64

func (c cuts) add(frames []unwind.Frame, stop unwind.Stop) {
	known := len(frames) - int(guessed(frames))
	for known > 0 && frames[known-1].Kind == unwind.Exception {
		known--
	}
	if stop.Reason != unwind.Complete && known > 0 {
		c[cutAt{stop.Reason, frames[known-1].LookupPC()}]++
	}
}

// list names the functions; most stacks first.
func (c cuts) list(sym Symbolizer) []Cut {
	type name struct {
		reason   unwind.Reason
		function string
	}
	named := map[name]uint64{}
	for at, n := range c {
		named[name{at.reason, physicalName(sym, at.addr)}] += n
	}
	var all []Cut
	for k, n := range named {
		all = append(all, Cut{k.reason, k.function, n})
	}
	slices.SortFunc(all, func(a, b Cut) int {
		return cmp.Or(cmp.Compare(b.Stacks, a.Stacks), cmp.Compare(a.Function, b.Function), cmp.Compare(a.Reason, b.Reason))
	})
	return all
}

// physicalName is that of the physical function at addr.
func physicalName(sym Symbolizer, addr uint32) string {
	if at := sym.Lookup(addr); len(at) > 0 {
		return cmp.Or(at[len(at)-1].Name, fmt.Sprintf("0x%08x", at[len(at)-1].Low))
	}
	return cmp.Or(sym.Region(addr&^1), fmt.Sprintf("0x%08x", addr&^1))
}
