package armv7m

// Data processing (DDI 0403E A5.2.1, A5.2.2, A5.3.1, A5.3.11). The first operand is
// register n, the second register m plus imm, of which one is zero. Those with
// a shift compute it first (execShifted) and leave it in slotShift. Logical
// operations leave the carry to execShifted or execRotated.

func execAND(c *Core, o *op) { c.r[o.d] = c.r[o.n] & (c.r[o.m] + o.imm) }

func execANDS(c *Core, o *op) {
	v := c.r[o.n] & (c.r[o.m] + o.imm)
	c.r[o.d] = v
	c.nf, c.zf = v, v
}

func execBIC(c *Core, o *op) { c.r[o.d] = c.r[o.n] &^ (c.r[o.m] + o.imm) }

func execBICS(c *Core, o *op) {
	v := c.r[o.n] &^ (c.r[o.m] + o.imm)
	c.r[o.d] = v
	c.nf, c.zf = v, v
}

func execORR(c *Core, o *op) { c.r[o.d] = c.r[o.n] | (c.r[o.m] + o.imm) }

func execORRS(c *Core, o *op) {
	v := c.r[o.n] | (c.r[o.m] + o.imm)
	c.r[o.d] = v
	c.nf, c.zf = v, v
}

func execORN(c *Core, o *op) { c.r[o.d] = c.r[o.n] | ^(c.r[o.m] + o.imm) }

func execORNS(c *Core, o *op) {
	v := c.r[o.n] | ^(c.r[o.m] + o.imm)
	c.r[o.d] = v
	c.nf, c.zf = v, v
}

func execEOR(c *Core, o *op) { c.r[o.d] = c.r[o.n] ^ (c.r[o.m] + o.imm) }

func execEORS(c *Core, o *op) {
	v := c.r[o.n] ^ (c.r[o.m] + o.imm)
	c.r[o.d] = v
	c.nf, c.zf = v, v
}

func execMOV(c *Core, o *op) { c.r[o.d] = c.r[o.m] + o.imm }

func execMOVS(c *Core, o *op) {
	v := c.r[o.m] + o.imm
	c.r[o.d] = v
	c.nf, c.zf = v, v
}

func execMVN(c *Core, o *op) { c.r[o.d] = ^(c.r[o.m] + o.imm) }

func execMVNS(c *Core, o *op) {
	v := ^(c.r[o.m] + o.imm)
	c.r[o.d] = v
	c.nf, c.zf = v, v
}

func execTST(c *Core, o *op) {
	v := c.r[o.n] & (c.r[o.m] + o.imm)
	c.nf, c.zf = v, v
}

func execTEQ(c *Core, o *op) {
	v := c.r[o.n] ^ (c.r[o.m] + o.imm)
	c.nf, c.zf = v, v
}

func execADD(c *Core, o *op) { c.r[o.d] = c.r[o.n] + c.r[o.m] + o.imm }

func execADDS(c *Core, o *op) {
	a, b := c.r[o.n], c.r[o.m]+o.imm
	r := a + b
	c.r[o.d] = r
	c.nf, c.zf = r, r
	c.cf = 0
	if r < a {
		c.cf = 1
	}
	c.vf = (a ^ r) & (b ^ r)
}

func execCMN(c *Core, o *op) { c.addFlags(c.r[o.n], c.r[o.m]+o.imm, 0) }

func execADC(c *Core, o *op) { c.r[o.d] = c.r[o.n] + c.r[o.m] + o.imm + c.cf }

func execADCS(c *Core, o *op) { c.r[o.d] = c.addFlags(c.r[o.n], c.r[o.m]+o.imm, c.cf) }

func execSBC(c *Core, o *op) { c.r[o.d] = c.r[o.n] + ^(c.r[o.m] + o.imm) + c.cf }

func execSBCS(c *Core, o *op) { c.r[o.d] = c.addFlags(c.r[o.n], ^(c.r[o.m] + o.imm), c.cf) }

func execSUB(c *Core, o *op) { c.r[o.d] = c.r[o.n] - (c.r[o.m] + o.imm) }

func execSUBS(c *Core, o *op) {
	a, b := c.r[o.n], c.r[o.m]+o.imm
	r := a - b
	c.r[o.d] = r
	c.nf, c.zf = r, r
	c.cf = 0
	if a >= b {
		c.cf = 1
	}
	c.vf = (a ^ b) & (a ^ r)
}

func execCMP(c *Core, o *op) {
	a, b := c.r[o.n], c.r[o.m]+o.imm
	r := a - b
	c.nf, c.zf = r, r
	c.cf = 0
	if a >= b {
		c.cf = 1
	}
	c.vf = (a ^ b) & (a ^ r)
}

func execRSB(c *Core, o *op) { c.r[o.d] = c.r[o.m] + o.imm - c.r[o.n] }

func execRSBS(c *Core, o *op) { c.r[o.d] = c.addFlags(^c.r[o.n], c.r[o.m]+o.imm, 1) }

// execShifted shifts register a by a constant and hands on to then; with aux
// the carry out goes to C.
func execShifted(c *Core, o *op) {
	v, carry := shiftC(c.r[o.a], o.kind, uint32(o.sh), c.cf)
	if o.aux != 0 {
		c.cf = carry
	}
	c.r[slotShift] = v
	o.then(c, o)
}

// execRotated is a logical operation with a constant that was rotated: C is
// bit 31 of it.
func execRotated(c *Core, o *op) {
	c.cf = o.imm >> 31
	o.then(c, o)
}

// execLSLS and the two after it are MOVS with a constant shift of 1 to 31.
func execLSLS(c *Core, o *op) {
	v := c.r[o.m]
	c.cf = v >> ((32 - o.sh) & 31) & 1
	v <<= o.sh & 31
	c.r[o.d] = v
	c.nf, c.zf = v, v
}

func execLSRS(c *Core, o *op) {
	v := c.r[o.m]
	c.cf = v >> ((o.sh - 1) & 31) & 1
	v >>= o.sh & 31
	c.r[o.d] = v
	c.nf, c.zf = v, v
}

func execASRS(c *Core, o *op) {
	v := int32(c.r[o.m])
	c.cf = uint32(v>>((o.sh-1)&31)) & 1
	w := uint32(v >> (o.sh & 31))
	c.r[o.d] = w
	c.nf, c.zf = w, w
}

// execShiftReg shifts register n by the low byte of register m.
func execShiftReg(c *Core, o *op) {
	c.r[o.d], _ = shiftC(c.r[o.n], o.kind, c.r[o.m]&0xff, c.cf)
}

func execShiftRegS(c *Core, o *op) {
	v, carry := shiftC(c.r[o.n], o.kind, c.r[o.m]&0xff, c.cf)
	c.r[o.d] = v
	c.nf, c.zf, c.cf = v, v, carry
}

// execToPC computes a value as then does and branches to it (ALUWritePC).
func execToPC(c *Core, o *op) {
	o.then(c, o)
	c.pc = c.r[o.d] &^ 1
	if c.tracer != nil {
		c.tracer.Jump(c.at, c.pc, c.r[sp])
	}
}
