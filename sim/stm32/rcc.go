// Package stm32 models peripherals of the STM32F405 (RM0090) that serial ports
// and profilers need: USARTs, the DMA controllers, GPIO, TIM2 to TIM5, and of RCC,
// PWR and FLASH what start-up code waits for.
package stm32

// RCC registers (RM0090, 7.3).
const (
	rccCR      = 0x00
	rccPLLCFGR = 0x04
	rccCFGR    = 0x08
	rccRSTR    = 0x10 // to 0x24: reset, 0x20 further on: clock enable
	rccENR     = 0x30 // to 0x44
	rccBDCR    = 0x70
	rccCSR     = 0x74
	rccEnd     = 0x90

	ahb1 = 0x00 // offsets of the buses from rccRSTR and rccENR
	apb1 = 0x10
	apb2 = 0x14
)

// RCC_CSR flags: why the chip was reset.
const (
	csrRMVF    = 1 << 24
	csrFlags   = 0xfe << 24
	csrPowerOn = 0x0e << 24 // POR, pin, BOR
	csrSystem  = 0x14 << 24 // software, pin
)

// cfgrWritable leaves SWS out.
const cfgrWritable = 0xfffffff3

// RCC is reset and clock control. A peripheral whose clock is off reads as zero
// and takes no writes. Clocks are ready as soon as they are on. The core's own
// clock is the board's, whatever is chosen here; the prescalers of the APBs
// divide it.
type RCC struct {
	reg     [rccEnd / 4]uint32
	sws     uint32
	onReset map[line]func()
}

// line is an enable or reset bit: a bus and a number.
type line struct{ bus, bit uint32 }

func newRCC() *RCC {
	r := &RCC{onReset: map[line]func(){}}
	r.reset()
	r.reg[rccCSR/4] = csrPowerOn
	return r
}

// reset is a system reset: RCC_BDCR and the flags of RCC_CSR outlive it.
func (r *RCC) reset() {
	bdcr, csr := r.reg[rccBDCR/4], r.reg[rccCSR/4]
	r.reg = [rccEnd / 4]uint32{
		rccCR / 4: 0x81, rccPLLCFGR / 4: 0x24003010, rccENR / 4: 0x00100000, rccBDCR / 4: bdcr, rccCSR / 4: csr&csrFlags | csrSystem,
		0x50 / 4: 0x7e6791ff, 0x54 / 4: 0xf1, 0x58 / 4: 1, 0x60 / 4: 0x36fec9ff, 0x64 / 4: 0x00075f33, 0x84 / 4: 0x20003000,
	}
	r.sws = 0
}

// on says whether the clock of a peripheral is.
func (r *RCC) on(l line) bool { return r.reg[(rccENR+l.bus)/4]>>l.bit&1 != 0 }

// prescaler is how many core cycles a cycle of a bus takes (RCC_CFGR, PPRE1 and
// PPRE2: 0xx not divided, then 2, 4, 8, 16).
func (r *RCC) prescaler(bus uint32) uint64 {
	shift := 10
	if bus == apb2 {
		shift = 13
	}
	f := r.reg[rccCFGR/4] >> shift & 7
	if f < 4 {
		return 1
	}
	return 2 << (f & 3)
}

// ready copies each enable bit to the ready bit above it.
func ready(v uint32, enables ...int) uint32 {
	for _, bit := range enables {
		v |= v >> bit & 1 << (bit + 1)
	}
	return v
}

func (r *RCC) word(offset uint32) uint32 {
	v := r.reg[offset/4]
	switch offset {
	case rccCR:
		return ready(v, 0, 16, 24, 26, 28)
	case rccCFGR:
		return v | r.sws<<2
	case rccBDCR, rccCSR:
		return ready(v, 0)
	}
	return v
}

// Read reads a register.
func (r *RCC) Read(offset uint32, size int) (uint32, bool) {
	if offset >= rccEnd {
		return 0, true
	}
	return lanes(r.word(offset&^3), offset, size), true
}

// Write writes a register.
func (r *RCC) Write(offset uint32, size int, v uint32) bool {
	if offset >= rccEnd {
		return true
	}
	old := r.word(offset &^ 3)
	v = merged(old, offset, size, v)
	switch offset &^= 3; {
	case offset == rccCR:
		v &= 0x150d00f9
	case offset == rccCFGR:
		v &= cfgrWritable
	case offset == rccBDCR:
		v &^= 2
	case offset == rccCSR:
		if v&csrRMVF != 0 {
			old = 0
		}
		v = v&1 | old&csrFlags
	case offset >= rccRSTR && offset <= rccRSTR+apb2:
		r.resetPeripherals(offset-rccRSTR, v&^old)
	}
	r.reg[offset/4] = v
	r.switchClock()
	return true
}

// switchClock follows SW with SWS, once the clock is ready: HSI, HSE, PLL.
func (r *RCC) switchClock() {
	sw := r.reg[rccCFGR/4] & 3
	if on := [...]uint32{1, 1 << 16, 1 << 24, 0}[sw]; r.reg[rccCR/4]&on != 0 {
		r.sws = sw
	}
}

func (r *RCC) resetPeripherals(bus, rising uint32) {
	for l, f := range r.onReset {
		if l.bus == bus && rising>>l.bit&1 != 0 {
			f()
		}
	}
}
