package armv7m

// FPCCR bits, DDI 0403E B3.2.21.
const (
	fpccrASPEN  = 1 << 31 // FP instructions set CONTROL.FPCA
	fpccrLSPEN  = 1 << 30 // exception entry reserves space only
	fpccrMONRDY = 1 << 8  // DebugMonitor, BusFault, MemManage, HardFault could be
	fpccrBFRDY  = 1 << 6  // taken where the frame was allocated
	fpccrMMRDY  = 1 << 5
	fpccrHFRDY  = 1 << 4
	fpccrTHREAD = 1 << 3 // the frame is that of Thread mode,
	fpccrUSER   = 1 << 1 // of unprivileged code
	fpccrLSPACT = 1 << 0 // the frame has space for state that is in the registers

	fpccrMask = fpccrASPEN | fpccrLSPEN | fpccrMONRDY | fpccrBFRDY | fpccrMMRDY | fpccrHFRDY | fpccrTHREAD | fpccrUSER | fpccrLSPACT
)

// cpacrCP10 are the bits of CPACR that open the floating-point extension: CP11
// must agree with CP10 (B3.2.20). 01 is privileged access only, 11 full access.
const cpacrCP10 = 3 << 20

// MVFR0 and MVFR1 of the Cortex-M4 (B4.7, ARM 100166 6.2): 16 double-word
// registers, single precision with division and square root, no traps, all
// rounding modes; FZ and DN, half-precision conversion, fused multiply-add.
const (
	mvfr0FPv4SP = 0x10110021
	mvfr1FPv4SP = 0x11000011
)

// readFP reads the registers of the extension.
func (c *Core) readFP(off uint32) uint32 {
	switch {
	case !c.cfg.FPU:
	case off == regFPCCR:
		return c.fpccr
	case off == regFPCAR:
		return c.fpcar
	case off == regFPDSCR:
		return c.fpdscr
	case off == regMVFR0:
		return mvfr0FPv4SP
	case off == regMVFR1:
		return mvfr1FPv4SP
	}
	return 0
}

// writeFP writes v to the bits of mask.
func (c *Core) writeFP(off, v, mask uint32) {
	if !c.cfg.FPU {
		return
	}
	merge := func(reg *uint32, writable uint32) {
		*reg = *reg&^(mask&writable) | v&mask&writable
	}
	c.fpOpen = false
	switch off {
	case regCPACR:
		merge(&c.cpacr, 0xf<<20)
	case regFPCCR:
		merge(&c.fpccr, fpccrMask)
	case regFPCAR:
		merge(&c.fpcar, 0xfffffff8)
	case regFPDSCR:
		merge(&c.fpdscr, fpscrDefaults)
	}
}
