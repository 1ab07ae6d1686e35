package vfp

import (
	"math/rand/v2"
	"testing"
)

// TestHalfToSingle has every half, in both formats, with and without default
// NaN.
func TestHalfToSingle(t *testing.T) {
	for _, f := range []FPSCR{0, DN, AHP, AHP | DN, FZ, minus} {
		for h := range uint32(1 << 16) {
			g, k := f, f
			got := g.HalfToSingle(uint16(h))
			special := h&0x7c00 == 0x7c00 && f&AHP == 0
			ok := false
			switch {
			case special && h&0x3ff == 0:
				ok = got == infLike(h>>15 != 0)
			case special:
				ok = got == oneNaN(&k, zeroLike(h>>15 != 0)|0x7f800000|h&0x3ff<<13)
			default:
				ok = rat(got).Cmp(realOf(h, 10, 5)) == 0 && got>>31 == h>>15
			}
			if !ok || g != k {
				t.Fatalf("half 0x%04x with 0x%08x: 0x%08x with 0x%08x", h, uint32(f), got, uint32(g))
			}
		}
	}
}

// checkHalf holds one conversion against the second model.
func checkHalf(t *testing.T, v uint32, f FPSCR) {
	t.Helper()
	g, h := f, f
	got := uint32(g.SingleToHalf(v))
	x := flush(&h, v)
	sign, want := x>>16&0x8000, uint32(0)
	switch {
	case isNaN(x) && f&AHP != 0:
		h |= IOC
		want = sign
	case isNaN(x):
		n := oneNaN(&h, x)
		want = n>>16&0x8000 | 0x7c00 | n>>13&0x3ff
	case isInf(x) && f&AHP != 0:
		h |= IOC
		want = sign | 0x7fff
	case isInf(x):
		want = sign | 0x7c00
	case isZero(x):
		want = sign
	default:
		want = encode(rat(x), &h, 10, 5)
	}
	if got != want || g != h {
		t.Fatalf("0x%08x to half with 0x%08x: 0x%04x with 0x%08x, want 0x%04x with 0x%08x", v, uint32(f), got, uint32(g), want, uint32(h))
	}
}

// TestSingleToHalf has every half as a single, what is half-way to the next one,
// and the singles beside both, in all rounding modes and both formats. With the
// bits between rounded alike, that is every single.
func TestSingleToHalf(t *testing.T) {
	step := uint32(1)
	if testing.Short() {
		step = 61
	}
	r := rand.New(rand.NewPCG(13, 14))
	for h := uint32(0); h < 1<<16; h += step {
		alternative := FPSCR(AHP)
		v := alternative.HalfToSingle(uint16(h))
		next := alternative.HalfToSingle(uint16(h + 1))
		for _, x := range []uint32{v, v + 1, v - 1, v + (next-v)/2, v + (next-v)/2 + 1, v + (next-v)/2 - 1} {
			checkHalf(t, x, control(r)|FPSCR(r.Uint32()&AHP))
		}
	}
	for range 20_000 {
		checkHalf(t, operand(r), control(r)|FPSCR(r.Uint32()&AHP))
	}
}
