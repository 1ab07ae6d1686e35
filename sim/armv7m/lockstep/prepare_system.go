package lockstep

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

// prepareHint: WFI with a pending interrupt that is masked, WFE with the event
// set, so that neither sleeps.
func (g *generator) prepareHint(op operation, inIT bool) (operation, bool) {
	w := op.w
	number := w.W & 0xff
	if !w.P.wide {
		number = w.W >> 4 & 15
	}
	switch number {
	case 1:
		if inIT {
			return op, false
		}
		op.after = func(uint32) { g.half(nop) }
	case 2:
		if inIT {
			return op, false
		}
		op.before = func() { g.half(0xbf40) } // SEV
		op.after = func(uint32) { g.half(nop) }
	case 3:
		if inIT || !g.privileged {
			return op, false
		}
		r := g.free()
		if g.wide {
			g.set(r, 0)
			g.instruction(0xf3808811|r<<16, true) // MSR BASEPRI
		}
		g.half(0xb672) // CPSID i
		g.pokeLater(icsr)(1 << 28)
		op.after = func(uint32) { g.half(nop); g.half(0xb662) } // CPSIE i: PendSV
	}
	return op, true
}

// prepareSpecial: MSR. Stack pointers stay in their stacks; priorities have
// three bits, whatever the number that is implemented.
func (g *generator) prepareSpecial(op operation) (operation, bool) {
	n := op.w.Get('n')
	switch s := op.w.Get('s'); s {
	case 0, 1, 2, 3:
		if g.b.Arch == V6M {
			g.set(n, g.flags())
		}
	case 8, 9:
		at := g.stackAddress(s == 9)
		if g.privileged {
			g.stacks[s-8] = at
		}
		g.set(n, at|g.rng.Uint32N(4))
	case 16:
		op.after = func(uint32) { g.show(16) }
	case 17, 18:
		g.set(n, g.rng.Uint32()&^0x1f)
		op.after = func(uint32) { g.show(17) }
	case 19:
		op.after = func(uint32) {
			g.show(19)
			g.half(0xb661) // CPSIE f
		}
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
		op.after = func(uint32) {
			g.instruction(0xf3bf8f6f, true) // ISB
			g.show(20)
		}
	}
	return op, true
}

// show appends MRS of a special register, so that it becomes a state.
func (g *generator) show(number uint32) {
	g.instruction(0xf3ef8000|g.rng.Uint32N(8)<<8|number, true)
}
