package vfp

import "math/big"

// A second model of the pseudocode, with exact rational numbers and nothing
// shared with the first but the bits of FPSCR.

// real is the value of a finite single or half.
func realOf(v uint32, fraction, exponent uint) *big.Rat {
	bias := 1<<(exponent-1) - 1
	exp := int(v >> fraction & (1<<exponent - 1))
	man := int64(v & (1<<fraction - 1))
	if exp == 0 {
		exp = 1
	} else {
		man |= 1 << fraction
	}
	r := new(big.Rat).SetInt64(man)
	r.Mul(r, power2(exp-bias-int(fraction)))
	if v>>(fraction+exponent)&1 != 0 {
		r.Neg(r)
	}
	return r
}

func power2(n int) *big.Rat {
	p := new(big.Int).Lsh(big.NewInt(1), uint(max(n, -n)))
	if n < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), p)
	}
	return new(big.Rat).SetInt(p)
}

// roundRat rounds r to a multiple of unit by a rounding mode, and says which.
func roundRat(r, unit *big.Rat, mode FPSCR) (n *big.Int, exact bool) {
	q := new(big.Rat).Quo(r, unit)
	n = new(big.Int).Div(q.Num(), q.Denom()) // down, as the denominator is positive
	rest := new(big.Rat).Sub(q, new(big.Rat).SetInt(n))
	if rest.Sign() == 0 {
		return n, true
	}
	up := false
	switch mode {
	case nearest:
		c := rest.Cmp(big.NewRat(1, 2))
		up = c > 0 || c == 0 && n.Bit(0) == 1
	case plus:
		up = true
	case truncate:
		up = r.Sign() < 0
	}
	if up {
		n.Add(n, big.NewInt(1))
	}
	return n, false
}

// encode is FPRound by the book: r is not zero.
func encode(r *big.Rat, f *FPSCR, fraction, exponent uint) uint32 {
	sign := uint32(0)
	if r.Sign() < 0 {
		sign = 1 << (fraction + exponent)
	}
	bias := 1<<(exponent-1) - 1
	abs := new(big.Rat).Abs(r)
	exp := abs.Num().BitLen() - abs.Denom().BitLen()
	for abs.Cmp(power2(exp)) < 0 {
		exp--
	}
	for abs.Cmp(power2(exp+1)) >= 0 {
		exp++
	}
	tiny := exp < 1-bias
	if tiny && *f&FZ != 0 && fraction == 23 {
		*f |= UFC
		return sign
	}
	if tiny {
		exp = 1 - bias
	}
	n, exact := roundRat(r, power2(exp-int(fraction)), f.mode())
	if tiny && !exact {
		*f |= UFC
	}
	rounded := new(big.Rat).Mul(new(big.Rat).SetInt(n), power2(exp-int(fraction)))
	alternative := fraction == 10 && *f&AHP != 0
	top := 1<<exponent - 2 - bias
	if alternative {
		top++
	}
	if rounded.Abs(rounded).Cmp(power2(top+1)) >= 0 {
		return sign | tooLarge(f, sign != 0, alternative, fraction, exponent)
	}
	if !exact {
		*f |= IXC
	}
	m := uint32(n.Abs(n).Uint64())
	for m >= 2<<fraction {
		m >>= 1
		exp++
	}
	if m < 1<<fraction {
		return sign | m
	}
	return sign | uint32(exp+bias)<<fraction | m&(1<<fraction-1)
}

func tooLarge(f *FPSCR, negative, alternative bool, fraction, exponent uint) uint32 {
	infinite := uint32(1<<exponent-1) << fraction
	if alternative {
		*f |= IOC
		return infinite | (1<<fraction - 1)
	}
	*f |= OFC | IXC
	switch mode := f.mode(); {
	case mode == nearest, mode == plus && !negative, mode == minus && negative:
		return infinite
	}
	return infinite - 1
}

// Classes of operands, by their bits.
func isNaN(v uint32) bool         { return v&0x7fffffff > 0x7f800000 }
func isSignal(v uint32) bool      { return isNaN(v) && v&0x400000 == 0 }
func isInf(v uint32) bool         { return v&0x7fffffff == 0x7f800000 }
func isZero(v uint32) bool        { return v&0x7fffffff == 0 }
func isNegative(v uint32) bool    { return v>>31 != 0 }
func rat(v uint32) *big.Rat       { return realOf(v, 23, 8) }
func zeroLike(neg bool) uint32    { return infLike(neg) & 0x80000000 }
func infLike(neg bool) uint32     { return map[bool]uint32{false: 0x7f800000, true: 0xff800000}[neg] }
func wantInvalid(f *FPSCR) uint32 { *f |= IOC; return 0x7fc00000 }

// flush is what FPUnpack does to a denormal operand.
func flush(f *FPSCR, v uint32) uint32 {
	if *f&FZ != 0 && v&0x7f800000 == 0 && !isZero(v) {
		*f |= IDC
		return v & 0x80000000
	}
	return v
}

// oneNaN is the NaN that comes out where one or more go in.
func oneNaN(f *FPSCR, operands ...uint32) uint32 {
	chosen := uint32(0)
	for _, v := range operands {
		if isSignal(v) {
			*f |= IOC
			chosen = v
			break
		}
		if isNaN(v) && chosen == 0 {
			chosen = v
		}
	}
	if *f&DN != 0 {
		return 0x7fc00000
	}
	return chosen | 0x400000
}

// wantValue rounds, with the sign of a zero that came about by cancellation.
func wantValue(f *FPSCR, r *big.Rat) uint32 {
	if r.Sign() == 0 {
		return zeroLike(f.mode() == minus)
	}
	return encode(r, f, 23, 8)
}
