package vfp

import "math/bits"

// Add is FPAdd.
func (f *FPSCR) Add(a, b uint32) uint32 { return f.add(a, b, 0) }

// Sub is FPSub. A NaN keeps its sign.
func (f *FPSCR) Sub(a, b uint32) uint32 { return f.add(a, b, signBit) }

// add flips the sign of b when b is a number.
func (f *FPSCR) add(a, b, flip uint32) uint32 {
	x, y := f.unpack(a), f.unpack(b)
	if x.class.nan() || y.class.nan() {
		return f.processNaNs(x.class, y.class, a, b)
	}
	y.sign ^= flip
	switch {
	case x.class == infinity && y.class == infinity && x.sign != y.sign:
		return f.invalid()
	case x.class == infinity:
		return x.sign | infinite
	case y.class == infinity:
		return y.sign | infinite
	case x.class == zero && y.class == zero && x.sign == y.sign:
		return x.sign
	}
	return f.sum(x.sign, x.exp, uint64(x.man), y.sign, y.exp, uint64(y.man))
}

// sum rounds the sum of two numbers of 48 bits or less, at least one of them not
// zero unless their signs differ.
//
// Both are brought to bit 62. Where the exponents then differ by 14 or less
// nothing falls out of 64 bits; where they differ by more, at most one bit
// cancels, and what fell out is far below the rounding.
func (f *FPSCR) sum(sx uint32, ex int, mx uint64, sy uint32, ey int, my uint64) uint32 {
	switch {
	case mx == 0 && my == 0:
		return f.exactZero()
	case mx == 0:
		return f.round(sy, ey, my)
	case my == 0:
		return f.round(sx, ex, mx)
	}
	n := bits.LeadingZeros64(mx) - 1
	mx, ex = mx<<n, ex-n
	n = bits.LeadingZeros64(my) - 1
	my, ey = my<<n, ey-n
	if ex < ey || ex == ey && mx < my {
		sx, ex, mx, sy, ey, my = sy, ey, my, sx, ex, mx
	}
	my = jam(my, uint(ex-ey))
	if sx == sy {
		return f.round(sx, ex, mx+my)
	}
	if mx == my {
		return f.exactZero()
	}
	return f.round(sx, ex, mx-my)
}

// Mul is FPMul.
func (f *FPSCR) Mul(a, b uint32) uint32 {
	x, y := f.unpack(a), f.unpack(b)
	if x.class.nan() || y.class.nan() {
		return f.processNaNs(x.class, y.class, a, b)
	}
	sign := x.sign ^ y.sign
	switch {
	case x.class == infinity && y.class == zero, x.class == zero && y.class == infinity:
		return f.invalid()
	case x.class == infinity || y.class == infinity:
		return sign | infinite
	case x.class == zero || y.class == zero:
		return sign
	}
	return f.round(sign, x.exp+y.exp, uint64(x.man)*uint64(y.man))
}

// MulAdd is FPMulAdd: addend + a*b, rounded once.
func (f *FPSCR) MulAdd(addend, a, b uint32) uint32 {
	z, x, y := f.unpack(addend), f.unpack(a), f.unpack(b)
	impossible := x.class == infinity && y.class == zero || x.class == zero && y.class == infinity
	if z.class.nan() || x.class.nan() || y.class.nan() {
		v := f.processNaNs3(z.class, x.class, y.class, addend, a, b)
		if z.class == quiet && impossible {
			return f.invalid()
		}
		return v
	}
	sign := x.sign ^ y.sign
	infinityP := x.class == infinity || y.class == infinity
	zeroP := x.class == zero || y.class == zero
	switch {
	case impossible, z.class == infinity && infinityP && z.sign != sign:
		return f.invalid()
	case z.class == infinity:
		return z.sign | infinite
	case infinityP:
		return sign | infinite
	case z.class == zero && zeroP && z.sign == sign:
		return sign
	}
	return f.sum(z.sign, z.exp, uint64(z.man), sign, x.exp+y.exp, uint64(x.man)*uint64(y.man))
}

// Div is FPDiv.
func (f *FPSCR) Div(a, b uint32) uint32 {
	x, y := f.unpack(a), f.unpack(b)
	if x.class.nan() || y.class.nan() {
		return f.processNaNs(x.class, y.class, a, b)
	}
	sign := x.sign ^ y.sign
	switch {
	case x.class == y.class && x.class != nonzero:
		return f.invalid()
	case x.class == infinity:
		return sign | infinite
	case y.class == zero:
		*f |= DZC
		return sign | infinite
	case x.class == zero || y.class == infinity:
		return sign
	}
	n, d := uint64(x.man)<<38, uint64(y.man)
	q := n / d
	if q*d != n {
		q |= 1
	}
	return f.round(sign, x.exp-y.exp-38, q)
}

// Sqrt is FPSqrt.
func (f *FPSCR) Sqrt(v uint32) uint32 {
	x := f.unpack(v)
	switch {
	case x.class.nan():
		return f.processNaN(x.class, v)
	case x.class == zero:
		return x.sign
	case x.sign != 0:
		return f.invalid()
	case x.class == infinity:
		return infinite
	}
	// The root of man * 2^38, or 2^39 where that makes the exponent even.
	n, exp := uint64(x.man)<<38, x.exp-38
	if exp&1 != 0 {
		n, exp = n<<1, exp-1
	}
	r, rest := root(n)
	if rest != 0 {
		r |= 1
	}
	return f.round(0, exp/2, r)
}

// root is the integer square root and what is left, digit by digit.
func root(n uint64) (r, rest uint64) {
	for b := uint64(1) << 62; b != 0; b >>= 2 {
		if n >= r+b {
			n -= r + b
			r = r>>1 + b
		} else {
			r >>= 1
		}
	}
	return r, n
}
