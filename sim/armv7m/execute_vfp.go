package armv7m

import "github.com/mprof/mprof/sim/armv7m/vfp"

// Floating-point data processing (DDI 0403E A6.4). d, n and m are singles.

// fpu is FPSCR, as package vfp computes with it.
func (c *Core) fpu() *vfp.FPSCR { return (*vfp.FPSCR)(&c.fpscr) }

// execUndefinedVFP: the access check comes first, and does nothing else here.
func execUndefinedVFP(c *Core, _ *op) {
	if !c.fpAccess() {
		c.raise(excUsageFault, ufsrNOCP)
		return
	}
	c.undefined()
}

func execVADD(c *Core, o *op) {
	if c.executeFPCheck() {
		c.s[o.d&31] = c.fpu().Add(c.s[o.n&31], c.s[o.m&31])
	}
}

func execVSUB(c *Core, o *op) {
	if c.executeFPCheck() {
		c.s[o.d&31] = c.fpu().Sub(c.s[o.n&31], c.s[o.m&31])
	}
}

func execVMUL(c *Core, o *op) {
	if c.executeFPCheck() {
		c.s[o.d&31] = c.fpu().Mul(c.s[o.n&31], c.s[o.m&31])
	}
}

func execVNMUL(c *Core, o *op) {
	if c.executeFPCheck() {
		c.s[o.d&31] = vfp.Neg(c.fpu().Mul(c.s[o.n&31], c.s[o.m&31]))
	}
}

func execVDIV(c *Core, o *op) {
	if c.executeFPCheck() {
		c.s[o.d&31] = c.fpu().Div(c.s[o.n&31], c.s[o.m&31])
	}
}

func execVSQRT(c *Core, o *op) {
	if c.executeFPCheck() {
		c.s[o.d&31] = c.fpu().Sqrt(c.s[o.m&31])
	}
}

// Chained multiply and accumulate: the product is rounded, then the sum.

func execVMLA(c *Core, o *op) {
	if c.executeFPCheck() {
		f := c.fpu()
		c.s[o.d&31] = f.Add(c.s[o.d&31], f.Mul(c.s[o.n&31], c.s[o.m&31]))
	}
}

func execVMLS(c *Core, o *op) {
	if c.executeFPCheck() {
		f := c.fpu()
		c.s[o.d&31] = f.Add(c.s[o.d&31], vfp.Neg(f.Mul(c.s[o.n&31], c.s[o.m&31])))
	}
}

func execVNMLA(c *Core, o *op) {
	if c.executeFPCheck() {
		f := c.fpu()
		c.s[o.d&31] = f.Add(vfp.Neg(c.s[o.d&31]), vfp.Neg(f.Mul(c.s[o.n&31], c.s[o.m&31])))
	}
}

func execVNMLS(c *Core, o *op) {
	if c.executeFPCheck() {
		f := c.fpu()
		c.s[o.d&31] = f.Add(vfp.Neg(c.s[o.d&31]), f.Mul(c.s[o.n&31], c.s[o.m&31]))
	}
}

// Fused: rounded once.

func execVFMA(c *Core, o *op) {
	if c.executeFPCheck() {
		c.s[o.d&31] = c.fpu().MulAdd(c.s[o.d&31], c.s[o.n&31], c.s[o.m&31])
	}
}

func execVFMS(c *Core, o *op) {
	if c.executeFPCheck() {
		c.s[o.d&31] = c.fpu().MulAdd(c.s[o.d&31], vfp.Neg(c.s[o.n&31]), c.s[o.m&31])
	}
}

func execVFNMA(c *Core, o *op) {
	if c.executeFPCheck() {
		c.s[o.d&31] = c.fpu().MulAdd(vfp.Neg(c.s[o.d&31]), vfp.Neg(c.s[o.n&31]), c.s[o.m&31])
	}
}

func execVFNMS(c *Core, o *op) {
	if c.executeFPCheck() {
		c.s[o.d&31] = c.fpu().MulAdd(vfp.Neg(c.s[o.d&31]), c.s[o.n&31], c.s[o.m&31])
	}
}

// Sign and moves.

func execVABS(c *Core, o *op) {
	if c.executeFPCheck() {
		c.s[o.d&31] = vfp.Abs(c.s[o.m&31])
	}
}

func execVNEG(c *Core, o *op) {
	if c.executeFPCheck() {
		c.s[o.d&31] = vfp.Neg(c.s[o.m&31])
	}
}

func execVMOV(c *Core, o *op) {
	if c.executeFPCheck() {
		c.s[o.d&31] = c.s[o.m&31]
	}
}

func execVMOVConst(c *Core, o *op) {
	if c.executeFPCheck() {
		c.s[o.d&31] = o.imm
	}
}

// Comparisons; kind 1 is VCMPE.

func execVCMP(c *Core, o *op) {
	if c.executeFPCheck() {
		c.fpu().Compare(c.s[o.d&31], c.s[o.m&31], o.kind != 0)
	}
}

func execVCMPZero(c *Core, o *op) {
	if c.executeFPCheck() {
		c.fpu().Compare(c.s[o.d&31], 0, o.kind != 0)
	}
}
