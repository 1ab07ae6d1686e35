package lockstep

import "encoding/binary"

// unknownFP takes over S0 to S15 and FPSCR where the manual leaves them UNKNOWN
// (DDI 0403E B1.5.6, PushStack; B1.5.7, PreserveFPState): once they were written
// to the stack. QEMU 7.2 clears them then, the simulated core keeps them as
// processors do. It tells whether that was it.
func unknownFP(core *simulated, before, want, got *State) bool {
	if !core.arch.Has(FPv4) || want.R != got.R || want.XPSR != got.XPSR {
		return false
	}
	entered := want.XPSR&0x1ff != before.XPSR&0x1ff && want.R[14]>>28 == 0xf && want.R[14]&(1<<4) == 0
	if !entered || want.FPSCR != 0 || [16]uint32(want.S[:16]) != [16]uint32{} {
		return false
	}
	if v, ok := core.core.ReadBus(fpccr, 4); !ok || v&(1<<30) != 0 {
		return false // with LSPEN nothing was written yet
	}
	for i := range 16 {
		core.core.WriteReg(selS0+uint8(i), 0)
		got.S[i] = 0
	}
	core.core.WriteReg(selFPSCR, 0)
	got.FPSCR = 0
	if core.fresh() {
		core.freshFrame(want)
	}
	return *want == *got
}

// contextModes are the bits of FPSCR that a new context has from FPDSCR.
const contextModes = 0x07c00000

// fresh tells whether the last instruction began a context: a step that ends in a
// fault is followed by another that enters the handler.
func (m *simulated) fresh() bool { return m.began < 2 }

// freshFrame clears in a frame just stacked what QEMU clears in FPSCR when a
// context begins: the instruction that began it faulted.
func (m *simulated) freshFrame(s *State) {
	stack := uint8(selMSP)
	if s.R[14]&(1<<2) != 0 {
		stack = selPSP
	}
	const fpscr = 0x60
	if sp, ok := m.core.ReadReg(stack); ok {
		v, _ := m.core.ReadBus(sp+fpscr, 4)
		m.core.WriteBus(sp+fpscr, 4, v&contextModes)
	}
}

// freshContext takes over FPSCR after an instruction that begins a context: the
// manual has AHP, DN, FZ and RMode from FPDSCR and the other bits as they were
// (DDI 0403E B1.5.7, ExecuteFPCheck), QEMU 7.2 clears those. VMRS shows them. It
// tells whether that was it.
func freshContext(core *simulated, flash []byte, before, want, got *State) bool {
	stale := got.FPSCR &^ want.FPSCR
	if !core.fresh() || stale == 0 || want.FPSCR&^got.FPSCR != 0 || stale&^before.FPSCR != 0 {
		return false
	}
	got.FPSCR = want.FPSCR
	switch rt, ok := vmrs(flash, before.R[15]); {
	case ok && rt == 15 && got.XPSR&^want.XPSR == stale&(0xf<<28):
		got.XPSR = want.XPSR
		core.core.WriteReg(16, got.XPSR)
	case ok && rt < 15 && got.R[rt]&^want.R[rt] == stale:
		got.R[rt] = want.R[rt]
		core.core.WriteReg(rt, got.R[rt])
	}
	return *want == *got && core.core.WriteReg(selFPSCR, got.FPSCR)
}

// vmrs takes apart VMRS T1 at an address.
func vmrs(flash []byte, pc uint32) (rt uint8, ok bool) {
	if int(pc)+4 > len(flash) {
		return 0, false
	}
	first, second := binary.LittleEndian.Uint16(flash[pc:]), binary.LittleEndian.Uint16(flash[pc+2:])
	return uint8(second >> 12), first == 0xeef1 && second&0xf10 == 0xa10
}
