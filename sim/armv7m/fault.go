package armv7m

// CFSR fields (DDI 0403E B3.2.15), in their places in the register.
const (
	mmfsrIACCVIOL  = 1 << 0
	mmfsrDACCVIOL  = 1 << 1
	mmfsrMMARVALID = 1 << 7

	bfsrIBUSERR   = 1 << 8
	bfsrPRECISERR = 1 << 9
	bfsrUNSTKERR  = 1 << 11
	bfsrSTKERR    = 1 << 12
	bfsrLSPERR    = 1 << 13
	bfsrBFARVALID = 1 << 15

	ufsrUNDEFINSTR = 1 << 16
	ufsrINVSTATE   = 1 << 17
	ufsrINVPC      = 1 << 18
	ufsrNOCP       = 1 << 19
	ufsrUNALIGNED  = 1 << 24
	ufsrDIVBYZERO  = 1 << 25
)

// HFSR fields, DDI 0403E B3.2.16.
const (
	hfsrVECTTBL  = 1 << 1
	hfsrFORCED   = 1 << 30
	hfsrDEBUGEVT = 1 << 31
)

// raise pends the fault of the instruction at c.at, to be taken before any
// other instruction, with that one as the return address.
func (c *Core) raise(exc int, cause uint32) {
	c.pc = c.at
	c.faulted = true
	if c.arch == V6M {
		c.pendHardFault(0)
		return
	}
	c.cfsr |= cause
	c.pendFault(exc)
}

// pendFault pends exc or, where it is disabled or not urgent enough, HardFault
// (escalation, DDI 0403E B1.5.14).
func (c *Core) pendFault(exc int) {
	if !c.enabled.has(exc) || c.groupPriority(exc) >= c.executionPriority() {
		c.pendHardFault(hfsrFORCED)
		return
	}
	c.setPending(exc)
}

func (c *Core) pendHardFault(cause uint32) {
	if c.arch != V6M {
		c.hfsr |= cause
	}
	if c.executionPriority() <= priorityHardFault {
		c.lockUp()
		return
	}
	c.setPending(excHardFault)
}

// lockUp enters Lockup state: a fault at priority -1 or above cannot be
// handled (DDI 0403E B1.5.15).
func (c *Core) lockUp() {
	c.locked = true
	c.pc = lockupPC
	c.it = 0
	c.thumb = true
	c.attention()
}

// undefined raises UNDEFINSTR.
func (c *Core) undefined() { c.raise(excUsageFault, ufsrUNDEFINSTR) }

// lockupPC is where PC stands in Lockup state.
const lockupPC = 0xfffffffe

// fetchFault is a fetch from where there is no code. One at the address of
// Lockup locks up again, when a debugger or NMI has interrupted Lockup.
func (c *Core) fetchFault(addr uint32) {
	if addr == lockupPC && c.executionPriority() <= priorityHardFault {
		c.lockUp()
		return
	}
	if executeNever(addr) {
		c.raise(excMemManage, mmfsrIACCVIOL)
		return
	}
	c.raise(excBusFault, bfsrIBUSERR)
}

// dataFault is a bus error on a data access. It returns false for callers to
// pass on, or true where CCR.BFHFNMIGN has it ignored (DDI 0403E B3.2.8).
func (c *Core) dataFault(addr uint32) bool {
	if c.arch != V6M {
		c.bfar = addr
		c.cfsr |= bfsrBFARVALID | bfsrPRECISERR
		if c.ccr&ccrBFHFNMIGN != 0 && c.executionPriority() < 0 {
			return true
		}
	}
	c.raise(excBusFault, bfsrPRECISERR)
	return false
}

// mayBeUnaligned raises UNALIGNED and returns false where an unaligned access
// is not allowed (DDI 0403E A3.2.1, DDI 0419D A3.2.1).
func (c *Core) mayBeUnaligned(addr uint32) bool {
	if c.arch == V6M || c.ccr&ccrUNALIGNTRP != 0 || device(addr) {
		c.raise(excUsageFault, ufsrUNALIGNED)
		return false
	}
	return true
}

// aligned raises UNALIGNED and returns false where addr is not a multiple of
// size: LDM, STM, LDRD, STRD and exclusives always want that.
func (c *Core) aligned(addr, size uint32) bool {
	if addr&(size-1) == 0 {
		return true
	}
	c.raise(excUsageFault, ufsrUNALIGNED)
	return false
}

// stackingFault is a bus error while stacking for exc, a derived exception
// (DDI 0403E B1.5.11). BFAR is not written.
func (c *Core) stackingFault(exc int, cause uint32) {
	if c.arch == V6M {
		c.derive(excHardFault, exc)
		return
	}
	c.cfsr |= cause
	c.derive(excBusFault, exc)
}

// derive pends fault as of now, before exc is entered.
func (c *Core) derive(fault, exc int) {
	p := min(c.executionPriority(), c.groupPriority(exc))
	switch {
	case fault != excHardFault && c.enabled.has(fault) && c.groupPriority(fault) < c.executionPriority():
		c.pending.add(fault)
	case p <= priorityHardFault:
		// Entering HardFault or NMI: the handler runs on; the frame is lost.
		c.hfsr |= hfsrFORCED
	default:
		c.hfsr |= hfsrFORCED
		c.pending.add(excHardFault)
	}
}

// refuseReturn handles an exception return that is not legal: INVPC, entered
// without unstacking.
func (c *Core) refuseReturn(exc int, exRet uint32) {
	frame := c.r[sp]
	c.cfsr |= ufsrINVPC
	c.rechain(excUsageFault, exc, frame, exRet|0xf0000000)
}

// unstackingFault is a bus error while unstacking.
func (c *Core) unstackingFault(exc int, frame, exRet uint32) {
	c.cfsr |= bfsrUNSTKERR
	c.ipsr = uint32(exc)
	c.rechain(excBusFault, exc, frame, exRet)
}

// rechain takes a fault of exception return as a tail-chained exception.
func (c *Core) rechain(fault, exc int, frame, exRet uint32) {
	if c.tracer != nil {
		c.tracer.Leave(exc, frame, exRet, 0)
	}
	if c.arch == V6M {
		c.pendHardFault(0)
	} else {
		c.pendFault(fault)
	}
	if c.locked {
		return
	}
	next := c.takable()
	ret, _ := c.readMemory(frame+24, 4)
	c.take(next, ret&^1, frame, exRet)
}

// refuseFrame handles a frame whose exception number does not go with the mode
// returned to: INVPC, entered with a new frame.
func (c *Core) refuseFrame(exc int, frame, exRet uint32) {
	if c.tracer != nil {
		c.tracer.Leave(exc, frame, exRet, c.pc)
	}
	c.at = c.pc
	c.raise(excUsageFault, ufsrINVPC)
}
