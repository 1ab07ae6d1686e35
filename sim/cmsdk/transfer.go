package cmsdk

// put is a write of DATA. A byte that finds the buffer full takes the place of
// the one there.
func (u *UART) put(b byte) {
	u.tx = b
	if u.state&stateTXFull != 0 {
		u.state |= stateTXOverrun
		return
	}
	u.state |= stateTXFull
	u.transmit(u.core.Cycles())
}

// transmit moves the buffer into the shift register, if that is free. The
// buffer's going empty is what the interrupt tells.
func (u *UART) transmit(at uint64) {
	frame := u.transmitFrame()
	if u.sending || u.state&stateTXFull == 0 || u.ctrl&ctrlTX == 0 || frame == 0 {
		return
	}
	u.shift, u.sending = u.tx, true
	u.state &^= stateTXFull
	if u.ctrl&ctrlTXInt != 0 {
		u.status |= intTX
	}
	u.core.Schedule(u.sent, at+frame)
}

// frameSent is the end of a stop bit.
func (u *UART) frameSent(at uint64) {
	u.sending = false
	u.Line.Transmit(u.shift, at)
	u.transmit(at)
	u.drive()
}

// Receive takes a byte from the line. One that finds the buffer full takes the
// place of the one there.
func (u *UART) Receive(b byte, _ uint64) {
	if u.ctrl&ctrlRX == 0 {
		return
	}
	if u.state&stateRXFull != 0 {
		u.state |= stateRXOverrun
	}
	u.rx = b
	u.state |= stateRXFull
	if u.ctrl&ctrlRXInt != 0 {
		u.status |= intRX
	}
	u.drive()
}
