package armv7m

// DFSR bits, DDI 0403E C1.6.1: why the core entered Debug state.
const (
	DFSRHALTED   = 1 << 0
	DFSRBKPT     = 1 << 1
	DFSRDWTTRAP  = 1 << 2
	DFSRVCATCH   = 1 << 3
	DFSREXTERNAL = 1 << 4
)

// DEMCR vector catch bits, DDI 0403E C1.6.5.
const (
	vcCoreReset = 1 << 0
	vcMMErr     = 1 << 4
	vcNoCPErr   = 1 << 5
	vcChkErr    = 1 << 6
	vcStatErr   = 1 << 7
	vcBusErr    = 1 << 8
	vcIntErr    = 1 << 9
	vcHardErr   = 1 << 10
)

// Halt puts the core into Debug state: between Runs at once, from a callback
// after the instruction under way. A sleeping core wakes; its PC is behind the
// WFI. A locked up core leaves Lockup with PC 0xfffffffe.
func (c *Core) Halt() { c.enterDebug(DFSRHALTED) }

func (c *Core) enterDebug(reason uint32) {
	if c.halted {
		return
	}
	c.halted = true
	c.haltReason = reason
	c.dfsr |= reason
	c.sleep = awake
	c.locked = false
	c.attention()
}

// Resume leaves Debug state.
func (c *Core) Resume() {
	c.halted = false
	c.attention()
}

// Halted says whether the core is in Debug state.
func (c *Core) Halted() bool { return c.halted }

// HaltReason is the DFSR bits of the most recent entry to Debug state.
func (c *Core) HaltReason() uint32 { return c.haltReason }

// SetDebugEnabled is DHCSR.C_DEBUGEN: with it a BKPT instruction, a breakpoint
// and a vector catch halt; without it BKPT is a HardFault and the others do
// nothing. Disabling it resumes a halted core.
func (c *Core) SetDebugEnabled(on bool) {
	c.debugEnabled = on
	for a := range c.breakpoints {
		c.forgetAt(a)
	}
	if !on && c.halted {
		c.Resume()
	}
}

// SetMaskInterrupts is DHCSR.C_MASKINTS: PendSV, SysTick and external
// interrupts are not taken while debug is enabled.
func (c *Core) SetMaskInterrupts(on bool) {
	c.maskInts = on
	c.attention()
}

// SetVectorCatch takes the VC bits of DEMCR.
func (c *Core) SetVectorCatch(mask uint32) { c.vectorCatch = mask }

// SetBreakpoints replaces the breakpoints (the comparators of the FPB). The
// core halts before the instruction at any of addrs.
func (c *Core) SetBreakpoints(addrs []uint32) {
	for a := range c.breakpoints {
		c.forgetAt(a)
	}
	clear(c.breakpoints)
	for _, a := range addrs {
		c.breakpoints[a&^1] = true
		c.forgetAt(a &^ 1)
	}
}

// forgetAt drops what was decoded at a.
func (c *Core) forgetAt(a uint32) {
	if r := c.regionAt(a); r != nil && r.pages != nil {
		c.written(r, a-r.base, 1)
	}
}

// execBreakpoint stands where a breakpoint is set.
func execBreakpoint(c *Core, _ *op) {
	c.instructions--
	c.pc = c.at
	c.enterDebug(DFSRBKPT)
}

func execBKPT(c *Core, _ *op) {
	if c.debugEnabled {
		c.pc = c.at
		c.faulted = true // IT does not advance
		c.enterDebug(DFSRBKPT)
		return
	}
	c.pc = c.at
	c.faulted = true
	c.pendHardFault(hfsrDEBUGEVT)
}

// catchVector halts before the first instruction of a fault handler that
// DEMCR catches.
func (c *Core) catchVector(exc int) {
	if !c.debugEnabled {
		return
	}
	var caught uint32
	switch exc {
	case excHardFault:
		caught = vcHardErr
	case excMemManage:
		caught = vcMMErr
	case excBusFault:
		caught = vcBusErr
	case excUsageFault:
		if c.cfsr&ufsrNOCP != 0 {
			caught |= vcNoCPErr
		}
		if c.cfsr&(ufsrUNALIGNED|ufsrDIVBYZERO) != 0 {
			caught |= vcChkErr
		}
		if c.cfsr&(ufsrUNDEFINSTR|ufsrINVSTATE|ufsrINVPC) != 0 {
			caught |= vcStatErr
		}
	}
	if c.vectorCatch&caught != 0 {
		c.enterDebug(DFSRVCATCH)
	}
}

// ReadReg reads a register by its DCRSR.REGSEL number (DDI 0403E C1.6.3): 0-12,
// 13 SP, 14 LR, 15 DebugReturnAddress, 16 xPSR, 17 MSP, 18 PSP, 20
// CONTROL:FAULTMASK:BASEPRI:PRIMASK; with the floating-point extension 33 FPSCR
// and 64 to 95 S0 to S31, whatever CPACR says and without an effect on lazily
// preserved state. Others do not exist.
func (c *Core) ReadReg(sel uint8) (uint32, bool) {
	switch {
	case sel < 15:
		return c.r[sel], true
	case sel == 15:
		return c.pc, true
	case sel == 16:
		return c.xpsr(), true
	case sel == 17 || sel == 18:
		return c.stackPointer(sel == 18), true
	case sel == 20:
		v := c.control<<24 | uint32(c.basepri)<<8
		if c.faultmask {
			v |= 1 << 16
		}
		if c.primask {
			v |= 1
		}
		return v, true
	case c.cfg.FPU && sel == 33:
		return c.fpscr, true
	case c.cfg.FPU && sel >= 64 && sel < 96:
		return c.s[sel-64], true
	}
	return 0, false
}

// WriteReg writes a register by its DCRSR.REGSEL number. IPSR is not written.
func (c *Core) WriteReg(sel uint8, v uint32) bool {
	switch {
	case sel == 13:
		c.r[sp] = v &^ 3
	case sel < 15:
		c.r[sel] = v
	case sel == 15:
		c.pc = v &^ 1
		c.locked = false
	case sel == 16:
		c.setAPSR(v)
		c.setEPSR(v)
	case sel == 17 || sel == 18:
		c.setStackPointer(sel == 18, v)
	case sel == 20:
		c.primask = v&1 != 0
		c.setControl(v >> 24)
		if c.arch != V6M {
			c.basepri = uint8(v>>8) & c.priorityMask
			c.faultmask = v>>16&1 != 0
		}
	case c.cfg.FPU && sel == 33:
		c.fpscr = v & fpscrMask
	case c.cfg.FPU && sel >= 64 && sel < 96:
		c.s[sel-64] = v
	default:
		return false
	}
	c.attention()
	return true
}

func (c *Core) setStackPointer(process bool, v uint32) {
	if process == c.process {
		c.r[sp] = v &^ 3
		return
	}
	c.otherSP = v &^ 3
}

// setControl writes CONTROL (DDI 0403E B1.4.4): SPSEL in Thread mode
// only, nPRIV not on ARMv6-M, FPCA with the floating-point extension.
func (c *Core) setControl(v uint32) {
	writable := uint32(0)
	if c.arch != V6M {
		writable |= controlNPRIV
	}
	if c.cfg.FPU {
		writable |= controlFPCA
	}
	if c.ipsr == 0 {
		writable |= controlSPSEL
		c.useStack(v&controlSPSEL != 0)
	}
	c.control = c.control&^writable | v&writable
	c.fpOpen = false
}

// ReadBus is an access of the debug port: privileged, of 1, 2 or 4 bytes,
// aligned. It sees memory, devices and the core's own registers. False is a
// bus error.
func (c *Core) ReadBus(addr uint32, size int) (uint32, bool) {
	if !busSize(addr, size) {
		return 0, false
	}
	return c.read(addr, size, asDebugger)
}

// WriteBus is the reverse of ReadBus. It writes ROM, too.
func (c *Core) WriteBus(addr uint32, size int, v uint32) bool {
	if !busSize(addr, size) {
		return false
	}
	ok := c.write(addr, size, v, asDebugger)
	if c.resetRequested {
		c.Reset()
	}
	return ok
}

// ReadMaster is an access of another bus master, such as a DMA controller: it
// sees memory and devices, not the core's private peripherals (DDI 0403E
// B3.1.1). False is a bus error.
func (c *Core) ReadMaster(addr uint32, size int) (uint32, bool) {
	if !busSize(addr, size) {
		return 0, false
	}
	return c.read(addr, size, asMaster)
}

// WriteMaster is the reverse of ReadMaster. ROM takes no writes.
func (c *Core) WriteMaster(addr uint32, size int, v uint32) bool {
	return busSize(addr, size) && c.write(addr, size, v, asMaster)
}

func busSize(addr uint32, size int) bool {
	return (size == 1 || size == 2 || size == 4) && addr&uint32(size-1) == 0
}
