package armv7m

import "testing"

// fpFrame compares the floating-point words of a frame with what withFP set.
func fpFrame(t *testing.T, c *Core, frame uint32, stored bool) {
	t.Helper()
	for i := range 17 {
		want := fpValue(i)
		if i == 16 {
			want = fpscrValue
		}
		if !stored {
			want = 0
		}
		if v := peek(t, c, frame+32+4*uint32(i)); v != want {
			t.Errorf("frame at %x, FP word %d: %x, want %x", frame, i, v, want)
		}
	}
}

// fpKept compares the registers with what withFP set.
func fpKept(t *testing.T, c *Core) {
	t.Helper()
	for i := range 32 {
		if c.s[i] != fpValue(i) {
			t.Errorf("S%d = %x", i, c.s[i])
		}
	}
	if c.fpscr != fpscrValue {
		t.Errorf("FPSCR %x", c.fpscr)
	}
}

// spoil is a handler that computes.
func spoil(t *testing.T, c *Core) {
	t.Helper()
	if !useFP(c) {
		t.Fatalf("FPU is closed: CFSR %x", c.cfsr)
	}
	for i := range 16 {
		c.s[i] = 0xbad00000 + uint32(i)
	}
	c.fpscr |= 1
}

// TestExtendedFrame: entry with a context, lazily and not, with a handler that
// uses the FPU and one that does not; both alignments of SP; the cycles of
// each (B1.5.6 to B1.5.8).
func TestExtendedFrame(t *testing.T) {
	for _, lazy := range []bool{true, false} {
		for _, use := range []bool{true, false} {
			for _, top := range []uint32{0x20008000, 0x20007ffc} {
				extendedFrame(t, lazy, use, top)
			}
		}
	}
}

func extendedFrame(t *testing.T, lazy, use bool, top uint32) {
	c := withFP(t)
	handler(c, 16, bx)
	irq(t, c, 0, 0x40)
	poke(t, c, scsBase+regCCR, 0) // STKALIGN does not matter
	c.WriteReg(13, top)
	in, out := uint64(costEntry), uint64(costReturn)
	if !lazy {
		poke(t, c, scsBase+regFPCCR, fpccrASPEN)
		in += 17
	}
	at := c.Cycles()
	c.Pend(0)
	c.Step()
	frame := uint32(0x20007f98)
	if top == 0x20007ffc {
		frame -= 8
	}
	if c.r[sp] != frame || c.r[lr] != 0xffffffe9 || control(c) != 0 || c.Cycles()-at != in {
		t.Errorf("SP %x LR %x CONTROL %x, %d cycles", c.r[sp], c.r[lr], control(c), c.Cycles()-at)
	}
	if bit9 := peek(t, c, frame+28) >> 9 & 1; bit9 != top>>2&1 {
		t.Errorf("xPSR bit 9 is %d", bit9)
	}
	fpFrame(t, c, frame, !lazy)
	if act := c.fpccr&fpccrLSPACT != 0; act != lazy || lazy && c.fpcar != frame+32 {
		t.Errorf("FPCCR %x FPCAR %x", c.fpccr, c.fpcar)
	}
	at = c.Cycles()
	if use {
		spoil(t, c)
		fpFrame(t, c, frame, true)
		if lazy && c.Cycles()-at != 17 || c.fpccr&fpccrLSPACT != 0 || control(c) != controlFPCA {
			t.Errorf("preserved in %d cycles, FPCCR %x CONTROL %x", c.Cycles()-at, c.fpccr, control(c))
		}
		at = c.Cycles()
	}
	if use || !lazy {
		out += 17
	}
	c.Step() // BX LR, itself 1 and the refill
	if d := c.Cycles() - at; d != out+1+costRefill {
		t.Errorf("lazy %v, used %v: return in %d cycles, want %d", lazy, use, d, out+1+costRefill)
	}
	if c.r[sp] != top || c.pc != 0x100 || control(c) != controlFPCA || c.fpccr&fpccrLSPACT != 0 {
		t.Errorf("SP %x PC %x CONTROL %x FPCCR %x", c.r[sp], c.pc, control(c), c.fpccr)
	}
	fpKept(t, c)
}

// A context that is not active has the basic frame, and the handler's own
// context ends with it.
func TestBasicFrameWithFPU(t *testing.T) {
	c := machine(t, Config{FPU: true}, self)
	handler(c, 16, bx)
	irq(t, c, 0, 0x40)
	poke(t, c, scsBase+regCPACR, 0xf<<20)
	c.Pend(0)
	c.Step()
	if c.r[sp] != 0x20007fe0 || c.r[lr] != excReturnMSP || c.fpccr&fpccrLSPACT != 0 {
		t.Errorf("SP %x LR %x FPCCR %x", c.r[sp], c.r[lr], c.fpccr)
	}
	useFP(c)
	if control(c) != controlFPCA {
		t.Errorf("CONTROL %x in the handler", control(c))
	}
	if c.Step(); control(c) != 0 || c.r[sp] != 0x20008000 {
		t.Errorf("CONTROL %x SP %x", control(c), c.r[sp])
	}
	if !useFP(c) || control(c) != controlFPCA {
		t.Errorf("CONTROL %x after the thread's first", control(c))
	}
}

// TestNestedFP: of three levels, any set of handlers uses the FPU. Whoever is
// first preserves the thread's state in the thread's frame; EXC_RETURN says
// whose frame is extended.
func TestNestedFP(t *testing.T) {
	for uses := range 8 {
		c := withFP(t)
		extended := uint32(0) // EXC_RETURN bit 4 of the next level
		for level := range 3 {
			handler(c, 16+level, nop, bx)
			irq(t, c, level, 0x80-0x20*uint32(level))
			c.Pend(level)
			c.Step()
			want := uint32(0xfffffff1)
			if level == 0 {
				want = 0xfffffff9
			}
			if want = want&^0x10 | extended; c.r[lr] != want {
				t.Errorf("uses %03b: level %d: LR %x, want %x", uses, level, c.r[lr], want)
			}
			extended = 0x10
			if uses>>level&1 != 0 {
				extended = 0
				spoil(t, c)
				c.s[0] = uint32(level)
			}
			c.Step() // NOP
		}
		for level := 2; level >= 0; level-- {
			if used := uses>>level&1 != 0; used && c.s[0] != uint32(level) || used != (control(c) == controlFPCA) {
				t.Errorf("uses %03b: level %d: S0 %x CONTROL %x", uses, level, c.s[0], control(c))
			}
			c.Step()
		}
		if uses != 0 {
			fpFrame(t, c, 0x20007f98, true)
		}
		if c.ipsr != 0 || c.r[sp] != 0x20008000 || control(c) != controlFPCA || c.fpccr&fpccrLSPACT != 0 {
			t.Errorf("uses %03b: IPSR %d SP %x CONTROL %x FPCCR %x", uses, c.ipsr, c.r[sp], control(c), c.fpccr)
		}
		fpKept(t, c)
	}
}

// TestTailChainFP: the frame of the thread and its state wait through both
// handlers; each begins a context of its own.
func TestTailChainFP(t *testing.T) {
	for uses := range 4 {
		c := withFP(t)
		poke(t, c, scsBase+regFPDSCR, 1<<24)
		for i := range 2 {
			handler(c, 16+i, nop, bx)
			irq(t, c, i, 0x80)
			c.Pend(i)
		}
		for i := range 2 {
			c.Step() // entry; the second time the return with it
			if c.ipsr != uint32(16+i) || c.r[sp] != 0x20007f98 || c.r[lr] != 0xffffffe9 || control(c) != 0 {
				t.Errorf("uses %02b: IPSR %d SP %x LR %x CONTROL %x", uses, c.ipsr, c.r[sp], c.r[lr], control(c))
			}
			if pending := uses&(1<<i-1) == 0; pending != (c.fpccr&fpccrLSPACT != 0) {
				t.Errorf("uses %02b: handler %d: FPCCR %x", uses, i, c.fpccr)
			}
			if uses>>i&1 != 0 {
				spoil(t, c)
				if c.fpscr&fpscrDefaults != 1<<24 {
					t.Errorf("uses %02b: handler %d: FPSCR %x", uses, i, c.fpscr)
				}
			}
			c.Step() // NOP
		}
		c.Step()
		if c.ipsr != 0 || c.r[sp] != 0x20008000 || control(c) != controlFPCA {
			t.Errorf("uses %02b: IPSR %d SP %x CONTROL %x", uses, c.ipsr, c.r[sp], control(c))
		}
		fpKept(t, c)
	}
}

// TestLateArrivalFP: SysTick fires while space is reserved for a less urgent
// interrupt.
func TestLateArrivalFP(t *testing.T) {
	c := withFP(t, nop)
	irq(t, c, 0, 0x80)
	handler(c, 15, bx)
	handler(c, 16, bx)
	poke(t, c, scsBase+regSYSTRVR, 1000)
	poke(t, c, scsBase+regSYSTCSR, csrENABLE|csrTICKINT)
	c.Run(1)
	c.stValue = 6
	c.planSysTick()
	c.Pend(0)
	c.Step()
	if c.ipsr != 15 || c.r[lr] != 0xffffffe9 || c.r[sp] != 0x20007f98 || c.fpcar != 0x20007fb8 {
		t.Errorf("IPSR %d LR %x SP %x FPCAR %x", c.ipsr, c.r[lr], c.r[sp], c.fpcar)
	}
	spoil(t, c)
	c.Step()
	if c.ipsr != 16 || c.r[lr] != 0xffffffe9 {
		t.Errorf("IPSR %d LR %x", c.ipsr, c.r[lr])
	}
	c.Step()
	fpKept(t, c)
}

// TestFPCCRNotes: whose frame it is and what could have been taken there.
func TestFPCCRNotes(t *testing.T) {
	const all = fpccrBFRDY | fpccrMMRDY | fpccrHFRDY
	for _, x := range []struct {
		what  string
		want  uint32
		setUp func(c *Core)
	}{
		{"Thread", all | fpccrTHREAD, func(*Core) {}},
		{"unprivileged", all | fpccrTHREAD | fpccrUSER, func(c *Core) { c.WriteReg(20, 5<<24) }},
		{"faults disabled", fpccrHFRDY | fpccrTHREAD, func(c *Core) { c.writeSCS(regSHCSR, 4, 0) }},
		{"BusFault disabled", fpccrMMRDY | fpccrHFRDY | fpccrTHREAD, func(c *Core) { c.writeSCS(regSHCSR, 4, 1<<16) }},
		{"handler less urgent", all, func(c *Core) { c.active.add(20); c.ipsr = 20; c.priority[20] = 0x40 }},
		{"handler as urgent", fpccrHFRDY, func(c *Core) { c.active.add(20); c.ipsr = 20 }},
		{"MemManage more urgent", fpccrMMRDY | fpccrHFRDY, func(c *Core) {
			c.active.add(20)
			c.ipsr, c.priority[20], c.priority[excBusFault] = 20, 0x40, 0x40
		}},
		{"HardFault", 0, func(c *Core) { c.active.add(3); c.ipsr = 3 }},
		{"FAULTMASK", fpccrTHREAD, func(c *Core) { c.faultmask = true }},
	} {
		c := withFP(t)
		x.setUp(c)
		c.Pend(-14) // NMI
		c.Step()
		if c.ipsr != 2 || c.fpccr != x.want|fpccrASPEN|fpccrLSPEN|fpccrLSPACT {
			t.Errorf("%s: IPSR %d FPCCR %x, want %x", x.what, c.ipsr, c.fpccr&0x1ff, x.want|1)
		}
	}
	for _, mon := range []uint32{0, fpccrMONRDY} {
		c := machine(t, Config{FPU: true, Mounts: []Mount{{Base: scsBase + 0xdf0, Size: 16, Device: word(mon << 8)}}}, self)
		poke(t, c, scsBase+regCPACR, 0xf<<20)
		useFP(c)
		c.Pend(-14)
		if c.Step(); c.fpccr&fpccrMONRDY != mon {
			t.Errorf("MON_EN %x: FPCCR %x", mon<<8, c.fpccr)
		}
	}
}

// word is a device that reads as itself.
type word uint32

func (w word) Read(uint32, int) (uint32, bool) { return uint32(w), true }
func (w word) Write(uint32, int, uint32) bool  { return true }
