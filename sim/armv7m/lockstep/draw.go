package lockstep

import (
	"fmt"
	"math/bits"
)

// flags draws a value for the APSR. ARMv6-M has no Q flag; QEMU has it there.
func (g *generator) flags() uint32 {
	if g.b.Arch == V6M {
		return g.rng.Uint32() &^ (1 << 27)
	}
	return g.rng.Uint32()
}

// stackAddress draws a place in the middle of one of the two stacks, with room
// for offsets of 4095 either way where there are such.
func (g *generator) stackAddress(process bool) uint32 {
	at := uint32(RAMBase + 0x3200)
	if g.wide {
		at = RAMBase + 0x30000
	}
	if process {
		at -= 0xc00
		if g.wide {
			at -= 0x10000
		}
	}
	return at + 4*g.rng.Uint32N(64)
}

// value draws a number that arithmetic finds interesting.
func (g *generator) value() uint32 {
	special := [...]uint32{0, 1, 2, 0xffffffff, 0x80000000, 0x7fffffff, 0x80000001, 0xfffffffe,
		0xff, 0x100, 0xffff, 0x10000, 0x8000, 0x7fff, 0x80, 0x7f, 0x80008000, 0x7fff7fff, 0xffff0000, 0x01010101, 0x80808080}
	switch g.rng.IntN(4) {
	case 0:
		return special[g.rng.IntN(len(special))]
	case 1:
		return g.rng.Uint32N(64)
	case 2:
		return dataStart + g.rng.Uint32N(dataEnd-dataStart)
	}
	return g.rng.Uint32()
}

// address draws a data address for n bytes; aligned to size, mostly. bad allows
// one where nothing is.
func (g *generator) address(size, n uint32, bad bool) uint32 {
	if bad && g.rng.IntN(32) == 0 {
		return 0x90000000 + g.rng.Uint32N(1<<20)*size
	}
	if bad && g.wide && g.rng.IntN(32) == 0 { // one word for each bit of the data (B3.1, bit-banding)
		return 0x22000000 + (dataStart-RAMBase)*32 + g.rng.Uint32N((dataEnd-dataStart)*8-64)*4
	}
	a := dataStart + 64 + g.rng.Uint32N(dataEnd-dataStart-128-n)
	if !bad || g.rng.IntN(8) > 0 {
		a &^= size - 1
	}
	return a
}

// draw fills the fields of a pattern until no rule leaves the result out.
func (g *generator) draw(p *Pattern) Word {
	for range 10000 {
		w := Word{p, p.value | p.softValue}
		for letter, at := range p.fields {
			if len(at) > 0 {
				w = w.Set(byte(letter), g.field(len(at)))
			}
		}
		if p.soft != 0 && g.rng.IntN(64) == 0 {
			w.W ^= p.soft & g.rng.Uint32()
		}
		if Classify(g.b.Arch, w.W, p.wide) != p {
			continue // a special case of this pattern has one of its own
		}
		switch r := Check(g.b.Arch, w); r {
		case "":
			return w
		default:
			g.leftOut[r]++
		}
	}
	panic(fmt.Sprintf("lockstep: pattern %s: the rules leave nothing of it", p.Name))
}

// field draws n bits, the extremes more often than the rest.
func (g *generator) field(n int) uint32 {
	v := g.rng.Uint32() & (1<<n - 1)
	if n > 4 {
		switch g.rng.IntN(6) {
		case 0:
			return 0
		case 1:
			return 1<<n - 1
		case 2:
			return 1 << g.rng.IntN(n)
		case 3:
			return v >> g.rng.IntN(bits.Len32(v)+1)
		}
	}
	return v
}
