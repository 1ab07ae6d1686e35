package lockstep

// Registers of the System Control Space (B3.2.2, B3.4.3).
const (
	icsr = 0xe000ed04
	iser = 0xe000e100
	icer = 0xe000e180
	ispr = 0xe000e200
	icpr = 0xe000e280
	ipr  = 0xe000e400
	stir = 0xe000ef00

	cpacr  = 0xe000ed88
	fpccr  = 0xe000ef34
	fpcar  = 0xe000ef38
	fpdscr = 0xe000ef3c
)

// scene appends one of the small situations that single instructions do not
// make. False: not in this state.
func (g *generator) scene() bool {
	switch g.rng.IntN(8) {
	case 0, 1:
		return g.pend()
	case 2:
		return g.status()
	case 3:
		return g.modify()
	case 4:
		return g.astray()
	case 5:
		return g.faultmask()
	case 6:
		switch g.rng.IntN(3) {
		case 0:
			return g.closed()
		case 1:
			return g.preservation()
		}
		return g.basepri()
	}
	return g.priority()
}

// pend sets or clears the pending state of exceptions by software; without
// privilege it is a BusFault.
func (g *generator) pend() bool {
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

// status reads a register that exceptions change; without privilege that is a
// BusFault (B3.1.1).
func (g *generator) status() bool {
	regs := []uint32{icsr, 0xe000ed1c, 0xe000ed20, iser, ispr, icer, icpr, ipr, ipr + 4, ipr + 8, ipr + 12, 0xe000ed10}
	if g.wide {
		regs = append(regs, 0xe000ed08, 0xe000ed14, 0xe000ed18, 0xe000ed24, 0xe000ed28, 0xe000ed2c, 0xe000e300)
	}
	r, t := g.rng.Uint32N(8), g.rng.Uint32N(8)
	if g.wide && g.rng.IntN(4) == 0 { // priorities are bytes, too
		bytes := []uint32{ipr + g.rng.Uint32N(16), 0xe000ed18 + g.rng.Uint32N(12)}
		g.set(r, bytes[g.rng.IntN(2)])
		g.half(0x7800 | r<<3 | t) // LDRB
		return true
	}
	g.set(r, regs[g.rng.IntN(len(regs))])
	g.half(0x6800 | r<<3 | t) // LDR
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
	if g.b.Arch == V6M {
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

// modify overwrites an instruction that was executed already and the literal of
// another, with the barriers that self-modifying code needs, and goes back to
// them: twice around.
func (g *generator) modify() bool {
	if g.b.FlashROM {
		return false
	}
	reg := func() uint32 {
		r := g.free()
		g.busy |= 1 << r
		return r
	}
	slot, code, where, word, count := reg(), reg(), reg(), reg(), reg()
	at := g.setLater(slot)
	g.set(code, 0x2000|g.free()<<8|g.rng.Uint32N(256)) // MOVS
	literal := g.setLater(where)
	g.set(word, g.rng.Uint32())
	g.set(count, 1)
	back := g.pos()
	at(back)
	g.half(nop)
	literal(g.literal(g.free()))
	g.half(0x8000 | slot<<3 | code)           // STRH code, [slot]
	g.half(0x6000 | where<<3 | word)          // STR word, [where]
	g.instruction(0xf3bf8f4f, true)           // DSB
	g.instruction(0xf3bf8f6f, true)           // ISB
	g.half(0x3801 | count<<8)                 // SUBS count, #1
	g.half(0xd500 | (back-g.pos()-4)>>1&0xff) // BPL
	return true
}

// faultmask has an NMI while FAULTMASK is set, which leaves it set, or a handler
// that sets it, which its return clears (B1.5.8).
func (g *generator) faultmask() bool {
	if !g.wide || !g.privileged {
		return false
	}
	if g.rng.IntN(2) == 0 {
		g.unmask()
		g.half(0xdf00 | masking) // SVC
		g.half(nop)
		g.show(19)
		return true
	}
	g.half(0xb671) // CPSID f
	g.pokeLater(icsr)(1 << 31)
	g.half(nop)
	g.show(19)
	g.half(0xb661) // CPSIE f
	g.show(19)
	return true
}

// basepri writes BASEPRI and then BASEPRI_MAX, which takes only a more urgent
// priority.
func (g *generator) basepri() bool {
	if !g.wide {
		return false
	}
	for _, number := range []uint32{17, 18} {
		r := g.free()
		g.set(r, 0x20*g.rng.Uint32N(8))
		g.instruction(0xf3808800|r<<16|number, true) // MSR
		g.show(17)
	}
	return true
}

// closed appends floating-point instructions while access is closed, or open with
// privilege only.
func (g *generator) closed() bool {
	if !g.b.Arch.Has(FPv4) || !g.privileged {
		return false
	}
	put := func(v uint32) {
		g.pokeLater(cpacr)(v)
		g.instruction(0xf3bf8f4f, true) // DSB
		g.instruction(0xf3bf8f6f, true) // ISB
	}
	put(5 << 20 * g.rng.Uint32N(2)) // 0 or 5
	for range 1 + g.rng.IntN(3) {
		g.busy = 0
		if g.rng.IntN(4) > 0 || !g.undefined() {
			g.single(g.draw(g.fp[g.rng.IntN(len(g.fp))]))
		}
	}
	g.busy = 0
	put(0xf << 20)
	return true
}

// preservation changes how exceptions preserve floating-point state, and the
// modes that a new context begins with.
func (g *generator) preservation() bool {
	if !g.b.Arch.Has(FPv4) || !g.privileged {
		return false
	}
	g.pokeLater(fpccr)(g.rng.Uint32() & (3 << 30))
	g.pokeLater(fpdscr)(g.rng.Uint32() & 0x07c00000)
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
