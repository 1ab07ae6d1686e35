package vfp

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

func wantSum(f *FPSCR, a, b uint32, subtract bool) uint32 {
	a, b = flush(f, a), flush(f, b)
	if isNaN(a) || isNaN(b) {
		return oneNaN(f, a, b)
	}
	if subtract {
		b ^= 1 << 31
	}
	switch {
	case isInf(a) && isInf(b) && a != b:
		return wantInvalid(f)
	case isInf(a):
		return a
	case isInf(b):
		return b
	case isZero(a) && isZero(b) && a == b:
		return a
	}
	return wantValue(f, new(big.Rat).Add(rat(a), rat(b)))
}

func wantProduct(f *FPSCR, a, b uint32) uint32 {
	a, b = flush(f, a), flush(f, b)
	negative := isNegative(a) != isNegative(b)
	switch {
	case isNaN(a) || isNaN(b):
		return oneNaN(f, a, b)
	case isInf(a) && isZero(b), isZero(a) && isInf(b):
		return wantInvalid(f)
	case isInf(a) || isInf(b):
		return infLike(negative)
	case isZero(a) || isZero(b):
		return zeroLike(negative)
	}
	return encode(new(big.Rat).Mul(rat(a), rat(b)), f, 23, 8)
}

func wantQuotient(f *FPSCR, a, b uint32) uint32 {
	a, b = flush(f, a), flush(f, b)
	negative := isNegative(a) != isNegative(b)
	switch {
	case isNaN(a) || isNaN(b):
		return oneNaN(f, a, b)
	case isInf(a) && isInf(b), isZero(a) && isZero(b):
		return wantInvalid(f)
	case isInf(a):
		return infLike(negative)
	case isZero(b):
		*f |= DZC
		return infLike(negative)
	case isZero(a) || isInf(b):
		return zeroLike(negative)
	}
	return encode(new(big.Rat).Quo(rat(a), rat(b)), f, 23, 8)
}

func wantFused(f *FPSCR, z, a, b uint32) uint32 {
	z, a, b = flush(f, z), flush(f, a), flush(f, b)
	impossible := isInf(a) && isZero(b) || isZero(a) && isInf(b)
	negative := isNegative(a) != isNegative(b)
	infinite := isInf(a) || isInf(b)
	switch {
	case isNaN(z) && !isSignal(z) && impossible:
		return wantInvalid(f)
	case isNaN(z) || isNaN(a) || isNaN(b):
		return oneNaN(f, z, a, b)
	case impossible, isInf(z) && infinite && isNegative(z) != negative:
		return wantInvalid(f)
	case isInf(z):
		return z
	case infinite:
		return infLike(negative)
	case isZero(z) && (isZero(a) || isZero(b)) && isNegative(z) == negative:
		return z
	}
	return wantValue(f, new(big.Rat).Add(rat(z), new(big.Rat).Mul(rat(a), rat(b))))
}

// isRoot tells whether r is the root of v: there is no rational one to compare
// with, so what lies half-way to the neighbours of r is squared.
func isRoot(t *testing.T, v, r uint32, f FPSCR) bool {
	square := func(x *big.Rat) int { return new(big.Rat).Mul(x, x).Cmp(rat(v)) }
	exact := square(rat(r)) == 0
	if exact != (f&IXC == 0) {
		return false
	}
	switch f.mode() {
	case minus, truncate:
		return square(rat(r)) <= 0 && square(rat(r+1)) > 0
	case plus:
		return square(rat(r)) >= 0 && square(rat(r-1)) < 0
	}
	half := func(a, b uint32) *big.Rat {
		m := new(big.Rat).Add(rat(a), rat(b))
		return m.Quo(m, big.NewRat(2, 1))
	}
	return square(half(r, r-1)) <= 0 && square(half(r, r+1)) >= 0
}

// TestArithmetic holds every operation against the second model, in all rounding
// modes, with and without flush-to-zero and default NaN.
func TestArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	n := 20_000
	if testing.Short() {
		n /= 10
	}
	for range n {
		a := operand(r)
		b, z, f := partner(r, a), operand(r), control(r)
		product := wantProduct(new(FPSCR), a, b)
		if r.IntN(2) == 0 {
			z = partner(r, product^signBit) // cancels, nearly
		}
		checkArithmetic(t, z, a, b, f)
	}
}

// TestCorners has every combination of the corners of the format.
func TestCorners(t *testing.T) {
	corners := []uint32{0, 1, 0x007fffff, 0x00800000, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, maxNormal, infinite, 0x7f800001, 0x7fc00001}
	for _, v := range corners {
		corners = append(corners, v|signBit)
	}
	modes := []FPSCR{0, plus | FZ, minus | DN, truncate, FZ | DN, minus | FZ, plus}
	for i, z := range corners {
		for j, a := range corners {
			for k, b := range corners {
				checkArithmetic(t, z, a, b, modes[(i+j+k)%len(modes)])
			}
		}
	}
}

func checkArithmetic(t *testing.T, z, a, b uint32, f FPSCR) {
	t.Helper()
	for _, op := range []struct {
		name string
		got  func(*FPSCR) uint32
		want func(*FPSCR) uint32
	}{
		{"add", func(f *FPSCR) uint32 { return f.Add(a, b) }, func(f *FPSCR) uint32 { return wantSum(f, a, b, false) }},
		{"sub", func(f *FPSCR) uint32 { return f.Sub(a, b) }, func(f *FPSCR) uint32 { return wantSum(f, a, b, true) }},
		{"mul", func(f *FPSCR) uint32 { return f.Mul(a, b) }, func(f *FPSCR) uint32 { return wantProduct(f, a, b) }},
		{"div", func(f *FPSCR) uint32 { return f.Div(a, b) }, func(f *FPSCR) uint32 { return wantQuotient(f, a, b) }},
		{"fma", func(f *FPSCR) uint32 { return f.MulAdd(z, a, b) }, func(f *FPSCR) uint32 { return wantFused(f, z, a, b) }},
	} {
		g, h := f, f
		if got, want := op.got(&g), op.want(&h); got != want || g != h {
			t.Fatalf("%s of 0x%08x, 0x%08x, 0x%08x with FPSCR 0x%08x: 0x%08x with 0x%08x, want 0x%08x with 0x%08x",
				op.name, a, b, z, uint32(f), got, uint32(g), want, uint32(h))
		}
	}
}

func TestSqrt(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		v, f := operand(r), control(r)
		if r.IntN(3) == 0 { // a square, or next to one
			q := r.Uint32N(4096)
			v = new(FPSCR).FromFixed(q*q, 32, uint(r.IntN(32)), true, true) + r.Uint32N(3) - 1
		}
		g, h := f, f
		got := g.Sqrt(v)
		x := flush(&h, v)
		ok := false
		switch {
		case isNaN(x):
			ok = got == oneNaN(&h, x) && g == h
		case isZero(x):
			ok = got == x && g == h
		case isNegative(x):
			ok = got == wantInvalid(&h) && g == h
		case isInf(x):
			ok = got == x && g == h
		default:
			ok = isRoot(t, x, got, g) && g&^IXC == h
		}
		if !ok {
			t.Fatalf("sqrt of 0x%08x with FPSCR 0x%08x: 0x%08x with 0x%08x", v, uint32(f), got, uint32(g))
		}
	}
}
