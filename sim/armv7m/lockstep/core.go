package lockstep

import (
	"fmt"
	"math"

	"github.com/mprof/mprof/sim/armv7m"
)

// simulated is the core of package armv7m.
type simulated struct {
	core    *armv7m.Core
	arch    Level
	started bool
	began   int // the last step but so many began a floating-point context
}

// StartSimulated loads a program into the simulated core.
func StartSimulated(b Board, p Program) (Machine, error) {
	flash := make([]byte, b.FlashSize)
	copy(flash, p.Flash)
	core, err := armv7m.New(armv7m.Config{Arch: b.Arch.Core(), FPU: b.Arch.Has(FPv4), Regions: []armv7m.Region{
		{Base: 0, Data: flash, ROM: b.FlashROM},
		{Base: RAMBase, Data: make([]byte, b.RAMSize)},
	}})
	if err != nil {
		return nil, err
	}
	return &simulated{core: core, arch: b.Arch, began: math.MaxInt32}, nil
}

// DCRSR.REGSEL (C1.6.3) of registers beside R0 to R15 and xPSR.
const (
	selMSP     = 0x11
	selPSP     = 0x12
	selCONTROL = 0x14
	selFPSCR   = 0x21
	selS0      = 0x40
)

// bitFPCA is CONTROL.FPCA in the register at selCONTROL.
const bitFPCA = 1 << 26

func (m *simulated) Next(s *State) error {
	if m.started {
		control, _ := m.core.ReadReg(selCONTROL)
		m.core.Step()
		after, _ := m.core.ReadReg(selCONTROL)
		if m.began++; after&^control&bitFPCA != 0 {
			m.began = 0
		}
	}
	m.started = true
	if m.core.LockedUp() {
		return fmt.Errorf("lockstep: the simulated core is in lockup")
	}
	for i := range s.R {
		s.R[i], _ = m.core.ReadReg(uint8(i))
	}
	s.XPSR, _ = m.core.ReadReg(16)
	if m.arch.Has(FPv4) {
		for i := range s.S {
			s.S[i], _ = m.core.ReadReg(selS0 + uint8(i))
		}
		s.FPSCR, _ = m.core.ReadReg(selFPSCR)
	}
	return nil
}

// adopt takes over what is UNKNOWN after reset (B1.5.5): R0 to R12, the flags
// and the floating-point registers.
func (m *simulated) adopt(s *State) error {
	for i := range uint8(13) {
		if !m.core.WriteReg(i, s.R[i]) {
			return fmt.Errorf("lockstep: the simulated core takes no R%d", i)
		}
	}
	if !m.core.WriteReg(16, s.XPSR) {
		return fmt.Errorf("lockstep: the simulated core takes no xPSR")
	}
	if !m.arch.Has(FPv4) {
		return nil
	}
	for i, v := range s.S {
		if !m.core.WriteReg(selS0+uint8(i), v) {
			return fmt.Errorf("lockstep: the simulated core takes no S%d", i)
		}
	}
	if !m.core.WriteReg(selFPSCR, s.FPSCR) {
		return fmt.Errorf("lockstep: the simulated core takes no FPSCR")
	}
	return nil
}

func (m *simulated) Memory(addr uint32, p []byte) error {
	for i := range p {
		v, ok := m.core.ReadBus(addr+uint32(i), 1)
		if !ok {
			return fmt.Errorf("lockstep: the simulated core reads no 0x%08x", addr+uint32(i))
		}
		p[i] = byte(v)
	}
	return nil
}

func (m *simulated) Close() error { return nil }
