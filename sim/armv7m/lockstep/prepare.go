package lockstep

import (
	"math/bits"

	"github.com/mprof/mprof/sim/armv7m"
)

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
		if w.Get('i') == 0xf0 {
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

func offset(w Word) uint32 {
	d := w.Get('i') * w.P.Scale
	if w.Has('u') && w.Get('u') == 0 {
		return -d
	}
	return d
}

// prepareOffset: [n, #i] with all its variants.
func (g *generator) prepareOffset(op operation) (operation, bool) {
	w := op.w
	n, toPC := w.Get('n'), writesPC(w)
	if toPC && n == 13 {
		op.w = w.Set('i', w.Get('i')&^3)
		w = op.w
	}
	width := w.P.Size
	if w.P.Kind == memDual {
		width = 8
	}
	disp := offset(w)
	if w.P.post {
		disp = 0
	}
	at := g.sp() + disp
	if n != 13 {
		at = g.address(w.P.Size, width, !toPC)
	}
	if toPC {
		op.after = g.land(g.pokeLater(at))
	}
	if n != 13 && n != 15 {
		g.set(n, at-disp)
	}
	return op, true
}

// prepareIndex: [n, m, LSL #i].
func (g *generator) prepareIndex(op operation) (operation, bool) {
	w := op.w
	n, m, shift, toPC := w.Get('n'), w.Get('m'), w.Get('i'), writesPC(w)
	at := g.address(w.P.Size, w.P.Size, !toPC && n != m)
	index := g.rng.Uint32N(64) - 16
	switch {
	case n == m:
		index = at / (1 + 1<<shift) &^ 3
		at = index * (1 + 1<<shift)
	case n == 13:
		index = g.rng.Uint32N(64)
		if toPC {
			index &^= 3
		}
		at = g.sp() + index<<shift
	}
	if toPC {
		op.after = g.land(g.pokeLater(at))
	}
	g.set(m, index)
	if n != m && n != 13 {
		g.set(n, at-index<<shift)
	}
	return op, true
}

// prepareLiteral: what lies around the instruction will do, except for the PC.
func (g *generator) prepareLiteral(op operation) (operation, bool) {
	if !writesPC(op.w) {
		return op, true
	}
	op.encode = func(at uint32, w Word) Word {
		base := (at + 4) &^ 3
		return w.Set('u', 1).Set('i', g.behind(at, 6)-base)
	}
	op.after = func(at uint32) {
		g.jump((g.behind(at, 6)+4-g.pos())/2 - 1)
		for g.pos() < g.behind(at, 6) {
			g.half(0xde00)
		}
		literal := g.pos()
		g.word(0)
		g.putWord(literal, g.pos()|1)
	}
	return op, true
}

// behind is the first word address at least n bytes after an address.
func (g *generator) behind(at, n uint32) uint32 { return (at + n + 3) &^ 3 }

// prepareList: LDM and STM. Without memory the whole list is without, so that
// no register of it is loaded and no word stored (which are UNKNOWN after a
// fault in the middle, B1.5.14).
func (g *generator) prepareList(op operation) (operation, bool) {
	w := op.w
	n, count := w.Get('n'), uint32(bits.OnesCount32(registerList(w)))
	toPC := writesPC(w)
	low := g.sp()
	if w.P.down {
		low -= 4 * count
	}
	if n != 13 {
		low = g.address(4, 4*count, !toPC)
	}
	if toPC {
		op.after = g.land(g.pokeLater(low + 4*(count-1)))
	}
	if n != 13 {
		if w.P.down {
			low += 4 * count
		}
		g.set(n, low)
	}
	return op, true
}

// prepareExclusive gives STREX the LDREX of the same address before it, or
// clears the monitor: what it does with another address is IMPLEMENTATION
// DEFINED (A3.4.1). The address is aligned and has memory: whether a STREX that
// the monitor fails still checks that is left open (A3.4.2).
func (g *generator) prepareExclusive(op operation) (operation, bool) {
	w := op.w
	n, disp := w.Get('n'), offset(w)
	if n != 13 {
		g.set(n, g.address(w.P.Size, w.P.Size, false)-disp)
	}
	if g.rng.IntN(4) == 0 {
		g.instruction(0xf3bf8f2f, true) // CLREX
		return op, true
	}
	t := g.rng.Uint32N(13)
	if t == n {
		t = (t + 1) % 13
	}
	load := map[uint32]uint32{
		4: 0xe8500f00 | w.Get('i'), 1: 0xe8d00f4f, 2: 0xe8d00f5f,
	}[w.P.Size]
	g.instruction(load|n<<16|t<<12, true)
	return op, true
}

// prepareTable: TBB and TBH with a table in RAM, or behind the instruction.
func (g *generator) prepareTable(op operation) (operation, bool) {
	n, m, size := op.w.Get('n'), op.w.Get('m'), op.w.P.Size
	if n == 15 {
		index := g.rng.Uint32N(4)
		g.set(m, index)
		// The table is one word or two; entries other than index lead astray.
		op.after = func(at uint32) {
			table, gap := g.pos(), 1+g.rng.Uint32N(8)
			for range 4 * size / 2 {
				g.half(0xde00)
			}
			g.gap(gap)
			target := (g.pos() - table) / 2
			g.flash[table+index*size] = byte(target)
			if size == 2 {
				g.flash[table+index*size+1] = byte(target >> 8)
			}
		}
		return op, true
	}
	index := g.rng.Uint32N(32)
	at := g.address(4, 4, false)
	patch := g.pokeLater(at)
	if n == m { // the address is n + n*size
		index = at / (1 + size)
		if index*(1+size) != at {
			return op, false
		}
	} else {
		g.set(n, at-index*size)
	}
	g.set(m, index)
	op.after = func(pc uint32) {
		gap := 1 + g.rng.Uint32N(40)
		g.jump(gap)
		g.gap(gap)
		patch((g.pos() - pc - 4) / 2)
	}
	return op, true
}

// prepareRegister: BX, BLX, and ADD, MOV, CMP of any register. The stack
// pointer is no target: the harness would have no stack to take faults on.
func (g *generator) prepareRegister(op operation, inIT bool) (operation, bool) {
	w := op.w
	m := w.Get('m')
	toPC := writesPC(w)
	if !toPC {
		return op, true
	}
	switch m {
	case 13:
		return op, false
	case 15: // to the instruction after the next halfword
		if w.P.Kind == branchR && inIT {
			return op, false
		}
		op.before = g.align
		op.after = func(uint32) {
			for range 3 {
				g.half(nop)
			}
		}
		return op, true
	}
	patch := g.setLater(m)
	land := g.land(patch)
	switch {
	case w.P.Kind == branchR && g.rng.IntN(16) == 0: // to ARM state: INVSTATE
		land = func(uint32) {
			g.jump(2)
			g.gap(2)
			g.align()
			patch(g.pos())
			g.half(nop)
			g.half(nop)
		}
	case w.P.Kind == special && w.W>>8 == 0x44: // ADD pc, m
		op.after = func(at uint32) { g.land(func(v uint32) { patch(v - at - 4) })(at) }
		return op, true
	}
	op.after = land
	return op, true
}

// prepareSystem: CPS, hints, MSR.
func (g *generator) prepareSystem(op operation, inIT bool) (operation, bool) {
	w := op.w
	unmask := func(uint32) { g.half(0xb661) } // CPSIE f: with FAULTMASK a fault would lock up
	switch {
	case w.P.Kind == mask && w.Get('f') == 1:
		op.after = unmask
	case w.P.Kind == hint:
		return g.prepareHint(op, inIT)
	case w.P.Kind == toSpec:
		if inIT && w.Get('s') > 7 {
			return op, false
		}
		return g.prepareSpecial(op)
	}
	return op, true
}

// prepareSpecial: MSR. Stack pointers stay in their stacks; priorities have
// three bits, whatever the number that is implemented.
func (g *generator) prepareSpecial(op operation) (operation, bool) {
	n := op.w.Get('n')
	switch s := op.w.Get('s'); s {
	case 0, 1, 2, 3:
		if g.b.Arch == armv7m.V6M {
			g.set(n, g.flags())
		}
	case 8, 9:
		at := g.stackAddress(s == 9)
		if g.privileged {
			g.stacks[s-8] = at
		}
		g.set(n, at|g.rng.Uint32N(4))
	case 17, 18:
		g.set(n, g.rng.Uint32()&^0x1f)
	case 19:
		op.after = func(uint32) { g.half(0xb661) }
	case 20:
		if g.privileged { // without it they would stay masked
			g.unmask()
		}
		v := g.rng.Uint32N(4)
		g.set(n, v)
		if g.privileged {
			g.psp = v&2 != 0
			g.privileged = v&1 == 0 || !g.wide
		}
		op.after = func(uint32) { g.instruction(0xf3bf8f6f, true) }
	}
	return op, true
}
