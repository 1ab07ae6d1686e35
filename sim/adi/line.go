package adi

import "math/bits"

// phase is where the line is within a transfer (ADIv5.2, B4.2).
type phase uint8

const (
	idle     phase = iota
	header         // collecting the 8 bits of a request
	toTarget       // turnaround before the acknowledge
	ackBits
	readData   // 32 bits and parity from the port
	toHost     // turnaround before the host drives again
	writeTurn  // turnaround between acknowledge and write data
	writeData  // 32 bits and parity from the host
	targetTurn // TARGETSEL: five cycles that nobody drives
)

// Line is the SWJ-DP pin pair: it tells JTAG, SWD and dormant mode apart and
// turns bits into transfers. SWDIO has a pull-up.
type Line struct {
	port     *Port
	mode     mode
	selector selector

	phase phase
	req   uint8
	ack   uint8
	n     int // bits into the phase
	shift uint64

	fresh    bool // since a line reset: only DPIDR or TARGETSEL is legal
	lost     bool // protocol error: deaf until a line reset
	deselect bool // TARGETSEL named another port
	ones     int  // consecutive ones
	named    int  // how often TARGETSEL named this port
}

// NewLine connects a port. It starts in JTAG mode, or dormant if the port's
// Config says so.
func NewLine(p *Port) *Line {
	l := &Line{port: p}
	l.PowerOn()
	return l
}

// PowerOn puts the pins back into their power-on mode.
func (l *Line) PowerOn() {
	*l = Line{port: l.port, lost: true, named: l.named}
	l.selector.modern = l.port.cfg.NoLegacySwitch
	if l.port.cfg.Dormant {
		l.mode = dormant
	}
}

// Lose makes the port miss what is on the line until the next line reset, as
// noise in a request does (ADIv5.2, B4.2.6).
func (l *Line) Lose() { l.phase, l.lost = idle, true }

// Settled says that the port is selected, past its line reset and between
// transfers, so that whole transfers may go to Request, Read and Write of the
// port instead of bit by bit.
func (l *Line) Settled() bool {
	return l.mode == swd && l.phase == idle && !l.fresh && !l.lost && !l.deselect
}

// Whole notes that a whole transfer, or its data, went past the watch for line
// resets.
func (l *Line) Whole() { l.ones, l.selector.ones = 0, 0 }

// Clock is one cycle of SWCLK. host is the level that the probe drives, or
// drive is false. It returns the level of SWDIO.
func (l *Line) Clock(drive, host bool) bool {
	level, driven := l.output()
	if !driven {
		level = !drive || host
	}
	l.take(level)
	return level
}

// take is what the cycle with that level on SWDIO does to the port.
func (l *Line) take(level bool) {
	l.watch(level)
	if l.mode == swd {
		l.step(level)
	}
}

// output is what the port drives in this cycle.
func (l *Line) output() (level, driven bool) {
	switch l.phase {
	case ackBits:
		return l.ack>>l.n&1 != 0, l.ack != NoAck
	case readData:
		return l.shift>>l.n&1 != 0, true
	}
	return true, false
}

// watch looks for line resets and for the sequences that change the mode.
func (l *Line) watch(level bool) {
	if l.phase == ackBits || l.phase == readData || l.phase == writeData {
		l.Whole()
		return
	}
	next := l.selector.feed(l.mode, level)
	if next != l.mode {
		l.mode, l.phase, l.lost, l.ones = next, idle, true, 0
	}
	if !level {
		l.ones = 0
		return
	}
	if l.ones++; l.ones >= lineResetBits && l.mode == swd {
		l.phase, l.fresh, l.lost, l.deselect = idle, true, false, l.port.cfg.Multidrop
		l.port.dlcr = 0
		l.port.sel &^= 0xf // DPBANKSEL
	}
}

// step moves the transfer on by one cycle.
func (l *Line) step(level bool) {
	switch l.phase {
	case idle:
		if level && !l.lost && l.ones < lineResetBits {
			l.enter(header)
			l.shift, l.n = 1, 1
		}
	case header:
		l.collect(level)
		if l.n == 8 {
			l.request(uint8(l.shift))
		}
	case toTarget:
		if l.n++; l.n == l.port.Turnaround() {
			l.enter(ackBits)
		}
	case ackBits:
		if l.n++; l.n == 3 {
			l.acknowledged()
		}
	case readData:
		if l.n++; l.n == 33 {
			l.enter(toHost)
		}
	case toHost:
		if l.n++; l.n == l.port.Turnaround() {
			l.enter(idle)
		}
	case writeTurn:
		if l.n++; l.n == l.port.Turnaround() {
			l.enter(writeData)
		}
	case targetTurn:
		if l.n++; l.n == 5 {
			l.enter(writeData)
		}
	case writeData:
		l.collect(level)
		if l.n == 33 {
			l.written()
		}
	}
}

func (l *Line) enter(p phase) { l.phase, l.n = p, 0 }

// collect shifts a bit from the host in, first bit lowest.
func (l *Line) collect(level bool) {
	if l.n == 0 {
		l.shift = 0
	}
	if level {
		l.shift |= 1 << l.n
	}
	l.n++
}

// request checks the 8 bits start, APnDP, RnW, A2, A3, parity, stop, park.
func (l *Line) request(h uint8) {
	req := h >> 1 & 0xf
	good := h&0xc1 == 0x81 && h>>5&1 == uint8(bits.OnesCount8(req)&1)
	reset := l.fresh
	switch {
	case !good:
		l.Lose()
		return
	case reset && req == A2|A3:
		l.req = req
		l.enter(targetTurn) // TARGETSEL has no acknowledge
		return
	case reset && req != RnW:
		l.Lose()
		return
	}
	l.fresh = false
	l.req = req
	l.ack = NoAck
	if !l.deselect {
		l.ack = l.port.Request(req)
	}
	if l.ack == OK && req&RnW != 0 {
		v := l.port.Read(req)
		l.shift = uint64(v) | uint64(bits.OnesCount32(v)&1)<<32
	} else {
		l.shift = 0
	}
	l.enter(toTarget)
}

// acknowledged chooses what follows the acknowledge. Without overrun
// detection WAIT and FAULT have no data phase.
func (l *Line) acknowledged() {
	data := l.ack == OK || l.ack != NoAck && l.port.Overrun()
	switch {
	case l.ack == NoAck:
		l.Lose()
	case data && l.req&RnW != 0:
		l.enter(readData)
	case data:
		l.enter(writeTurn)
	default:
		l.enter(toHost)
	}
}

// written takes the 33 bits of write data.
func (l *Line) written() {
	v, parity := uint32(l.shift), int(l.shift>>32&1)
	good := bits.OnesCount32(v)&1 == parity
	l.enter(idle)
	if l.fresh { // TARGETSEL: TINSTANCE, TPARTNO, TDESIGNER
		l.deselect = !good || v != l.port.targetSel()
		if !l.deselect {
			l.named++
		}
		return
	}
	if l.ack == OK {
		l.port.Write(l.req, v, good)
	}
}
