package sim

import "github.com/mprof/mprof/sim/stm32"

// buildSTM32F405 makes the peripherals of an STM32F405 that serial ports need.
func buildSTM32F405(p *periphery, hz uint32) {
	chip := stm32.New(noRate(hz))
	for _, m := range chip.Mounts {
		p.place(m.Base, m.Size, m.Device)
	}
	p.attach = append(p.attach, chip.Attach)
	for i := range chip.Ports {
		u := &chip.Ports[i]
		p.ports = append(p.ports, &port{name: u.Name, address: u.Address, kind: "STM32", line: u.Line, frame: u.Frame})
		p.notes = append(p.notes, u.Note)
	}
}
