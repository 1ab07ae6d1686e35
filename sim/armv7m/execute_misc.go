package armv7m

import "math/bits"

func execUndefined(c *Core, _ *op) { c.undefined() }

func execNOP(*Core, *op) {}

// execIT is IT: imm is ITSTATE (DDI 0403E A7.7.38).
func execIT(c *Core, o *op) { c.it = uint8(o.imm) }

// execSVC pends SVCall, or HardFault where that cannot be taken.
func execSVC(c *Core, _ *op) {
	if c.groupPriority(excSVCall) < c.executionPriority() {
		c.setPending(excSVCall)
		return
	}
	c.pc = c.at
	c.faulted = true
	c.pendHardFault(hfsrFORCED)
}

// execCPS changes PRIMASK (imm bit 1) and FAULTMASK (bit 0) where privileged;
// d is 1 to set, 0 to clear (DDI 0403E B5.2.1).
func execCPS(c *Core, o *op) {
	if !c.privileged() {
		return
	}
	if o.imm&2 != 0 {
		c.primask = o.d != 0
	}
	if o.imm&1 != 0 && (o.d == 0 || c.executionPriority() > priorityHardFault) {
		c.faultmask = o.d != 0
	}
	c.attention()
}

func execREV(c *Core, o *op) { c.r[o.d] = bits.ReverseBytes32(c.r[o.m]) }

func execREV16(c *Core, o *op) {
	c.r[o.d] = bits.RotateLeft32(bits.ReverseBytes32(c.r[o.m]), 16)
}

func execREVSH(c *Core, o *op) { c.r[o.d] = uint32(int16(bits.ReverseBytes16(uint16(c.r[o.m])))) }

func execMUL(c *Core, o *op) { c.r[o.d] = c.r[o.n] * c.r[o.m] }

func execMULS(c *Core, o *op) {
	v := c.r[o.n] * c.r[o.m]
	c.r[o.d] = v
	c.nf, c.zf = v, v
}
