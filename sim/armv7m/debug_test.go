package armv7m

import "testing"

// TestBreakpoints: with C_DEBUGEN a breakpoint and BKPT halt before they are
// executed and say why in DFSR; without, BKPT is a HardFault.
func TestBreakpoints(t *testing.T) {
	c := machine(t, Config{}, nop, 0x2001, 0xbe01, self)
	c.SetBreakpoints([]uint32{0x102})
	c.Run(2)
	c.Reset()
	c.SetDebugEnabled(true)
	c.Run(c.Cycles() + 100)
	if !c.Halted() || c.pc != 0x102 || c.HaltReason() != DFSRBKPT || c.r[0] != 0 {
		t.Errorf("halted %v pc %x reason %x r0 %d", c.Halted(), c.pc, c.HaltReason(), c.r[0])
	}
	c.Step()
	if c.pc != 0x102 || !c.Halted() {
		t.Errorf("stepped over a breakpoint to %x", c.pc)
	}
	c.SetBreakpoints(nil)
	c.Step()
	if c.pc != 0x104 || !c.Halted() || c.r[0] != 1 || c.HaltReason() != DFSRHALTED {
		t.Errorf("pc %x reason %x", c.pc, c.HaltReason())
	}
	c.Resume()
	c.Run(c.Cycles() + 100)
	if !c.Halted() || c.pc != 0x104 || c.HaltReason() != DFSRBKPT {
		t.Errorf("BKPT: halted %v pc %x", c.Halted(), c.pc)
	}
	if v := peek(t, c, scsBase+regDFSR); v != DFSRHALTED|DFSRBKPT {
		t.Errorf("DFSR %x", v)
	}
	poke(t, c, scsBase+regDFSR, DFSRBKPT)
	if v := peek(t, c, scsBase+regDFSR); v != DFSRHALTED {
		t.Errorf("DFSR %x after clearing BKPT", v)
	}
	c.SetDebugEnabled(false)
	c.Run(c.Cycles() + 20)
	if c.Halted() || c.ipsr != excHardFault || c.hfsr != hfsrDEBUGEVT {
		t.Errorf("without debug: halted %v IPSR %d HFSR %x", c.Halted(), c.ipsr, c.hfsr)
	}
}

// TestVectorCatch: DEMCR.VC_HARDERR and VC_CORERESET.
func TestVectorCatch(t *testing.T) {
	c := machine(t, Config{}, 0xde00)
	c.SetDebugEnabled(true)
	c.SetVectorCatch(vcHardErr | vcCoreReset)
	n := 0
	c.OnReset(func() { n++ })
	c.Run(100)
	if !c.Halted() || c.pc != 0x1060 || c.HaltReason() != DFSRVCATCH || c.Cycles() != 100 {
		t.Errorf("halted %v pc %x reason %x", c.Halted(), c.pc, c.HaltReason())
	}
	c.Resume()
	poke(t, c, scsBase+regAIRCR, aircrVECTKEY<<16|aircrSYSRESET)
	if !c.Halted() || c.pc != 0x100 || n != 1 {
		t.Errorf("reset: halted %v pc %x, OnReset %d times", c.Halted(), c.pc, n)
	}
}

// TestMaskInterrupts: C_MASKINTS hides SysTick, PendSV and interrupts.
func TestMaskInterrupts(t *testing.T) {
	c := machine(t, Config{}, nop, nop, self)
	irq(t, c, 0, 0)
	c.SetDebugEnabled(true)
	c.SetMaskInterrupts(true)
	c.Halt()
	c.Pend(0)
	c.Pend(-1)
	c.Pend(-2)
	c.Step()
	if c.ipsr != 0 || c.pc != 0x102 {
		t.Errorf("IPSR %d pc %x", c.ipsr, c.pc)
	}
	c.SetMaskInterrupts(false)
	c.Step()
	if c.ipsr == 0 || !c.Halted() {
		t.Errorf("IPSR %d halted %v", c.ipsr, c.Halted())
	}
}

// TestRegisters: DCRSR.REGSEL, C1.6.3.
func TestRegisters(t *testing.T) {
	c := machine(t, Config{}, self)
	for sel := range uint8(32) {
		v := 0x20001000 + uint32(sel)*4
		switch sel {
		case 16:
			v = 0xf90f0000
		case 20:
			v = 0x03<<24 | 1<<16 | 0x50<<8 | 1
		}
		ok := c.WriteReg(sel, v)
		want := sel <= 18 || sel == 20
		if ok != want {
			t.Errorf("write %d: %v", sel, ok)
		}
		if got, ok := c.ReadReg(sel); ok != want || ok && got != v {
			t.Errorf("read %d: %x %v, want %x", sel, got, ok, v)
		}
	}
	// CONTROL.SPSEL is set now: 13 is PSP.
	a, _ := c.ReadReg(13)
	b, _ := c.ReadReg(18)
	if a != b || a != 0x20001000+18*4 {
		t.Errorf("SP %x PSP %x", a, b)
	}
}

// TestReset: memory and time stay, the rest starts anew; SYSRESETREQ by the
// program.
func TestReset(t *testing.T) {
	// LDR r0,=AIRCR; LDR r1,=key; STR r1,[r0]; B .
	c := machine(t, Config{}, 0x4801, 0x4902, 0x6001, self, 0xed0c, 0xe000, 0x0004, 0x05fa)
	n := 0
	c.OnReset(func() { n++ })
	irq(t, c, 0, 0x40)
	poke(t, c, 0x20000000, 0x1234)
	c.WriteReg(20, 1)
	for range 3 {
		c.Step()
	}
	cycles, count := c.Cycles(), c.Instructions()
	c.Step()
	if n != 1 || c.pc != 0x100 || c.r[0] != 0 || c.primask || c.enabled.has(16) || peek(t, c, 0x20000000) != 0x1234 {
		t.Errorf("%d resets, pc %x r0 %x", n, c.pc, c.r[0])
	}
	if c.Cycles() != cycles || c.Instructions() != count {
		t.Error("reset changed the counters")
	}
}

// VECTRESET works while the core runs, and not at all on ARMv6-M.
func TestVECTRESET(t *testing.T) {
	for _, v := range []struct {
		arch Arch
		want uint32
	}{{V7EM, 0x100}, {V7M, 0x100}, {V6M, 0x102}} {
		c := machine(t, Config{Arch: v.arch}, 0xbf00, self) // NOP; B .
		c.Run(10)
		poke(t, c, scsBase+regAIRCR, aircrVECTKEY<<16|aircrVECTRESET)
		c.Run(c.Cycles()) // no further
		if c.pc != v.want {
			t.Errorf("%v: pc %x, want %x", v.arch, c.pc, v.want)
		}
	}
}

// TestHaltFromDevice: a device that halts the core as it is written.
func TestHaltFromDevice(t *testing.T) {
	d := &probe{}
	c := machine(t, Config{Mounts: []Mount{{Base: 0xe000edf0, Size: 16, Device: d}}}, 0x6008, 0x2005, self)
	d.core = c
	c.WriteReg(1, 0xe000edf4)
	c.WriteReg(0, 77)
	c.Run(100)
	if !c.Halted() || c.pc != 0x102 || d.offset != 4 || d.value != 77 {
		t.Errorf("halted %v pc %x device %+v", c.Halted(), c.pc, d)
	}
	if v, ok := c.ReadBus(0xe000edf8, 2); !ok || v != 0x1234 {
		t.Errorf("device reads %x %v", v, ok)
	}
}

type probe struct {
	core          *Core
	offset, value uint32
}

func (p *probe) Read(offset uint32, size int) (uint32, bool) { return 0x1234, true }
func (p *probe) Write(offset uint32, size int, v uint32) bool {
	p.offset, p.value = offset, v
	p.core.Halt()
	return true
}

// TestBus: what the debug port sees.
func TestBus(t *testing.T) {
	c := machine(t, Config{}, self)
	if v, ok := c.ReadBus(scsBase+regCPUID, 4); !ok || v != 0x410fc241 {
		t.Errorf("CPUID %x %v", v, ok)
	}
	if v, ok := c.ReadBus(scsBase+regCPUID+2, 2); !ok || v != 0x410f {
		t.Errorf("CPUID upper half %x %v", v, ok)
	}
	for _, x := range []struct {
		addr uint32
		size int
	}{{0x30000000, 4}, {0x20000002, 4}, {0x20000001, 2}, {0x20000000, 3}, {0x20010000, 1}} {
		if _, ok := c.ReadBus(x.addr, x.size); ok {
			t.Errorf("read %x, %d bytes: no error", x.addr, x.size)
		}
		if c.WriteBus(x.addr, x.size, 0) {
			t.Errorf("write %x, %d bytes: no error", x.addr, x.size)
		}
	}
	poke(t, c, 0x22000000+0x10*32+5*4, 1) // bit-band alias of bit 5 at 0x20000010
	if v := peek(t, c, 0x20000010); v != 32 {
		t.Errorf("bit-band write: %x", v)
	}
	if v := peek(t, c, 0x22000000+0x10*32+5*4); v != 1 {
		t.Errorf("bit-band read: %x", v)
	}
}
