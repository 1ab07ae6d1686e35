package export

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/mprof/mprof/profile"
)

// callNode is a function on one way of calls: all stacks that are the same but for lines and addresses.
// Values are samples, of traced calls nanoseconds.
type callNode struct {
	function    int // -1: small ones, added up
	name        string
	category    profile.Category
	inlined     bool // wherever it is on this way
	self, total int64
	callees     []*callNode // most first

	by [profile.NumCategories]int64 // what its frames count, by their category
}

// newCallTree is the tree below one root that stands for all, without what counts nothing.
func newCallTree(p *profile.Profile) *callNode {
	type key struct {
		caller   *callNode
		function profile.FunctionIndex
	}
	root := &callNode{function: -1, name: "all", category: profile.Unknown}
	known := map[key]*callNode{}
	nodes := make([]*callNode, len(p.Stacks))
	counts := make([]int64, len(p.Stacks))
	for _, s := range p.ByStack() {
		counts[s.Stack] = int64(s.Samples)
		if p.Trace != nil {
			counts[s.Stack] = int64(s.Weight)
		}
	}
	totals := slices.Clone(counts)
	for i, s := range slices.Backward(p.Stacks) { // callers stand before
		if s.Prefix != profile.None {
			totals[s.Prefix] += totals[i]
		}
	}
	for i, s := range p.Stacks {
		caller, f := root, &p.Frames[s.Frame]
		if s.Prefix != profile.None {
			caller = nodes[s.Prefix]
		}
		if totals[i] == 0 {
			nodes[i] = caller // nothing is below it
			continue
		}
		n := known[key{caller, f.Function}]
		if n == nil {
			n = &callNode{function: int(f.Function), name: p.Functions[f.Function].Name, inlined: true}
			known[key{caller, f.Function}] = n
			caller.callees = append(caller.callees, n)
		}
		nodes[i] = n
		n.self += counts[i]
		n.total += totals[i]
		n.by[f.Category] += totals[i]
		n.inlined = n.inlined && f.Depth > 0
		if s.Prefix == profile.None {
			root.total += totals[i]
		}
	}
	root.finish()
	return root
}

// each visits n and all below it, callers first.
func (n *callNode) each(f func(n *callNode)) {
	for pending := []*callNode{n}; len(pending) > 0; {
		last := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		f(last)
		pending = append(pending, last.callees...)
	}
}

// finish chooses categories and orders callees.
func (n *callNode) finish() {
	n.each(func(n *callNode) {
		for category, v := range n.by {
			if v > n.by[n.category] {
				n.category = profile.Category(category)
			}
		}
		slices.SortFunc(n.callees, func(a, b *callNode) int { return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(a.name, b.name)) })
	})
}

// prune leaves at most that many nodes: smaller ones than the rest become one callee of their
// caller, with what they count.
func (n *callNode) prune(most int) {
	var totals []int64
	n.each(func(n *callNode) { totals = append(totals, n.total) })
	if len(totals) <= most {
		return
	}
	slices.Sort(totals)
	limit := totals[len(totals)-most]
	n.each(func(n *callNode) {
		at := slices.IndexFunc(n.callees, func(c *callNode) bool { return c.total <= limit })
		if at < 0 {
			return
		}
		rest := &callNode{function: -1, category: profile.Unknown}
		for _, c := range n.callees[at:] {
			rest.self += c.total
		}
		rest.total, rest.name = rest.self, fmt.Sprintf("<%s, each too small to be drawn>", counted(uint64(len(n.callees)-at), "function"))
		n.callees = append(n.callees[:at:at], rest)
	})
}

// spread is how many times the variance of a share of the samples is that of as many
// independent ones, at most: that of the function where it is largest. 1 where they are
// independent; 0 of traced calls, which are counted and not sampled.
func spread(p *profile.Profile) float64 {
	if p.Trace != nil {
		return 0
	}
	most := 1.0
	if !p.InBlocks() {
		return most
	}
	n := float64(p.Samples())
	for _, e := range p.Top() {
		for _, s := range []profile.Share{e.SelfShare, e.TotalShare} {
			if v := s.Value * (1 - s.Value) / n; v > 0 {
				most = max(most, s.Error*s.Error/v)
			}
		}
	}
	return most
}

// graphTitle is one line on what was measured.
func graphTitle(p *profile.Profile) string {
	title := fmt.Sprintf("%s: %s", processName(p), counted(uint64(p.Samples()), "sample"))
	if p.Trace != nil {
		title = fmt.Sprintf("%s: %s", processName(p), counted(p.Trace.Calls, "call"))
	}
	if p.Duration > 0 {
		title += " in " + seconds(p.Duration)
	}
	return title
}

// graphFacts are the facts of the run, each with a label.
func graphFacts(p *profile.Profile) (out [][2]string) {
	for _, group := range facts(p) {
		for _, f := range group.facts {
			label := f.label
			if group.title == "Remarks" {
				label = "Note " + label
			}
			out = append(out, [2]string{label, f.text()})
		}
	}
	return out
}

// nodeText says what a node counts: how much, which share, with its standard error.
func nodeText(p *profile.Profile, v, all int64, spread float64) string {
	share := 0.0
	if all > 0 {
		share = float64(v) / float64(all)
	}
	if p.Trace != nil {
		return fmt.Sprintf("%s, %s", fmt.Sprintf("%.6g ms", float64(v)/1e6), percent(share))
	}
	e := profile.Share{Value: share, Error: math.Sqrt(spread * share * (1 - share) / float64(max(all, 1)))}
	return fmt.Sprintf("%s, %s ±%s", counted(uint64(v), "sample"), percent(share), errorText(e))
}
