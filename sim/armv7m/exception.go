package armv7m

// frameSize is the basic exception frame: r0-r3, r12, LR, ReturnAddress, xPSR.
const frameSize = 32

// EXC_RETURN values, DDI 0403E B1.5.8, table B1-8.
const (
	excReturnHandler = 0xfffffff1
	excReturnMSP     = 0xfffffff9
	excReturnPSP     = 0xfffffffd
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
	ret := c.pc
	frame, ok := c.pushFrame()
	c.cycles += costEntry
	if !ok {
		c.stackingFault(exc, bfsrSTKERR)
	}
	c.take(exc, ret, frame, exRet)
}

// pushFrame is PushStack (DDI 0403E B1.5.6). The stack pointer moves even
// where a write fails.
func (c *Core) pushFrame() (frame uint32, ok bool) {
	var align uint32
	if c.ccr&ccrSTKALIGN != 0 {
		align = c.r[sp] & 4
	}
	frame = (c.r[sp] - frameSize) &^ align
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
	if c.cycles >= c.systickNext {
		c.syncSysTick()
	}
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
	c.control &^= 2
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

// exceptionReturn is ExceptionReturn (DDI 0403E B1.5.8) for a value loaded
// into PC in Handler mode.
func (c *Core) exceptionReturn(exRet uint32) {
	exc := int(c.ipsr)
	c.cycles += costReturn
	toThread := exRet&0xf != 1
	nested := c.active.count()
	legal := c.active.has(exc)
	switch exRet & 0xf {
	case 1:
	case 9, 13:
		legal = legal && (nested == 1 || c.ccr&ccrNONBASETHRDENA != 0)
	default:
		legal = false
	}
	if exRet&0x0ffffff0 != 0x0ffffff0 {
		legal = false
	}
	c.active.drop(exc)
	if exc != excNMI {
		c.faultmask = false
	}
	if !legal {
		c.refuseReturn(exc, exRet)
		return
	}
	process := exRet&4 != 0
	frame := c.stackPointer(process)
	if c.chain(exc, frame, exRet) {
		return
	}
	if toThread {
		c.ipsr = 0
		c.control = c.control &^ 2
		if process {
			c.control |= 2
		}
	}
	c.useStack(process)
	c.unstack(exc, frame, exRet, toThread)
}

// chain tail-chains (DDI 0403E B1.5.12): the frame stays for the next
// exception, if one is pending that would preempt the code returned to.
func (c *Core) chain(exc int, frame, exRet uint32) bool {
	if c.cycles >= c.systickNext {
		c.syncSysTick()
	}
	next := c.takable()
	if next == 0 {
		return false
	}
	c.cycles = c.cycles + costTailChain - costReturn
	if c.tracer != nil {
		c.tracer.Leave(exc, frame, exRet, 0)
	}
	ret, _ := c.readMemory(frame+24, 4)
	c.take(next, ret&^1, frame, exRet)
	return true
}

// unstack is PopStack and the checks after it (DDI 0403E B1.5.8).
func (c *Core) unstack(exc int, frame, exRet uint32, toThread bool) {
	var w [8]uint32
	for i := range w {
		v, ok := c.read(frame+uint32(4*i), 4, asException)
		if !ok {
			c.unstackingFault(exc, frame, exRet)
			return
		}
		w[i] = v
	}
	psr := w[7]
	if n := psr & 0x1ff; toThread != (n == 0) {
		c.restore(&w, frame, psr)
		c.refuseFrame(exc, frame, exRet)
		return
	}
	c.restore(&w, frame, psr)
	c.exclusive = false
	c.event = true
	c.attention()
	if toThread && c.scr&scrSLEEPONEXIT != 0 && c.active.empty() {
		c.sleep = sleepWFI
	}
	if c.tracer != nil {
		c.tracer.Leave(exc, frame, exRet, c.pc)
	}
}

// restore takes the registers from a frame.
func (c *Core) restore(w *[8]uint32, frame, psr uint32) {
	copy(c.r[:4], w[:4])
	c.r[12], c.r[lr] = w[4], w[5]
	c.pc = w[6] &^ 1
	align := psr >> 9 & 1 << 2
	if c.ccr&ccrSTKALIGN == 0 {
		align = 0
	}
	c.r[sp] = (frame + frameSize) | align
	c.setAPSR(psr)
	c.ipsr = psr & 0x1ff
	c.setEPSR(psr)
}

func (c *Core) stackPointer(process bool) uint32 {
	if process == c.process {
		return c.r[sp]
	}
	return c.otherSP
}
