package stm32

import (
	"fmt"

	"github.com/mprof/mprof/sim/armv7m"
	"github.com/mprof/mprof/sim/serial"
)

// Port is a USART of the chip.
type Port struct {
	Name    string
	Address uint32
	Line    *serial.Line
	Frame   func() uint64 // core cycles of a frame, 0 without a rate
	Unheard func() uint64 // bytes that were sent while no pin was the transmitter's
}

// Chip is the peripherals of an STM32F405.
type Chip struct {
	Ports  []Port
	Mounts []armv7m.Mount

	rcc    *RCC
	gpio   [ports]*gpio
	flash  flash
	power  power
	dma    [2]*dma
	usarts []*usart
	timers []*timer
}

// usartPlaces are the USARTs in the order of their numbers: address and interrupt
// (RM0090, 2.3 and table 62), clock (7.3), pins (STM32F405 data sheet, table 9),
// and requests (tables 43 and 44: stream and channel; USART1 and 6 on DMA2).
var usartPlaces = []struct {
	name   string
	base   uint32
	clk    line
	irq    int
	tx, rx []pin
	sends  [][2]int
	takes  [][2]int
}{
	{"USART1", 0x40011000, line{apb2, 4}, 37, []pin{{0, 9, 7}, {1, 6, 7}}, []pin{{0, 10, 7}, {1, 7, 7}}, [][2]int{{7, 4}}, [][2]int{{2, 4}, {5, 4}}},
	{"USART2", 0x40004400, line{apb1, 17}, 38, []pin{{0, 2, 7}, {3, 5, 7}}, []pin{{0, 3, 7}, {3, 6, 7}}, [][2]int{{6, 4}}, [][2]int{{5, 4}}},
	{"USART3", 0x40004800, line{apb1, 18}, 39, []pin{{1, 10, 7}, {2, 10, 7}, {3, 8, 7}}, []pin{{1, 11, 7}, {2, 11, 7}, {3, 9, 7}}, [][2]int{{3, 4}, {4, 7}}, [][2]int{{1, 4}}},
	{"UART4", 0x40004c00, line{apb1, 19}, 52, []pin{{0, 0, 8}, {2, 10, 8}}, []pin{{0, 1, 8}, {2, 11, 8}}, [][2]int{{4, 4}}, [][2]int{{2, 4}}},
	{"UART5", 0x40005000, line{apb1, 20}, 53, []pin{{2, 12, 8}}, []pin{{3, 2, 8}}, [][2]int{{7, 4}}, [][2]int{{0, 4}}},
	{"USART6", 0x40011400, line{apb2, 5}, 71, []pin{{2, 6, 8}, {6, 14, 8}}, []pin{{2, 7, 8}, {6, 9, 8}}, [][2]int{{6, 5}, {7, 5}}, [][2]int{{1, 5}, {2, 5}}},
}

// Interrupts of the streams (RM0090, table 62).
var dmaIRQs = [2][streams]int{{11, 12, 13, 14, 15, 16, 17, 47}, {56, 57, 58, 59, 60, 68, 69, 70}}

// New returns the peripherals; noRate is as in serial.NewLine.
func New(noRate uint64) *Chip {
	c := &Chip{rcc: newRCC()}
	c.mount(0x40023800, c.rcc)
	c.mount(0x40023c00, &c.flash)
	c.gate(0x40007000, line{apb1, 28}, &c.power, c.power.reset)
	for i := range c.gpio {
		c.gpio[i] = &gpio{number: i}
		c.gate(0x40020000+0x400*uint32(i), line{ahb1, uint32(i)}, c.gpio[i], c.gpio[i].reset)
	}
	for i := range c.dma {
		c.dma[i] = newDMA(dmaIRQs[i], i == 1)
		c.gate(0x40026000+0x400*uint32(i), line{ahb1, 21 + uint32(i)}, c.dma[i], c.dma[i].reset)
	}
	for _, p := range timerPlaces {
		t := newTimer(c.rcc, p.irq, p.mask)
		c.timers = append(c.timers, t)
		c.gate(p.base, line{apb1, p.bit}, t, t.reset)
	}
	for _, p := range usartPlaces {
		u := newUSART(c.rcc, p.clk.bus, p.irq, noRate)
		u.pins = pins{&c.gpio, p.tx, p.rx}
		controller := c.dma[0]
		if p.clk.bus == apb2 {
			controller = c.dma[1]
		}
		u.dma = controller.serve
		for _, at := range p.sends {
			controller.connect(request{at[0], at[1], u.wantsByte})
		}
		for _, at := range p.takes {
			controller.connect(request{at[0], at[1], u.hasByte})
		}
		c.usarts = append(c.usarts, u)
		c.gate(p.base, p.clk, u, u.reset)
		c.Ports = append(c.Ports, Port{p.name, p.base, u.line, u.Frame, func() uint64 { return u.unheard }})
	}
	return c
}

func (c *Chip) mount(base uint32, d armv7m.Device) {
	c.Mounts = append(c.Mounts, armv7m.Mount{Base: base, Size: 0x400, Device: d})
}

// gate mounts a peripheral behind its clock and its reset.
func (c *Chip) gate(base uint32, l line, d armv7m.Device, reset func()) {
	c.mount(base, gated{d, c.rcc, l})
	c.rcc.onReset[l] = reset
}

// Attach connects the core, once, before it runs.
func (c *Chip) Attach(core serial.Core) {
	for _, d := range c.dma {
		d.attach(core)
	}
	for _, u := range c.usarts {
		u.attach(core)
	}
	for _, t := range c.timers {
		t.attach(core)
	}
	c.peripherals()
	core.OnReset(func() {
		c.rcc.reset()
		c.peripherals()
	})
}

// peripherals is a reset of all of them.
func (c *Chip) peripherals() {
	c.flash.reset()
	for _, reset := range c.rcc.onReset {
		reset()
	}
}

// Note says what a port's user should know about its use, "" for nothing.
func (p *Port) Note() string {
	if n := p.Unheard(); n > 0 {
		return fmt.Sprintf("%s sent %d bytes while none of its TX pins was set to it (GPIO MODER and AFR): they went nowhere", p.Name, n)
	}
	return ""
}
