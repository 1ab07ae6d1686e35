package coresight

import "github.com/mprof/mprof/sim/armv7m"

// DHCSR (DDI 0403E, C1.6.2).
const (
	dhcsrKey = 0xa05f

	C_DEBUGEN   uint32 = 1 << 0
	C_HALT      uint32 = 1 << 1
	C_STEP      uint32 = 1 << 2
	C_MASKINTS  uint32 = 1 << 3
	C_SNAPSTALL uint32 = 1 << 5
	S_REGRDY    uint32 = 1 << 16
	S_HALT      uint32 = 1 << 17
	S_SLEEP     uint32 = 1 << 18
	S_LOCKUP    uint32 = 1 << 19
	S_RETIRE_ST uint32 = 1 << 24
	S_RESET_ST  uint32 = 1 << 25
)

// DEMCR (DDI 0403E, C1.6.5).
const (
	VC_CORERESET uint32 = 1 << 0
	TRCENA       uint32 = 1 << 24

	demcrCatch    = 0x7f1     // VC_CORERESET and VC_MMERR to VC_HARDERR
	demcrCatchV6M = 1 | 1<<10 // VC_CORERESET, VC_HARDERR (DDI 0419, C1.6.5)
	demcrMonitor  = 0xf << 16
)

// halting is the state of DHCSR, DCRSR, DCRDR and DEMCR.
type halting struct {
	control   uint32 // C_DEBUGEN, C_HALT, C_STEP, C_MASKINTS, C_SNAPSTALL
	demcr     uint32
	dcrdr     uint32
	resetSeen bool
	retired   uint64 // instructions at the last read of DHCSR
	pending   registerTransfer
}

// registerTransfer is a transfer that DCRSR asked for.
type registerTransfer struct {
	on    bool
	write bool
	sel   uint8
	value uint32
	ready uint64 // cycle at which it is done
}

// haltingRegisters are the four words at 0xE000EDF0.
type haltingRegisters struct{ u *Unit }

// Read reads a word; DCRSR is write-only and reads as zero. Narrower accesses
// take their lanes.
func (h haltingRegisters) Read(offset uint32, size int) (uint32, bool) {
	u := h.u
	u.settle()
	var v uint32
	switch offset &^ 3 {
	case 0x0:
		v = u.readDHCSR()
	case 0x8:
		v = u.dcrdr
	case 0xc:
		v = u.demcr
	}
	return lanes(v, offset, size), true
}

// Write takes words; anything narrower has no effect.
func (h haltingRegisters) Write(offset uint32, size int, v uint32) bool {
	u := h.u
	u.settle()
	if size != 4 {
		return true
	}
	switch offset {
	case 0x0:
		u.writeDHCSR(v, u.probe)
	case 0x4:
		u.startTransfer(v)
	case 0x8:
		u.dcrdr = v
	case 0xc:
		u.writeDEMCR(v)
	}
	return true
}

// lanes cuts the bytes of an access out of a word.
func lanes(word, offset uint32, size int) uint32 {
	word >>= offset & 3 * 8
	if size < 4 {
		word &= 1<<(8*size) - 1
	}
	return word
}

// readDHCSR reads the status and clears the two sticky bits.
func (u *Unit) readDHCSR() uint32 {
	v := u.control
	if !u.pending.on {
		v |= S_REGRDY
	}
	if u.core.Halted() {
		v |= S_HALT | C_HALT
	}
	if u.core.Sleeping() {
		v |= S_SLEEP
	}
	if u.core.LockedUp() {
		v |= S_LOCKUP
	}
	if n := u.core.Instructions(); n != u.retired {
		v |= S_RETIRE_ST
		u.retired = n
	}
	if u.resetSeen {
		v |= S_RESET_ST
		u.resetSeen = false
	}
	return v
}

// writeDHCSR needs the key. Only the debug port can change C_DEBUGEN; without
// it the other control bits are forced to 0 (DDI 0403E, C1.6.2).
func (u *Unit) writeDHCSR(v uint32, fromProbe bool) {
	if v>>16 != dhcsrKey {
		return
	}
	enabled := u.control&C_DEBUGEN != 0
	if fromProbe {
		enabled = v&C_DEBUGEN != 0
	}
	u.core.SetDebugEnabled(enabled)
	if !enabled {
		u.control = 0
		u.core.SetMaskInterrupts(false)
		u.core.Resume()
		return
	}
	u.control = C_DEBUGEN | v&(C_HALT|C_STEP|C_MASKINTS|C_SNAPSTALL)
	u.core.SetMaskInterrupts(v&C_MASKINTS != 0)
	switch {
	case v&C_HALT != 0:
		u.haltIfAsked()
	case !u.core.Halted():
	case v&C_STEP != 0:
		u.core.Step()
		u.control |= C_HALT
	default:
		u.core.Resume()
	}
}

// haltIfAsked acts on C_HALT.
func (u *Unit) haltIfAsked() {
	const asked = C_DEBUGEN | C_HALT
	if u.control&asked == asked && !u.deaf && !u.core.Halted() {
		u.core.Halt()
		if u.onHalt != nil {
			u.onHalt()
		}
	}
}

// startTransfer is a write of DCRSR: REGWnR is bit 16, REGSEL the low bits.
func (u *Unit) startTransfer(v uint32) {
	u.pending = registerTransfer{
		on: true, write: v>>16&1 != 0, sel: uint8(v & 0x7f), value: u.dcrdr,
		ready: u.core.Cycles() + u.cfg.RegReadyCycles,
	}
	u.settle()
}

// settle completes a register transfer that is due. It happens in Debug state
// only; while the core runs, S_REGRDY stays 0.
func (u *Unit) settle() {
	t := &u.pending
	if !t.on || !u.core.Halted() || u.core.Cycles() < t.ready {
		return
	}
	t.on = false
	if t.write {
		u.core.WriteReg(t.sel, t.value)
		return
	}
	u.dcrdr, _ = u.core.ReadReg(t.sel) // a reserved REGSEL reads as 0
}

// writeDEMCR sets vector catch and TRCENA (on ARMv6-M, DWTENA).
func (u *Unit) writeDEMCR(v uint32) {
	catch := uint32(demcrCatch)
	keep := catch | demcrMonitor | TRCENA
	if u.cfg.Arch == armv7m.V6M {
		catch = demcrCatchV6M
		keep = catch | TRCENA
	}
	u.traceEnable(v&TRCENA != 0)
	u.demcr = v & keep
	u.core.SetVectorCatch(v & catch)
}

// Control is the control bits of DHCSR (C_DEBUGEN, C_HALT, C_STEP, C_MASKINTS)
// without the side effects of a read.
func (u *Unit) Control() uint32 { return u.control }
