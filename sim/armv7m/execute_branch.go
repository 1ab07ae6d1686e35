package armv7m

// Branches, DDI 0403E A6.4 to A6.5. A direct branch that leaves its function
// is reported by wrappedOp, all others here.

func execB(c *Core, o *op) { c.pc = o.imm }

func (c *Core) taken(to uint32) {
	c.pc = to
	c.cycles += costRefill
}

// condBranches are B<c> by condition.
var condBranches = [14]func(*Core, *op){
	func(c *Core, o *op) { // EQ
		if c.zf == 0 {
			c.taken(o.imm)
		}
	},
	func(c *Core, o *op) { // NE
		if c.zf != 0 {
			c.taken(o.imm)
		}
	},
	func(c *Core, o *op) { // CS
		if c.cf != 0 {
			c.taken(o.imm)
		}
	},
	func(c *Core, o *op) { // CC
		if c.cf == 0 {
			c.taken(o.imm)
		}
	},
	func(c *Core, o *op) { // MI
		if int32(c.nf) < 0 {
			c.taken(o.imm)
		}
	},
	func(c *Core, o *op) { // PL
		if int32(c.nf) >= 0 {
			c.taken(o.imm)
		}
	},
	func(c *Core, o *op) { // VS
		if int32(c.vf) < 0 {
			c.taken(o.imm)
		}
	},
	func(c *Core, o *op) { // VC
		if int32(c.vf) >= 0 {
			c.taken(o.imm)
		}
	},
	func(c *Core, o *op) { // HI
		if c.cf != 0 && c.zf != 0 {
			c.taken(o.imm)
		}
	},
	func(c *Core, o *op) { // LS
		if c.cf == 0 || c.zf == 0 {
			c.taken(o.imm)
		}
	},
	func(c *Core, o *op) { // GE
		if int32(c.nf^c.vf) >= 0 {
			c.taken(o.imm)
		}
	},
	func(c *Core, o *op) { // LT
		if int32(c.nf^c.vf) < 0 {
			c.taken(o.imm)
		}
	},
	func(c *Core, o *op) { // GT
		if c.zf != 0 && int32(c.nf^c.vf) >= 0 {
			c.taken(o.imm)
		}
	},
	func(c *Core, o *op) { // LE
		if c.zf == 0 || int32(c.nf^c.vf) < 0 {
			c.taken(o.imm)
		}
	},
}

func execCBZ(c *Core, o *op) {
	if c.r[o.n] == 0 {
		c.taken(o.imm)
	}
}

func execCBNZ(c *Core, o *op) {
	if c.r[o.n] != 0 {
		c.taken(o.imm)
	}
}

// execBL has the return address in no field: it is behind the instruction.
func execBL(c *Core, o *op) {
	ret := c.pc
	c.r[lr] = ret | 1
	c.pc = o.imm
	if c.tracer != nil {
		c.tracer.Call(c.at, o.imm, ret, c.r[sp])
	}
}

func execBLX(c *Core, o *op) {
	ret, v := c.pc, c.r[o.m]
	c.r[lr] = ret | 1
	c.pc = v &^ 1
	if v&1 == 0 {
		c.thumb = false
		c.attention()
	}
	if c.tracer != nil {
		c.tracer.Call(c.at, c.pc, ret, c.r[sp])
	}
}

func execBX(c *Core, o *op) { c.interwork(c.r[o.m] + o.imm) }

// interwork is BXWritePC and LoadWritePC (DDI 0403E B1.4.7): in Handler mode a
// value of 0xFxxxxxxx is an exception return; bit 0 goes to EPSR.T.
func (c *Core) interwork(v uint32) {
	if v>>28 == 0xf && c.ipsr != 0 {
		c.exceptionReturn(v)
		c.faulted = true // EPSR.IT is that of the frame
		c.attention()
		return
	}
	c.pc = v &^ 1
	if v&1 == 0 {
		c.thumb = false
		c.attention()
	}
	if c.tracer != nil {
		c.tracer.Jump(c.at, c.pc, c.r[sp])
	}
}

// execTableBranch is TBB and TBH (kind 1): forward by twice the entry of the
// table at n, index m.
func execTableBranch(c *Core, o *op) {
	a := c.r[o.n] + o.imm + c.r[o.m]<<o.kind
	v, ok := c.load(a, 1<<o.kind, asCore)
	if !ok {
		return
	}
	c.pc += 2 * v
	if c.tracer != nil {
		c.tracer.Jump(c.at, c.pc, c.r[sp])
	}
}
