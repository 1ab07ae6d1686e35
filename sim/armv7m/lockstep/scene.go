package lockstep

import "github.com/mprof/mprof/sim/armv7m"

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
// (A7.7.12, A7.7.18, A7.7.21).
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

// Registers of the System Control Space (B3.2.2, B3.4.3).
const (
	icsr = 0xe000ed04
	iser = 0xe000e100
	icer = 0xe000e180
	ispr = 0xe000e200
	icpr = 0xe000e280
	ipr  = 0xe000e400
	stir = 0xe000ef00
)

// scene appends one of the small situations that single instructions do not
// make. False: not in this state.
func (g *generator) scene() bool {
	switch g.rng.IntN(6) {
	case 0, 1:
		return g.pend()
	case 2:
		return g.status()
	case 3:
		return g.modify()
	case 4:
		return g.astray()
	}
	return g.priority()
}

// pend sets or clears the pending state of exceptions by software.
func (g *generator) pend() bool {
	if !g.privileged {
		return false
	}
	irq := uint32(1) << g.rng.IntN(16)
	if g.rng.IntN(3) == 0 {
		irq |= g.rng.Uint32() & 0xffff
	}
	targets := []struct{ addr, v uint32 }{
		{icsr, 1 << 28}, {icsr, 1 << 27}, {icsr, 1 << 26}, {icsr, 1 << 25}, {icsr, 1 << 31},
		{ispr, irq}, {ispr, irq}, {icpr, irq}, {iser, irq}, {icer, irq},
		{stir, g.rng.Uint32N(16)},
	}
	if !g.wide {
		targets = targets[:10]
	}
	t := targets[g.rng.IntN(len(targets))]
	g.pokeLater(t.addr)(t.v)
	g.half(nop)
	return true
}

// status reads a register that exceptions change.
func (g *generator) status() bool {
	if !g.privileged {
		return false
	}
	regs := []uint32{icsr, 0xe000ed1c, 0xe000ed20, iser, ispr, icer, icpr, ipr, ipr + 4, ipr + 8, ipr + 12, 0xe000ed10}
	if g.wide {
		regs = append(regs, 0xe000ed08, 0xe000ed14, 0xe000ed18, 0xe000ed24, 0xe000ed28, 0xe000ed2c, 0xe000e300)
	}
	r := g.rng.Uint32N(8)
	g.set(r, regs[g.rng.IntN(len(regs))])
	g.half(0x6800 | r<<3 | g.rng.Uint32N(8)) // LDR
	return true
}

// priority changes the priority of an interrupt or a system exception. Three
// bits, whatever is implemented; two in ARMv6-M.
func (g *generator) priority() bool {
	if !g.privileged {
		return false
	}
	at := []uint32{0xe000ed1c, 0xe000ed20, ipr, ipr + 4, ipr + 8, ipr + 12}[g.rng.IntN(6)]
	g.pokeLater(at)(g.priorities(at))
	return true
}

// priorities draws the contents of a priority register.
func (g *generator) priorities(at uint32) uint32 {
	v := g.rng.Uint32() & 0xe0e0e0e0
	if g.b.Arch == armv7m.V6M {
		v &= 0xc0c0c0c0
	}
	switch at {
	case 0xe000ed1c: // SVCall only
		v &= 0xff000000
	case 0xe000ed20: // PendSV, SysTick, and from ARMv7-M DebugMonitor, left at 0
		v &= 0xffff0000
	}
	return v
}

// modify overwrites an instruction a little further on, with the barriers that
// A3.8.3 asks for.
func (g *generator) modify() bool {
	if g.b.FlashROM {
		return false
	}
	r := g.free()
	g.busy |= 1 << r
	q := g.free()
	at := g.setLater(r)
	g.set(q, 0x2000|g.rng.Uint32N(0x2000)&0xffff) // MOVS, CMP, ADDS or SUBS
	g.half(0x8000 | r<<3 | q)                     // STRH
	g.instruction(0xf3bf8f4f, true)               // DSB
	g.instruction(0xf3bf8f6f, true)               // ISB
	at(g.pos())
	g.half(nop)
	return true
}

// astray branches to where no code can be: an address without memory, or one
// that is never executable.
func (g *generator) astray() bool {
	if g.rng.IntN(4) > 0 {
		return false
	}
	targets := []uint32{0x90000001, 0x70000101, 0xa0000001, 0x48000001}
	if !g.wide {
		targets = targets[:2] // QEMU executes from anywhere without an MPU
	}
	r := g.free()
	g.set(r, targets[g.rng.IntN(len(targets))])
	g.half(0x4700 | r<<3) // BX
	return true
}
