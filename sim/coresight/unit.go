// Package coresight is the debug hardware of the simulated processor: halting
// debug in the System Control Space, DWT, FPB and a ROM table to find them by.
// In: register accesses of the debug port and of the program. Out: their effect
// on a core, and its state.
package coresight

import "github.com/mprof/mprof/sim/armv7m"

// Core is the processor that the unit controls; *armv7m.Core is one. Debug
// state, sleep and lockup are as in DDI 0403E, C1.4 and B1.5.
type Core interface {
	Halt()
	Resume()
	Step()
	Halted() bool
	Sleeping() bool
	LockedUp() bool
	Cycles() uint64
	HaltedCycles() uint64
	SleepCycles() uint64
	Instructions() uint64
	LastPC() uint32
	SetDebugEnabled(bool)
	SetBreakpoints([]uint32)
	SetMaskInterrupts(bool)
	SetVectorCatch(mask uint32)
	ReadReg(sel uint8) (uint32, bool)
	WriteReg(sel uint8, v uint32) bool
	ReadBus(addr uint32, size int) (uint32, bool)
	WriteBus(addr uint32, size int, v uint32) bool
	OnReset(func())
}

// Config describes the unit.
type Config struct {
	Arch armv7m.Arch
	// RegReadyCycles is how many core cycles a transfer through DCRSR takes.
	// S_REGRDY is 0 until then, and a read of DCRDR gives its old value.
	RegReadyCycles uint64
	// NoPCSR: the DWT has no PCSR, which then reads as zero (DDI 0403E, C1.8.6:
	// the register is optional; DDI 0419D, C1.8: on ARMv6-M too).
	NoPCSR bool
	// PCSRAsleep is what PCSR reads while the core sleeps; 0: the address of the
	// instruction that it executed last.
	PCSRAsleep uint32
	// SecureClosed: DAUTHSTATUS says that there is a Security Extension and
	// that the debugger may not halt the core in Secure state.
	SecureClosed bool
}

// Unit is the debug hardware of one core.
type Unit struct {
	cfg   Config
	core  Core
	probe bool // the access under way comes from the debug port
	deaf  bool // halt requests are not acted on

	onHalt func()

	halting
	dwt
	fpb
}

// New returns a unit without a core; its Mounts go into the core's Config and
// the core then to Attach.
func New(cfg Config) *Unit {
	u := &Unit{cfg: cfg}
	u.fpb.comp = make([]uint32, codeComparators(cfg.Arch))
	return u
}

// Attach connects the core. It is called once, before the core runs.
func (u *Unit) Attach(c Core) {
	u.core = c
	c.OnReset(u.reset)
}

// Mounts are the unit's registers (DDI 0403E, table B3-3 and C1.2).
func (u *Unit) Mounts() []armv7m.Mount {
	var (
		scsID = component{part: scsPart(u.cfg.Arch), class: classGeneric}
		dwtID = component{part: dwtPart(u.cfg.Arch), class: classGeneric}
		fpbID = component{part: fpbPart(u.cfg.Arch), class: classGeneric}
	)
	return []armv7m.Mount{
		{Base: 0xe0000000, Size: 0x1000, Device: Quiet{}}, // ITM: absent, takes writes
		{Base: 0xe0001000, Size: 0x1000, Device: identified{dwtRegisters{u}, dwtID}},
		{Base: 0xe0002000, Size: 0x1000, Device: identified{fpbRegisters{u}, fpbID}},
		{Base: 0xe000edf0, Size: 0x10, Device: haltingRegisters{u}},
		{Base: 0xe000efb8, Size: 4, Device: authentication(u.cfg.SecureClosed)},
		{Base: 0xe000efd0, Size: 0x30, Device: scsID},
		{Base: 0xe0040000, Size: 0x2000, Device: Quiet{}}, // TPIU, ETM: absent
		{Base: 0xe00ff000, Size: 0x1000, Device: newROMTable(u.cfg.Arch)},
	}
}

// Read is a read by the debug port, for adi.Bus.
func (u *Unit) Read(addr uint32, size int) (uint32, bool) {
	u.probe = true
	defer func() { u.probe = false }()
	return u.core.ReadBus(addr, size)
}

// Write is a write by the debug port, for adi.Bus.
func (u *Unit) Write(addr uint32, size int, v uint32) bool {
	u.probe = true
	defer func() { u.probe = false }()
	return u.core.WriteBus(addr, size, v)
}

// PowerOn is a power-on reset of the debug domain: halting debug goes off, and
// a core that stood in Debug state runs.
func (u *Unit) PowerOn() {
	u.writeDHCSR(dhcsrKey<<16, true)
	u.writeDEMCR(0)
	u.halting = halting{}
	u.dwt = dwt{}
	u.fpb = fpb{comp: make([]uint32, len(u.fpb.comp))}
	u.setBreakpoints()
}

// Ignore makes the core deaf to halt requests while on, as a core in Secure
// state without secure debug is (DDI 0553, B13.1): they stay pending.
func (u *Unit) Ignore(on bool) {
	u.deaf = on
	if !on {
		u.haltIfAsked()
	}
}

// OnHalt has f called whenever a halt request has put the core into Debug
// state, before the clock goes on.
func (u *Unit) OnHalt(f func()) { u.onHalt = f }

// reset hears of a system reset of the core: the debug settings stay, the
// sticky bit tells the debugger (DDI 0403E, C1.6.2).
func (u *Unit) reset() {
	u.resetSeen = true
	u.demcr &^= demcrMonitor
	u.haltIfAsked()
}

// authentication is DAUTHSTATUS (DDI 0553, D1.2.14): two bits each for SNID, SID,
// NSNID and NSID, 10 is implemented and off, 11 on, 00 that there is none.
type authentication bool

// Read gives 0 without the Security Extension.
func (closed authentication) Read(offset uint32, size int) (uint32, bool) {
	if closed {
		return lanes(0b10_10_11_11, offset, size), true
	}
	return 0, true
}

// Write does nothing: the register is read-only.
func (authentication) Write(uint32, int, uint32) bool { return true }

// Quiet is a device that reads as zero and takes writes.
type Quiet struct{}

// Read gives 0.
func (Quiet) Read(uint32, int) (uint32, bool) { return 0, true }

// Write does nothing.
func (Quiet) Write(uint32, int, uint32) bool { return true }
