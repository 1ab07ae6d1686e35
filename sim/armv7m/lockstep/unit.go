package lockstep

import "math/bits"

// operation is a drawn instruction whose operands are prepared.
type operation struct {
	w Word
	// encode finishes fields that depend on where the instruction stands.
	encode func(at uint32, w Word) Word
	// after appends what must follow, and settles where a branch lands.
	after func(at uint32)
	// before appends what must stand immediately before, for one that branches
	// back; nil for most.
	before func()
}

// unit appends one drawn instruction with what it needs, or an IT block of up
// to four, or one of the scenes of scene.go.
func (g *generator) unit() {
	g.busy = 0
	switch k := g.rng.IntN(100); {
	case g.dense && k < 95:
		g.floating()
	case k < 4 && g.undefined():
	case k < 12 && g.scene():
	case k < 20:
		g.single(g.raw())
	case k < 60 && g.b.Arch.Has(FPv4):
		g.floating()
	default:
		g.single(g.draw(g.choices[g.rng.IntN(len(g.choices))]))
	}
}

// raw draws all bits of an instruction at random, and of those that decode to
// the same pattern the first with defined behaviour.
func (g *generator) raw() Word {
	for {
		w, wide := g.randomWord()
		p := Classify(g.b.Arch, w, wide)
		if p == nil {
			continue
		}
		switch r := Check(g.b.Arch, Word{p, w}); r {
		case "":
			return Word{p, w}
		case undefined:
		default:
			g.leftOut[r]++
		}
	}
}

// randomWord draws 16 bits, or 32 where the first five say so.
func (g *generator) randomWord() (w uint32, wide bool) {
	if w = g.rng.Uint32(); w>>27 >= 0x1d {
		return w, true
	}
	return w >> 16, false
}

// undefined appends an instruction that the manual calls UNDEFINED and that QEMU
// takes for that, too.
func (g *generator) undefined() bool {
	for range 1000 {
		w, wide, ok := g.drawUndefined()
		if !ok || emulatorDecodes(g.b.Arch, w, wide) {
			continue
		}
		at := g.pos()
		g.instruction(w, wide)
		g.marks[at/2].pattern = undefinedMark
		g.half(nop)
		return true
	}
	return false
}

// drawUndefined draws bits at random, or a defined instruction with a bit or two
// changed. Not ok: it is not UNDEFINED.
func (g *generator) drawUndefined() (w uint32, wide, ok bool) {
	w, wide = g.randomWord()
	if g.rng.IntN(2) == 0 {
		near := g.draw(g.choice())
		w, wide = near.W, near.P.wide
		for range 1 + g.rng.IntN(2) {
			w ^= 1 << g.rng.Uint32N(8*near.Len())
		}
		if !wide && w>>11 >= 0x1d || wide && w>>27 < 0x1d {
			return w, wide, false // of the other length
		}
	}
	p := Classify(g.b.Arch, w, wide)
	return w, wide, p == nil || Check(g.b.Arch, Word{p, w}) == undefined
}

// single appends one drawn instruction.
func (g *generator) single(w Word) {
	if w.P.Kind == itBlock {
		g.block(w)
		return
	}
	op, ok := g.prepare(w, false)
	if !ok {
		return
	}
	if op.before != nil {
		op.before()
	}
	at := g.place(op)
	if op.after != nil {
		op.after(at)
	}
	if movesSP(op.w) {
		g.restoreSP()
	}
}

// place appends the instruction itself.
func (g *generator) place(op operation) uint32 {
	at := g.pos()
	if op.encode != nil {
		op.w = op.encode(at, op.w)
	}
	g.instruction(op.w.W, op.w.P.wide)
	g.marks[at/2].pattern = int16(op.w.P.index + 1)
	return at
}

// block appends an IT block: up to three computations and, first or last, one
// instruction of any kind that may be conditional.
func (g *generator) block(it Word) {
	n := 4 - bits.TrailingZeros32(it.Get('k'))
	ops := make([]operation, n)
	restore := false
	for i := range ops {
		for {
			w := g.raw()
			if g.rng.IntN(2) == 0 {
				w = g.draw(g.choice())
			}
			if !g.fits(w, i, n) {
				continue
			}
			op, ok := g.prepare(w, true)
			if !ok {
				continue
			}
			ops[i] = op
			restore = restore || movesSP(op.w)
			break
		}
	}
	at := g.pos()
	g.half(it.W)
	g.marks[at/2].pattern = int16(it.P.index + 1)
	for _, op := range ops {
		at = g.place(op)
		if op.after != nil {
			op.after(at)
		}
	}
	if restore {
		g.restoreSP()
	}
}

// choice is any pattern of the architecture, one of floating point half of the
// time where there is that.
func (g *generator) choice() *Pattern {
	if len(g.fp) > 0 && g.rng.IntN(2) == 0 {
		return g.fp[g.rng.IntN(len(g.fp))]
	}
	return g.choices[g.rng.IntN(len(g.choices))]
}

// fits tells whether an instruction may stand at a place of an IT block, by the
// architecture, and by this generator: what needs prepared registers comes
// first, where nothing of the block can have changed them.
func (g *generator) fits(w Word, i, n int) bool {
	switch w.P.IT {
	case never:
		return false
	case last:
		if i != n-1 {
			return false
		}
	}
	final, first := i == n-1, i == 0
	switch w.P.Kind {
	case plain, hintMem:
		return !movesSP(w) || final
	case service:
		return final
	case branch:
		return final
	case faulting:
		return final
	case memImm, memReg, memLit, memSP, memList, memFP, memPush, memPop, memDual, memLoadX:
		if writesPC(w) {
			return first && final
		}
		return first && (final || !movesSP(w))
	case branchR, special, tableB:
		return first && final
	case fromSpec:
		return true
	}
	return false
}

// writesPC tells whether an instruction loads or computes the PC.
func writesPC(w Word) bool {
	switch w.P.Kind {
	case memImm, memReg, memLit:
		return w.Get('t') == 15
	case memList, memPop:
		return registerList(w)&(1<<15) != 0 && w.W&(1<<11|1<<20) != 0
	case special:
		return w.Get('d') == 15
	case tableB, branch, branchR:
		return true
	}
	return false
}

// movesSP tells whether the stack pointer may have changed.
func movesSP(w Word) bool {
	switch w.P.Kind {
	case memPush, memPop:
		return true
	case memImm, memReg, memLit:
		if w.Get('t') == 13 {
			return true
		}
	case memSP:
		return false
	case plain, special:
		return w.Get('d') == 13 || w.P.Bits[:8] == "10110000"
	}
	return w.Has('n') && w.Get('n') == 13
}

// restoreSP puts the stack pointer back where it was.
func (g *generator) restoreSP() {
	g.busy = 0
	r := g.free()
	g.set(r, g.sp())
	g.half(0x4685 | r<<3) // MOV sp, r
}
