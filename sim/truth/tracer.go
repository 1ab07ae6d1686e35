package truth

import "fmt"

// Reset is a reset of the core: all threads and handlers are gone, and the
// function at pc begins.
func (t *Truth) Reset(pc, sp uint32) {
	if t.current != nil {
		t.charge()
	}
	clear(t.stacked)
	t.spare = nil
	t.current = t.start(t.root, pc, sp)
	t.arrives(pc, t.functions.at(pc), 0)
}

// Call is BL or BLX. One into the midst of the function itself is a far jump,
// as compilers make for ARMv6-M.
func (t *Truth) Call(from, to, ret, sp uint32) {
	t.running(from, sp)
	f := t.functions.at(to)
	if f == t.current.leaf().node.function && !t.functions.entry(to, f) {
		return
	}
	t.arrives(to, f, ret)
	t.current.push(f, ret, sp)
}

// Jump is any other branch that may leave the function.
func (t *Truth) Jump(from, to, sp uint32) {
	t.running(from, sp)
	c := t.current
	if c.unwind(to, sp) {
		return
	}
	left := len(c.frames)
	c.discard(sp)
	left -= len(c.frames)
	f := t.functions.at(to)
	if c.leaf().node.function == f && !(left > 0 && c.isCallee(f, sp)) {
		return
	}
	if !t.functions.entry(to, f) && c.unwindInto(f, sp) {
		return
	}
	t.arrives(to, f, c.leaf().ret)
	c.replace(f)
}

// running charges up to now, and starts a thread where nothing is known yet.
func (t *Truth) running(pc, sp uint32) {
	if t.current == nil {
		t.current = t.start(t.root, pc, sp)
	}
	t.charge()
}

// Enter is exception entry.
func (t *Truth) Enter(exc int, ret, frame, excReturn, to uint32) {
	below := t.current
	if below == nil { // tail-chained, or the first event of all
		below = t.resumed(frame, excReturn, ret)
		t.current = below
	}
	t.charge()
	t.stack(below, frame, ret)
	below.process = excReturn&excReturnPSP != 0
	h := t.start(below.leaf().node.child(t.boundaryOf(exc)), to, frame)
	h.leaf().ret = excReturn
	t.arrives(to, t.functions.at(to), excReturn)
	h.below, h.exception = below, exc
	h.inHandler(exc)
	below.handlers++
	t.current = h
}

// excReturnPSP is the bit of EXC_RETURN that says that the frame is on the
// process stack (DDI 0403E, table B1-8).
const excReturnPSP = 1 << 2

// Leave is exception return, to 0 before a tail-chained exception.
func (t *Truth) Leave(_ int, frame, excReturn, to uint32) {
	t.charge()
	if h := t.current; h != nil {
		t.current = nil
		if h.below != nil {
			h.truncate(0, true)
		}
		t.end(h)
	}
	if to == 0 {
		return
	}
	c := t.resumed(frame, excReturn, to)
	delete(t.stacked, frame)
	c.waits = false
	t.current = c
	if c.pc != to { // somebody changed the return address in the frame
		c.pc = to
		if f := t.functions.at(to); f != c.leaf().node.function {
			c.replace(f)
		}
	}
}

// resumed is the context that waits for an exception frame, a new thread where
// no exception stacked that frame.
func (t *Truth) resumed(frame, excReturn, pc uint32) *context {
	if c := t.stacked[frame]; c != nil {
		return c
	}
	c := t.start(t.root, pc, frame+frameBytes(excReturn))
	t.arrives(pc, t.functions.at(pc), 0)
	c.pc = pc
	return c
}

// frameBytes is the size of the exception frame that goes with an EXC_RETURN:
// bit 4 is clear where it has floating-point state (DDI 0403E, B1.5.6, B1.5.8).
func frameBytes(excReturn uint32) uint32 {
	if excReturn&(1<<4) == 0 {
		return 104
	}
	return 32
}

// stack puts an interrupted context where the return into frame finds it. A
// context that waited for the same memory will not come back.
func (t *Truth) stack(c *context, frame, pc uint32) {
	if old := t.stacked[frame]; old != nil && old != c {
		old.waits = false
		t.free(old)
	}
	c.pc, c.key, c.waits = pc, frame, true
	t.stacked[frame] = c
}

// start makes a context whose outermost function is that at pc.
func (t *Truth) start(above *node, pc, sp uint32) *context {
	var c *context
	if n := len(t.spare); n > 0 {
		c = t.spare[n-1]
		t.spare = t.spare[:n-1]
		*c = context{frames: c.frames[:0]}
	} else {
		c = &context{}
	}
	c.frames = append(c.frames, frame{node: above.child(t.functions.at(pc)), sp: sp})
	if t.recorder != nil {
		t.recorder.start(c)
	}
	return c
}

// end is the end of a context that runs: a handler that returns, or a thread
// that the debugger took out of its stack.
func (t *Truth) end(c *context) {
	if b := c.below; b != nil {
		c.below = nil
		b.handlers--
		t.free(b)
	}
	t.free(c)
}

// free keeps a context for the next start, if nothing refers to it.
func (t *Truth) free(c *context) {
	if !c.waits && c.handlers == 0 && c != t.current {
		t.spare = append(t.spare, c)
	}
}

// boundaryOf is the function number that stands for the border between an
// exception's handler and what it interrupted.
func (t *Truth) boundaryOf(exc int) int32 {
	b := &t.boundary[exc&511]
	if *b == 0 {
		*b = int32(len(t.names))
		t.names = append(t.names, fmt.Sprintf("<exception %d>", exc))
	}
	return *b
}
