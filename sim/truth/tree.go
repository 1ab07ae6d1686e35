package truth

// node is a function called along one path: the calling-context tree.
type node struct {
	function int32 // number; an exception boundary has one, too
	parent   *node
	first    *node // children are a list, the one used most recently in front
	next     *node

	running, asleep uint64 // cycles of this function on this path
}

// child is the node of a function called from n.
func (n *node) child(function int32) *node {
	if c := n.first; c != nil && c.function == function {
		return c
	}
	return n.search(function)
}

func (n *node) search(function int32) *node {
	for before := n.first; before != nil && before.next != nil; before = before.next {
		if c := before.next; c.function == function {
			before.next = c.next
			c.next, n.first = n.first, c
			return c
		}
	}
	c := &node{function: function, parent: n, next: n.first}
	n.first = c
	return c
}

// walk visits n and everything below, parents first.
func (n *node) walk(visit func(*node)) {
	visit(n)
	for c := n.first; c != nil; c = c.next {
		c.walk(visit)
	}
}
