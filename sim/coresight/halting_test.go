package coresight

import (
	"testing"

	"github.com/mprof/mprof/sim/armv7m"
)

func TestDHCSRNeedsTheKey(t *testing.T) {
	b := newBench(t, Config{})
	for _, v := range []uint32{3, 0xa05e0003, 0x5fa00003} {
		b.write(dhcsr, v)
		if b.core.halted || b.core.enabled {
			t.Errorf("0x%08x was taken", v)
		}
	}
	b.write(dhcsr, halt)
	if !b.core.halted || !b.core.enabled {
		t.Error("the core is not halted")
	}
	if v := b.read(dhcsr); v != 0x00030003 {
		t.Errorf("DHCSR 0x%08x, want 0x00030003", v)
	}
	b.write(dhcsr, resume)
	if b.core.halted {
		t.Error("the core is halted")
	}
	b.write(dhcsr, 0xa05f0000)
	if v := b.read(dhcsr); v != 0x00010000 || b.core.enabled {
		t.Errorf("DHCSR 0x%08x after detaching", v)
	}
}

// C_HALT without C_DEBUGEN is nothing; software can halt, but never set or
// clear C_DEBUGEN.
func TestOnlyTheProbeSetsDEBUGEN(t *testing.T) {
	b := newBench(t, Config{})
	b.write(dhcsr, 0xa05f0002)
	if b.core.halted || b.read(dhcsr)&3 != 0 {
		t.Error("C_HALT without C_DEBUGEN")
	}
	b.core.WriteBus(dhcsr, 4, halt)
	if b.core.enabled || b.core.halted {
		t.Error("software set C_DEBUGEN")
	}
	b.write(dhcsr, resume)
	b.core.WriteBus(dhcsr, 4, 0xa05f0000)
	if !b.core.enabled {
		t.Error("software cleared C_DEBUGEN")
	}
	b.core.WriteBus(dhcsr, 4, 0xa05f0002)
	if !b.core.halted {
		t.Error("software cannot halt")
	}
}

func TestClearingDEBUGENResumes(t *testing.T) {
	b := newBench(t, Config{})
	b.write(dhcsr, halt)
	b.write(dhcsr, 0xa05f0000)
	if b.core.halted {
		t.Error("halted without C_DEBUGEN")
	}
}

func TestStepAndMask(t *testing.T) {
	b := newBench(t, Config{})
	b.write(dhcsr, 0xa05f0005)
	if b.core.steps != 0 {
		t.Error("a step of a running core")
	}
	b.write(dhcsr, halt)
	b.write(dhcsr, 0xa05f000d)
	if b.core.steps != 1 || !b.core.masked || !b.core.halted {
		t.Errorf("steps %d, masked %v, halted %v", b.core.steps, b.core.masked, b.core.halted)
	}
	if v := b.read(dhcsr); v&(S_HALT|C_HALT|C_MASKINTS|S_RETIRE_ST) != S_HALT|C_HALT|C_MASKINTS|S_RETIRE_ST {
		t.Errorf("DHCSR 0x%08x", v)
	}
}

// S_RETIRE_ST and S_RESET_ST clear when read; the others follow the core.
func TestStatusBits(t *testing.T) {
	b := newBench(t, Config{})
	b.core.run(10)
	if v := b.read(dhcsr); v&S_RETIRE_ST == 0 {
		t.Errorf("DHCSR 0x%08x, want S_RETIRE_ST", v)
	}
	if v := b.read(dhcsr); v&S_RETIRE_ST != 0 {
		t.Errorf("DHCSR 0x%08x: S_RETIRE_ST stayed", v)
	}
	b.write(dhcsr, resume)
	for _, f := range b.core.onReset {
		f()
	}
	if v := b.read(dhcsr); v&(S_RESET_ST|C_DEBUGEN) != S_RESET_ST|C_DEBUGEN {
		t.Errorf("DHCSR 0x%08x after a reset", v)
	}
	if v := b.read(dhcsr); v&S_RESET_ST != 0 {
		t.Errorf("DHCSR 0x%08x: S_RESET_ST stayed", v)
	}
	b.core.sleeping, b.core.locked = true, true
	if v := b.read(dhcsr); v&(S_SLEEP|S_LOCKUP) != S_SLEEP|S_LOCKUP {
		t.Errorf("DHCSR 0x%08x", v)
	}
}

func TestRegisterTransfer(t *testing.T) {
	b := newBench(t, Config{})
	b.write(dhcsr, halt)
	b.core.regs[15] = 0x08000100
	b.write(dcrsr, 15)
	if v := b.read(dcrdr); v != 0x08000100 {
		t.Errorf("PC 0x%08x", v)
	}
	b.write(dcrdr, 0x20001000)
	b.write(dcrsr, 1<<16|13)
	if b.core.regs[13] != 0x20001000 {
		t.Errorf("SP 0x%08x", b.core.regs[13])
	}
	b.write(dcrsr, 100)
	if v := b.read(dcrdr); v != 0 {
		t.Errorf("a register that is not there reads 0x%08x", v)
	}
}

// A slow core: S_REGRDY is 0 and DCRDR old until the cycles have passed.
func TestSlowRegisterTransfer(t *testing.T) {
	b := newBench(t, Config{RegReadyCycles: 100})
	b.write(dhcsr, halt)
	b.core.regs[14] = 0x55
	b.write(dcrdr, 0x11)
	b.write(dcrsr, 14)
	if v := b.read(dhcsr); v&S_REGRDY != 0 {
		t.Error("S_REGRDY at once")
	}
	if v := b.read(dcrdr); v != 0x11 {
		t.Errorf("DCRDR 0x%08x before the transfer", v)
	}
	b.core.run(100)
	if v := b.read(dhcsr); v&S_REGRDY == 0 {
		t.Error("no S_REGRDY after 100 cycles")
	}
	if v := b.read(dcrdr); v != 0x55 {
		t.Errorf("DCRDR 0x%08x", v)
	}
}

// A running core makes no transfer: S_REGRDY stays 0 until it halts.
func TestRegisterTransferOfARunningCore(t *testing.T) {
	b := newBench(t, Config{})
	b.write(dhcsr, resume)
	b.core.regs[0] = 7
	b.write(dcrsr, 0)
	if v := b.read(dhcsr); v&S_REGRDY != 0 {
		t.Error("S_REGRDY while running")
	}
	b.write(dhcsr, halt)
	if v := b.read(dcrdr); v != 7 {
		t.Errorf("DCRDR %d", v)
	}
}

func TestDEMCR(t *testing.T) {
	for arch, want := range map[armv7m.Arch]uint32{armv7m.V7EM: 0x7f1, armv7m.V7M: 0x7f1, armv7m.V6M: 0x401} {
		b := newBench(t, Config{Arch: arch})
		b.write(demcr, 0x010007f1)
		if v := b.read(demcr); b.core.catch != want || v != want|TRCENA {
			t.Errorf("arch %d: DEMCR 0x%08x, catch 0x%x", arch, v, b.core.catch)
		}
	}
}

// A core that ignores halts gets the pending one when it listens again, unless
// it was taken back.
func TestIgnore(t *testing.T) {
	b := newBench(t, Config{})
	b.Ignore(true)
	b.write(dhcsr, halt)
	if b.core.halted || b.read(dhcsr)&S_HALT != 0 {
		t.Error("halted")
	}
	b.Ignore(false)
	if !b.core.halted {
		t.Error("the halt was not pending")
	}
	b.write(dhcsr, resume)
	b.Ignore(true)
	b.write(dhcsr, halt)
	b.write(dhcsr, resume)
	b.Ignore(false)
	if b.core.halted {
		t.Error("a halt that was taken back")
	}
}

func TestPowerOn(t *testing.T) {
	b := newBench(t, Config{})
	b.write(dhcsr, halt)
	b.write(demcr, 0x01000001)
	b.write(fpCOMP0, 0x48000101)
	b.write(fpCTRL, 3)
	b.PowerOn()
	if b.core.halted || b.core.enabled || b.core.catch != 0 || len(b.core.breakpoints) != 0 {
		t.Errorf("core %+v", b.core)
	}
	if v := b.read(demcr); v != 0 {
		t.Errorf("DEMCR 0x%08x", v)
	}
}
