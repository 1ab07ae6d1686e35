package armv7m

// scb holds the registers of the System Control Block that have a state of
// their own.
type scb struct {
	vtor, scr, ccr     uint32
	cfsr, hfsr, dfsr   uint32
	mmfar, bfar, cpacr uint32
	actlr              uint32
	resetRequested     bool
}

func (c *Core) resetSCB() {
	c.scb = scb{vtor: c.cfg.VTOR, dfsr: c.dfsr, ccr: ccrSTKALIGN}
	if c.arch == V6M {
		c.ccr |= ccrUNALIGNTRP
	}
}

// readSCS reads the core's own registers; a byte or halfword is a part of the
// word. What is not there reads as zero.
func (c *Core) readSCS(off uint32, size int, how access) uint32 {
	return c.readSCSWord(off&^3, how) >> (8 * (off & 3)) & (1<<(8*size) - 1)
}

func (c *Core) readSCSWord(off uint32, how access) uint32 {
	switch {
	case off >= regISER && off < regIPR+256:
		return c.readNVIC(off)
	case off >= regSYSTCSR && off <= regCALIB:
		v := c.readSysTick(off)
		if off == regSYSTCSR && how != asDebugger {
			c.stFlag = false
		}
		return v
	case off >= regSHPR1 && off <= regSHPR3:
		return c.readPriorities(int(off-regSHPR1) + 4)
	}
	if c.arch == V6M && !onV6M(off) {
		return 0
	}
	switch off {
	case regICTR:
		return uint32(max(c.irqs-1, 0) / 32)
	case regACTLR:
		return c.actlr
	case regCPUID:
		return c.cpuid()
	case regICSR:
		return c.readICSR()
	case regVTOR:
		return c.vtor
	case regAIRCR:
		return aircrVECTKEYSTAT<<16 | uint32(c.prigroup)<<8
	case regSCR:
		return c.scr
	case regCCR:
		return c.ccr
	case regSHCSR:
		return c.readSHCSR()
	case regCFSR:
		return c.cfsr
	case regHFSR:
		return c.hfsr
	case regDFSR:
		return c.dfsr
	case regMMFAR:
		return c.mmfar
	case regBFAR:
		return c.bfar
	case regCPACR:
		return c.cpacr
	case regFPCCR, regFPCAR, regFPDSCR, regMVFR0, regMVFR1:
		return c.readFP(off)
	}
	return c.idRegister(off)
}

// onV6M lists what DDI 0419D B3.2.2 keeps of the above.
func onV6M(off uint32) bool {
	switch off {
	case regCPUID, regICSR, regVTOR, regAIRCR, regSCR, regCCR, regSHCSR, regDFSR, regACTLR:
		return true
	}
	return false
}

// writeSCS writes the core's own registers.
func (c *Core) writeSCS(off uint32, size int, v uint32) {
	shift := 8 * (off & 3)
	mask := uint32(1<<(8*size)-1) << shift
	v = v << shift & mask
	off &^= 3
	switch {
	case off >= regISER && off < regIPR:
		c.writeNVIC(off, v)
	case off >= regIPR && off < regIPR+256:
		c.writePriorities(int(off-regIPR)+excIRQ0, v, mask)
	case off >= regSYSTCSR && off <= regCALIB:
		if mask != 0xffffffff {
			v |= c.readSysTick(off) &^ mask
		}
		c.writeSysTick(off, v)
	case off >= regSHPR1 && off <= regSHPR3:
		c.writePriorities(int(off-regSHPR1)+4, v, mask)
	case c.arch != V6M || onV6M(off):
		c.writeSCB(off, v, mask)
	}
	c.attention()
}

func (c *Core) writeSCB(off, v, mask uint32) {
	merge := func(reg *uint32, writable uint32) {
		*reg = *reg&^(mask&writable) | v&mask&writable
	}
	switch off {
	case regACTLR:
		merge(&c.actlr, 7)
	case regICSR:
		c.writeICSR(v)
	case regVTOR:
		merge(&c.vtor, 0xffffff80)
	case regAIRCR:
		c.writeAIRCR(v)
	case regSCR:
		merge(&c.scr, scrSLEEPONEXIT|scrSLEEPDEEP|scrSEVONPEND)
	case regCCR:
		if c.arch != V6M {
			merge(&c.ccr, ccrNONBASETHRDENA|ccrUSERSETMPEND|ccrUNALIGNTRP|ccrDIV0TRP|ccrBFHFNMIGN|ccrSTKALIGN)
		}
	case regSHCSR:
		old := c.readSHCSR()
		merge(&old, 0xffffffff)
		c.writeSHCSR(old)
	case regCFSR:
		c.cfsr &^= v
	case regHFSR:
		c.hfsr &^= v
	case regDFSR:
		c.dfsr &^= v
	case regMMFAR:
		merge(&c.mmfar, 0xffffffff)
	case regBFAR:
		merge(&c.bfar, 0xffffffff)
	case regCPACR, regFPCCR, regFPCAR, regFPDSCR:
		c.writeFP(off, v, mask)
	case regSTIR:
		c.SetIRQ(int(v&0x1ff), true)
	}
}

// readICSR, DDI 0403E B3.2.4.
func (c *Core) readICSR() uint32 {
	v := c.ipsr
	if exc, _ := c.mostUrgent(); exc != 0 {
		v |= uint32(exc) << 12
	}
	v |= c.pendingBit(excNMI)<<31 | c.pendingBit(excPendSV)<<28 | c.pendingBit(excSysTick)<<26
	irqs := c.pending
	irqs[0] &^= 1<<excIRQ0 - 1
	if !irqs.empty() {
		v |= icsrISRPENDING
	}
	if c.arch != V6M && c.ipsr != 0 && c.active.count() == 1 {
		v |= icsrRETTOBASE
	}
	return v
}

func (c *Core) writeICSR(v uint32) {
	if v&icsrNMIPENDSET != 0 {
		c.setPending(excNMI)
	}
	if v&icsrPENDSVSET != 0 {
		c.setPending(excPendSV)
	} else if v&icsrPENDSVCLR != 0 {
		c.pending.drop(excPendSV)
	}
	if v&icsrPENDSTSET != 0 {
		c.setPending(excSysTick)
	} else if v&icsrPENDSTCLR != 0 {
		c.pending.drop(excSysTick)
	}
}

// writeAIRCR, DDI 0403E B3.2.6. VECTCLRACTIVE works in Debug state only, and
// so does VECTRESET for the manual; Cortex-M3 and M4 obey it while they run,
// too, and debuggers count on that. ARMv6-M has no VECTRESET.
func (c *Core) writeAIRCR(v uint32) {
	if v>>16 != aircrVECTKEY {
		return
	}
	if c.arch != V6M {
		c.prigroup = uint8(v >> 8 & 7)
	}
	if c.halted && v&aircrVECTCLR != 0 {
		c.active = excSet{}
		c.ipsr = 0
		c.fpOpen = false
	}
	if v&aircrSYSRESET != 0 || c.arch != V6M && v&aircrVECTRESET != 0 {
		c.resetRequested = true
		c.attention()
	}
}
