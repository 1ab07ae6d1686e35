package cmsdk

import "github.com/mprof/mprof/sim/serial"

// Shared is an interrupt that several devices drive: its line is high while any
// of them wants it to be.
type Shared struct {
	IRQ   int
	wants []bool
}

func (s *Shared) add() int {
	s.wants = append(s.wants, false)
	return len(s.wants) - 1
}

func (s *Shared) set(c serial.Core, i int, high bool) {
	s.wants[i] = high
	for _, w := range s.wants {
		high = high || w
	}
	c.SetLine(s.IRQ, high)
}
