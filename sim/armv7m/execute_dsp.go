package armv7m

import "math/bits"

// Signed multiplies of halfwords and the high words of products, DDI 0403E
// A4.4.3 (DSP extension).

// halfProduct multiplies the halves of n and m that kind names: bit 1 the top
// of n, bit 0 the top of m.
func (c *Core) halfProduct(o *op) int64 {
	a := half(c.r[o.n], uint(o.kind>>1&1), false)
	b := half(c.r[o.m], uint(o.kind&1), false)
	return int64(a) * int64(b)
}

// accumulate is sum into d; Q is set where that overflows.
func (c *Core) accumulate(o *op, sum int64) {
	c.r[o.d] = uint32(sum)
	c.sticky(int64(int32(sum)) != sum)
}

// addend is a as a signed number.
func (c *Core) addend(o *op) int64 { return int64(int32(c.r[o.a])) }

func execSMLAxy(c *Core, o *op) { c.accumulate(o, c.halfProduct(o)+c.addend(o)) }

func execSMLALxy(c *Core, o *op) { c.setLong(o, c.long(o)+uint64(c.halfProduct(o))) }

// execSMLAW multiplies n by a half of m and keeps the upper 32 of 48 bits.
func execSMLAW(c *Core, o *op) {
	p := int64(int32(c.r[o.n])) * int64(half(c.r[o.m], uint(o.kind&1), false))
	c.accumulate(o, p>>16+c.addend(o))
}

// dual returns both products of halves; kind bit 0 exchanges the halves of m.
func (c *Core) dual(o *op) (lo, hi int64) {
	n, m := c.r[o.n], c.r[o.m]
	if o.kind&1 != 0 {
		m = bits.RotateLeft32(m, 16)
	}
	return int64(half(n, 0, false)) * int64(half(m, 0, false)), int64(half(n, 1, false)) * int64(half(m, 1, false))
}

func execSMLAD(c *Core, o *op) {
	lo, hi := c.dual(o)
	c.accumulate(o, lo+hi+c.addend(o))
}

func execSMLSD(c *Core, o *op) {
	lo, hi := c.dual(o)
	c.accumulate(o, lo-hi+c.addend(o))
}

func execSMLALD(c *Core, o *op) {
	lo, hi := c.dual(o)
	c.setLong(o, c.long(o)+uint64(lo+hi))
}

func execSMLSLD(c *Core, o *op) {
	lo, hi := c.dual(o)
	c.setLong(o, c.long(o)+uint64(lo-hi))
}

// execSMMLA keeps the high word of a:0 + n*m; kind bit 0 rounds.
func execSMMLA(c *Core, o *op) {
	c.highWord(o, uint64(c.r[o.a])<<32+uint64(c.signedProduct(o)))
}

func execSMMLS(c *Core, o *op) {
	c.highWord(o, uint64(c.r[o.a])<<32-uint64(c.signedProduct(o)))
}

func (c *Core) highWord(o *op, v uint64) {
	if o.kind&1 != 0 {
		v += 0x80000000
	}
	c.r[o.d] = uint32(v >> 32)
}
