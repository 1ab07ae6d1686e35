package unwind

// crossing is a way to read an exception return: what EXC_RETURN says and what
// it leaves open.
type crossing struct {
	excReturn
	process bool // the frame is on the process stack
	secret  bool // it has S16-S31
}

// cross goes from a handler to what it interrupted: b is the boundary frame
// between the two, w.regs the handler's caller-to-be, whose return address is
// the exception return v. Where v leaves something open, that is taken which fits
// the program; where several do, nothing is known of the stack pointer.
func (w *walk) cross(b *Frame, v uint32) (Stop, bool) {
	e, _ := excReturnOf(v)
	w.stacks.settle(int(e & excES))
	var room [4]crossing
	ways := w.ways(room[:0], e)
	if len(ways) == 1 || w.trying {
		return w.enter(b, ways[0])
	}
	best, clear := w.farthest(len(ways), func(trial *walk, i int) (Stop, bool) {
		var f Frame
		return trial.enter(&f, ways[i])
	})
	if openStack := ways[0].process != ways[1].process; openStack && !(clear && w.hasBoth(1-w.stacks.present)) {
		return Stop{OtherState, v}, false
	}
	stop, ok := w.enter(b, ways[best])
	if ok && !clear && !w.inferred {
		w.forget(w.m.sp)
	}
	return stop, ok
}

// ways lists how e can be read, the likeliest first.
func (w *walk) ways(dst []crossing, e excReturn) []crossing {
	c := crossing{excReturn: e, process: e.thread() && e.spsel()}
	if w.inferred {
		c.excReturn |= excFType
		extended := c
		extended.excReturn &^= excFType
		return append(dst, c, extended)
	}
	openStack, openFrame := false, false
	if e.flips() && e.thread() {
		process, known := w.threadStack(1 - w.stacks.present)
		c.process, openStack = process, !known
	}
	if e.extended() && e.toSecure() {
		secret, known := w.secret()
		c.secret, openFrame = secret, !known
	}
	dst = append(dst, c)
	if openStack {
		c.process = !c.process
		dst = append(dst, c)
	}
	if openFrame {
		for _, c := range dst {
			c.secret = true
			dst = append(dst, c)
		}
	}
	return dst
}

// enter reads the exception frame and enters the frame that was interrupted.
func (w *walk) enter(b *Frame, c crossing) (Stop, bool) {
	v := uint32(c.excReturn)
	w.leave()
	state := w.stacks.present
	if c.flips() {
		state = 1 - state
	}
	at, ok := w.stackPointer(state, c.process)
	switch {
	case !ok && c.flips():
		return Stop{OtherState, v}, false
	case !ok:
		return Stop{NoRegister, v}, false
	case at%w.m.align != 0:
		return Stop{NoProgress, at}, false
	}
	w.stacks.spsel[w.stacks.present], w.stacks.setSPSEL[w.stacks.present] = c.spsel(), true
	w.enterStack(state, c.process, at)
	frame := at
	if c.callee() {
		if stop, ok := w.unstackCallee(c.excReturn, at); !ok {
			return stop, false
		}
		frame += 4 * calleeWords
	}
	xpsr, ok := w.unstack(frame)
	if !ok {
		return Stop{NotCaptured, w.mem.missing}, false
	}
	pc, ok := w.mem.word(frame + 4*pcWord)
	if !ok {
		return Stop{NotCaptured, frame + 4*pcWord}, false
	}
	ipsr := uint16(xpsr & ipsrMask)
	switch {
	case xpsr&reservedXPSR != 0:
		return Stop{BadFrame, frame + 4*xpsrWord}, false
	case c.thread() != (ipsr == 0):
		return Stop{BadRA, pc}, false
	}
	sp := frame + 4*c.words()
	if xpsr&alignBit != 0 {
		sp += 4
	}
	if sp < at {
		return Stop{NoProgress, at}, false
	}
	b.CFA = sp
	w.regs.set(w.m.sp, sp)
	w.ipsr, w.haveIPSR, w.floor = ipsr, true, sp
	return w.interrupted(pc&^1, FromExceptionFrame)
}

// words is the size of the frame from R0 on.
func (c crossing) words() uint32 {
	switch {
	case !c.extended():
		return basicWords
	case c.secret:
		return extendedWords + secretWords
	}
	return extendedWords
}

// unstack says where R0-R3, R12 and LR stand in the frame at addr. Only the
// xPSR, which it returns, must be there.
func (w *walk) unstack(at uint32) (xpsr uint32, ok bool) {
	for i, column := range [...]uint32{0, 1, 2, 3, 12, 14} {
		w.save(column, at+uint32(4*i))
	}
	return w.mem.word(at + 4*xpsrWord)
}

// unstackCallee says where R4-R11 stand in the additional state context at addr.
func (w *walk) unstackCallee(e excReturn, at uint32) (Stop, bool) {
	v, ok := w.mem.word(at)
	switch {
	case !ok:
		return Stop{NotCaptured, at}, false
	case !e.signed(v):
		return Stop{BadFrame, at}, false
	}
	for i := range uint32(8) {
		w.save(4+i, at+4*(calleeRegisters+i))
	}
	return Stop{}, true
}
