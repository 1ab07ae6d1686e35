package calls

import (
	"cmp"
	"slices"

	"github.com/mprof/mprof/profile"
)

// tree holds the call paths. A node is a function called by its parent's; roots
// are contexts, and holes: calls that have not returned yet, whose function
// nobody knows.
type tree struct {
	nodes []node
	index map[uint64]int32 // by parent and place
	live  int              // nodes that are not part of another one
	most  int              // of them, but for those below a label
}

type node struct {
	parent, place int32
	child, next   int32 // first child, next one of the parent; none: 0
	into          int32 // node that this one has become a part of, 0: none
	recent        int32 // child that was found last
	calls         uint64
	self, net     int64
}

// Places of nodes that are no function.
const (
	placeRoot    = -1
	placeHole    = -2
	placeLost    = -3 // the caller's record got lost
	placeUnknown = -4 // it got lost, or is still running
	placeOpen    = -5 // it is still running
	placeMore    = -6 // there are too many paths
)

var placeLabels = map[int32]string{
	placeLost:    "<lost caller>",
	placeUnknown: "<unknown caller>",
	placeOpen:    "<still running>",
	placeMore:    "<more paths>",
}

// newTree is empty. Node 0 is none.
func newTree() tree { return tree{nodes: make([]node, 1, 1024), index: map[uint64]int32{}} }

func key(parent, place int32) uint64 { return uint64(uint32(parent))<<32 | uint64(uint32(place)) }

func (t *tree) add(parent, place int32) int32 {
	n := int32(len(t.nodes))
	t.nodes = append(t.nodes, node{parent: parent, place: place})
	t.live++
	if parent != 0 {
		p := &t.nodes[parent]
		t.nodes[n].next, p.child = p.child, n
		t.index[key(parent, place)] = n
	}
	return n
}

// root is a new node without a parent.
func (t *tree) root(place int32) int32 { return t.add(0, place) }

// find returns the child of a node for a place, 0 where it has none.
func (t *tree) find(parent, place int32) int32 {
	p := &t.nodes[parent]
	if r := p.recent; r != 0 && t.nodes[r].place == place {
		return r
	}
	n := t.index[key(parent, place)]
	if n != 0 {
		p.recent = n
	}
	return n
}

// down is the child of a node for a place. Where there are too many paths, it
// stands below a label in the node's root.
func (t *tree) down(parent, place int32) int32 {
	if n := t.find(parent, place); n != 0 {
		return n
	}
	if t.live >= t.most && place >= 0 {
		top := parent
		for t.nodes[top].parent != 0 {
			top = t.nodes[top].parent
		}
		if parent = t.label(top, placeMore); t.find(parent, place) != 0 {
			return t.find(parent, place)
		}
	}
	n := t.add(parent, place)
	t.nodes[parent].recent = n
	return n
}

// label is the child of a root that stands for callers that are not known.
func (t *tree) label(root, place int32) int32 {
	if n := t.find(root, place); n != 0 {
		return n
	}
	return t.add(root, place)
}

// merge makes everything below a node part of another node.
func (t *tree) merge(from, into int32) {
	for c := t.nodes[from].child; c != 0; {
		next, place := t.nodes[c].next, t.nodes[c].place
		delete(t.index, key(from, place))
		if same := t.find(into, place); same != 0 {
			t.nodes[same].calls += t.nodes[c].calls
			t.nodes[same].self = saturate(t.nodes[same].self, t.nodes[c].self)
			t.nodes[same].net = saturate(t.nodes[same].net, t.nodes[c].net)
			t.merge(c, same)
		} else {
			t.nodes[c].parent, t.nodes[c].next = into, t.nodes[into].child
			t.nodes[into].child = c
			t.index[key(into, place)] = c
		}
		c = next
	}
	n := &t.nodes[from]
	n.child, n.recent, n.into = 0, 0, into
	t.live--
}

// at is the node that a node has become a part of, or itself.
func (t *tree) at(n int32) int32 {
	for t.nodes[n].into != 0 {
		n = t.nodes[n].into
	}
	return n
}

// wasted tells whether it is worth to forget nodes that are parts of others.
func (t *tree) wasted() bool { return len(t.nodes)-t.live > t.most }

// compact forgets them, and returns the new number of every node.
func (t *tree) compact() []int32 {
	moved := make([]int32, len(t.nodes))
	nodes := make([]node, 1, t.live+1)
	for i := 1; i < len(t.nodes); i++ {
		if t.nodes[i].into == 0 {
			moved[i] = int32(len(nodes))
			nodes = append(nodes, t.nodes[i])
		}
	}
	for i := 1; i < len(t.nodes); i++ {
		moved[i] = moved[t.at(int32(i))]
	}
	t.index = make(map[uint64]int32, len(nodes))
	for i := 1; i < len(nodes); i++ {
		n := &nodes[i]
		n.parent, n.child, n.next, n.recent = moved[n.parent], moved[n.child], moved[n.next], 0
		if n.parent != 0 {
			t.index[key(n.parent, n.place)] = int32(i)
		}
	}
	t.nodes, t.live = nodes, len(nodes)-1
	return moved
}

// children of a node, by their places.
func (t *tree) children(n int32) (all []int32) {
	for c := t.nodes[n].child; c != 0; c = t.nodes[c].next {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b int32) int { return cmp.Compare(t.nodes[a].place, t.nodes[b].place) })
	return all
}

// visit calls f for the nodes below one, parents first, with what f returned
// for the parent.
func (t *tree) visit(n int32, above profile.StackIndex, f func(n int32, above profile.StackIndex) profile.StackIndex) {
	for _, c := range t.children(n) {
		t.visit(c, f(c, above), f)
	}
}
