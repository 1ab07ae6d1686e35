// Package cmsdk models peripherals of Arm's Cortex-M System Design Kit (ARM DDI
// 0479C) as they are on the MPS2 boards.
package cmsdk

import (
	"github.com/mprof/mprof/sim/armv7m"
	"github.com/mprof/mprof/sim/serial"
)

// Registers of the APB UART (DDI 0479C, 4.3.3, table 4-5).
const (
	regDATA    = 0x00
	regSTATE   = 0x04
	regCTRL    = 0x08
	regINTSTAT = 0x0c // reads; a write clears
	regBAUDDIV = 0x10
	regID      = 0xfd0
)

// STATE and, of the same numbers, INTSTATUS.
const (
	stateTXFull    = 1 << 0
	stateRXFull    = 1 << 1
	stateTXOverrun = 1 << 2
	stateRXOverrun = 1 << 3

	intTX      = 1 << 0
	intRX      = 1 << 1
	intOverrun = stateTXOverrun | stateRXOverrun
)

// CTRL.
const (
	ctrlTX    = 1 << 0
	ctrlRX    = 1 << 1
	ctrlTXInt = 1 << 2
	ctrlRXInt = 1 << 3
	ctrlTest  = 1 << 6 // high-speed test mode: a bit takes a cycle
	ctrlAll   = 0x7f
)

// frameBits: start, eight data, stop. There is no parity.
const frameBits = 10

// leastBAUDDIV is the smallest divider that works.
const leastBAUDDIV = 16

// Interrupts are the lines of a UART, as numbers of external interrupts; -1: not
// connected. Overrun ends in a line that several share.
type Interrupts struct {
	RX, TX  int
	Overrun *Shared
}

// UART is an APB UART: one byte of buffer each way. Its clock is the core's.
type UART struct {
	Line *serial.Line

	core   serial.Core
	irq    Interrupts
	shared int // its place in irq.Overrun

	state, ctrl, status, bauddiv uint32
	tx, rx                       byte // the buffers
	shift                        byte
	sending                      bool
	sent                         *armv7m.Event
}

// NewUART returns a UART that is not connected yet; noRate is as in
// serial.NewLine.
func NewUART(irq Interrupts, noRate uint64) *UART {
	u := &UART{irq: irq}
	u.Line = serial.NewLine(u, noRate)
	u.sent = armv7m.NewEvent(u.frameSent)
	if irq.Overrun != nil {
		u.shared = irq.Overrun.add()
	}
	return u
}

// Attach connects the core, once, before it runs.
func (u *UART) Attach(c serial.Core) {
	u.core = c
	u.Line.Attach(c)
	c.OnReset(u.reset)
}

func (u *UART) reset() {
	u.state, u.ctrl, u.status, u.bauddiv, u.sending = 0, 0, 0, 0, false
	u.core.Cancel(u.sent)
	u.drive()
}

// Frame is the cycles of a frame: 10 bits of BAUDDIV each (DDI 0479C, 4.3.2).
func (u *UART) Frame() uint64 {
	if u.bauddiv < leastBAUDDIV {
		return 0
	}
	return frameBits * uint64(u.bauddiv)
}

// transmitFrame is Frame for the transmitter, which a test mode makes faster.
func (u *UART) transmitFrame() uint64 {
	if u.ctrl&ctrlTest != 0 {
		return frameBits
	}
	return u.Frame()
}

// drive sets the lines of the interrupts. Those of overruns are the flags of
// STATE while CTRL enables them.
func (u *UART) drive() {
	u.status = u.status&^intOverrun | u.state&(u.ctrl>>2)&intOverrun
	u.core.SetLine(u.irq.TX, u.status&intTX != 0)
	u.core.SetLine(u.irq.RX, u.status&intRX != 0)
	if u.irq.Overrun != nil {
		u.irq.Overrun.set(u.core, u.shared, u.status&intOverrun != 0)
	}
}

// Read reads a register.
func (u *UART) Read(offset uint32, size int) (uint32, bool) {
	var v uint32
	switch offset &^ 3 {
	case regDATA:
		v = uint32(u.rx)
		u.state &^= stateRXFull
	case regSTATE:
		v = u.state
	case regCTRL:
		v = u.ctrl
	case regINTSTAT:
		v = u.status
	case regBAUDDIV:
		v = u.bauddiv
	default:
		v = identification(offset &^ 3)
	}
	return v >> (8 * (offset & 3)) & uint32(1<<(8*size)-1), true
}

// identification is PID4 to PID7, PID0 to PID3, CID0 to CID3 of the component
// 0x821 of designer 0x3B.
func identification(offset uint32) uint32 {
	ids := [...]uint32{0x04, 0, 0, 0, 0x21, 0xb8, 0x1b, 0, 0x0d, 0xf0, 0x05, 0xb1}
	if i := (offset - regID) / 4; offset >= regID && i < uint32(len(ids)) {
		return ids[i]
	}
	return 0
}

// Write writes a register.
func (u *UART) Write(offset uint32, _ int, v uint32) bool {
	switch offset {
	case regDATA:
		u.put(byte(v))
	case regSTATE:
		u.state &^= v & intOverrun
	case regCTRL:
		u.ctrl = v & ctrlAll
		u.transmit(u.core.Cycles())
	case regINTSTAT:
		u.state &^= v & intOverrun
		u.status &^= v
	case regBAUDDIV:
		u.bauddiv = v & 0xfffff
		u.transmit(u.core.Cycles())
	}
	u.drive()
	return true
}
