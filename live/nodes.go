package live

import (
	"slices"

	"github.com/mprof/mprof/profile"
)

// node is a path of functions, whatever the lines.
type node struct {
	parent, function int32
	category         profile.Category
	inlined          bool  // wherever it was seen
	outermost        bool  // no caller is the same function
	recent           int32 // child that was found last, plus 1
	track, slot      int32 // where counts were found last, slot plus 1
}

// nodeKey tells them apart: a function that was seen asleep and awake is two.
type nodeKey struct {
	parent, function int32
	category         profile.Category
}

// nodes are the flame graph.
type nodes struct {
	all   []node
	rev   []uint64
	index map[nodeKey]int32
}

func newNodes() nodes { return nodes{index: map[nodeKey]int32{}} }

// down is the node of a function called by a parent, -1 for a root.
// changed tells that readers may know it as inlined, which it is no longer.
func (n *nodes) down(k nodeKey, inlined bool, rev uint64) (at int32, changed bool) {
	if at = n.find(k); at >= 0 {
		if x := &n.all[at]; x.inlined && !inlined {
			x.inlined = false
			return at, true
		}
		return at, false
	}
	at = int32(len(n.all))
	x := node{parent: k.parent, function: k.function, category: k.category, inlined: inlined, outermost: true}
	for p := k.parent; p >= 0 && x.outermost; p = n.all[p].parent {
		x.outermost = n.all[p].function != k.function
	}
	n.all, n.rev = append(n.all, x), append(n.rev, rev)
	n.index[k] = at
	return at, false
}

// find is the node of a key, -1 where there is none.
func (n *nodes) find(k nodeKey) int32 {
	if k.parent >= 0 {
		if r := n.all[k.parent].recent - 1; r >= 0 && n.all[r].function == k.function && n.all[r].category == k.category {
			return r
		}
	}
	at, ok := n.index[k]
	if !ok {
		return -1
	}
	if k.parent >= 0 {
		n.all[k.parent].recent = at + 1
	}
	return at
}

// eachFunction calls f once for every function on a path.
func (n *nodes) eachFunction(at int32, f func(function int32)) {
	for ; at >= 0; at = n.all[at].parent {
		if n.all[at].outermost {
			f(n.all[at].function)
		}
	}
}

// path appends the nodes from the root to a node.
func (n *nodes) path(out []int32, at int32) []int32 {
	for ; at >= 0; at = n.all[at].parent {
		out = append(out, at)
	}
	slices.Reverse(out)
	return out
}

func (n *nodes) since(rev uint64) NodeColumns {
	from := newer(n.rev, rev)
	k := len(n.all) - from
	c := NodeColumns{From: from, Parent: make([]int, k), Function: make([]int, k), Category: make([]int, k), Inlined: make([]int, k)}
	for i, x := range n.all[from:] {
		c.Parent[i], c.Function[i], c.Category[i] = int(x.parent), int(x.function), int(x.category)
		if x.inlined {
			c.Inlined[i] = 1
		}
	}
	return c
}
