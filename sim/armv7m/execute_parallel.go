package armv7m

// Parallel arithmetic, DDI 0403E A4.4.7 and the pages of S/Q/SH/U/UQ/UHADD16
// and the like.

// half returns one half of v, sign- or zero-extended.
func half(v uint32, i uint, unsigned bool) int32 {
	h := v >> (16 * i)
	if unsigned {
		return int32(h & 0xffff)
	}
	return int32(int16(h))
}

// lane returns one byte of v, sign- or zero-extended.
func lane(v uint32, i uint, unsigned bool) int32 {
	b := v >> (8 * i)
	if unsigned {
		return int32(b & 0xff)
	}
	return int32(int8(b))
}

// finishLane turns an exact result into what the flavour makes of it, width
// bits wide, and says whether GE is set: signed, the result is not negative;
// unsigned, a sum carried out or a difference did not borrow.
func finishLane(v int32, width uint, o *op, sub bool) (r uint32, ge bool) {
	mask := uint32(1)<<width - 1
	unsigned := o.aux != 0
	switch o.kind {
	case 1:
		lo, hi := int32(-1)<<(width-1), int32(1)<<(width-1)-1
		if unsigned {
			lo, hi = 0, int32(mask)
		}
		v = max(lo, min(hi, v))
	case 2:
		v >>= 1
	}
	ge = v >= 0
	if unsigned && !sub {
		ge = v > int32(mask)
	}
	return uint32(v) & mask, ge
}

// halves computes hi and lo, exact, into d. GE[3:2] is of hi, GE[1:0] of lo.
func (c *Core) halves(o *op, hi, lo int32, hiSub, loSub bool) {
	h, geHi := finishLane(hi, 16, o, hiSub)
	l, geLo := finishLane(lo, 16, o, loSub)
	c.r[o.d] = h<<16 | l
	if o.kind != 0 {
		return
	}
	c.ge = 0
	if geHi {
		c.ge |= 12
	}
	if geLo {
		c.ge |= 3
	}
}

// operandHalves returns the halves of n and m.
func (c *Core) operandHalves(o *op) (nHi, nLo, mHi, mLo int32) {
	n, m, u := c.r[o.n], c.r[o.m], o.aux != 0
	return half(n, 1, u), half(n, 0, u), half(m, 1, u), half(m, 0, u)
}

func execADD16(c *Core, o *op) {
	nHi, nLo, mHi, mLo := c.operandHalves(o)
	c.halves(o, nHi+mHi, nLo+mLo, false, false)
}

func execSUB16(c *Core, o *op) {
	nHi, nLo, mHi, mLo := c.operandHalves(o)
	c.halves(o, nHi-mHi, nLo-mLo, true, true)
}

// execASX adds above and subtracts below, with the halves of m exchanged.
func execASX(c *Core, o *op) {
	nHi, nLo, mHi, mLo := c.operandHalves(o)
	c.halves(o, nHi+mLo, nLo-mHi, false, true)
}

func execSAX(c *Core, o *op) {
	nHi, nLo, mHi, mLo := c.operandHalves(o)
	c.halves(o, nHi-mLo, nLo+mHi, true, false)
}

func (c *Core) bytes(o *op, sub bool) {
	n, m, u := c.r[o.n], c.r[o.m], o.aux != 0
	var v uint32
	var ge uint8
	for i := range uint(4) {
		a, b := lane(n, i, u), lane(m, i, u)
		if sub {
			b = -b
		}
		r, set := finishLane(a+b, 8, o, sub)
		v |= r << (8 * i)
		if set {
			ge |= 1 << i
		}
	}
	c.r[o.d] = v
	if o.kind == 0 {
		c.ge = ge
	}
}

func execADD8(c *Core, o *op) { c.bytes(o, false) }
func execSUB8(c *Core, o *op) { c.bytes(o, true) }

// execSEL takes each byte from n where GE is set, else from m.
func execSEL(c *Core, o *op) {
	var mask uint32
	for i := range 4 {
		if c.ge>>i&1 != 0 {
			mask |= 0xff << (8 * i)
		}
	}
	c.r[o.d] = c.r[o.n]&mask | c.r[o.m]&^mask
}

// execUSADA8 adds the absolute differences of bytes to a.
func execUSADA8(c *Core, o *op) {
	sum := c.r[o.a]
	for i := range uint(4) {
		d := lane(c.r[o.n], i, true) - lane(c.r[o.m], i, true)
		sum += uint32(max(d, -d))
	}
	c.r[o.d] = sum
}

func execPKHBT(c *Core, o *op) { c.r[o.d] = c.r[o.n]&0xffff | c.r[o.m]&0xffff0000 }
func execPKHTB(c *Core, o *op) { c.r[o.d] = c.r[o.m]&0xffff | c.r[o.n]&0xffff0000 }
