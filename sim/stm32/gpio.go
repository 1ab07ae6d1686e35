package stm32

// GPIO registers (RM0090, 8.4).
const (
	gpioMODER = 0x00
	gpioPUPDR = 0x0c
	gpioIDR   = 0x10
	gpioODR   = 0x14
	gpioBSRR  = 0x18
	gpioAFRL  = 0x20
	gpioEnd   = 0x28
)

// gpio is a port of 16 pins. Nothing is connected: an input reads what its
// resistor pulls to, an output what it drives.
type gpio struct {
	number int // 0 is port A
	reg    [gpioEnd / 4]uint32
}

// reset has the debug pins of ports A and B as alternate functions.
func (g *gpio) reset() {
	g.reg = [gpioEnd / 4]uint32{}
	switch g.number {
	case 0:
		g.reg[gpioMODER/4], g.reg[2], g.reg[gpioPUPDR/4] = 0xa8000000, 0x0c000000, 0x64000000
	case 1:
		g.reg[gpioMODER/4], g.reg[2], g.reg[gpioPUPDR/4] = 0x00000280, 0x000000c0, 0x00000100
	}
}

// mode is the field of a pin in MODER or PUPDR.
func (g *gpio) field(reg uint32, pin int) uint32 { return g.reg[reg/4] >> (2 * pin) & 3 }

// function is the alternate function of a pin, -1 where it has none.
func (g *gpio) function(pin int) int {
	if g.field(gpioMODER, pin) != 2 {
		return -1
	}
	return int(g.reg[gpioAFRL/4+pin/8] >> (4 * (pin % 8)) & 15)
}

func (g *gpio) input() (v uint32) {
	for pin := range 16 {
		switch {
		case g.field(gpioMODER, pin) == 1:
			v |= g.reg[gpioODR/4] & (1 << pin)
		case g.field(gpioPUPDR, pin) == 1:
			v |= 1 << pin
		}
	}
	return v
}

func (g *gpio) Read(offset uint32, size int) (uint32, bool) {
	switch offset &= 0x3ff; {
	case offset&^3 == gpioIDR:
		return lanes(g.input(), offset, size), true
	case offset&^3 == gpioBSRR || offset >= gpioEnd:
		return 0, true
	}
	return lanes(g.reg[offset/4], offset, size), true
}

func (g *gpio) Write(offset uint32, size int, v uint32) bool {
	switch offset &= 0x3ff; {
	case offset&^3 == gpioBSRR:
		v = merged(0, offset, size, v)
		odr := &g.reg[gpioODR/4]
		*odr = *odr&^(v>>16) | v&0xffff // a bit that is set and reset is set
	case offset < gpioEnd && offset&^3 != gpioIDR:
		g.reg[offset/4] = merged(g.reg[offset/4], offset, size, v)
	}
	return true
}
