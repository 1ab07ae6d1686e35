package armv7m

import "testing"

// astray sends the state that is put off to where no memory is.
const astray = 0x30000000

// interrupted is a core in the handler of IRQ 0 at priority 0x40, with state
// of the thread put off.
func interrupted(t *testing.T, code ...uint16) *Core {
	t.Helper()
	c := withFP(t)
	handler(c, 16, append(code, bx)...)
	irq(t, c, 0, 0x40)
	c.Pend(0)
	c.Step()
	return c
}

// TestLazyFault: a bus error of PreserveFPState is LSPERR, taken before the
// instruction; mended, the instruction is executed again (B1.5.7).
func TestLazyFault(t *testing.T) {
	c := interrupted(t, nop)
	frame := c.fpcar
	poke(t, c, scsBase+regFPCAR, astray)
	if useFP(c) {
		t.Fatal("the instruction went on")
	}
	if c.Step(); c.ipsr != excBusFault || c.cfsr != bfsrLSPERR || c.fpccr&fpccrLSPACT == 0 {
		t.Fatalf("IPSR %d CFSR %x FPCCR %x", c.ipsr, c.cfsr, c.fpccr)
	}
	if c.r[lr] != 0xfffffff1 || peek(t, c, c.r[sp]+24) != 0x1200 {
		t.Errorf("LR %x, return address %x", c.r[lr], peek(t, c, c.r[sp]+24))
	}
	poke(t, c, scsBase+regFPCAR, frame)
	c.WriteReg(15, 0x1202) // a BX LR
	c.Step()
	if c.ipsr != 16 || c.pc != 0x1200 || !useFP(c) {
		t.Errorf("IPSR %d PC %x CFSR %x", c.ipsr, c.pc, c.cfsr)
	}
	fpFrame(t, c, frame-32, true)
}

// TestLazyFaultEscalates: by what FPCCR says of the code that the state belongs
// to, and not by what is enabled now.
func TestLazyFaultEscalates(t *testing.T) {
	for _, x := range []struct {
		what       string
		setUp      func(c *Core)
		exc        uint32
		hfsr       uint32
		locked, on bool // on: the instruction goes on
	}{
		{"BFRDY clear", func(c *Core) { c.writeSCS(regFPCCR, 4, c.fpccr&^fpccrBFRDY) }, 3, hfsrFORCED, false, false},
		{"HFRDY clear too", func(c *Core) { c.writeSCS(regFPCCR, 4, c.fpccr&^(fpccrBFRDY|fpccrHFRDY)) }, 16, 0, true, false},
		{"handler more urgent than BusFault", func(c *Core) { c.priority[excBusFault] = 0x80 }, 16, 0, false, true},
		{"BusFault disabled meanwhile", func(c *Core) { c.writeSCS(regSHCSR, 4, 0) }, 16, 0, false, true},
		{"privilege of the owner", func(c *Core) {
			c.writeSCS(regFPCCR, 4, c.fpccr|fpccrUSER)
			c.writeSCS(regFPCAR, 4, 0xe0001000)
		}, excBusFault, 0, false, false},
	} {
		c := interrupted(t, nop)
		poke(t, c, scsBase+regFPCAR, astray)
		x.setUp(c)
		on := useFP(c)
		if !x.locked && !on {
			c.Step()
		}
		if on != x.on || c.ipsr != x.exc || c.hfsr != x.hfsr || c.LockedUp() != x.locked || c.cfsr != bfsrLSPERR {
			t.Errorf("%s: went on %v, IPSR %d HFSR %x CFSR %x locked up %v", x.what, on, c.ipsr, c.hfsr, c.cfsr, c.LockedUp())
		}
		if on != (c.fpccr&fpccrLSPACT == 0) || on != c.pending.has(excBusFault) {
			t.Errorf("%s: FPCCR %x pending %v", x.what, c.fpccr, c.pending)
		}
	}
}

// TestEagerStackingFault: without LSPEN a bad stack is STKERR, and a closed
// FPU NOCP, before the handler that waits behind (B1.5.11).
func TestEagerStackingFault(t *testing.T) {
	// The basic frame fits, the rest does not: RAM ends.
	c := withFP(t)
	poke(t, c, scsBase+regFPCCR, fpccrASPEN)
	irq(t, c, 0, 0x40)
	c.WriteReg(13, 0x20010000+104-32)
	c.Pend(0)
	c.Step()
	if c.ipsr != excBusFault || c.cfsr != bfsrSTKERR || !c.pending.has(16) || c.r[lr] != 0xffffffe9 {
		t.Errorf("IPSR %d CFSR %x LR %x", c.ipsr, c.cfsr, c.r[lr])
	}
	for _, enabled := range []bool{true, false} {
		c := withFP(t)
		poke(t, c, scsBase+regFPCCR, fpccrASPEN)
		poke(t, c, scsBase+regCPACR, 0)
		want, hfsr := uint32(excUsageFault), uint32(0)
		if !enabled {
			poke(t, c, scsBase+regSHCSR, 0)
			want, hfsr = excHardFault, hfsrFORCED
		}
		irq(t, c, 0, 0x40)
		c.Pend(0)
		c.Step()
		if c.ipsr != want || c.cfsr != ufsrNOCP || c.hfsr != hfsr || !c.pending.has(16) || c.r[sp] != 0x20007f98 {
			t.Errorf("IPSR %d CFSR %x HFSR %x SP %x", c.ipsr, c.cfsr, c.hfsr, c.r[sp])
		}
		fpFrame(t, c, 0x20007f98, false)
	}
	// With LSPEN nothing is looked at: the first FP instruction will tell.
	c = withFP(t)
	poke(t, c, scsBase+regCPACR, 0)
	irq(t, c, 0, 0x40)
	c.Pend(0)
	if c.Step(); c.ipsr != 16 || c.cfsr != 0 {
		t.Errorf("lazily: IPSR %d CFSR %x", c.ipsr, c.cfsr)
	}
}

// TestExtendedUnstackingFault: UNSTKERR and NOCP are tail-chained with the
// EXC_RETURN as it was; the registers stay.
func TestExtendedUnstackingFault(t *testing.T) {
	for _, x := range []struct {
		what  string
		setUp func(c *Core)
		exc   uint32
		cfsr  uint32
	}{
		{"FP words beyond RAM", func(c *Core) { c.WriteReg(13, 0x20010000-32) }, excBusFault, bfsrUNSTKERR},
		{"FPU closed", func(c *Core) { c.writeSCS(regCPACR, 4, 0) }, excUsageFault, ufsrNOCP},
	} {
		c := interrupted(t)
		poke(t, c, scsBase+regFPDSCR, fpscrValue&fpscrDefaults)
		useFP(c) // preserves
		poke(t, c, 0x20010000-4, psrT)
		x.setUp(c)
		c.Step()
		if c.ipsr != x.exc || c.cfsr != x.cfsr || c.r[lr] != 0xffffffe9 || c.active.has(16) {
			t.Errorf("%s: IPSR %d CFSR %x LR %x", x.what, c.ipsr, c.cfsr, c.r[lr])
		}
		fpKept(t, c)
	}
	// State that was put off needs no access.
	c := interrupted(t)
	poke(t, c, scsBase+regCPACR, 0)
	if c.Step(); c.ipsr != 0 || c.cfsr != 0 || control(c) != controlFPCA {
		t.Errorf("lazily: IPSR %d CFSR %x CONTROL %x", c.ipsr, c.cfsr, control(c))
	}
}

// TestEXCRETURNWithFPU: bit 4 may be clear, bits 27 to 5 and 3 to 0 may not be
// anything (B1.5.8).
func TestEXCRETURNWithFPU(t *testing.T) {
	for exRet, legal := range map[uint32]bool{
		0xffffffe9: true, 0xfffffff9: true, 0xffffffed: true, 0xfffffffd: true,
		0xffffffe5: false, 0xffffffc9: false, 0xffffffe0: false, 0xf0ffffe9: false, 0xffffffeb: false, 0xfffffffb: false,
		0xffffffe1: false, // to Handler mode, but nothing was preempted: the frame is Thread's
	} {
		c := interrupted(t)
		for i := uint32(0); i < 104; i += 4 {
			poke(t, c, 0x20004000+i, 0)
		}
		poke(t, c, 0x20004000+28, psrT)
		c.WriteReg(18, 0x20004000)
		c.WriteReg(14, exRet)
		c.Step()
		if c.ipsr == 0 != legal {
			if c.Step(); legal || c.ipsr != excUsageFault {
				t.Errorf("EXC_RETURN %x: IPSR %d", exRet, c.ipsr)
			}
		}
		if legal == (c.cfsr != 0) || !legal && c.cfsr != ufsrINVPC {
			t.Errorf("EXC_RETURN %x: CFSR %x", exRet, c.cfsr)
		}
		if want := (^exRet >> 4 & 1) * controlFPCA; legal && control(c)&controlFPCA != want {
			t.Errorf("EXC_RETURN %x: CONTROL %x", exRet, control(c))
		}
	}
}

// VLSTM and VLLDM, which store and load state lazily by instruction, are those
// of ARMv8-M: UNDEFINED here.
func TestNoLazyInstructions(t *testing.T) {
	for _, first := range []uint16{0xec20, 0xec30} {
		c := machine(t, Config{FPU: true}, first|1, 0x0a00, self)
		poke(t, c, scsBase+regCPACR, 0xf<<20)
		poke(t, c, scsBase+regSHCSR, 7<<16)
		c.WriteReg(1, 0x20004000)
		if exc := faulting(t, c); exc != excUsageFault || c.cfsr != ufsrUNDEFINSTR {
			t.Errorf("%04x: exception %d CFSR %x", first, exc, c.cfsr)
		}
	}
}
