package vfp

import (
	"math"
	"math/rand/v2"
)

// special are the corners of the format.
var special = []uint32{
	0, signBit, 1, 2, 3, 0x007ffffe, 0x007fffff, 0x00400000, 0x00800000, 0x00800001, 0x00ffffff,
	0x01000000, 0x33800000, 0x33800001, 0x34000000, 0x3effffff, 0x3f000000, 0x3f000001, 0x3f7fffff, 0x3f800000,
	0x3f800001, 0x3fc00000, 0x40000000, 0x40490fdb, 0x477fefff, 0x477ff000, 0x47800000, 0x4effffff, 0x4f000000,
	0x4f7fffff, 0x4f800000, 0x5f000000, 0x7effffff, 0x7f000000, maxNormal - 1, maxNormal, infinite,
	0x7f800001, 0x7fa00000, 0x7fbfffff, defaultNaN, 0x7fc00001, 0x7fffffff, 0x80000001, 0x807fffff, 0x80800000,
	0xbf800000, 0xc0000000, 0xcf000000, 0xcf000001, 0xff7fffff, 0xff800000, 0xff800001, 0xffc00000, 0xffffffff,
}

// operand draws a single: special ones, small integers, any bits, and long runs
// of equal bits, which make ties and cancellation.
func operand(r *rand.Rand) uint32 {
	switch r.IntN(8) {
	case 0:
		return special[r.IntN(len(special))]
	case 1:
		return math.Float32bits(float32(r.IntN(4096)-2048) / float32(int(1)<<r.IntN(12)))
	case 2: // denormal
		return r.Uint32() & 0x807fffff >> (r.Uint32N(24)) & 0x807fffff
	case 3: // near 1
		return 0x3f800000 + r.Uint32N(1<<26) - 1<<25 | r.Uint32()&signBit
	case 4: // few bits of fraction
		return r.Uint32() &^ (1<<r.Uint32N(24) - 1)
	case 5: // runs
		return (r.Uint32() &^ (1<<r.Uint32N(23) - 1)) ^ (1<<r.Uint32N(23) - 1)
	}
	return r.Uint32()
}

// partner draws an operand that goes with another: near it, or of a near
// exponent, or any.
func partner(r *rand.Rand, v uint32) uint32 {
	switch r.IntN(4) {
	case 0:
		return v + r.Uint32N(5) - 2 ^ r.Uint32()&signBit
	case 1:
		return v&0x7f800000 + (r.Uint32N(60)-30)<<23 ^ operand(r)&0x807fffff
	}
	return operand(r)
}

// control draws the control bits of FPSCR.
func control(r *rand.Rand) FPSCR {
	f := FPSCR(r.Uint32() & modeMask)
	if r.IntN(4) == 0 {
		f |= FZ
	}
	if r.IntN(4) == 0 {
		f |= DN
	}
	return f
}
