package vfp

import "math/bits"

// Compare is FPCompare into N, Z, C and V. A quiet NaN is an Invalid Operation
// where quietInvalid says so (VCMPE), a signalling one always.
func (f *FPSCR) Compare(a, b uint32, quietInvalid bool) {
	x, y := f.unpack(a), f.unpack(b)
	*f &^= N | Z | C | V
	if x.class.nan() || y.class.nan() {
		*f |= C | V
		if quietInvalid || x.class == signalling || y.class == signalling {
			*f |= IOC
		}
		return
	}
	i, j := x.order(a), y.order(b)
	switch {
	case i == j:
		*f |= Z | C
	case i < j:
		*f |= N
	default:
		*f |= C
	}
}

// order is the place of a number among all, zeros being one.
func (x number) order(v uint32) int32 {
	switch {
	case x.class == zero:
		return 0
	case x.sign != 0:
		return -int32(Abs(v))
	}
	return int32(v)
}

// ToFixed is FPToFixed to size bits (16 or 32) of which fraction are behind the
// point; the result is extended to 32 bits by its signedness. What is beyond
// saturates, NaN becomes 0, both are an Invalid Operation. toZero overrides the
// rounding mode.
func (f *FPSCR) ToFixed(v uint32, size, fraction uint, unsigned, toZero bool) uint32 {
	x := f.unpack(v)
	switch x.class {
	case zero:
		return 0
	case quiet, signalling:
		*f |= IOC
		return 0
	}
	magnitude, inexact := uint64(1<<63), false
	if x.class == nonzero {
		mode := f.mode()
		if toZero {
			mode = truncate
		}
		magnitude, inexact = integer(x, int(fraction), mode)
	}
	limit := uint64(1)<<size - 1 // the largest magnitude
	switch {
	case unsigned && x.sign != 0:
		limit = 0
	case !unsigned && x.sign != 0:
		limit = 1 << (size - 1)
	case !unsigned:
		limit = 1<<(size-1) - 1
	}
	switch {
	case magnitude > limit:
		magnitude = limit
		*f |= IOC
	case inexact:
		*f |= IXC
	}
	if x.sign != 0 {
		return -uint32(magnitude)
	}
	return uint32(magnitude)
}

// integer rounds |x| * 2^fraction, up to 2^63, to an integer.
func integer(x number, fraction int, mode FPSCR) (v uint64, inexact bool) {
	exp := x.exp + fraction
	if exp >= 0 {
		return uint64(x.man) << min(exp, 39), false // 2^62 or more saturates
	}
	// Two bits behind the point, the lower for all that follow.
	w := jam(uint64(x.man)<<2, uint(-exp))
	v, rest := w>>2, w&3
	up := false
	switch mode {
	case nearest:
		up = rest == 3 || rest == 2 && v&1 != 0
	case plus:
		up = rest != 0 && x.sign == 0
	case minus:
		up = rest != 0 && x.sign != 0
	}
	if up {
		v++
	}
	return v, rest != 0
}

// FromFixed is FixedToFP of the low size bits (16 or 32) of v with fraction of
// them behind the point. toNearest overrides the rounding mode.
func (f *FPSCR) FromFixed(v uint32, size, fraction uint, unsigned, toNearest bool) uint32 {
	v <<= 32 - size
	sign := v & signBit
	if unsigned {
		v >>= 32 - size
		sign = 0
	} else {
		v = uint32(int32(v) >> (32 - size))
	}
	if v == 0 {
		return 0
	}
	if sign != 0 {
		v = -v
	}
	g := *f
	if toNearest {
		g = g.with(nearest)
	}
	r := g.round(sign, -int(fraction), uint64(v))
	*f |= g & IXC
	return r
}

// SingleToHalf is FPSingleToHalf. The alternative format has no infinities and
// no NaNs. Flush-to-zero is for the operand only.
func (f *FPSCR) SingleToHalf(v uint32) uint16 {
	x := f.unpack(v)
	sign := uint16(x.sign >> 16)
	alternative := *f&AHP != 0
	switch {
	case x.class == zero:
		return sign
	case x.class.nan() && alternative:
		*f |= IOC
		return sign
	case x.class.nan():
		return uint16(f.processNaN(x.class, v)>>13&0x3ff) | 0x7c00 | f.nanSign(sign)
	case x.class == infinity && alternative:
		*f |= IOC
		return sign | 0x7fff
	case x.class == infinity:
		return sign | 0x7c00
	}
	r, inexact := f.roundTo(half, x.sign, x.exp+23+half.bias(), uint64(x.man)<<40)
	switch {
	case alternative && r > 0x7fff:
		*f |= IOC
		return sign | 0x7fff
	case !alternative && r >= 0x7c00:
		*f |= OFC | IXC
		return sign | f.halfOverflow(x.sign)
	case inexact:
		*f |= IXC
	}
	return sign | uint16(r)
}

// nanSign is the sign of a NaN, which the default NaN has not.
func (f FPSCR) nanSign(sign uint16) uint16 {
	if f&DN != 0 {
		return 0
	}
	return sign
}

func (f FPSCR) halfOverflow(sign uint32) uint16 {
	if f.overflow(sign) == infinite {
		return 0x7c00
	}
	return 0x7bff
}

// HalfToSingle is FPHalfToSingle, which is exact.
func (f *FPSCR) HalfToSingle(h uint16) uint32 {
	sign, exp, frac := uint32(h>>15)<<31, int(h>>10&0x1f), uint32(h&0x3ff)
	switch {
	case exp == 0x1f && *f&AHP == 0 && frac == 0:
		return sign | infinite
	case exp == 0x1f && *f&AHP == 0:
		c := quiet
		if frac&0x200 == 0 {
			c = signalling
		}
		return f.processNaN(c, sign|infinite|frac<<13)
	case exp == 0 && frac == 0:
		return sign
	case exp == 0:
		n := bits.LeadingZeros32(frac) - 21
		return sign | uint32(113-n)<<23 | frac<<n<<13&0x7fffff
	}
	return sign | uint32(exp+112)<<23 | frac<<13
}
