package sim

import (
	"fmt"

	"github.com/mprof/mprof/sim/cmsdk"
)

// buildMPS2 makes the UARTs of the FPGA image AN385 (Arm DAI 0385, memory map and
// interrupt map): five, the transmitter's interrupt behind the receiver's. The
// overruns of the first three share one. The two timers are there as well, for
// programs whose core has no cycle counter.
func buildMPS2(p *periphery, hz uint32) {
	overrun := &cmsdk.Shared{IRQ: 12}
	for i, u := range []struct {
		base uint32
		irq  int
	}{{0x40004000, 0}, {0x40005000, 2}, {0x40006000, 4}, {0x40007000, 18}, {0x40009000, 20}} {
		irq := cmsdk.Interrupts{RX: u.irq, TX: u.irq + 1}
		if i < 3 {
			irq.Overrun = overrun
		}
		uart := cmsdk.NewUART(irq, noRate(hz))
		p.place(u.base, 0x1000, uart)
		p.attach = append(p.attach, uart.Attach)
		p.ports = append(p.ports, &port{name: fmt.Sprintf("UART%d", i), address: u.base, kind: "CMSDK", line: uart.Line, frame: uart.Frame})
	}
	for i, base := range []uint32{0x40000000, 0x40001000} {
		timer := cmsdk.NewTimer(8 + i)
		p.place(base, 0x1000, timer)
		p.attach = append(p.attach, timer.Attach)
	}
}
