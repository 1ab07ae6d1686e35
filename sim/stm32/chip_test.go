package stm32

import (
	"strings"
	"testing"
)

// RM0090: reset values, and bits that only hardware sets.
func TestResetValues(t *testing.T) {
	r := newRig(t)
	for addr, want := range map[uint32]uint32{
		rccBase: 0x83, rccBase + 0x04: 0x24003010, rccBase + 0x08: 0, rccBase + 0x30: 0x00100000, rccBase + 0x74: 0x0e000000, rccBase + 0x88: 0,
		0x40023c00: 0, 0x40023c10: 1 << 31,
	} {
		r.want("reset", addr, want)
	}
	r.want("clock off", gpioBase, 0)
	r.want("clock off", usart2Base, 0)
	r.enable()
	r.write(rccBase+0x10, 1) // GPIOARST
	r.write(rccBase+0x10, 0)
	for addr, want := range map[uint32]uint32{
		gpioBase: 0xa8000000, gpioBase + 0x08: 0x0c000000, gpioBase + 0x0c: 0x64000000, gpioBase + 0x400: 0x280, gpioBase + 0x40c: 0x100,
		gpioBase + 0x800: 0, usart2Base: 0xc0, usart2Base + 0x08: 0, usart1Base: 0xc0, dma1Base: 0, dma1Base + 0x24: 0x21, dma1Base + 0x10: 0,
	} {
		r.want("reset", addr, want)
	}
	r.core.Reset()
	r.want("after a system reset", rccBase+0x74, 0x1e000000)
	r.want("after a system reset", rccBase+0x40, 0)
	r.write(rccBase+0x74, 1<<24)
	r.want("flags removed", rccBase+0x74, 0)
}

// Ready bits follow their enables, and SWS follows SW to a clock that is ready.
func TestClocks(t *testing.T) {
	r := newRig(t)
	r.write(rccBase, 0x81|1<<16)
	r.want("HSE", rccBase, 0x83|3<<16)
	r.write(rccBase+0x08, 2)
	r.want("PLL off", rccBase+0x08, 2)
	r.write(rccBase, 0x81|1<<16|1<<24)
	r.want("PLL", rccBase, 0x83|3<<16|3<<24)
	r.want("PLL chosen", rccBase+0x08, 2|2<<2)
	r.write(rccBase+0x70, 1)
	r.want("LSE", rccBase+0x70, 3)
	r.write(rccBase+0x74, 1)
	r.want("LSI", rccBase+0x74, 3|0x0e<<24)
	r.write(0x40023c00, 0x705)
	r.want("latency", 0x40023c00, 0x705)
	r.write(rccBase+0x40, 1<<28)
	r.write(0x40007000, 3<<16|1<<14)
	r.want("PWR", 0x40007004, 1<<14|3<<16)
	for f, want := range map[uint32]uint64{0: 1, 3: 1, 4: 2, 5: 4, 6: 8, 7: 16} {
		r.write(rccBase+0x08, f<<10|f<<13)
		if n := r.chip.rcc.prescaler(apb1); n != want || r.chip.rcc.prescaler(apb2) != want {
			t.Errorf("PPRE %d divides by %d, want %d", f, n, want)
		}
	}
}

func TestGPIO(t *testing.T) {
	r := newRig(t)
	const b = gpioBase + 0x400
	r.write(b, 1)
	r.write(rccBase+0x30, 2)
	r.want("written while the clock was off", b, 0x280)
	r.write(b, 1|1<<2) // pins 0 and 1 are outputs
	r.write(b+0x0c, 1<<4)
	r.write(b+0x18, 3|1<<16) // set 0 and 1, reset 0: set wins
	r.want("ODR", b+0x14, 3)
	r.write(b+0x18, 1<<17)
	r.want("ODR", b+0x14, 1)
	r.want("IDR: output 0, pull-up of 2", b+0x10, 1|1<<2)
	r.want("BSRR", b+0x18, 0)
	if !r.core.WriteBus(b+0x18+2, 2, 1) {
		t.Fatal("bus error")
	}
	r.want("halfword of BSRR", b+0x14, 0)
}

// A transmitter without a pin sends into nothing, and the chip says so; a
// receiver hears nothing.
func TestPins(t *testing.T) {
	r := newRig(t)
	r.enable()
	r.write(gpioBase+0x20, 8<<8|7<<12)
	r.write(usart2Base+0x08, 100)
	r.write(usart2Base+0x0c, cr1UE|cr1TE|cr1RE)
	r.write(usart2Base+0x04, 'x')
	r.run(3000)
	if r.sent("USART2") != "" {
		t.Errorf("%q", r.sent("USART2"))
	}
	if s := r.chip.Ports[1].Note(); !strings.Contains(s, "USART2 sent 1 bytes") {
		t.Error(s)
	}
	r.write(gpioBase, 0xa8000000|2<<4) // PA3 is an input now
	r.write(gpioBase+0x20, 7<<8|7<<12)
	r.line(1)("y")
	r.write(usart2Base+0x04, 'x')
	r.run(3000)
	if r.sent("USART2") != "x" {
		t.Errorf("%q", r.sent("USART2"))
	}
	r.want("nothing received", usart2Base, 0xc0)
}
