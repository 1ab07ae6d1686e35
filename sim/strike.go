package sim

// strike makes an event happen now.
func (b *Board) strike(f *Fault) {
	switch f.Kind {
	case Mismatch:
		on := f.For >= 0
		b.unit.Ignore(on)
		if on {
			b.faults.mismatchEnds = b.until(f.For)
		}
	case Unplug:
		b.unplug(f.For)
	case TargetReset:
		b.core.Reset()
	case Lockup:
		b.lockUp()
	case DebugOff:
		b.faults.off = f.For >= 0
		if b.faults.off {
			b.powerOffDebug()
			b.faults.offEnds = b.until(f.For)
		}
	case DeepSleepOff:
		b.faults.inDeepSleep = true
		b.faults.slept = b.core.SleepCycles()
	}
}

const (
	addrSCR      = 0xe000ed10
	scrSleepDeep = 1 << 2
	addrVTOR     = 0xe000ed08
	regSP        = 13
	regPC        = 15
)

// reachable says whether anybody answers on the wire: the probe has power and
// so has the debug domain.
func (b *Board) reachable() bool {
	f := &b.faults
	if f.inDeepSleep {
		b.lookForDeepSleep()
	}
	return !b.usb.unplugged && !f.off && !(f.inDeepSleep && b.core.DeepSleep())
}

// lookForDeepSleep takes the power off the debug domain if the core slept
// deeply since the last look.
func (b *Board) lookForDeepSleep() {
	n := b.core.SleepCycles()
	if n == b.faults.slept && !b.core.DeepSleep() {
		return
	}
	b.faults.slept = n
	if scr, ok := b.core.ReadBus(addrSCR, 4); ok && scr&scrSleepDeep != 0 {
		b.powerOffDebug()
	}
}

// powerOffDebug loses everything that the debug domain holds; a core in Debug
// state runs.
func (b *Board) powerOffDebug() {
	b.unit.PowerOn()
	b.port.PowerOn()
	b.line.PowerOn()
}

// lockUp sends the program into a fault whose handler cannot be fetched either
// (DDI 0403E, B1.5.15): the vector table is moved to where nothing is, and the
// next instruction, too.
func (b *Board) lockUp() {
	const nowhere = 0xdffffe00
	halted := b.core.Halted()
	b.core.WriteBus(addrVTOR, 4, nowhere)
	b.core.Halt()
	b.core.WriteReg(regPC, nowhere)
	if !halted {
		b.core.Resume()
	}
}
