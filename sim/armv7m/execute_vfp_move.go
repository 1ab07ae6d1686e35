package armv7m

import "encoding/binary"

// Transfers of extension registers (DDI 0403E A6.5 to A6.7): d is the first
// single, a and n are core registers.

func execVMOVFromCore(c *Core, o *op) {
	if c.executeFPCheck() {
		c.s[o.d&31] = c.r[o.a]
	}
}

func execVMOVToCore(c *Core, o *op) {
	if c.executeFPCheck() {
		c.r[o.a] = c.s[o.d&31]
	}
}

func execVMOVPairFromCore(c *Core, o *op) {
	if c.executeFPCheck() {
		c.s[o.d&31], c.s[(o.d+1)&31] = c.r[o.a], c.r[o.n]
	}
}

func execVMOVPairToCore(c *Core, o *op) {
	if c.executeFPCheck() {
		c.r[o.a], c.r[o.n] = c.s[o.d&31], c.s[(o.d+1)&31]
	}
}

func execVMSR(c *Core, o *op) {
	if c.executeFPCheck() {
		c.fpscr = c.r[o.a] & fpscrMask
	}
}

func execVMRS(c *Core, o *op) {
	if c.executeFPCheck() {
		c.r[o.a] = c.fpscr
	}
}

// execVMRSFlags is VMRS APSR_nzcv, FPSCR.
func execVMRSFlags(c *Core, _ *op) {
	if c.executeFPCheck() {
		c.setFlags(c.fpscr)
	}
}

// execVLDR loads aux words, 1 or 2. A fault loads none of them.
func execVLDR(c *Core, o *op) {
	if !c.executeFPCheck() {
		return
	}
	a := c.r[o.n] + o.imm
	if !c.aligned(a, 4) {
		return
	}
	v, ok := c.load32(a)
	if !ok {
		return
	}
	if o.aux > 1 {
		v2, ok := c.load32(a + 4)
		if !ok {
			return
		}
		c.s[(o.d+1)&31] = v2
	}
	c.s[o.d&31] = v
}

func execVSTR(c *Core, o *op) {
	if !c.executeFPCheck() {
		return
	}
	a := c.r[o.n] + o.imm
	if !c.aligned(a, 4) || !c.store32(a, c.s[o.d&31]) {
		return
	}
	if o.aux > 1 {
		c.store32(a+4, c.s[(o.d+1)&31])
	}
}

// vfpBounds returns the lowest address of VLDM and VSTM and what the base
// becomes: imm bytes on, or back.
func (c *Core) vfpBounds(o *op) (first, base uint32) {
	n := c.r[o.n]
	if o.kind&multipleDB != 0 {
		return n - o.imm, n - o.imm
	}
	return n, n + o.imm
}

// execVLDM loads aux words. A fault loads none of them and leaves the base.
func execVLDM(c *Core, o *op) {
	if !c.executeFPCheck() {
		return
	}
	first, base := c.vfpBounds(o)
	if !c.aligned(first, 4) {
		return
	}
	to := c.s[o.d&31:][:o.aux]
	if b := c.fast(first, 4*uint32(o.aux)); b != nil {
		for i := range to {
			to[i] = binary.LittleEndian.Uint32(b[4*i:])
		}
	} else {
		var got [32]uint32
		for i := range to {
			v, ok := c.load32(first + 4*uint32(i))
			if !ok {
				return
			}
			got[i&31] = v
		}
		copy(to, got[:])
	}
	if o.kind&multipleWriteback != 0 {
		c.r[o.n] = base
	}
}

func execVSTM(c *Core, o *op) {
	if !c.executeFPCheck() {
		return
	}
	first, base := c.vfpBounds(o)
	if !c.aligned(first, 4) {
		return
	}
	for i, v := range c.s[o.d&31:][:o.aux] {
		if !c.store32(first+4*uint32(i), v) {
			return
		}
	}
	if o.kind&multipleWriteback != 0 {
		c.r[o.n] = base
	}
}
