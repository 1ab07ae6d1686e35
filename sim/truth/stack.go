package truth

// Frame is one frame of a stack.
type Frame struct {
	Function string
	// PC is the address given in the leaf, the return address in a caller, and
	// the address where execution goes on in an interrupted function; without
	// Thumb bit. 0 in an exception boundary.
	PC        uint32
	Exception int // number of the exception in a boundary, else 0
}

// Stack is the call stack at this moment, leaf first, where pc is the next
// instruction.
func (t *Truth) Stack(pc uint32) []Frame { return t.AppendStack(nil, pc) }

// AppendStack appends the call stack at this moment to dst.
func (t *Truth) AppendStack(dst []Frame, pc uint32) []Frame {
	for c := t.current; c != nil; c = c.below {
		for i := len(c.frames) - 1; i >= 0; i-- {
			f := &c.frames[i]
			dst = append(dst, Frame{Function: t.names[f.node.function], PC: pc})
			pc = f.ret
		}
		if c.below != nil {
			dst = append(dst, Frame{Function: t.names[t.boundaryOf(c.exception)], Exception: c.exception})
			pc = c.below.pc
		}
	}
	return dst
}
