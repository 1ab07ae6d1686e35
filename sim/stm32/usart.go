package stm32

import (
	"github.com/mprof/mprof/sim/armv7m"
	"github.com/mprof/mprof/sim/serial"
)

// Registers of a USART (RM0090, 30.6).
const (
	usartSR  = 0x00
	usartDR  = 0x04
	usartBRR = 0x08
	usartCR1 = 0x0c
	usartCR2 = 0x10
	usartCR3 = 0x14
	usartEnd = 0x1c
)

const (
	srORE  = 1 << 3
	srIDLE = 1 << 4
	srRXNE = 1 << 5
	srTC   = 1 << 6
	srTXE  = 1 << 7

	cr1RE     = 1 << 2
	cr1TE     = 1 << 3
	cr1IDLEIE = 1 << 4
	cr1RXNEIE = 1 << 5
	cr1TCIE   = 1 << 6
	cr1TXEIE  = 1 << 7
	cr1PCE    = 1 << 10
	cr1M      = 1 << 12
	cr1UE     = 1 << 13
	cr1OVER8  = 1 << 15

	cr3EIE  = 1 << 0
	cr3DMAR = 1 << 6
	cr3DMAT = 1 << 7
)

// usart is a USART in asynchronous mode. Its pins decide whether it is on its
// line: a transmitter without a pin sends into nothing.
type usart struct {
	line *serial.Line

	core serial.Core
	rcc  *RCC
	bus  uint32
	irq  int
	dma  func() // tells the controllers that a request may have risen
	pins pins

	reg        [usartEnd / 4]uint32
	sr         uint32
	tdr, rdr   uint16
	shift      uint16
	sending    bool
	statusRead uint32 // flags seen by a read of SR since; a read or write of DR clears those
	sent, idle *armv7m.Event
	unheard    uint64 // bytes that left while no pin was the transmitter's
}

func newUSART(rcc *RCC, bus uint32, irq int, noRate uint64) *usart {
	u := &usart{rcc: rcc, bus: bus, irq: irq}
	u.line = serial.NewLine(u, noRate)
	u.sent = armv7m.NewEvent(u.frameSent)
	u.idle = armv7m.NewEvent(u.lineIdle)
	return u
}

// Attach connects the core.
func (u *usart) attach(c serial.Core) {
	u.core = c
	u.line.Attach(c)
	u.reset()
}

func (u *usart) reset() {
	u.reg = [usartEnd / 4]uint32{}
	u.sr, u.statusRead, u.sending = srTXE|srTC, 0, false
	u.core.Cancel(u.sent)
	u.core.Cancel(u.idle)
	u.drive()
}

func (u *usart) cr1(bits uint32) bool { return u.reg[usartCR1/4]&bits == bits }
func (u *usart) cr3(bits uint32) bool { return u.reg[usartCR3/4]&bits == bits }

// bit is core cycles of a bit. BRR is the divider of the bus's clock in
// sixteenths of USARTDIV, which with 16 samples a bit makes BRR cycles; with 8
// the fraction has three bits (RM0090, 30.3.4).
func (u *usart) bit() uint64 {
	brr := uint64(u.reg[usartBRR/4] & 0xffff)
	if u.cr1(cr1OVER8) {
		brr = brr>>4*8 + brr&7
	}
	if brr < 8 || !u.cr1(cr1UE) {
		return 0
	}
	return brr * u.rcc.prescaler(u.bus)
}

// Frame is core cycles of a frame: start, 8 or 9 data, and half, one, one and a
// half or two stop bits (CR2.STOP).
func (u *usart) Frame() uint64 {
	data := uint64(8)
	if u.cr1(cr1M) {
		data = 9
	}
	halves := [...]uint64{2, 1, 4, 3}[u.reg[usartCR2/4]>>12&3]
	return u.bit() * (2*(1+data) + halves) / 2
}

// mask is the data bits that are neither beyond the frame nor parity.
func (u *usart) mask() uint16 {
	n := 8
	if u.cr1(cr1M) {
		n++
	}
	if u.cr1(cr1PCE) {
		n--
	}
	return 1<<n - 1
}

// drive sets the interrupt's line (RM0090, table 148) and tells the DMA.
func (u *usart) drive() {
	high := u.cr1(cr1TXEIE) && u.sr&srTXE != 0 || u.cr1(cr1TCIE) && u.sr&srTC != 0 ||
		u.cr1(cr1RXNEIE) && u.sr&(srRXNE|srORE) != 0 || u.cr1(cr1IDLEIE) && u.sr&srIDLE != 0 ||
		u.cr3(cr3EIE|cr3DMAR) && u.sr&srORE != 0
	u.core.SetLine(u.irq, high && u.cr1(cr1UE))
	if u.dma != nil && (u.wantsByte() || u.hasByte()) {
		u.dma()
	}
}

// wantsByte and hasByte are the requests to the DMA.
func (u *usart) wantsByte() bool {
	return u.cr3(cr3DMAT) && u.cr1(cr1UE|cr1TE) && u.sr&srTXE != 0
}
func (u *usart) hasByte() bool { return u.cr3(cr3DMAR) && u.cr1(cr1UE) && u.sr&srRXNE != 0 }
