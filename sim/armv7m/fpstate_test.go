package armv7m

import "testing"

// withFP is a core with an FPU that is open to all, with S0 to S31 and FPSCR
// set and a context of its own.
func withFP(t *testing.T, code ...uint16) *Core {
	t.Helper()
	c := machine(t, Config{FPU: true}, append(code, self)...)
	poke(t, c, scsBase+regCPACR, 0xf<<20)
	poke(t, c, scsBase+regSHCSR, 7<<16)
	if !useFP(c) {
		t.Fatal("FPU is closed")
	}
	for i := range uint8(32) {
		c.WriteReg(64+i, fpValue(int(i)))
	}
	c.WriteReg(33, fpscrValue)
	return c
}

const fpscrValue = 0xf0c0009f

func fpValue(i int) uint32 { return 0x3f000000 + uint32(i) }

// useFP is what comes first in any floating-point instruction at the PC.
func useFP(c *Core) bool {
	c.at = c.pc
	return c.executeFPCheck()
}

// control reads CONTROL as a debugger does.
func control(c *Core) uint32 {
	v, _ := c.ReadReg(20)
	return v >> 24
}

// TestFPRegisters: what can be written and read, by word and by byte, with an
// FPU and without (B3.2.20 to B3.2.24, B4.7).
func TestFPRegisters(t *testing.T) {
	for _, x := range []struct{ off, reset, ones, without uint32 }{
		{regCPACR, 0, 0x00f00000, 0},
		{regFPCCR, 0xc0000000, 0xc000017b, 0},
		{regFPCAR, 0, 0xfffffff8, 0},
		{regFPDSCR, 0, 0x07c00000, 0},
		{regMVFR0, 0x10110021, 0x10110021, 0},
		{regMVFR1, 0x11000011, 0x11000011, 0},
	} {
		c := machine(t, Config{FPU: true}, self)
		if v := peek(t, c, scsBase+x.off); v != x.reset {
			t.Errorf("0x%x: 0x%x at reset, want 0x%x", x.off, v, x.reset)
		}
		poke(t, c, scsBase+x.off, 0xffffffff)
		if v := peek(t, c, scsBase+x.off); v != x.ones {
			t.Errorf("0x%x: 0x%x of ones, want 0x%x", x.off, v, x.ones)
		}
		c.WriteBus(scsBase+x.off+3, 1, 0)
		if v := peek(t, c, scsBase+x.off); x.off < regMVFR0 && v != x.ones&0xffffff {
			t.Errorf("0x%x: 0x%x with the upper byte cleared", x.off, v)
		}
		c.Reset()
		if v := peek(t, c, scsBase+x.off); v != x.reset {
			t.Errorf("0x%x: 0x%x after reset", x.off, v)
		}
		c = machine(t, Config{}, self)
		poke(t, c, scsBase+x.off, 0xffffffff)
		if v := peek(t, c, scsBase+x.off); v != x.without {
			t.Errorf("0x%x: 0x%x without FPU", x.off, v)
		}
	}
	for _, a := range []Arch{V7M, V6M} {
		if _, err := New(Config{Arch: a, FPU: true, Regions: []Region{{Data: make([]byte, 1024)}}}); err == nil {
			t.Errorf("architecture %d takes an FPU", a)
		}
	}
}

// TestFPAccess: CPACR, B3.2.20, NOCP where it says no.
func TestFPAccess(t *testing.T) {
	for _, x := range []struct {
		cpacr, control uint32
		open           bool
	}{{0, 0, false}, {1, 0, true}, {1, controlNPRIV, false}, {2, 0, false}, {3, 0, true}, {3, controlNPRIV, true}} {
		c := machine(t, Config{FPU: true}, nop, self)
		poke(t, c, scsBase+regSHCSR, 7<<16)
		poke(t, c, scsBase+regCPACR, x.cpacr*5<<20)
		c.WriteReg(20, x.control<<24)
		open := useFP(c)
		if open != x.open || open != (control(c)&controlFPCA != 0) {
			t.Errorf("CPACR %d, CONTROL %d: open %v, CONTROL %x", x.cpacr, x.control, open, control(c))
		}
		if open {
			continue
		}
		if c.Step(); c.ipsr != excUsageFault || c.cfsr != ufsrNOCP || peek(t, c, c.stackPointer(false)+24) != 0x100 {
			t.Errorf("CPACR %d: IPSR %d CFSR %x", x.cpacr, c.ipsr, c.cfsr)
		}
	}
}

// An open FPU closes when CPACR or the privilege changes.
func TestFPCloses(t *testing.T) {
	c := withFP(t)
	poke(t, c, scsBase+regCPACR, 5<<20)
	if !useFP(c) {
		t.Error("privileged access is closed")
	}
	c.WriteReg(20, (controlNPRIV|controlFPCA)<<24)
	if useFP(c) {
		t.Error("unprivileged access is open")
	}
	c = withFP(t)
	c.Reset()
	if useFP(c) {
		t.Error("open after reset")
	}
}

// TestFPContext: the first FP instruction begins a context with the modes of
// FPDSCR; without ASPEN it does not (B1.5.7).
func TestFPContext(t *testing.T) {
	for _, aspen := range []uint32{fpccrASPEN, 0} {
		c := machine(t, Config{FPU: true}, self)
		poke(t, c, scsBase+regCPACR, 0xf<<20)
		poke(t, c, scsBase+regFPCCR, aspen|fpccrLSPEN)
		poke(t, c, scsBase+regFPDSCR, 0x02400000)
		c.WriteReg(33, 0xffffffff)
		useFP(c)
		fpscr, _ := c.ReadReg(33)
		want, fpca := uint32(0xf240009f), uint32(controlFPCA)
		if aspen == 0 {
			want, fpca = fpscrMask, 0
		}
		if fpscr != want || control(c) != fpca {
			t.Errorf("ASPEN %x: FPSCR %x, want %x, CONTROL %x", aspen, fpscr, want, control(c))
		}
	}
}

// TestMSRControl: FPCA is written with privilege only (B5.2.3).
func TestMSRControl(t *testing.T) {
	for _, x := range []struct{ before, write, after uint32 }{
		{0, controlFPCA, controlFPCA}, {controlFPCA, 0, 0},
		{controlNPRIV, controlFPCA, controlNPRIV}, {controlNPRIV | controlFPCA, 0, controlNPRIV | controlFPCA},
	} {
		c := machine(t, Config{FPU: true}, 0xf380, 0x8814, 0xf3ef, 0x8114, self) // MSR CONTROL, r0; MRS r1, CONTROL
		c.WriteReg(20, x.before<<24)
		c.WriteReg(0, x.write)
		c.Step()
		c.Step()
		if c.r[1] != x.after || control(c) != x.after {
			t.Errorf("%d written over %d: %d", x.write, x.before, c.r[1])
		}
	}
	c := machine(t, Config{}, self)
	if c.WriteReg(20, 7<<24); control(c) != 3 {
		t.Errorf("CONTROL %d without FPU", control(c))
	}
}

// TestDebugFP: DCRSR.REGSEL 33 and 64 to 95 (C1.6.3), with CPACR closed and
// lazily preserved state, which stays in the registers.
func TestDebugFP(t *testing.T) {
	c := withFP(t)
	c.SetDebugEnabled(true)
	irq(t, c, 0, 0x40)
	c.Pend(0)
	c.Step()
	c.Halt()
	poke(t, c, scsBase+regCPACR, 0)
	for i := range 32 {
		if v, ok := c.ReadReg(uint8(64 + i)); !ok || v != fpValue(i) {
			t.Errorf("S%d: %x %v", i, v, ok)
		}
	}
	if v, ok := c.ReadReg(33); !ok || v != fpscrValue {
		t.Errorf("FPSCR %x %v", v, ok)
	}
	if c.fpccr&fpccrLSPACT == 0 || peek(t, c, c.fpcar) != 0 || c.cfsr != 0 {
		t.Errorf("FPCCR %x CFSR %x, S0 in the frame %x", c.fpccr, c.cfsr, peek(t, c, c.fpcar))
	}
	if !c.WriteReg(95, 7) || !c.WriteReg(33, 0xffffffff) || c.s[31] != 7 || c.fpscr != fpscrMask {
		t.Errorf("written S31 %x FPSCR %x", c.s[31], c.fpscr)
	}
	c = machine(t, Config{}, self)
	for _, sel := range []uint8{33, 64, 95} {
		if _, ok := c.ReadReg(sel); ok || c.WriteReg(sel, 1) {
			t.Errorf("register %d without FPU", sel)
		}
	}
}
