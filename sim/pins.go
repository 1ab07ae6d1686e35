package sim

import (
	"math/bits"
	"time"

	"github.com/mprof/mprof/sim/adi"
	"github.com/mprof/mprof/sim/wire"
)

// Pin bits of DAP_SWJ_Pins.
const (
	pinSWCLK  = 1 << 0
	pinSWDIO  = 1 << 1
	pinTDI    = 1 << 2
	pinNTRST  = 1 << 5
	pinNRESET = 1 << 7
	pinsHigh  = pinSWCLK | pinSWDIO | pinTDI | pinNTRST | pinNRESET
)

// parityError is what the probe makes of a read whose parity is wrong.
const parityError = 8

// pins is the probe's side of the wire: every SWCLK cycle takes its time, and
// the target runs meanwhile. It implements dap.Lines.
type pins struct {
	board      *Board
	hz         uint32 // SWCLK
	turnaround int
	dataPhase  bool
	levels     byte
	stamp      wire.Instant
	transfers  uint64
	aborts     []wire.Instant // DAP_TransferAbort reaches the probe
}

func (l *pins) resetting() bool { return l.levels&pinNRESET == 0 && !l.board.noResetWire }

// cycles lets n cycles of SWCLK pass.
func (l *pins) cycles(n int) {
	l.board.advance(l.board.at + wire.Cycles(uint64(n), l.hz))
}

// Transfer is one SWD transfer with what the firmware adds to it.
func (l *pins) Transfer(req uint8, v uint32, idle int) (ack uint8, value uint32) {
	b := l.board
	l.transfers++
	fault := b.faults.onTransfer(b, l.transfers)
	switch {
	case fault == TransferWAIT:
		ack = adi.WAIT
		l.cycles(wire.NoDataCycles)
	case !b.reachable():
		ack = adi.NoAck
		l.cycles(wire.OKCycles)
	default:
		ack, value = l.shift(req, v, fault)
	}
	l.stamp = b.at
	if ack == adi.OK && idle > 0 {
		l.idle(idle)
	}
	b.advance(b.at + wire.Span(b.model.TransferOverhead))
	return ack, value
}

// shift puts a transfer on the wire, struck by a fault or not.
func (l *pins) shift(req uint8, v uint32, fault Kind) (ack uint8, value uint32) {
	b := l.board
	switch fault {
	case TransferFAULT:
		b.line.Selected().RaiseError()
	case NoAck:
		b.line.Lose()
	}
	flip := fault == Parity
	port := b.line.Selected()
	if b.line.Settled() && l.turnaround == port.Turnaround() && l.dataPhase == port.Overrun() {
		ack, value = l.whole(port, req, v, !flip)
	} else {
		ack, value = l.bitwise(req, v, !flip)
	}
	if flip && ack == adi.OK && req&adi.RnW != 0 {
		ack = parityError
	}
	return ack, value
}

// whole is a transfer that needs no look at its single bits: the request takes
// 8 cycles, a read happens then, a write at the end of its data.
func (l *pins) whole(port *adi.Port, req uint8, v uint32, parity bool) (ack uint8, value uint32) {
	b := l.board
	b.line.Whole()
	l.cycles(8)
	ack = port.Request(req)
	read := req&adi.RnW != 0
	left := 2*l.turnaround + 3
	switch {
	case ack == adi.OK && read:
		value = port.Read(req)
		l.cycles(left + 33)
	case ack == adi.OK:
		l.cycles(left + 33)
		port.Write(req, v, parity)
	case l.dataPhase:
		l.cycles(left + 33)
	default:
		l.cycles(left - l.turnaround)
	}
	return ack, value
}

// bitwise is the same, bit by bit, as the reference firmware shifts it: for
// ports that are fresh from a line reset, lost, or not in SWD at all.
func (l *pins) bitwise(req uint8, v uint32, parity bool) (ack uint8, value uint32) {
	odd := uint64(bits.OnesCount8(req) & 1)
	l.out(0x81|uint64(req)<<1|odd<<5, 8)
	l.in(l.turnaround)
	ack = uint8(l.in(3))
	read := req&adi.RnW != 0
	switch {
	case ack == adi.OK && read:
		data := l.in(33)
		value = uint32(data)
		if uint64(bits.OnesCount32(value)&1) != data>>32 {
			ack = parityError
		}
		l.in(l.turnaround)
	case ack == adi.OK:
		odd = uint64(bits.OnesCount32(v) & 1)
		if !parity {
			odd ^= 1
		}
		l.in(l.turnaround)
		l.out(uint64(v)|odd<<32, 33)
	case ack == adi.WAIT || ack == adi.FAULT:
		if l.dataPhase && read {
			l.in(33)
		}
		l.in(l.turnaround)
		if l.dataPhase && !read {
			l.out(0, 33)
		}
	default:
		l.in(l.turnaround + 33)
	}
	return ack, value
}

// out drives n bits, first bit lowest; in samples them.
func (l *pins) out(v uint64, n int) {
	for i := range n {
		l.clock(true, v>>i&1 != 0)
	}
}

func (l *pins) in(n int) (v uint64) {
	for i := range n {
		if l.clock(false, true) {
			v |= 1 << i
		}
	}
	return v
}

// idle are cycles with SWDIO low after a transfer.
func (l *pins) idle(n int) {
	l.cycles(n)
}

// clock is one cycle of SWCLK.
func (l *pins) clock(drive, level bool) bool {
	l.cycles(1)
	if !l.board.reachable() {
		return !drive || level
	}
	return l.board.line.Clock(drive, level)
}

// Drive clocks bits out.
func (l *pins) Drive(b []byte, n int) {
	for i := range n {
		l.clock(true, b[i/8]>>(i%8)&1 != 0)
	}
}

// Sample clocks bits in.
func (l *pins) Sample(b []byte, n int) {
	for i := range n {
		if l.clock(false, true) {
			b[i/8] |= 1 << (i % 8)
		}
	}
}

// Configure sets turnaround and data phase.
func (l *pins) Configure(turnaround int, dataPhase bool) {
	l.turnaround, l.dataPhase = turnaround, dataPhase
}

// SetClock sets SWCLK as near as the probe can.
func (l *pins) SetClock(hz uint32) { l.hz = l.board.model.SWCLK(hz) }

// SetPins drives pins by hand. A rising SWCLK clocks SWDIO in; nRESET low
// stops the target's clock, and high again resets it.
func (l *pins) SetPins(value, selected byte) {
	b := l.board
	was := l.levels
	l.levels = was&^selected | value&selected&pinsHigh
	if l.levels&^was&pinSWCLK != 0 && b.reachable() {
		b.line.Clock(true, l.levels&pinSWDIO != 0)
	}
	if was&pinNRESET == 0 && l.levels&pinNRESET != 0 && !b.noResetWire {
		b.resetChip()
	}
}

// pinsAreOff says whether the program has turned its SWD pins off: it ran long
// enough since its last reset, and is not held in another.
func (b *Board) pinsAreOff() bool {
	return b.pinsOff > 0 && !b.pins.resetting() && b.ran() >= b.pinsOff.Count(b.hz)
}

// Pins reads the pins; TDO is not connected.
func (l *pins) Pins() byte { return l.levels }

// Connect switches the pins. Off, nRESET is pulled up.
func (l *pins) Connect(bool) { l.SetPins(pinsHigh, pinNRESET) }

// Wait lets time pass.
func (l *pins) Wait(d time.Duration) { l.board.advance(l.board.at + wire.Span(d)) }

// Command lets pass what a command costs.
func (l *pins) Command() { l.Wait(l.board.model.CommandOverhead) }

// Timestamp is when the last transfer ended, in ticks of the test domain timer.
func (l *pins) Timestamp() uint32 {
	return l.board.ticks + uint32(l.stamp.Count(l.board.model.TimestampHz))
}

// Aborted says whether DAP_TransferAbort came by now.
func (l *pins) Aborted() bool { return len(l.aborts) > 0 && l.aborts[0] <= l.board.at }

// ClearAbort forgets those that came.
func (l *pins) ClearAbort() {
	for l.Aborted() {
		l.aborts = l.aborts[1:]
	}
}
