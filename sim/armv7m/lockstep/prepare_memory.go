package lockstep

import "math/bits"

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
	width = max(width, w.P.Width)
	disp := offset(w)
	if w.P.post {
		disp = 0
	}
	at := g.sp() + disp
	if n != 13 {
		at = g.address(w.P.Size, width, !toPC)
		if w.P.Need == FPv4 {
			at = g.addressFP(w, width)
		}
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

// prepareFPList: VLDM and VSTM, as prepareList.
func (g *generator) prepareFPList(op operation) (operation, bool) {
	n, span := op.w.Get('n'), 4*op.w.Get('i')
	if n == 13 {
		return op, true
	}
	low := g.addressFP(op.w, span)
	if op.w.P.down {
		low += span
	}
	g.set(n, low)
	return op, true
}

// addressFP draws an address for n bytes of extension registers. QEMU transfers
// a double in one piece, where MemA of the manual transfers words (A7.7, VLDR):
// without memory it reports the address of the aligned double in BFAR, and to a
// bit-band alias it does not do it at all.
func (g *generator) addressFP(w Word, n uint32) uint32 {
	for {
		at := g.address(4, n, true)
		switch {
		case w.P.single(), at>>28 == 2 && at < dataEnd:
			return at
		case at>>28 == 9:
			return at &^ 7
		}
	}
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
