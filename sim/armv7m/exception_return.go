package armv7m

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
	ones := uint32(0x0ffffff0)
	if c.cfg.FPU {
		ones &^= excReturnBasic
	}
	legal = legal && exRet&ones == ones
	c.deactivate(exc)
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
		c.control &^= controlSPSEL
		if process {
			c.control |= controlSPSEL
		}
	}
	c.useStack(process)
	c.unstack(exc, frame, exRet, toThread)
}

// chain tail-chains (DDI 0403E B1.5.12): the frame stays for the next
// exception, if one is pending that would preempt the code returned to.
func (c *Core) chain(exc int, frame, exRet uint32) bool {
	c.catchUp()
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
	copy(c.r[:4], w[:4])
	c.r[12] = w[4]
	if !c.popFP(exc, frame, exRet) {
		return
	}
	psr := w[7]
	c.restore(&w, frame, exRet, psr)
	if n := psr & 0x1ff; toThread != (n == 0) {
		c.refuseFrame(exc, frame, exRet)
		return
	}
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

// restore takes LR, PC, SP and xPSR from a frame.
func (c *Core) restore(w *[8]uint32, frame, exRet, psr uint32) {
	c.r[lr] = w[5]
	c.pc = w[6] &^ 1
	align, size := psr>>9&1<<2, uint32(frameSize)
	if extended := exRet&excReturnBasic == 0; extended {
		size = extendedFrameSize
	} else if c.ccr&ccrSTKALIGN == 0 {
		align = 0
	}
	c.r[sp] = (frame + size) | align
	c.setAPSR(psr)
	c.ipsr = psr & 0x1ff
	c.setEPSR(psr)
}
