package lockstep

import "math/bits"

// prepare appends what gives the operands of a drawn instruction values that
// make sense: addresses with memory behind them (mostly), branch targets within
// the program. Not ok is an instruction that cannot be had here.
func (g *generator) prepare(w Word, inIT bool) (op operation, ok bool) {
	op = operation{w: w}
	switch w.P.Kind {
	case memImm, memDual, memLoadX:
		return g.prepareOffset(op)
	case memReg:
		return g.prepareIndex(op)
	case memLit:
		return g.prepareLiteral(op)
	case memList:
		return g.prepareList(op)
	case memFP:
		return g.prepareFPList(op)
	case memPop:
		if writesPC(w) {
			n := bits.OnesCount32(registerList(w))
			op.after = g.land(g.pokeLater(g.sp() + 4*uint32(n-1)))
		}
	case memStorX:
		return g.prepareExclusive(op)
	case tableB:
		return g.prepareTable(op)
	case branch:
		return g.prepareBranch(op, inIT)
	case compareB:
		if g.rng.IntN(2) == 0 {
			g.set(w.Get('n'), 0)
		}
		return g.prepareBranch(op, true)
	case branchR, special:
		return g.prepareRegister(op, inIT)
	case service:
		if w.Get('i') == elevate {
			return op, false
		}
		if inIT && g.privileged {
			g.unmask()
		}
		op.after = func(uint32) { g.half(nop) }
	case faulting:
		op.after = func(uint32) { g.half(nop) }
	case mask, hint, toSpec:
		return g.prepareSystem(op, inIT)
	}
	return op, true
}

// unmask clears PRIMASK, FAULTMASK and BASEPRI.
func (g *generator) unmask() {
	g.half(0xb662) // CPSIE i
	if g.wide {
		g.half(0xb661) // CPSIE f
		r := g.free()
		g.set(r, 0)
		g.instruction(0xf3808811|r<<16, true) // MSR BASEPRI, r
	}
}

// align makes the next instruction word-aligned. For ARM state elsewhere QEMU
// reports UNALIGNED, and not INVSTATE.
func (g *generator) align() {
	if g.pos()&2 != 0 {
		g.half(nop)
	}
}

// land is for an instruction that goes to an address which was prepared: the
// result jumps over some undefined halfwords and settles the address there.
func (g *generator) land(patch func(uint32)) func(uint32) {
	return func(uint32) {
		gap := 1 + g.rng.Uint32N(4)
		g.jump(gap)
		g.gap(gap)
		patch(g.pos() | 1)
	}
}

// gap appends instructions that must not be executed: UDF.
func (g *generator) gap(n uint32) {
	for range n {
		g.half(0xde00 | g.rng.Uint32N(256))
	}
}
