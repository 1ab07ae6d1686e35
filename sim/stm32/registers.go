package stm32

import "github.com/mprof/mprof/sim/armv7m"

// lanes is the part of a register that an access sees.
func lanes(v, offset uint32, size int) uint32 {
	return v >> (8 * (offset & 3)) & uint32(1<<(8*size)-1)
}

// merged is a register after a write of a part of it.
func merged(old, offset uint32, size int, v uint32) uint32 {
	shift := 8 * (offset & 3)
	mask := uint32(1<<(8*size)-1) << shift
	return old&^mask | v<<shift&mask
}

// gated is a peripheral behind its clock.
type gated struct {
	armv7m.Device
	rcc *RCC
	clk line
}

func (g gated) Read(offset uint32, size int) (uint32, bool) {
	if !g.rcc.on(g.clk) {
		return 0, true
	}
	return g.Device.Read(offset, size)
}

func (g gated) Write(offset uint32, size int, v uint32) bool {
	return !g.rcc.on(g.clk) || g.Device.Write(offset, size, v)
}

// flash is the flash interface (RM0090, 3.9): the latency that start-up code
// reads back, and a control register that stays locked.
type flash struct{ acr uint32 }

const (
	flashACR    = 0x00
	flashCR     = 0x10
	flashLocked = 1 << 31
)

func (f *flash) Read(offset uint32, size int) (uint32, bool) {
	switch offset &^ 3 {
	case flashACR:
		return lanes(f.acr, offset, size), true
	case flashCR:
		return lanes(flashLocked, offset, size), true
	}
	return 0, true
}

func (f *flash) Write(offset uint32, size int, v uint32) bool {
	if offset&^3 == flashACR {
		f.acr = merged(f.acr, offset, size, v) & 0x1f0f
	}
	return true
}

func (f *flash) reset() { f.acr = 0 }

// power is PWR (RM0090, 5.4): voltage scaling and over-drive are ready as soon as
// they are asked for.
type power struct{ cr uint32 }

const pwrReset = 0xc000 // VOS: scale 1

func (p *power) Read(offset uint32, size int) (uint32, bool) {
	switch offset &^ 3 {
	case 0x00:
		return lanes(p.cr, offset, size), true
	case 0x04:
		return lanes(1<<14|p.cr&(3<<16), offset, size), true
	}
	return 0, true
}

func (p *power) Write(offset uint32, size int, v uint32) bool {
	if offset&^3 == 0 {
		p.cr = merged(p.cr, offset, size, v)
	}
	return true
}

func (p *power) reset() { p.cr = pwrReset }
