package truth

// Frame is one frame of a stack.
type Frame struct {
	Function string
	// PC is the address given in the leaf, the return address in a caller, and
	// the address where execution goes on in an interrupted function; without
	// Thumb bit. 0 in an exception boundary.
	PC        uint32
	Exception int // number of the exception in a boundary, else 0
	// SP is the stack pointer when the function was called: its frame is below. In
	// the outermost function of a thread, where its stack began as far as is known.
	SP uint32
}

// Stack is the call stack at this moment, leaf first, where pc is the next
// instruction.
func (t *Truth) Stack(pc uint32) []Frame { return t.AppendStack(nil, pc) }

// AppendStack appends the call stack at this moment to dst.
func (t *Truth) AppendStack(dst []Frame, pc uint32) []Frame {
	for c := t.current; c != nil; c = c.below {
		dst = t.appendContext(dst, c, pc)
		if c.below != nil {
			pc = c.below.pc
		}
	}
	return dst
}

// AppendStackOn appends the call stack where the process stack pointer is psp
// and the exception frame there returns to resume. It is AppendStack's, but for
// a handler that switches threads: once it has written PSP, what it will return
// to is the thread that waits there, not the one that it interrupted.
func (t *Truth) AppendStackOn(dst []Frame, pc, psp, resume uint32) []Frame {
	for c := t.current; c != nil; {
		dst = t.appendContext(dst, c, pc)
		below := c.below
		if below != nil && below.process && below.key != psp {
			if below = t.stacked[psp]; below == nil { // a thread that has not run yet
				return append(dst, Frame{Function: t.names[t.functions.at(resume)], PC: resume})
			}
		}
		if c = below; c != nil {
			pc = c.pc
		}
	}
	return dst
}

// appendContext appends the frames of one context that is at pc, and of a
// handler the boundary behind it.
func (t *Truth) appendContext(dst []Frame, c *context, pc uint32) []Frame {
	for i := len(c.frames) - 1; i >= 0; i-- {
		f := &c.frames[i]
		dst = append(dst, Frame{Function: t.names[f.node.function], PC: pc, SP: f.sp})
		pc = f.ret
	}
	if c.below != nil {
		dst = append(dst, Frame{Function: t.names[t.boundaryOf(c.exception)], Exception: c.exception})
	}
	return dst
}
