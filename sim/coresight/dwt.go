package coresight

import "github.com/mprof/mprof/sim/armv7m"

// DWT_CTRL (DDI 0403E, C1.8.7). The unit has no comparators and emits no
// trace; it counts and it samples the PC.
const (
	dwtCYCCNTENA   = 1 << 0
	dwtCPIEVTENA   = 1 << 17
	dwtSLEEPEVTENA = 1 << 19
	dwtWritable    = 0x003f1fff // fields 21:0 without the reserved ones
	dwtNOTRCPKT    = 1 << 27
	dwtNOEXTTRIG   = 1 << 26
	dwtNOCYCCNT    = 1 << 25
	dwtNOPRFCNT    = 1 << 24

	pcsrNone = 0xffffffff
)

// counter is a count of cycles that can be stopped and set.
type counter struct {
	held  uint32 // value while stopped
	start uint64 // source at which a running counter was 0
	on    bool
}

func (c *counter) value(source uint64) uint32 {
	if c.on {
		return uint32(source - c.start)
	}
	return c.held
}

func (c *counter) set(v uint32, source uint64) {
	c.held, c.start = v, source-uint64(v)
}

// run starts or stops the counter where it stands.
func (c *counter) run(on bool, source uint64) {
	c.set(c.value(source), source)
	c.on = on
}

// dwt is the state of the Data Watchpoint and Trace unit.
type dwt struct {
	dwtCtrl uint32
	cycles  counter // CYCCNT
	extra   counter // CPICNT: cycles beyond one per instruction
	sleep   counter // SLEEPCNT
}

// running is the source of CYCCNT: cycles outside Debug state, asleep or not.
func (u *Unit) running() uint64 { return u.core.Cycles() - u.core.HaltedCycles() }

// stalled is the source of CPICNT. Load and store, exception and folding
// cycles are not told apart: LSUCNT, EXCCNT and FOLDCNT stay 0.
func (u *Unit) stalled() uint64 {
	return u.running() - u.core.SleepCycles() - u.core.Instructions()
}

// traceEnable follows DEMCR.TRCENA, which gates the whole unit.
func (u *Unit) traceEnable(on bool) { u.gate(on, u.dwtCtrl) }

// gate starts and stops the counters.
func (u *Unit) gate(on bool, ctrl uint32) {
	u.cycles.run(on && ctrl&dwtCYCCNTENA != 0, u.running())
	u.extra.run(on && ctrl&dwtCPIEVTENA != 0, u.stalled())
	u.sleep.run(on && ctrl&dwtSLEEPEVTENA != 0, u.core.SleepCycles())
}

// dwtRegisters are the registers at 0xE0001000.
type dwtRegisters struct{ u *Unit }

// Read reads a register; without DEMCR.TRCENA everything reads as zero.
func (d dwtRegisters) Read(offset uint32, size int) (uint32, bool) {
	u := d.u
	if u.demcr&TRCENA == 0 {
		return 0, true
	}
	profiling := u.cfg.Arch != armv7m.V6M
	var v uint32
	switch offset &^ 3 {
	case 0x00:
		v = u.dwtCtrl | dwtNOTRCPKT | dwtNOEXTTRIG
		if !profiling {
			v |= dwtNOCYCCNT | dwtNOPRFCNT
		}
	case 0x04:
		v = u.cycles.value(u.running())
	case 0x08:
		v = u.extra.value(u.stalled()) & 0xff
	case 0x10:
		v = u.sleep.value(u.core.SleepCycles()) & 0xff
	case 0x1c:
		v = u.pcsr()
	}
	return lanes(v, offset, size), true
}

// pcsr is the address of an instruction executed recently, or all ones in Debug
// state and where the core's state forbids non-invasive debug (DDI 0403E, C1.8.6;
// DDI 0553, D1.2.69). What it is asleep the manuals leave open: Config says.
func (u *Unit) pcsr() uint32 {
	switch {
	case u.cfg.NoPCSR:
		return 0
	case u.core.Halted() || u.deaf:
		return pcsrNone
	case u.core.Sleeping() && u.cfg.PCSRAsleep != 0:
		return u.cfg.PCSRAsleep
	}
	return u.core.LastPC()
}

// Write sets the control register and the counters; ARMv6-M has none.
func (d dwtRegisters) Write(offset uint32, size int, v uint32) bool {
	u := d.u
	if u.demcr&TRCENA == 0 || u.cfg.Arch == armv7m.V6M || size != 4 {
		return true
	}
	switch offset {
	case 0x00:
		u.gate(true, v)
		u.dwtCtrl = v & dwtWritable
	case 0x04:
		u.cycles.set(v, u.running())
	case 0x08:
		u.extra.set(v&0xff, u.stalled())
	case 0x10:
		u.sleep.set(v&0xff, u.core.SleepCycles())
	}
	return true
}
