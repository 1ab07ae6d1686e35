package armv7m

// fpState is the state of the floating-point extension (FPv4-SP, DDI 0403E
// A2.5 and B1.5.7).
type fpState struct {
	s     [32]uint32 // S0-S31; D<n> is S<2n+1>:S<2n>
	fpscr uint32

	fpccr, fpcar, fpdscr uint32
	// fpOpen: ExecuteFPCheck has nothing to do and lets the instruction pass.
	// Whatever it depends on clears it: CPACR, FPCCR, CONTROL, the mode.
	fpOpen bool
}

// fpscrMask are the bits of FPSCR that exist (A2.5.3): N Z C V, AHP, DN, FZ,
// RMode, IDC, IXC, UFC, OFC, DZC, IOC.
const fpscrMask = 0xf7c0009f

// fpscrDefaults are those that a new context takes from FPDSCR (B3.2.24).
const fpscrDefaults = 0x07c00000

// CONTROL bits, B1.4.4.
const (
	controlNPRIV = 1 << 0
	controlSPSEL = 1 << 1
	controlFPCA  = 1 << 2 // floating-point context active
)

// resetFP is what a reset does to the extension (B1.5.5): access is closed,
// both ways of preserving its state are on, the registers keep their values.
func (c *Core) resetFP() {
	c.fpOpen = false
	c.fpcar, c.fpdscr, c.fpccr = 0, 0, 0
	if c.cfg.FPU {
		c.fpccr = fpccrASPEN | fpccrLSPEN
	}
}

// executeFPCheck is ExecuteFPCheck (B1.5.7), which comes before the effect of
// every floating-point instruction. It is false where the instruction may not
// execute; the fault is raised then.
func (c *Core) executeFPCheck() bool { return c.fpOpen || c.openFP() }

// openFP checks access, preserves the state of another context where that was
// put off, and begins a new one.
func (c *Core) openFP() bool {
	if !c.fpAccess() {
		c.raise(excUsageFault, ufsrNOCP)
		return false
	}
	if c.fpccr&fpccrLSPACT != 0 && !c.preserveFP() {
		return false
	}
	if c.fpccr&fpccrASPEN != 0 && c.control&controlFPCA == 0 {
		c.fpscr = c.fpscr&^fpscrDefaults | c.fpdscr
		c.control |= controlFPCA
	}
	c.fpOpen = true
	return true
}

// fpAccess is CheckVFPEnabled (B1.5.7) without the fault: CPACR.CP10 is 01 for
// privileged access only, 11 for full access.
func (c *Core) fpAccess() bool {
	access := c.cpacr & cpacrCP10 >> 20
	return access == 3 || access == 1 && c.privileged()
}

// preserveFP is PreserveFPState (B1.5.7): the state goes where FPCAR says, with
// the privilege of the code it belongs to. False: a fault is taken before the
// instruction, and the state stays where it is. A fault that has to wait leaves
// the state lost.
func (c *Core) preserveFP() bool {
	how := asException
	if c.fpccr&fpccrUSER != 0 {
		how = asUnprivileged
	}
	c.cycles += costFPState
	if !c.storeFP(c.fpcar, how) && c.lazyFault(excBusFault, bfsrLSPERR, fpccrBFRDY) {
		return false
	}
	c.fpccr &^= fpccrLSPACT
	return true
}

// lazyFault pends a fault of PreserveFPState, as HardFault where the code that
// the state belongs to could not have taken it (FPCCR, B3.2.21). It is true
// where an exception is taken before the instruction goes on.
func (c *Core) lazyFault(fault int, cause, ready uint32) bool {
	c.cfsr |= cause
	if c.fpccr&ready == 0 {
		if c.fpccr&fpccrHFRDY == 0 {
			c.faulted = true
			c.lockUp()
			return true
		}
		c.hfsr |= hfsrFORCED
		fault = excHardFault
	}
	c.setPending(fault)
	if c.takable() == 0 {
		return false
	}
	c.pc = c.at
	c.faulted = true
	return true
}
