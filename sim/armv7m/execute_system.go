package armv7m

// SYSm values, DDI 0403E B5.1.1. 0 to 7 are the parts of xPSR.
const (
	sysMSP        = 8
	sysPSP        = 9
	sysPRIMASK    = 16
	sysBASEPRI    = 17
	sysBASEPRIMAX = 18
	sysFAULTMASK  = 19
	sysCONTROL    = 20
)

// execMRS is MRS (B5.2.2). EPSR reads as zero; unprivileged code reads zero
// except for APSR and CONTROL.
func execMRS(c *Core, o *op) {
	sysm := o.imm
	var v uint32
	switch {
	case sysm < 8:
		if sysm&1 != 0 && c.privileged() {
			v |= c.ipsr
		}
		if sysm&4 == 0 {
			v |= c.apsr()
		}
	case sysm == sysCONTROL:
		v = c.control
	case !c.privileged():
	case sysm == sysMSP || sysm == sysPSP:
		v = c.stackPointer(sysm == sysPSP)
	case sysm == sysPRIMASK:
		v = oneIf(c.primask)
	case sysm == sysBASEPRI || sysm == sysBASEPRIMAX:
		v = uint32(c.basepri)
	case sysm == sysFAULTMASK:
		v = oneIf(c.faultmask)
	}
	c.r[o.d] = v
}

func oneIf(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// execMSR is MSR (B5.2.3); kind is the mask: bit 1 NZCVQ, bit 0 GE.
func execMSR(c *Core, o *op) {
	v, sysm := c.r[o.n], o.imm
	if sysm < 8 {
		if sysm&4 == 0 {
			c.writeAPSR(v, o.kind)
		}
		return
	}
	if !c.privileged() {
		return
	}
	switch sysm {
	case sysMSP, sysPSP:
		c.setStackPointer(sysm == sysPSP, v)
	case sysPRIMASK:
		c.primask = v&1 != 0
	case sysBASEPRI:
		c.basepri = uint8(v) & c.priorityMask
	case sysBASEPRIMAX:
		if b := uint8(v) & c.priorityMask; b != 0 && (b < c.basepri || c.basepri == 0) {
			c.basepri = b
		}
	case sysFAULTMASK:
		if v&1 == 0 || c.executionPriority() > priorityHardFault {
			c.faultmask = v&1 != 0
		}
	case sysCONTROL:
		c.setControl(v)
	}
	c.attention()
}

func (c *Core) writeAPSR(v uint32, mask uint8) {
	if mask&2 != 0 {
		c.setFlags(v)
		c.q = v&psrQ != 0 && c.arch != V6M
	}
	if mask&1 != 0 {
		c.ge = uint8(v >> 16 & 15)
	}
}
