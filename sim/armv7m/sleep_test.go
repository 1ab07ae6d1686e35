package armv7m

import "testing"

// TestWFI: sleep costs no instructions, SysTick ends it, the frame returns
// behind the WFI; the sleeping cycles are counted.
func TestWFI(t *testing.T) {
	c, l := traced(t, Config{}, wfi, nop, 0xe7fc) // loop: WFI; NOP; B loop
	handler(c, 15, bx)
	poke(t, c, scsBase+regSYSTRVR, 999)
	poke(t, c, scsBase+regSYSTCSR, csrENABLE|csrTICKINT)
	c.Run(500)
	if !c.Sleeping() || c.Instructions() != 1 || c.SleepCycles() != 499 || c.Cycles() != 500 {
		t.Errorf("sleeping %v, %d instructions, %d asleep of %d", c.Sleeping(), c.Instructions(), c.SleepCycles(), c.Cycles())
	}
	c.Run(2500)
	if !c.Sleeping() || c.Instructions() != 1+2*4 {
		t.Errorf("sleeping %v, %d instructions", c.Sleeping(), c.Instructions())
	}
	l.check(t,
		"1012 enter 15 ret 102 frame 20007fe0 fffffff9 to 11e0",
		"1025 leave 15 frame 20007fe0 fffffff9 to 102",
		"2012 enter 15 ret 102 frame 20007fe0 fffffff9 to 11e0",
		"2025 leave 15 frame 20007fe0 fffffff9 to 102")
}

// TestWFIWakes: PRIMASK does not keep it asleep, BASEPRI does (B1.5.19).
func TestWFIWakes(t *testing.T) {
	for _, x := range []struct {
		what             string
		primask, basepri uint32
		awake            bool
	}{{"PRIMASK", 1, 0, true}, {"BASEPRI", 0, 0x20, false}, {"neither", 0, 0, true}} {
		c := machine(t, Config{}, wfi, self)
		irq(t, c, 0, 0x40)
		c.WriteReg(20, x.primask|x.basepri<<8)
		c.Run(10)
		c.Pend(0)
		c.Run(100)
		if c.Sleeping() == x.awake || (c.ipsr != 0) != (x.what == "neither") {
			t.Errorf("%s: sleeping %v, IPSR %d", x.what, c.Sleeping(), c.ipsr)
		}
	}
	c := machine(t, Config{}, wfi, self)
	irq(t, c, 0, 0x40)
	c.WriteReg(20, 1)
	c.Pend(0)
	c.Run(10)
	if c.Sleeping() || c.SleepCycles() != 0 {
		t.Error("WFI with an interrupt pending sleeps")
	}
}

// TestWFE: the event register, SEV, SEVONPEND (B1.5.18).
func TestWFE(t *testing.T) {
	c := machine(t, Config{}, 0xbf40, wfe, wfe, self) // SEV; WFE; WFE; B .
	c.Run(10)
	if !c.Sleeping() || c.pc != 0x106 {
		t.Errorf("sleeping %v at %x: the first WFE takes the event, the second waits", c.Sleeping(), c.pc)
	}
	c.Pend(0) // not enabled: no event without SEVONPEND
	c.Run(20)
	if !c.Sleeping() {
		t.Error("woken without an event")
	}
	c.SetIRQ(0, false)
	poke(t, c, scsBase+regSCR, scrSEVONPEND)
	c.Pend(0)
	c.Run(30)
	if c.Sleeping() || c.ipsr != 0 {
		t.Errorf("SEVONPEND: sleeping %v IPSR %d", c.Sleeping(), c.ipsr)
	}
}

// TestSleepOnExit: SCR.SLEEPONEXIT, B1.5.20.
func TestSleepOnExit(t *testing.T) {
	c := machine(t, Config{}, self)
	irq(t, c, 0, 0x40)
	handler(c, 16, bx)
	poke(t, c, scsBase+regSCR, scrSLEEPONEXIT|scrSLEEPDEEP)
	c.Pend(0)
	c.Run(100)
	if !c.Sleeping() || !c.DeepSleep() || c.ipsr != 0 || c.pc != 0x100 {
		t.Errorf("sleeping %v IPSR %d PC %x", c.Sleeping(), c.ipsr, c.pc)
	}
	c.Pend(0)
	n := c.Instructions()
	c.Run(200)
	if !c.Sleeping() || c.Instructions() != n+1 {
		t.Errorf("sleeping %v, %d instructions in the second handler", c.Sleeping(), c.Instructions()-n)
	}
}

// TestHaltWakes: PC is behind the WFI, and there execution goes on.
func TestHaltWakes(t *testing.T) {
	c := machine(t, Config{}, wfi, 0x2001, self)
	c.Run(100)
	c.Halt()
	if pc, _ := c.ReadReg(15); c.Sleeping() || !c.Halted() || pc != 0x102 {
		t.Errorf("sleeping %v halted %v pc %x", c.Sleeping(), c.Halted(), pc)
	}
	c.Run(150)
	c.Resume()
	c.Run(160)
	if c.r[0] != 1 || c.HaltedCycles() != 50 || c.SleepCycles() != 99 {
		t.Errorf("r0 %d, halted %d, asleep %d", c.r[0], c.HaltedCycles(), c.SleepCycles())
	}
}

// TestStepIntoSleep: in Debug state a step over WFI does not stay asleep.
func TestStepIntoSleep(t *testing.T) {
	c := machine(t, Config{}, wfi, self)
	c.Halt()
	c.Step()
	if !c.Halted() || c.Sleeping() || c.pc != 0x102 {
		t.Errorf("halted %v sleeping %v pc %x", c.Halted(), c.Sleeping(), c.pc)
	}
}
