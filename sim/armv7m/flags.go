package armv7m

import "math/bits"

// xPSR bits, DDI 0403E B1.4.2.
const (
	psrN = 1 << 31
	psrZ = 1 << 30
	psrC = 1 << 29
	psrV = 1 << 28
	psrQ = 1 << 27
	psrT = 1 << 24
)

func (c *Core) flags() uint32 {
	v := c.nf&psrN | c.cf<<29 | c.vf>>31<<28
	if c.zf == 0 {
		v |= psrZ
	}
	return v
}

func (c *Core) setFlags(v uint32) {
	c.nf = v
	c.zf = ^v & psrZ
	c.cf = v >> 29 & 1
	c.vf = v << 3
}

func (c *Core) apsr() uint32 {
	v := c.flags() | uint32(c.ge)<<16
	if c.q {
		v |= psrQ
	}
	return v
}

// setAPSR writes NZCVQ and, with the DSP extension, GE.
func (c *Core) setAPSR(v uint32) {
	c.setFlags(v)
	c.q = v&psrQ != 0 && c.arch != V6M
	if c.arch == V7EM {
		c.ge = uint8(v >> 16 & 15)
	}
}

// xpsr is APSR, IPSR and EPSR together; IT[7:2] is in 15:10, IT[1:0] in 26:25.
func (c *Core) xpsr() uint32 {
	v := c.apsr() | c.ipsr | uint32(c.it>>2)<<10 | uint32(c.it&3)<<25
	if c.thumb {
		v |= psrT
	}
	return v
}

// setEPSR takes T and IT from an xPSR.
func (c *Core) setEPSR(v uint32) {
	c.thumb = v&psrT != 0
	c.it = uint8(v>>10&0x3f)<<2 | uint8(v>>25&3)
	if c.arch == V6M {
		c.it = 0
	}
}

// addFlags is AddWithCarry (DDI 0403E A2.2.1) with all four flags.
func (c *Core) addFlags(a, b, carry uint32) uint32 {
	r, out := bits.Add32(a, b, carry)
	c.nf, c.zf, c.cf = r, r, out
	c.vf = (a ^ r) & (b ^ r)
	return r
}

// condition is ConditionPassed, DDI 0403E A7.3.
func (c *Core) condition(cc uint8) bool {
	var yes bool
	switch cc >> 1 {
	case 0:
		yes = c.zf == 0
	case 1:
		yes = c.cf != 0
	case 2:
		yes = int32(c.nf) < 0
	case 3:
		yes = int32(c.vf) < 0
	case 4:
		yes = c.cf != 0 && c.zf != 0
	case 5:
		yes = int32(c.nf^c.vf) >= 0
	case 6:
		yes = c.zf != 0 && int32(c.nf^c.vf) >= 0
	default:
		return true
	}
	return yes != (cc&1 != 0)
}

// Shift types as encoded, DDI 0403E A7.4.2; RRX is ROR by 0.
const (
	shiftLSL = iota
	shiftLSR
	shiftASR
	shiftROR
	shiftRRX
)

// immShift is DecodeImmShift.
func immShift(kind, n uint8) (uint8, uint8) {
	switch {
	case n != 0 || kind == shiftLSL:
		return kind, n
	case kind == shiftROR:
		return shiftRRX, 1
	}
	return kind, 32
}

// shiftC is Shift_C (DDI 0403E A7.4.2): v shifted by n, and the carry out.
func shiftC(v uint32, kind uint8, n, carry uint32) (uint32, uint32) {
	if kind == shiftRRX {
		return carry<<31 | v>>1, v & 1
	}
	if n == 0 {
		return v, carry
	}
	switch kind {
	case shiftLSL:
		return v << n, uint32(uint64(v)<<n>>32) & 1
	case shiftLSR:
		return v >> n, uint32(uint64(v)>>(n-1)) & 1
	case shiftASR:
		w := int64(int32(v))
		return uint32(w >> min(n, 63)), uint32(w>>min(n-1, 63)) & 1
	}
	v = bits.RotateLeft32(v, -int(n&31))
	return v, v >> 31
}

// expandImm is ThumbExpandImm_C (DDI 0403E A5.3.2). rotated says that the
// carry becomes bit 31 of the value; ok is false for the UNPREDICTABLE ones.
func expandImm(imm12 uint32) (v uint32, rotated, ok bool) {
	b := imm12 & 0xff
	if imm12>>10 == 0 {
		switch imm12 >> 8 {
		case 0:
			return b, false, true
		case 1:
			v = b<<16 | b
		case 2:
			v = b<<24 | b<<8
		default:
			v = b * 0x01010101
		}
		return v, false, b != 0
	}
	return bits.RotateLeft32(0x80|imm12&0x7f, -int(imm12>>7)), true, true
}
