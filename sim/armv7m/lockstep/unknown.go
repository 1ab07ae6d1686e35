package lockstep

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
	return *want == *got
}
