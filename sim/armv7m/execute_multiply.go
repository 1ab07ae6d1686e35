package armv7m

import "math/bits"

// Multiply and divide, DDI 0403E A4.4.3, A4.4.4. d = n * m, with a the addend
// or, of a long result, the low word.

func execMLA(c *Core, o *op) { c.r[o.d] = c.r[o.a] + c.r[o.n]*c.r[o.m] }
func execMLS(c *Core, o *op) { c.r[o.d] = c.r[o.a] - c.r[o.n]*c.r[o.m] }

func (c *Core) long(o *op) uint64 { return uint64(c.r[o.d])<<32 | uint64(c.r[o.a]) }

func (c *Core) setLong(o *op, v uint64) { c.r[o.d], c.r[o.a] = uint32(v>>32), uint32(v) }

func (c *Core) signedProduct(o *op) int64 {
	return int64(int32(c.r[o.n])) * int64(int32(c.r[o.m]))
}

func execSMULL(c *Core, o *op) { c.setLong(o, uint64(c.signedProduct(o))) }
func execSMLAL(c *Core, o *op) { c.setLong(o, c.long(o)+uint64(c.signedProduct(o))) }
func execUMULL(c *Core, o *op) { c.setLong(o, uint64(c.r[o.n])*uint64(c.r[o.m])) }
func execUMLAL(c *Core, o *op) { c.setLong(o, c.long(o)+uint64(c.r[o.n])*uint64(c.r[o.m])) }

func execUMAAL(c *Core, o *op) {
	c.setLong(o, uint64(c.r[o.n])*uint64(c.r[o.m])+uint64(c.r[o.d])+uint64(c.r[o.a]))
}

// divisor looks after division by zero: UsageFault with CCR.DIV_0_TRP, else
// the result is zero.
func (c *Core) divisor(o *op) (v uint32, ok bool) {
	v = c.r[o.m]
	if v != 0 {
		return v, true
	}
	c.cycles += divideCost(0, 0)
	if c.ccr&ccrDIV0TRP != 0 {
		c.raise(excUsageFault, ufsrDIVBYZERO)
	} else {
		c.r[o.d] = 0
	}
	return 0, false
}

func execUDIV(c *Core, o *op) {
	n := c.r[o.n]
	if m, ok := c.divisor(o); ok {
		c.cycles += divideCost(n, m)
		c.r[o.d] = n / m
	}
}

func execSDIV(c *Core, o *op) {
	n := int32(c.r[o.n])
	if v, ok := c.divisor(o); ok {
		m := int32(v)
		c.cycles += divideCost(magnitude(n), magnitude(m))
		c.r[o.d] = uint32(int64(n) / int64(m)) // -1<<31 / -1 wraps
	}
}

func magnitude(v int32) uint32 {
	if v < 0 {
		return -uint32(v)
	}
	return uint32(v)
}

func execCLZ(c *Core, o *op)  { c.r[o.d] = uint32(bits.LeadingZeros32(c.r[o.m])) }
func execRBIT(c *Core, o *op) { c.r[o.d] = bits.Reverse32(c.r[o.m]) }

func execMOVT(c *Core, o *op) { c.r[o.d] = c.r[o.d]&0xffff | o.imm }

// Bit fields: sh is the lowest bit, aux the width, imm the mask in place.

func execUBFX(c *Core, o *op) { c.r[o.d] = c.r[o.n] << (32 - o.sh - o.aux) >> (32 - o.aux) }

func execSBFX(c *Core, o *op) {
	c.r[o.d] = uint32(int32(c.r[o.n]<<(32-o.sh-o.aux)) >> (32 - o.aux))
}

func execBFI(c *Core, o *op) { c.r[o.d] = c.r[o.d]&^o.imm | c.r[o.n]<<o.sh&o.imm }
