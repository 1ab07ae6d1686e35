package truth

// frame is one function on a shadow stack.
type frame struct {
	node *node
	ret  uint32  // where it returns to; unused in the outermost
	sp   uint32  // the stack pointer when it was called, and again when it has returned
	open *opened // its record; nil: it has none
}

// context is one flow of execution: a thread, or the run of one handler on top
// of what it interrupted. frames[0] is its outermost function and never popped.
type context struct {
	frames    []frame
	below     *context  // of a handler: what it interrupted
	exception int       // of a handler
	pc        uint32    // of an interrupted context: where it goes on
	key       uint32    // address of the exception frame that it waits for
	waits     bool      // it is in Truth.stacked
	process   bool      // that frame is on the process stack
	handlers  int       // how many contexts have it below
	recorded  *recorded // nil: calls are not recorded
}

// deepest bounds a shadow stack: a program that calls on and on without moving
// its stack pointer (a call that never returns, used as a jump) is not followed
// further.
const deepest = 4096

func (c *context) leaf() *frame { return &c.frames[len(c.frames)-1] }

// push is a call. Frames that lie below the stack pointer are gone.
func (c *context) push(function int32, ret, sp uint32) {
	c.discard(sp)
	if len(c.frames) == deepest {
		c.replace(function)
		return
	}
	c.frames = append(c.frames, frame{node: c.leaf().node.child(function), ret: ret, sp: sp})
	c.begins()
}

// discard pops the frames of functions that were called when the stack pointer
// was lower than sp: they have left without returning.
func (c *context) discard(sp uint32) {
	for len(c.frames) > 1 && c.leaf().sp < sp {
		c.truncate(len(c.frames)-1, false)
	}
}

// truncate pops frames until n are left. The outermost of them returned, or was
// left like those above it.
func (c *context) truncate(n int, returned bool) {
	if c.recorded != nil {
		c.ends(n, returned)
	}
	c.frames = c.frames[:n]
}

// unwind pops the frames that a jump to an address with this stack pointer
// returns from, if it is a return.
func (c *context) unwind(to, sp uint32) bool {
	n := len(c.frames)
	for i := n - 1; i > 0 && c.frames[i].sp <= sp; i-- {
		if c.frames[i].ret == to && c.frames[i].sp == sp {
			c.truncate(i, true)
			return true
		}
	}
	if n > 1 && c.frames[n-1].ret == to { // onto another stack
		c.truncate(n-1, true)
		return true
	}
	return false
}

// unwindInto pops frames down to one of a function, where all above it may have
// left: the one whose callee was called with this stack pointer, as a handler of
// an exception of C++ finds it again, or else the innermost; false if there is
// none.
func (c *context) unwindInto(function int32, sp uint32) bool {
	found := 0
	for i := len(c.frames) - 1; i > 0 && c.frames[i].sp <= sp; i-- {
		if c.frames[i-1].node.function != function {
			continue
		}
		if c.frames[i].sp == sp {
			found = i
			break
		}
		if found == 0 {
			found = i
		}
	}
	if found == 0 {
		return false
	}
	c.truncate(found, false)
	return true
}

// isCallee tells that the leaf was called by the same function with this stack
// pointer: who now runs with it is the caller.
func (c *context) isCallee(function int32, sp uint32) bool {
	n := len(c.frames)
	return n > 1 && c.frames[n-1].sp == sp && c.frames[n-2].node.function == function
}

// replace is a tail call.
func (c *context) replace(function int32) {
	if c.recorded != nil {
		c.endsLeaf()
	}
	f := c.leaf()
	f.node = f.node.parent.child(function)
	c.begins()
}
