package armv7m

import "testing"

// TestPriorities: numbers decide between equals, PRIGROUP takes subpriority
// out of preemption, BASEPRI, PRIMASK and FAULTMASK mask (B1.5.4).
func TestPriorities(t *testing.T) {
	c := machine(t, Config{}, self)
	irq(t, c, 5, 0x40)
	irq(t, c, 3, 0x40)
	irq(t, c, 7, 0x30)
	c.Pend(5)
	c.Pend(3)
	c.Pend(7)
	if e := c.takable(); e != 16+7 {
		t.Errorf("takable %d, want 23", e)
	}
	c.SetIRQ(7, false)
	if e := c.takable(); e != 16+3 {
		t.Errorf("takable %d, want 19", e)
	}
	set := func(basepri, faultmask, primask uint32) {
		c.WriteReg(20, basepri<<8|faultmask<<16|primask)
	}
	for _, x := range []struct {
		basepri, faultmask, primask uint32
		nmi                         bool
		want                        int
	}{
		{0x40, 0, 0, false, 0}, {0x50, 0, 0, false, 19}, {0x30, 0, 0, false, 0}, {0, 0, 1, false, 0},
		{0, 1, 0, false, 0}, {0, 1, 0, true, excNMI}, {0, 0, 1, true, excNMI},
	} {
		set(x.basepri, x.faultmask, x.primask)
		c.SetIRQ(-14, x.nmi)
		if e := c.takable(); e != x.want {
			t.Errorf("BASEPRI %x FAULTMASK %d PRIMASK %d NMI %v: takable %d, want %d", x.basepri, x.faultmask, x.primask, x.nmi, e, x.want)
		}
	}
	set(0, 0, 0)
	c.SetIRQ(-14, false)
	c.Step()
	c.Pend(7)
	poke(t, c, scsBase+regAIRCR, aircrVECTKEY<<16|5<<8) // group priority is bits 7:6
	if e := c.takable(); e != 23 {
		t.Errorf("takable %d: 0x30 is group 0x00, above 0x40", e)
	}
	poke(t, c, scsBase+regAIRCR, aircrVECTKEY<<16|6<<8) // bit 7
	if e := c.takable(); e != 0 {
		t.Errorf("takable %d: 0x30 and 0x40 are one group", e)
	}
}

// TestNVICRegisters: B3.4: set and clear, pending and active, priorities by
// byte, words of the last interrupts.
func TestNVICRegisters(t *testing.T) {
	c := machine(t, Config{}, self)
	for _, n := range []int{0, 31, 32, 47, 48, 100, 239} {
		word, bit := uint32(n/32*4), uint32(1)<<(n%32)
		poke(t, c, scsBase+regISER+word, bit)
		poke(t, c, scsBase+regISPR+word, bit)
		for _, reg := range []uint32{regISER, regICER, regISPR, regICPR} {
			if v := peek(t, c, scsBase+reg+word); v != bit {
				t.Errorf("interrupt %d, register 0x%x: 0x%x, want 0x%x", n, reg, v, bit)
			}
		}
		if v := peek(t, c, scsBase+regICSR); v != icsrISRPENDING|uint32(n+16)<<12 {
			t.Errorf("interrupt %d: ICSR 0x%x", n, v)
		}
		poke(t, c, scsBase+regICER+word, bit)
		poke(t, c, scsBase+regICPR+word, bit)
		if v := peek(t, c, scsBase+regISER+word) | peek(t, c, scsBase+regISPR+word); v != 0 {
			t.Errorf("interrupt %d: 0x%x after clearing", n, v)
		}
	}
	poke(t, c, scsBase+regIPR+4, 0x12345678)
	if v := peek(t, c, scsBase+regIPR+4); v != 0x10305070 {
		t.Errorf("IPR1 0x%x: 4 bits are there", v)
	}
	c.WriteBus(scsBase+regIPR+5, 1, 0xff)
	if v := peek(t, c, scsBase+regIPR+4); v != 0x1030f070 {
		t.Errorf("IPR1 0x%x after a byte", v)
	}
	if v := peek(t, c, scsBase+regICTR); v != 7 {
		t.Errorf("ICTR %d", v)
	}
	few := machine(t, Config{IRQs: 20, PriorityBits: 3}, self)
	poke(t, few, scsBase+regISER, 0xffffffff)
	if v := peek(t, few, scsBase+regISER); v != 1<<20-1 {
		t.Errorf("ISER 0x%x with 20 interrupts", v)
	}
	poke(t, few, scsBase+regIPR+16, 0xffffffff)
	poke(t, few, scsBase+regIPR+20, 0xffffffff)
	if a, b := peek(t, few, scsBase+regIPR+16), peek(t, few, scsBase+regIPR+20); a != 0xe0e0e0e0 || b != 0 {
		t.Errorf("IPR 0x%x 0x%x with 20 interrupts of 3 bits", a, b)
	}
}

// TestSystemControl: B3.2: what can be written and what is read back.
func TestSystemControl(t *testing.T) {
	c := machine(t, Config{}, self)
	for _, x := range []struct{ reg, write, want uint32 }{
		{regVTOR, 0x200000ff, 0x20000080},
		{regAIRCR, aircrVECTKEY<<16 | 3<<8, aircrVECTKEYSTAT<<16 | 3<<8},
		{regAIRCR, 5 << 8, aircrVECTKEYSTAT<<16 | 3<<8}, // without the key
		{regSCR, 0xffffffff, 0x16},
		{regCCR, 0xffffffff, 0x31b},
		{regSHPR1, 0xffffffff, 0x00f0f0f0},
		{regSHPR1 + 4, 0xffffffff, 0xf0000000},
		{regSHPR3, 0xffffffff, 0xf0f000f0},
		{regSHCSR, 7 << 16, 7 << 16},
		{regCPACR, 0xf << 20, 0}, // no coprocessor
		{regCPUID, 0, 0x410fc241},
		{0xd90, 0, 0}, // MPU_TYPE: none
		{regBFAR, 0x12345678, 0x12345678},
	} {
		poke(t, c, scsBase+x.reg, x.write)
		if v := peek(t, c, scsBase+x.reg); v != x.want {
			t.Errorf("0x%x: wrote 0x%x, read 0x%x, want 0x%x", x.reg, x.write, v, x.want)
		}
	}
	c.cfsr = 0x02008200
	c.WriteBus(scsBase+regCFSR+1, 1, 0x80) // BFSR alone
	if v := peek(t, c, scsBase+regCFSR); v != 0x02000200 {
		t.Errorf("CFSR 0x%x", v)
	}
	c.WriteReg(20, 1) // keep them pending
	poke(t, c, scsBase+regICSR, icsrPENDSVSET|icsrPENDSTSET|icsrNMIPENDSET)
	if v := peek(t, c, scsBase+regICSR); v != icsrPENDSVSET|icsrPENDSTSET|icsrNMIPENDSET|excNMI<<12 {
		t.Errorf("ICSR 0x%x", v)
	}
	poke(t, c, scsBase+regICSR, icsrPENDSVCLR|icsrPENDSTCLR)
	if v := peek(t, c, scsBase+regICSR); v != icsrNMIPENDSET|excNMI<<12 {
		t.Errorf("ICSR 0x%x", v)
	}
	c.Step()
	if v := peek(t, c, scsBase+regICSR); v != excNMI|icsrRETTOBASE {
		t.Errorf("ICSR 0x%x in NMI", v)
	}
}

// TestSTIR: unprivileged code may pend with CCR.USERSETMPEND only (B3.2.26).
func TestSTIR(t *testing.T) {
	for _, allowed := range []bool{false, true} {
		c := machine(t, Config{}, 0x6008, self) // STR r0,[r1]
		c.WriteReg(0, 5)
		c.WriteReg(1, scsBase+regSTIR)
		if allowed {
			poke(t, c, scsBase+regCCR, ccrUSERSETMPEND|ccrSTKALIGN)
		}
		c.WriteReg(20, 1<<24)
		c.Step()
		if c.pending.has(16+5) != allowed || (c.cfsr != 0) == allowed {
			t.Errorf("USERSETMPEND %v: pending %v CFSR 0x%x", allowed, c.pending, c.cfsr)
		}
	}
}
