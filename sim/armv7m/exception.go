package armv7m

// frameSize is the basic exception frame: r0-r3, r12, LR, ReturnAddress, xPSR.
const frameSize = 32

// EXC_RETURN values, DDI 0403E B1.5.8, tables B1-8 and B1-9.
const (
	excReturnHandler = 0xfffffff1
	excReturnMSP     = 0xfffffff9
	excReturnPSP     = 0xfffffffd
	excReturnBasic   = 1 << 4 // clear: the frame is extended
)

// enter is ExceptionEntry (DDI 0403E B1.5.6): stacking, then the most urgent
// exception there is at its end (late arrival).
func (c *Core) enter(exc int) {
	exRet := uint32(excReturnMSP)
	switch {
	case c.ipsr != 0:
		exRet = excReturnHandler
	case c.process:
		exRet = excReturnPSP
	}
	extended := c.control&controlFPCA != 0
	if extended {
		exRet &^= excReturnBasic
	}
	ret, before := c.pc, c.cycles
	frame, ok := c.pushFrame(extended)
	c.cycles += costEntry
	if ok && extended {
		ok = c.pushFP(exc, frame)
	}
	if !ok {
		c.stackingFault(exc, bfsrSTKERR)
	}
	c.entryCycles += c.cycles - before
	c.take(exc, ret, frame, exRet)
}

// pushFrame is PushStack (DDI 0403E B1.5.6) but for the floating-point words of
// an extended frame. The stack pointer moves even where a write fails.
func (c *Core) pushFrame(extended bool) (frame uint32, ok bool) {
	align, size := c.r[sp]&4, uint32(frameSize)
	if extended {
		size = extendedFrameSize
	} else if c.ccr&ccrSTKALIGN == 0 {
		align = 0
	}
	frame = (c.r[sp] - size) &^ align
	c.r[sp] = frame
	words := [...]uint32{c.r[0], c.r[1], c.r[2], c.r[3], c.r[12], c.r[lr], c.pc, c.xpsr()&^(1<<9) | align<<7}
	ok = true
	for i, w := range words {
		ok = ok && c.write(frame+uint32(4*i), 4, w, asException)
	}
	return frame, ok
}

// take is ExceptionTaken (DDI 0403E B1.5.6) for exc or, if one has become
// pending that is more urgent, for that. Stacking is done.
func (c *Core) take(exc int, ret, frame, exRet uint32) {
	c.catchUp()
	exc = c.lateArrival(exc)
	vector, ok := c.read(c.vtor+uint32(4*exc), 4, asException)
	if !ok {
		c.hfsr |= hfsrVECTTBL
		if exc > excHardFault {
			exc = excHardFault
			vector, ok = c.read(c.vtor+4*excHardFault, 4, asException)
		}
	}
	c.pending.drop(exc)
	c.active.add(exc)
	c.entries++
	c.ipsr = uint32(exc)
	c.control &^= controlSPSEL | controlFPCA
	c.fpOpen = false
	c.useStack(false)
	if !ok {
		c.lockUp()
		return
	}
	c.r[lr] = exRet
	c.it = 0
	c.thumb = vector&1 != 0
	c.pc = vector &^ 1
	c.exclusive = false
	c.event = true
	c.faulted = false
	c.sleep = awake
	c.attention()
	if c.tracer != nil {
		c.tracer.Enter(exc, ret, frame, exRet, c.pc)
	}
	c.catchVector(exc)
}

// lateArrival returns the most urgent pending exception if it is more urgent
// than exc, which then stays pending (DDI 0403E B1.5.12).
func (c *Core) lateArrival(exc int) int {
	other, p := c.mostUrgent()
	if other == 0 || other == exc || p >= c.executionPriority() {
		return exc
	}
	if q := c.groupPriority(exc); p < q || p == q && c.before(other, exc) {
		return other
	}
	return exc
}

// before orders exceptions of one group priority: subpriority, then number.
func (c *Core) before(a, b int) bool {
	pa, pb := c.priority[a&0xff], c.priority[b&0xff]
	return pa < pb || pa == pb && a < b
}

// useStack makes PSP or MSP the current stack pointer.
func (c *Core) useStack(process bool) {
	if process != c.process {
		c.r[sp], c.otherSP = c.otherSP, c.r[sp]
		c.process = process
	}
}

func (c *Core) stackPointer(process bool) uint32 {
	if process == c.process {
		return c.r[sp]
	}
	return c.otherSP
}
