package stm32

// Read reads a register. SR read and then DR read or written clears what SR
// showed (RM0090, 30.6.1).
func (u *usart) Read(offset uint32, size int) (uint32, bool) {
	offset &= 0x3ff
	if offset >= usartEnd {
		return 0, true
	}
	switch offset &^ 3 {
	case usartSR:
		u.statusRead |= u.sr
		return lanes(u.sr, offset, size), true
	case usartDR:
		u.sr &^= srRXNE | u.statusRead&(srORE|srIDLE)
		u.statusRead &^= srORE | srIDLE
		u.drive()
		return lanes(uint32(u.rdr), offset, size), true
	}
	return lanes(u.reg[offset/4], offset, size), true
}

// Write writes a register.
func (u *usart) Write(offset uint32, size int, v uint32) bool {
	offset &= 0x3ff
	if offset >= usartEnd {
		return true
	}
	switch offset &^ 3 {
	case usartSR:
		u.sr &= merged(u.sr, offset, size, v) | ^uint32(srRXNE|srTC)
	case usartDR:
		if offset == usartDR {
			u.put(uint16(v))
		}
	case usartCR1:
		u.control(merged(u.reg[usartCR1/4], offset, size, v) & 0xbfff)
	default:
		u.reg[offset/4] = merged(u.reg[offset/4], offset, size, v) & 0xffff
		u.transmit(u.core.Cycles())
	}
	u.drive()
	return true
}

// control writes CR1. A transmitter that is switched on sends an idle frame
// before anything else (RM0090, 30.3.2).
func (u *usart) control(v uint32) {
	was := u.cr1(cr1UE | cr1TE)
	u.reg[usartCR1/4] = v
	if now := u.core.Cycles(); !was && u.cr1(cr1UE|cr1TE) && !u.sending {
		if frame := u.Frame(); frame > 0 {
			u.sending, u.shift = true, idleFrame
			u.core.Schedule(u.sent, now+frame)
		}
	}
	u.transmit(u.core.Cycles())
}

// idleFrame stands in the shift register while ones go out.
const idleFrame = 0xffff

// put is a write of DR. One over a byte that waits replaces it.
func (u *usart) put(v uint16) {
	if u.statusRead&srTC != 0 {
		u.sr &^= srTC
		u.statusRead &^= srTC
	}
	u.tdr = v & 0x1ff
	u.sr &^= srTXE
	u.transmit(u.core.Cycles())
}

// transmit moves DR into the shift register, if that is free.
func (u *usart) transmit(at uint64) {
	frame := u.Frame()
	if u.sending || u.sr&srTXE != 0 || !u.cr1(cr1UE|cr1TE) || frame == 0 {
		return
	}
	u.shift, u.sending = u.tdr&u.mask(), true
	u.sr |= srTXE
	u.core.Schedule(u.sent, at+frame)
}

// frameSent is the end of a stop bit.
func (u *usart) frameSent(at uint64) {
	u.sending = false
	idle := u.shift == idleFrame
	switch {
	case idle:
	case u.pins.transmits():
		u.line.Transmit(byte(u.shift), at)
	default:
		u.unheard++
	}
	if u.transmit(at); !u.sending && !idle {
		u.sr |= srTC
	}
	u.drive()
}

// Receive takes a byte from the line. One that finds DR full is lost.
func (u *usart) Receive(b byte, at uint64) {
	if !u.cr1(cr1UE|cr1RE) || !u.pins.receives() {
		return
	}
	if u.sr&srRXNE != 0 {
		u.sr |= srORE
	} else {
		u.rdr = uint16(b) & u.mask()
		u.sr |= srRXNE
	}
	u.core.Schedule(u.idle, at+max(u.Frame(), 1))
	u.drive()
}

// lineIdle is a frame's time after a byte: without another one under way the
// line is idle.
func (u *usart) lineIdle(at uint64) {
	if u.line.Receiving(at) {
		return
	}
	u.sr |= srIDLE
	u.drive()
}
