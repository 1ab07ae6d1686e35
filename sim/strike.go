package sim

import (
	"bytes"
	"encoding/binary"

	"github.com/mprof/mprof/sim/armv7m"
	"github.com/mprof/mprof/sim/wire"
)

// strike makes an event happen now.
func (b *Board) strike(f *Fault) {
	begins := f.For >= 0
	switch f.Kind {
	case Mismatch, Secure:
		b.unit.Ignore(begins)
	case Unplug:
		b.unplug(f.For)
	case TargetReset:
		b.resetChip()
	case Lockup:
		b.lockUp()
	case DebugOff:
		b.powerOffDebug()
		b.faults.off = begins
	case BrownOut:
		b.powerOffDebug()
		b.faults.off, b.faults.dark = begins, begins
		if !begins {
			b.restart()
		}
	case DeepSleepOff:
		b.faults.inDeepSleep = true
		b.faults.slept = b.core.SleepCycles()
	}
	if begins && f.Kind.lasts() {
		b.faults.ends[f.Kind] = b.until(f.For)
	}
}

// lasts tells whether the end of a fault is an event of its own.
func (k Kind) lasts() bool {
	return k == Mismatch || k == Secure || k == DebugOff || k == BrownOut
}

// restart is a power-on reset: RAM as it was loaded, the program from its
// beginning.
func (b *Board) restart() {
	for _, c := range b.all {
		for _, r := range b.ram {
			c.restore(r)
		}
	}
	b.resetChip()
}

// restore writes the words of a region that have changed.
func (c *cpu) restore(r armv7m.Region) {
	for i := 0; i+4 <= len(r.Data); i += 4 {
		at, v := r.Base+uint32(i), binary.LittleEndian.Uint32(r.Data[i:])
		if now, _ := c.core.ReadBus(at, 4); now != v {
			c.core.WriteBus(at, 4, v)
		}
	}
}

// keepRAM remembers what RAM holds at power-on.
func (b *Board) keepRAM() {
	for _, r := range b.image.regions {
		if !r.ROM {
			r.Data = bytes.Clone(r.Data)
			b.ram = append(b.ram, r)
		}
	}
}

// spoil does to a response what the script has for it, and says how much later
// it comes and whether it comes at all.
func (b *Board) spoil(answer []byte, struck []*Fault) (spoilt []byte, later wire.Instant, lost bool) {
	for _, f := range struck {
		switch f.Kind {
		case ShortPacket:
			answer = answer[:min(len(answer), max(f.Bytes, 0))]
		case LongPacket:
			for i := range min(max(f.Bytes, 1), b.model.PacketSize-len(answer)) {
				answer = append(answer, byte(0xa5+7*i))
			}
		case WrongCount:
			miscount(answer)
		case LatePacket:
			later += wire.Span(f.For)
		case LostResponse:
			lost = true
		}
	}
	return answer, later, lost
}

// miscount takes one off the count of a DAP_Transfer, the first inside a
// DAP_ExecuteCommands.
func miscount(answer []byte) {
	const transfer, execute = 0x05, 0x7f
	if len(answer) > 2 && answer[0] == execute {
		answer = answer[2:]
	}
	if len(answer) > 1 && answer[0] == transfer && answer[1] > 0 {
		answer[1]--
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
	return !b.usb.unplugged && !f.off && !b.pinsAreOff() && !(f.inDeepSleep && b.core.DeepSleep())
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
	for _, c := range b.all {
		c.unit.PowerOn()
	}
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
