package lockstep

import "math"

// floating appends instructions of the floating-point extension, with fresh
// operands, and mostly each with a fresh FPSCR: numbers made from numbers soon
// are all NaNs and zeros, and a cumulative flag tells once.
func (g *generator) floating() {
	g.operands()
	for range 1 + g.rng.IntN(8) {
		g.busy = 0
		if g.rng.IntN(3) > 0 {
			g.mode()
		}
		if g.rng.IntN(8) == 0 {
			g.block(g.draw(g.itPattern()))
			continue
		}
		g.single(g.draw(g.fp[g.rng.IntN(len(g.fp))]))
	}
}

func (g *generator) itPattern() *Pattern {
	for _, p := range g.choices {
		if p.Kind == itBlock {
			return p
		}
	}
	panic("lockstep: no IT in the table")
}

// mode appends VMSR of a rounding mode, flush-to-zero, default NaN and
// alternative half-precision, with all flags clear.
func (g *generator) mode() {
	v := g.rng.Uint32() & (3 << 22)
	for _, bit := range []uint32{24, 25, 26} {
		if g.rng.IntN(3) == 0 {
			v |= 1 << bit
		}
	}
	saved, r := g.busy, g.free()
	g.set(r, v)
	g.instruction(0xeee10a10|r<<12, true) // VMSR
	g.busy = saved
}

// operands appends VLDM of S0 to S31 from a table behind it.
func (g *generator) operands() {
	saved, r := g.busy, g.free()
	table := g.setLater(r)
	g.instruction(0xec900a20|r<<16, true) // VLDMIA r, {s0-s31}
	if g.pos()&2 == 0 {
		g.half(nop)
	}
	g.jump(64)
	table(g.pos())
	last := uint32(0)
	for range 32 {
		last = g.partner(last)
		g.word(last)
	}
	g.busy = saved
}

// float draws the bits of a single: the corners of the format, small integers,
// denormals, halves, numbers near the limits of integers, and any bits.
func (g *generator) float() uint32 {
	corners := [...]uint32{0, 1 << 31, 1, 0x007fffff, 0x00800000, 0x00800001, 0x33800000, 0x33000000, 0x3f000000,
		0x3f7fffff, 0x3f800000, 0x3f800001, 0x387fc000, 0x33ffffff, 0x477fefff, 0x477ff000, 0x47800000, 0x47ffefff, 0x47fff000,
		0x46fffe00, 0x47000000, 0x477fff00, 0x477fff80, 0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000, 0x5f7fffff, 0x7e800000,
		0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fbfffff, 0x7fc00000, 0x7fc12345, 0x7fffffff}
	sign := g.rng.Uint32() & (1 << 31)
	switch g.rng.IntN(10) {
	case 0, 1:
		return corners[g.rng.IntN(len(corners))] | sign
	case 2: // integers and halves
		return math.Float32bits(float32(g.rng.IntN(1<<18))/2) | sign
	case 3: // denormal
		return g.rng.Uint32()>>(9+g.rng.Uint32N(23)) | sign
	case 4: // a half in the upper or lower 16 bits
		return g.half16()<<16 | g.half16()
	case 5: // in the range of a half, more or less
		return (0x66+g.rng.Uint32N(0x2c))<<23 | g.rng.Uint32()&0x7fffff&^(1<<g.rng.Uint32N(14)-1) | sign
	case 6: // fixed-point
		return (0x60+g.rng.Uint32N(0x40))<<23 | g.rng.Uint32()&0x7fffff | sign
	case 7: // runs of equal bits
		return g.rng.Uint32()&^(1<<g.rng.Uint32N(23)-1) ^ (1<<g.rng.Uint32N(23) - 1)
	case 8: // products and quotients near the limits of the range
		return []uint32{0x20, 0x40, 0x60, 0x9f, 0xbf, 0xdf}[g.rng.IntN(6)]<<23 + g.rng.Uint32N(1<<23) | sign
	}
	return g.rng.Uint32()
}

// half16 draws the bits of a half.
func (g *generator) half16() uint32 {
	corners := [...]uint32{0, 1, 0x3ff, 0x400, 0x3c00, 0x7bff, 0x7c00, 0x7c01, 0x7dff, 0x7e00, 0x7fff}
	if g.rng.IntN(2) == 0 {
		return corners[g.rng.IntN(len(corners))] | g.rng.Uint32()&0x8000
	}
	return g.rng.Uint32() & 0xffff
}

// partner draws an operand that goes with another: so near that they cancel, or
// a few binary places away, or any.
func (g *generator) partner(v uint32) uint32 {
	switch g.rng.IntN(5) {
	case 0:
		return (v + g.rng.Uint32N(5) - 2) ^ g.rng.Uint32()&(1<<31)
	case 1:
		return v&0x7f800000 + (g.rng.Uint32N(60)-30)<<23 ^ g.float()&0x807fffff
	}
	return g.float()
}
