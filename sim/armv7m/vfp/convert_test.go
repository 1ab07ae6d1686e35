package vfp

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestCompare(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 40_000 {
		a := operand(r)
		b, f, e := partner(r, a), control(r)|N|Z|C|V, r.IntN(2) == 0
		if r.IntN(8) == 0 {
			b = a ^ r.Uint32()&signBit
		}
		g, h := f, f&^(N|Z|C|V)
		g.Compare(a, b, e)
		x, y := flush(&h, a), flush(&h, b)
		switch {
		case isNaN(x) || isNaN(y):
			h |= C | V
			if e || isSignal(x) || isSignal(y) {
				h |= IOC
			}
		default:
			h |= [3]FPSCR{N, Z | C, C}[extended(x).Cmp(extended(y))+1]
		}
		if g != h {
			t.Fatalf("compare 0x%08x, 0x%08x (E %v) with 0x%08x: 0x%08x, want 0x%08x", a, b, e, uint32(f), uint32(g), uint32(h))
		}
	}
}

// extended is the value of a single, with infinity as 2^200.
func extended(v uint32) *big.Rat {
	if !isInf(v) {
		return rat(v)
	}
	huge := power2(200)
	if isNegative(v) {
		huge.Neg(huge)
	}
	return huge
}

func TestToFixed(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 60_000 {
		v, f := operand(r), control(r)
		size, unsigned, toZero := uint(16+16*r.IntN(2)), r.IntN(2) == 0, r.IntN(2) == 0
		fraction := uint(r.IntN(int(size) + 1))
		if r.IntN(2) == 0 { // near the range of the format
			v = v&0x807fffff | (127+uint32(size)-uint32(fraction)-r.Uint32N(20))<<23
		}
		g, h := f, f
		got := g.ToFixed(v, size, fraction, unsigned, toZero)
		want := wantFixed(&h, flush(&h, v), size, fraction, unsigned, toZero)
		if got != want || g != h {
			t.Fatalf("0x%08x to %d.%d bits, unsigned %v, to zero %v, with 0x%08x: 0x%08x with 0x%08x, want 0x%08x with 0x%08x",
				v, size, fraction, unsigned, toZero, uint32(f), got, uint32(g), want, uint32(h))
		}
	}
}

func wantFixed(f *FPSCR, v uint32, size, fraction uint, unsigned, toZero bool) uint32 {
	if isNaN(v) {
		*f |= IOC
		return 0
	}
	mode := f.mode()
	if toZero {
		mode = truncate
	}
	n, exact := roundRat(extended(v), power2(-int(fraction)), mode)
	low, high := int64(0), int64(1)<<size-1
	if !unsigned {
		low, high = -1<<(size-1), 1<<(size-1)-1
	}
	switch {
	case n.Cmp(big.NewInt(low)) < 0:
		n, exact = big.NewInt(low), true
		*f |= IOC
	case n.Cmp(big.NewInt(high)) > 0:
		n, exact = big.NewInt(high), true
		*f |= IOC
	}
	if !exact {
		*f |= IXC
	}
	return uint32(n.Int64())
}

func TestFromFixed(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 60_000 {
		v, f := r.Uint32()>>r.Uint32N(32), control(r)
		if r.IntN(2) == 0 {
			v = -v
		}
		if r.IntN(3) == 0 {
			v = operand(r)
		}
		size, unsigned, toNearest := uint(16+16*r.IntN(2)), r.IntN(2) == 0, r.IntN(2) == 0
		fraction := uint(r.IntN(int(size) + 1))
		g, h := f, f
		got := g.FromFixed(v, size, fraction, unsigned, toNearest)
		n := int64(v & uint32(1<<size-1))
		if !unsigned && n>>(size-1) != 0 {
			n -= 1 << size
		}
		want := uint32(0)
		if n != 0 {
			k := f
			if toNearest {
				k &^= modeMask
			}
			want = encode(new(big.Rat).Mul(new(big.Rat).SetInt64(n), power2(-int(fraction))), &k, 23, 8)
			h |= k &^ modeMask
		}
		if got != want || g != h {
			t.Fatalf("0x%08x of %d.%d bits, unsigned %v, to nearest %v, with 0x%08x: 0x%08x with 0x%08x, want 0x%08x with 0x%08x",
				v, size, fraction, unsigned, toNearest, uint32(f), got, uint32(g), want, uint32(h))
		}
	}
}

// TestExpandImm has all of A6.4.1: a sign, a fraction of 16 to 31 sixteenths, an
// exponent of -3 to 4.
func TestExpandImm(t *testing.T) {
	for imm := range 256 {
		exp := (imm>>4&7 ^ 4) - 3
		want := new(big.Rat).Mul(big.NewRat(int64(16+imm&15), 16), power2(exp))
		if imm >= 128 {
			want.Neg(want)
		}
		if got := rat(ExpandImm(uint8(imm))); got.Cmp(want) != 0 {
			t.Errorf("#%d: %v, want %v", imm, got, want)
		}
	}
}

// TestSigns: the corners of Neg and Abs, which take NaNs for numbers.
func TestSigns(t *testing.T) {
	for _, v := range special {
		if Neg(v)^v != signBit || Abs(v) != v&0x7fffffff {
			t.Errorf("0x%08x: %08x, %08x", v, Neg(v), Abs(v))
		}
	}
}
