package armv7m

// extendedFrameSize is the frame of a context with floating-point state: the
// basic frame, S0 to S15, FPSCR and a word that is not written (DDI 0403E
// B1.5.7, figure B1-4). It is always aligned to 8 bytes.
const extendedFrameSize = 26 * 4

// frameFP is where S0 is in an extended frame.
const frameFP = frameSize

// fpWords is how many words of floating-point state a frame takes.
const fpWords = 17

// pushFP is the floating-point half of PushStack (B1.5.6): with FPCCR.LSPEN the
// space is reserved only and the state stays in its registers. False is a bus
// error.
func (c *Core) pushFP(exc int, frame uint32) bool {
	if c.fpccr&fpccrLSPEN != 0 {
		c.reserveFP(frame)
		return true
	}
	if !c.fpAccess() {
		c.cfsr |= ufsrNOCP
		c.derive(excUsageFault, exc)
		return true
	}
	c.cycles += costFPState
	return c.storeFP(frame+frameFP, asException)
}

// reserveFP is UpdateFPCCR (B1.5.7): it notes where the state belongs, whose it
// is, and which faults could be taken there.
func (c *Core) reserveFP(frame uint32) {
	c.fpcar = (frame + frameFP) &^ 7
	c.fpccr = c.fpccr&(fpccrASPEN|fpccrLSPEN) | fpccrLSPACT
	if !c.privileged() {
		c.fpccr |= fpccrUSER
	}
	if c.ipsr == 0 {
		c.fpccr |= fpccrTHREAD
	}
	now := c.executionPriority()
	demcr, _ := c.read(scsBase+regDEMCR, 4, asException)
	for _, f := range [...]struct {
		ready   uint32
		exc     int
		enabled bool
	}{
		{fpccrHFRDY, excHardFault, true},
		{fpccrBFRDY, excBusFault, c.enabled.has(excBusFault)},
		{fpccrMMRDY, excMemManage, c.enabled.has(excMemManage)},
		{fpccrMONRDY, excDebugMon, demcr&demcrMONEN != 0},
	} {
		if f.enabled && now > c.groupPriority(f.exc) {
			c.fpccr |= f.ready
		}
	}
}

// popFP is the floating-point part of PopStack (B1.5.8). State that was never
// preserved is in the registers still. False: a fault was taken instead.
func (c *Core) popFP(exc int, frame, exRet uint32) bool {
	if !c.cfg.FPU {
		return true
	}
	c.fpOpen = false
	if exRet&excReturnBasic != 0 {
		c.control &^= controlFPCA
		return true
	}
	switch {
	case c.fpccr&fpccrLSPACT != 0:
		c.fpccr &^= fpccrLSPACT
	case !c.fpAccess():
		c.cfsr |= ufsrNOCP
		c.ipsr = uint32(exc)
		c.rechain(excUsageFault, exc, frame, exRet)
		return false
	default:
		c.cycles += costFPState
		if !c.loadFP(frame + frameFP) {
			c.unstackingFault(exc, frame, exRet)
			return false
		}
	}
	c.control |= controlFPCA
	return true
}

// storeFP writes S0 to S15 and FPSCR. False is a bus error.
func (c *Core) storeFP(addr uint32, how access) bool {
	for i := range uint32(fpWords - 1) {
		if !c.write(addr+4*i, 4, c.s[i], how) {
			return false
		}
	}
	return c.write(addr+4*(fpWords-1), 4, c.fpscr, how)
}

// loadFP reads what storeFP wrote, all or nothing.
func (c *Core) loadFP(addr uint32) bool {
	var w [fpWords]uint32
	for i := range w {
		v, ok := c.read(addr+uint32(4*i), 4, asException)
		if !ok {
			return false
		}
		w[i] = v
	}
	copy(c.s[:], w[:fpWords-1])
	c.fpscr = w[fpWords-1] & fpscrMask
	return true
}
