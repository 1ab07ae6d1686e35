package stm32

import (
	"github.com/mprof/mprof/sim/armv7m"
	"github.com/mprof/mprof/sim/serial"
)

// Registers of a DMA controller (RM0090, 10.5): flags and their clearing of
// streams 0 to 3 and 4 to 7, then each stream.
const (
	dmaLISR   = 0x00
	dmaHISR   = 0x04
	dmaLIFCR  = 0x08
	dmaHIFCR  = 0x0c
	dmaStream = 0x10
	dmaStride = 0x18
	streams   = 8

	sxCR   = 0x00
	sxNDTR = 0x04
	sxPAR  = 0x08
	sxM0AR = 0x0c
	sxM1AR = 0x10
	sxFCR  = 0x14
)

// Flags of a stream in LISR and HISR.
const (
	flagFE = 1 << 0
	flagTE = 1 << 3
	flagHT = 1 << 4
	flagTC = 1 << 5
	flags  = 0x3d
)

// SxCR.
const (
	crEN     = 1 << 0
	crTEIE   = 1 << 2
	crHTIE   = 1 << 3
	crTCIE   = 1 << 4
	crCIRC   = 1 << 8
	crPINC   = 1 << 9
	crMINC   = 1 << 10
	crPINCOS = 1 << 15
	crDBM    = 1 << 18
	crCT     = 1 << 19

	crWhileOn = 0x1f | crCT // what can be written while the stream is on

	toPeripheral = 1
	memToMem     = 2
)

// fcrDMDIS: the FIFO is used.
const fcrDMDIS = 1 << 2

// request is what a stream serves with a channel: active says whether a
// peripheral asks.
type request struct {
	stream, channel int
	active          func() bool
}

// dma is one controller. A request is served at once, with some cycles until the
// next, and costs the core nothing: there is no contention on the bus, and no
// priority but the stream's number.
type dma struct {
	core     serial.Core
	memCopy  bool // memory-to-memory transfers, which only DMA2 makes
	irq      [streams]int
	requests [streams][8]func() bool
	streams  [streams]stream
	serving  bool
	next     *armv7m.Event // when the items under way are through
}

func newDMA(irq [streams]int, memCopy bool) *dma {
	d := &dma{irq: irq, memCopy: memCopy}
	d.next = armv7m.NewEvent(func(uint64) { d.serve() })
	return d
}

func (d *dma) connect(r request) { d.requests[r.stream][r.channel] = r.active }

func (d *dma) attach(c serial.Core) {
	d.core = c
	d.reset()
}

func (d *dma) reset() {
	d.core.Cancel(d.next)
	for i := range d.streams {
		d.streams[i] = stream{fcr: 0x21}
		d.core.SetLine(d.irq[i], false)
	}
}

// shifts are the places of a stream's flags in LISR or HISR.
var shifts = [4]uint32{0, 6, 16, 22}

func (d *dma) status(high int) (v uint32) {
	for i, shift := range shifts {
		v |= d.streams[4*high+i].flags << shift
	}
	return v
}

// Read reads a register.
func (d *dma) Read(offset uint32, size int) (uint32, bool) {
	offset &= 0x3ff
	var v uint32
	switch i := (offset - dmaStream) / dmaStride; {
	case offset&^3 == dmaLISR:
		v = d.status(0)
	case offset&^3 == dmaHISR:
		v = d.status(1)
	case offset >= dmaStream && i < streams:
		v = d.streams[i].read(offset&^3 - dmaStream - i*dmaStride)
	}
	return lanes(v, offset, size), true
}

// Write writes a register.
func (d *dma) Write(offset uint32, size int, v uint32) bool {
	offset &= 0x3ff
	switch i := (offset - dmaStream) / dmaStride; {
	case offset&^3 == dmaLIFCR || offset&^3 == dmaHIFCR:
		d.clear(int(offset&^3-dmaLIFCR)/4, merged(0, offset, size, v))
	case offset >= dmaStream && i < streams:
		s := &d.streams[i]
		reg := offset&^3 - dmaStream - i*dmaStride
		s.write(reg, merged(s.read(reg), offset, size, v))
		if s.cr&crEN != 0 && s.cr>>6&3 == memToMem && !d.memCopy {
			s.fail()
		}
		d.drive(int(i))
	}
	d.serve()
	return true
}

func (d *dma) clear(high int, v uint32) {
	for i, shift := range shifts {
		d.streams[4*high+i].flags &^= v >> shift & flags
		d.drive(4*high + i)
	}
}

// drive sets the interrupt's line of a stream.
func (d *dma) drive(i int) {
	s := &d.streams[i]
	d.core.SetLine(d.irq[i], s.flags&flagTC != 0 && s.cr&crTCIE != 0 ||
		s.flags&flagHT != 0 && s.cr&crHTIE != 0 || s.flags&flagTE != 0 && s.cr&crTEIE != 0)
}

// itemCycles is how long a stream takes from one item to its next: an assumption.
const itemCycles = 8

// serve makes a transfer for each stream that is asked for one, and looks again
// when they are through: the peripheral may ask anew.
func (d *dma) serve() {
	if d.serving {
		return
	}
	if _, busy := d.next.Due(); busy {
		return
	}
	d.serving = true
	more := false
	for i := range d.streams {
		if s := &d.streams[i]; s.cr&crEN != 0 && s.ndtr > 0 && d.asked(i) {
			s.transfer(d.core)
			d.drive(i)
			more = true
		}
	}
	d.serving = false
	if more {
		d.core.Schedule(d.next, d.core.Cycles()+itemCycles)
	}
}

// asked says whether anybody asks for a transfer of a stream: always where it
// copies memory.
func (d *dma) asked(i int) bool {
	s := &d.streams[i]
	if s.cr>>6&3 == memToMem {
		return true
	}
	active := d.requests[i][s.cr>>25&7]
	return active != nil && active()
}
