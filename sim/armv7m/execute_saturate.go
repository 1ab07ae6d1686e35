package armv7m

// Saturation, DDI 0403E A4.4.5 and A2.2.1; Q stays set once it is.

// signedSat is SignedSatQ for a result of n bits, 1 to 32.
func signedSat(v int64, n uint) (uint32, bool) {
	lo, hi := int64(-1)<<(n-1), int64(1)<<(n-1)-1
	s := max(lo, min(hi, v))
	return uint32(s), s != v
}

// unsignedSat is UnsignedSatQ for a result of n bits, 0 to 31.
func unsignedSat(v int64, n uint) (uint32, bool) {
	s := max(0, min(int64(1)<<n-1, v))
	return uint32(s), s != v
}

func (c *Core) sticky(saturated bool) {
	if saturated {
		c.q = true
	}
}

// shiftedSource is register n shifted by sh: kind LSL, or ASR.
func (c *Core) shiftedSource(o *op) int64 {
	v, _ := shiftC(c.r[o.n], o.kind, uint32(o.sh), 0)
	return int64(int32(v))
}

// execSSAT saturates to aux bits, signed; execUSAT unsigned.
func execSSAT(c *Core, o *op) {
	v, sat := signedSat(c.shiftedSource(o), uint(o.aux))
	c.r[o.d] = v
	c.sticky(sat)
}

func execUSAT(c *Core, o *op) {
	v, sat := unsignedSat(c.shiftedSource(o), uint(o.aux))
	c.r[o.d] = v
	c.sticky(sat)
}

func execSSAT16(c *Core, o *op) {
	lo, satLo := signedSat(int64(half(c.r[o.n], 0, false)), uint(o.aux))
	hi, satHi := signedSat(int64(half(c.r[o.n], 1, false)), uint(o.aux))
	c.r[o.d] = hi<<16 | lo&0xffff
	c.sticky(satLo || satHi)
}

func execUSAT16(c *Core, o *op) {
	lo, satLo := unsignedSat(int64(half(c.r[o.n], 0, false)), uint(o.aux))
	hi, satHi := unsignedSat(int64(half(c.r[o.n], 1, false)), uint(o.aux))
	c.r[o.d] = hi<<16 | lo
	c.sticky(satLo || satHi)
}

// saturatedSum is m plus or minus n, of which n may be doubled first.
func (c *Core) saturatedSum(o *op, factor int64, double bool) {
	n := int64(int32(c.r[o.n]))
	if double {
		v, sat := signedSat(2*n, 32)
		c.sticky(sat)
		n = int64(int32(v))
	}
	v, sat := signedSat(int64(int32(c.r[o.m]))+factor*n, 32)
	c.sticky(sat)
	c.r[o.d] = v
}

func execQADD(c *Core, o *op)  { c.saturatedSum(o, 1, false) }
func execQDADD(c *Core, o *op) { c.saturatedSum(o, 1, true) }
func execQSUB(c *Core, o *op)  { c.saturatedSum(o, -1, false) }
func execQDSUB(c *Core, o *op) { c.saturatedSum(o, -1, true) }
