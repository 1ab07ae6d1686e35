package armv7m

import "testing"

// faulting runs code until it is in an exception, and returns it.
func faulting(t *testing.T, c *Core) uint32 {
	t.Helper()
	for range 20 {
		if c.Step(); c.ipsr != 0 || c.LockedUp() {
			break
		}
	}
	return c.ipsr
}

// TestFaults: B1.5.14, table B1-9, with the handlers enabled, and escalated to
// HardFault where they are not.
func TestFaults(t *testing.T) {
	for _, x := range []struct {
		what  string
		exc   uint32
		cfsr  uint32
		bfar  uint32
		ret   uint32 // return address
		setUp func(c *Core)
		code  []uint16
	}{
		{"undefined", excUsageFault, ufsrUNDEFINSTR, 0, 0x102, nil, []uint16{nop, 0xde00}},
		{"load where nothing is", excBusFault, bfsrPRECISERR | bfsrBFARVALID, 0x30000000, 0x100,
			func(c *Core) { c.WriteReg(1, 0x30000000) }, []uint16{0x6808}},
		{"store to ROM", excBusFault, bfsrPRECISERR | bfsrBFARVALID, 0x40, 0x100,
			func(c *Core) { c.WriteReg(1, 0x40) }, []uint16{0x6008}},
		{"LDM beyond the end of RAM", excBusFault, bfsrPRECISERR | bfsrBFARVALID, 0x20010000, 0x100,
			func(c *Core) { c.WriteReg(1, 0x2000fffc) }, []uint16{0xc90c}},
		{"PUSH below RAM", excBusFault, bfsrPRECISERR | bfsrBFARVALID, 0x1ffffffc, 0x100,
			func(c *Core) { c.WriteReg(20, 2<<24); c.WriteReg(13, 0x20000000) }, []uint16{0xb500}},
		{"branch to where nothing is", excBusFault, bfsrIBUSERR, 0, 0x30000000,
			func(c *Core) { c.WriteReg(1, 0x30000001) }, []uint16{0x4708}},
		{"branch to a peripheral", excMemManage, mmfsrIACCVIOL, 0, 0x40000000,
			func(c *Core) { c.WriteReg(1, 0x40000001) }, []uint16{0x4708}},
		{"EXC_RETURN in Thread mode", excMemManage, mmfsrIACCVIOL, 0, 0xfffffff8,
			func(c *Core) { c.WriteReg(1, 0xfffffff9) }, []uint16{0x4708}},
		{"BX without the Thumb bit", excUsageFault, ufsrINVSTATE, 0, 0x200,
			func(c *Core) { c.WriteReg(1, 0x200) }, []uint16{0x4708}},
		{"unaligned LDM", excUsageFault, ufsrUNALIGNED, 0, 0x100,
			func(c *Core) { c.WriteReg(1, 0x20000002) }, []uint16{0xc90c}},
		{"unaligned LDRD", excUsageFault, ufsrUNALIGNED, 0, 0x100,
			func(c *Core) { c.WriteReg(1, 0x20000001) }, []uint16{0xe9d1, 0x2300}},
		{"unaligned LDREX", excUsageFault, ufsrUNALIGNED, 0, 0x100,
			func(c *Core) { c.WriteReg(1, 0x20000001) }, []uint16{0xe851, 0x0f00}},
		{"unaligned LDR with UNALIGN_TRP", excUsageFault, ufsrUNALIGNED, 0, 0x100,
			func(c *Core) { c.WriteReg(1, 0x20000001); c.ccr |= ccrUNALIGNTRP }, []uint16{0x6808}},
		{"unaligned access to a device", excUsageFault, ufsrUNALIGNED, 0, 0x100,
			func(c *Core) { c.WriteReg(1, 0x40000001) }, []uint16{0x6808}},
		{"division by zero with DIV_0_TRP", excUsageFault, ufsrDIVBYZERO, 0, 0x100,
			func(c *Core) { c.ccr |= ccrDIV0TRP }, []uint16{0xfbb0, 0xf0f1}},
		{"unprivileged access to the SCS", excBusFault, bfsrPRECISERR | bfsrBFARVALID, 0xe000ed00, 0x100,
			func(c *Core) { c.WriteReg(1, 0xe000ed00); c.WriteReg(20, 1<<24) }, []uint16{0x6808}},
		{"LDRT to the SCS", excBusFault, bfsrPRECISERR | bfsrBFARVALID, 0xe000ed00, 0x100,
			func(c *Core) { c.WriteReg(1, 0xe000ed00) }, []uint16{0xf851, 0x0e00}},
		{"32-bit instruction across the end of memory", excBusFault, bfsrIBUSERR, 0, 0x2000fffe,
			func(c *Core) { c.WriteReg(15, 0x2000fffe); c.WriteBus(0x2000fffe, 2, 0xf000) }, nil},
	} {
		for _, enabled := range []bool{true, false} {
			c := machine(t, Config{}, x.code...)
			if x.setUp != nil {
				x.setUp(c)
			}
			want, hfsr := x.exc, uint32(0)
			if enabled {
				poke(t, c, scsBase+regSHCSR, 7<<16)
			} else {
				want, hfsr = excHardFault, hfsrFORCED
			}
			exc := faulting(t, c)
			if exc != want || c.cfsr&^bfsrSTKERR != x.cfsr || c.hfsr != hfsr || c.bfar != x.bfar {
				t.Errorf("%s: exception %d, want %d, CFSR %08x, want %08x, HFSR %08x, BFAR %08x", x.what, exc, want, c.cfsr, x.cfsr, c.hfsr, c.bfar)
				continue
			}
			if ret, ok := c.ReadBus(c.stackPointer(c.r[lr] == excReturnPSP)+24, 4); ok && ret != x.ret {
				t.Errorf("%s: return address %08x, want %08x", x.what, ret, x.ret)
			}
		}
	}
}

// TestNoEffectOfFault: a load that faults writes neither target nor base; the
// ITSTATE stacked is that of the instruction.
func TestNoEffectOfFault(t *testing.T) {
	c := machine(t, Config{}, 0xbf08, 0xf851, 0x0b04, self) // IT EQ; LDREQ r0,[r1],#4
	poke(t, c, scsBase+regSHCSR, 7<<16)
	c.WriteReg(16, psrZ|psrT)
	c.WriteReg(0, 7)
	c.WriteReg(1, 0x30000000)
	faulting(t, c)
	if c.r[0] != 7 || c.r[1] != 0x30000000 {
		t.Errorf("r0 %x r1 %x", c.r[0], c.r[1])
	}
	if psr, pc := peek(t, c, c.r[sp]+28), peek(t, c, c.r[sp]+24); psr != psrZ|psrT|2<<10 || pc != 0x102 {
		t.Errorf("frame: xPSR %08x PC %x", psr, pc)
	}
	// Mended, the handler returns and the load goes on.
	c.WriteBus(c.r[sp]+4, 4, 0x20000000)
	handler(c, 5, bx)
	c.Step()
	c.Step()
	if c.r[0] != 0 || c.r[1] != 0x20000004 || c.pc != 0x106 {
		t.Errorf("after: r0 %x r1 %x pc %x", c.r[0], c.r[1], c.pc)
	}
}

// TestLockup: a fault in HardFault; NMI gets out and comes back (B1.5.15).
func TestLockup(t *testing.T) {
	c, l := traced(t, Config{}, 0xde00)
	handler(c, 3, 0xde00)
	handler(c, 2, bx)
	for range 3 {
		c.Step()
	}
	if !c.LockedUp() || c.pc != 0xfffffffe {
		t.Fatalf("locked up %v, pc %x", c.LockedUp(), c.pc)
	}
	l.lines = nil
	n, at := c.Instructions(), c.Cycles()
	c.Run(at + 1000)
	if c.Instructions() != n || c.Cycles() != at+1000 || c.SleepCycles() != 0 {
		t.Errorf("%d instructions, %d cycles, %d asleep", c.Instructions()-n, c.Cycles()-at, c.SleepCycles())
	}
	c.SetIRQ(-14, true)
	c.Run(c.Cycles() + 100)
	if !c.LockedUp() || c.ipsr != 3 || len(l.lines) != 2 {
		t.Errorf("after NMI: locked up %v IPSR %d trace %v", c.LockedUp(), c.ipsr, l.lines)
	}
	cfsr := c.cfsr
	c.Halt()
	if c.LockedUp() || c.pc != lockupPC {
		t.Errorf("halted: locked up %v, pc %x", c.LockedUp(), c.pc)
	}
	c.Resume()
	c.Run(c.Cycles() + 10)
	if !c.LockedUp() || c.cfsr != cfsr {
		t.Errorf("resumed: locked up %v, CFSR %x, before %x", c.LockedUp(), c.cfsr, cfsr)
	}
	c.Reset()
	if c.LockedUp() || c.pc != 0x100 {
		t.Errorf("after reset: %v %x", c.LockedUp(), c.pc)
	}
}

// TestFaultAtNegativePriority: a fault with FAULTMASK set locks up; BFHFNMIGN
// has bus errors ignored there (B3.2.8).
func TestFaultAtNegativePriority(t *testing.T) {
	for _, ignore := range []uint32{0, ccrBFHFNMIGN} {
		c := machine(t, Config{}, 0xb671, 0x6808, self) // CPSID f; LDR r0,[r1]
		c.WriteReg(1, 0x30000000)
		c.ccr |= ignore
		c.Run(10)
		if c.LockedUp() != (ignore == 0) {
			t.Errorf("BFHFNMIGN %x: locked up %v", ignore, c.LockedUp())
		}
	}
}

// TestStackingFault: STKERR when SP is not in memory; the interrupt waits
// behind the BusFault.
func TestStackingFault(t *testing.T) {
	c := machine(t, Config{}, self)
	poke(t, c, scsBase+regSHCSR, 7<<16)
	irq(t, c, 0, 0x40)
	c.WriteReg(18, 0x30000000)
	c.WriteReg(20, 2<<24)
	c.Pend(0)
	c.Step()
	if c.ipsr != excBusFault || c.cfsr != bfsrSTKERR || !c.pending.has(16) {
		t.Errorf("IPSR %d CFSR %x pending %v", c.ipsr, c.cfsr, c.pending)
	}
	c = machine(t, Config{}, self)
	irq(t, c, 0, 0x40)
	c.WriteReg(13, 0x30000000)
	c.Pend(0)
	c.Step()
	if c.ipsr != excHardFault || c.cfsr != bfsrSTKERR || c.hfsr != hfsrFORCED {
		t.Errorf("BusFault disabled: IPSR %d CFSR %x HFSR %x", c.ipsr, c.cfsr, c.hfsr)
	}
}

// TestUnstackingFault: UNSTKERR is tail-chained, with the EXC_RETURN as it was.
func TestUnstackingFault(t *testing.T) {
	c := machine(t, Config{}, self)
	poke(t, c, scsBase+regSHCSR, 7<<16)
	irq(t, c, 0, 0x40)
	handler(c, 16, bx)
	c.WriteReg(18, 0x20004000)
	c.WriteReg(20, 2<<24)
	c.Pend(0)
	c.Step()
	c.WriteReg(18, 0x30000000)
	c.Step()
	if c.ipsr != excBusFault || c.cfsr != bfsrUNSTKERR || c.r[lr] != excReturnPSP {
		t.Errorf("IPSR %d CFSR %x LR %x", c.ipsr, c.cfsr, c.r[lr])
	}
}

// TestVectorFault: a vector that cannot be read is a HardFault with VECTTBL;
// one without the Thumb bit an INVSTATE at the first instruction.
func TestVectorFault(t *testing.T) {
	c := machine(t, Config{}, self)
	irq(t, c, 0, 0x40)
	poke(t, c, 4*16, 0x1200)
	c.Pend(0)
	c.Step()
	c.Step()
	if c.ipsr != excHardFault || c.cfsr != ufsrINVSTATE {
		t.Errorf("even vector: IPSR %d CFSR %x", c.ipsr, c.cfsr)
	}
	c = machine(t, Config{}, self)
	irq(t, c, 0, 0x40)
	poke(t, c, scsBase+regVTOR, 0x2000ff80) // its 32 words end where RAM does
	poke(t, c, 0x2000ff80+4*excHardFault, 0x1061)
	irq(t, c, 40, 0x40)
	c.Pend(40)
	c.Step()
	if c.ipsr != excHardFault || c.hfsr != hfsrVECTTBL || c.pc != 0x1060 {
		t.Errorf("no vector: IPSR %d HFSR %x PC %x", c.ipsr, c.hfsr, c.pc)
	}
}

// TestARMv6MFaults: all are HardFault, and no status register exists
// (DDI 0419D B1.5.9).
func TestARMv6MFaults(t *testing.T) {
	for _, code := range [][]uint16{{0xde00}, {0x6808}, {0x4708}, {0xbe00}} {
		c := machine(t, Config{Arch: V6M}, code...)
		c.WriteReg(1, 0x20000002)
		if exc := faulting(t, c); exc != excHardFault || peek(t, c, scsBase+regCFSR) != 0 || peek(t, c, scsBase+regHFSR) != 0 {
			t.Errorf("%04x: exception %d", code, exc)
		}
	}
}
