package lockstep

import "slices"

// laxEncoding is one that the manual calls UNDEFINED and that QEMU executes all
// the same, or reports with another status. The random programs leave it out.
type laxEncoding struct {
	in          []Level
	wide        bool
	mask, value uint32
	text        string
}

var (
	all    = []Level{V6M, V7M, V7EM, FPv4}
	v6only = []Level{V6M}
	v7only = []Level{V7M}
	fponly = []Level{FPv4}
	v7all  = []Level{V7M, V7EM, FPv4}
)

// Lax lists where QEMU 7.2 decodes more than the manual has. That the simulated
// core calls all of them UNDEFINED is tested without QEMU.
var Lax = []laxEncoding{
	{all, false, 0xfff7, 0xb650, "SETEND (A5.2.5)"},
	{v6only, false, 0xf500, 0xb100, "CBZ, CBNZ in ARMv6-M (DDI 0419 A5.2.5)"},
	{v6only, false, 0xff00, 0xbf00, "IT in ARMv6-M (DDI 0419 A5.2.5)"},
	{v7all, true, 0xefe00000, 0xec000000, "111x 1100 000x: NOCP and not UNDEFINSTR (A5.3.18)"},
	{v7all, true, 0xffe000f0, 0xe8c00070, "STREXD, LDREXD (A5.3.6)"},
	{fponly, true, 0xffe00fff, 0xfee00a10, "VMRS, VMSR with T set (A6.6)"},
	{v7only, true, 0xfb70f0c0, 0xf3200000, "SSAT16, USAT16 without the DSP extension (A5.3.3)"},
	{v7only, true, 0xff80f080, 0xfa00f080, "SXTAB, SXTAH, UXTAB, UXTAH without the DSP extension (A5.3.12)"},
	{v7only, true, 0xfff000c0, 0xfb100000, "SMLAxy, SMULxy without the DSP extension (A5.3.16)"},
	{v7only, true, 0xfff000e0, 0xfb200000, "SMLAD, SMUAD without the DSP extension (A5.3.16)"},
	{v7only, true, 0xfff000e0, 0xfb300000, "SMLAWy, SMULWy without the DSP extension (A5.3.16)"},
	{v7only, true, 0xfff000e0, 0xfb400000, "SMLSD, SMUSD without the DSP extension (A5.3.16)"},
	{v7only, true, 0xfff000f0, 0xfb700000, "USAD8, USADA8 without the DSP extension (A5.3.16)"},
	{v7only, true, 0xfff000c0, 0xfbc00080, "SMLALxy without the DSP extension (A5.3.17)"},
	{v7only, true, 0xfff000e0, 0xfbc000c0, "SMLALD without the DSP extension (A5.3.17)"},
	{v7only, true, 0xfff000e0, 0xfbd000c0, "SMLSLD without the DSP extension (A5.3.17)"},
}

// emulatorDecodes tells whether QEMU executes an encoding that is UNDEFINED.
func emulatorDecodes(a Level, w uint32, wide bool) bool {
	for _, l := range Lax {
		if slices.Contains(l.in, a) && l.wide == wide && w&l.mask == l.value {
			return true
		}
	}
	return false
}

// lenience is a bit of a status register that QEMU reports otherwise than the
// manual. After a load from the register the simulated core's answer is checked
// against what the manual says and then replaced by QEMU's, so that the two go
// on together.
type lenience struct {
	v6m       bool // in ARMv6-M, or in ARMv7-M
	thread    bool // in Thread mode only
	addr      uint32
	want, got uint32 // the differing bits, as QEMU and as the manual has them
	text      string
}

// Lenient lists the status bits on which QEMU 7.2 differs from the manual.
var Lenient = []lenience{
	{true, false, icsr, 1 << 11, 0, "ICSR bit 11 is RETTOBASE in ARMv7-M and reserved in ARMv6-M (DDI 0419 B3.2.4)"},
	{false, true, icsr, 1 << 11, 0, "ICSR.RETTOBASE is UNKNOWN in Thread mode (DDI 0403E B3.2.4)"},
	{false, false, fpccr, 1 << 10, 0, "FPCCR bit 10 is UFRDY in ARMv8-M and reserved in ARMv7-M (DDI 0403E B3.2.21)"},
	{false, false, hfsr, 1 << 30, 1 << 31, "BKPT without a debugger sets HFSR.DEBUGEVT (DDI 0403E B3.2.16), not FORCED"},
}

const hfsr = 0xe000ed2c

// forgive takes over a status bit that QEMU is known to report otherwise. It
// tells whether the states are equal afterwards.
func forgive(test Machine, flash []byte, before, want, got *State) bool {
	core, ok := test.(*simulated)
	if !ok {
		return false
	}
	if unknownFP(core, before, want, got) || freshContext(core, flash, before, want, got) {
		return true
	}
	rt, addr, ok := loadOf(flash, before)
	if !ok {
		return false
	}
	if escalatedService(flash, want, rt, addr, got) {
		got.R[rt] = want.R[rt]
		return *want == *got && core.core.WriteReg(uint8(rt), got.R[rt])
	}
	for _, l := range Lenient {
		if l.addr != addr || l.v6m != (core.arch == V6M) || l.thread && want.XPSR&0x1ff != 0 {
			continue
		}
		if d := want.R[rt] ^ got.R[rt]; d == l.want^l.got && want.R[rt]&d == l.want && got.R[rt]&d == l.got {
			got.R[rt] = want.R[rt]
			return *want == *got && core.core.WriteReg(uint8(rt), got.R[rt])
		}
	}
	return false
}

// loadOf takes apart LDR (immediate) T1, with which the programs read status.
func loadOf(flash []byte, s *State) (rt, addr uint32, ok bool) {
	pc := s.R[15]
	if int(pc)+2 > len(flash) {
		return 0, 0, false
	}
	w := uint32(flash[pc]) | uint32(flash[pc+1])<<8
	return w & 7, s.R[w>>3&7] + (w>>6&31)*4, w>>11 == 0x0d
}

// escalatedService tells of the return address of an SVC that became a
// HardFault: the SVC (DDI 0403E B1.5.6, ReturnAddress), where QEMU stacks the
// address of the next instruction. The handlers read it from [r0, #24].
func escalatedService(flash []byte, want *State, rt, addr uint32, got *State) bool {
	at := got.R[rt]
	return want.XPSR&0x1ff == 3 && addr == want.R[0]+24 && want.R[rt] == at+2 &&
		int(at)+2 <= len(flash) && flash[at+1] == 0xdf
}
