package lockstep

// prepareBranch makes a direct branch go to a place nearby, forward or back,
// over instructions that must not be executed.
func (g *generator) prepareBranch(op operation, forward bool) (operation, bool) {
	w := op.w
	reach := uint32(100) // halfwords
	switch {
	case w.P.Kind == compareB:
		reach = 60
	case w.P.wide && g.rng.IntN(16) == 0:
		reach = 900
	}
	gap := 1 + g.rng.Uint32N(1+g.rng.Uint32N(reach))
	if forward || g.rng.IntN(2) == 0 {
		op.encode = func(at uint32, w Word) Word {
			return toward(w, w.Len()+2+2*gap-4)
		}
		op.after = func(uint32) {
			g.jump(gap)
			g.gap(gap)
		}
		return op, true
	}
	var back uint32
	op.before = func() {
		g.jump(gap + 1)
		back = g.pos()
		g.jump(gap + w.Len()/2)
		g.gap(gap)
	}
	op.encode = func(at uint32, w Word) Word { return toward(w, back-at-4) }
	return op, true
}

// toward encodes the distance from PC, which is 4 beyond the instruction
// .
func toward(w Word, off uint32) Word {
	switch {
	case w.P.Kind == compareB || !w.P.wide:
		return w.Set('i', off>>1)
	case w.W&(1<<12) == 0: // B T3: S, J2, J1, imm6, imm11
		return w.Set('s', off>>31).Set('j', off>>19).Set('k', off>>18).Set('i', off>>1)
	}
	s := off >> 31
	return w.Set('s', s).Set('k', ^(off>>23^s)&1).Set('j', ^(off>>22^s)&1).Set('i', off>>1)
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
