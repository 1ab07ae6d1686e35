package cortexm

import "github.com/mprof/mprof/snapshot"

// A register transfer takes a core a few cycles. S_REGRDY tells when it is done
// (ARMv7-M ARM C1.6.2, DHCSR), and asking for it is one SWD transfer in four. One
// that follows the write of DCRSR at once shows whether the core is done before the
// next transfer, in which DCRDR can be read just as well: after so many registers
// that were always ready, only the last of each group is asked for. It stands
// for those before it, which had the same time on the same clock. A core that was
// ever found too slow is asked every time, and the sample that it was found by is
// lost.
const provenReady = 100 // registers

// register reads r: checked where it is the last of its group or the core is not
// known to be fast.
func (s steps) register(t *transfer, r snapshot.Reg, last bool) {
	if s.swift && !last {
		t.fetchRegister(r)
		return
	}
	t.readRegister(r)
}

// learnReady draws the conclusion of a sample; true where it changes how
// registers are read.
func (s *Sampler) learnReady(c *capture) bool {
	s.readied += c.ready
	switch before := s.planner.steps.swift; {
	case c.miss == snapshot.NotReady:
		s.slow, s.planner.steps.swift = true, false
		return before
	case !before && !s.slow && s.readied >= provenReady:
		s.planner.steps.swift = true
		return true
	}
	return false
}
