package armv7m

import "testing"

// cfsrAfter runs one instruction and what it raises, and returns CFSR and the
// exception entered.
func cfsrAfter(t *testing.T, arch Arch, code ...uint16) (cfsr, exc uint32) {
	t.Helper()
	c := machine(t, Config{Arch: arch}, code...)
	c.Step()
	c.Step()
	return c.cfsr, c.ipsr
}

// TestUndefined has encodings that are UNDEFINED or UNPREDICTABLE on every
// architecture (DDI 0403E A5, A7.7); without SHCSR they end in HardFault.
func TestUndefined(t *testing.T) {
	for _, x := range []struct {
		what string
		code []uint16
	}{
		{"UDF T1 (A7.7.194)", []uint16{0xde00}},
		{"UDF T2", []uint16{0xf7f0, 0xa000}},
		{"SETEND and other holes of A5.2.5", []uint16{0xb650}},
		{"CPS without flags", []uint16{0xb660}},
		{"REV hole", []uint16{0xba80}},
		{"HLT hole", []uint16{0xba90}},
		{"ADD PC, PC", []uint16{0x44ff}},
		{"CMP PC, r0", []uint16{0x4587}},
		{"BLX PC", []uint16{0x47f8}},
		{"PUSH {}", []uint16{0xb400}},
		{"POP {}", []uint16{0xbc00}},
		{"STM r0!, {}", []uint16{0xc000}},
		{"IT with condition 15", []uint16{0xbff8}},
		{"ITE AL", []uint16{0xbfec}},
		{"LDMIA with one register", []uint16{0xe890, 0x0001}},
		{"LDMIA with base and writeback", []uint16{0xe8b0, 0x0003}},
		{"LDMIA with LR and PC", []uint16{0xe890, 0xc000}},
		{"STMIA with PC", []uint16{0xe880, 0x8001}},
		{"STREX Rd = Rn", []uint16{0xe840, 0x1000}},
		{"LDRD Rt = Rt2", []uint16{0xe9d0, 0x1100}},
		{"AND with SP", []uint16{0xf00d, 0x0001}},
		{"AND to SP", []uint16{0xf000, 0x0d01}},
		{"data processing opcode 5", []uint16{0xf0a0, 0x0001}},
		{"data processing opcode 15", []uint16{0xf1e0, 0x0001}},
		{"modified constant 00XX00XX of 0", []uint16{0xf040, 0x1000}},
		{"plain immediate opcode 2", []uint16{0xf220, 0x0000}},
		{"BFI with width < 1", []uint16{0xf361, 0x1002}},
		{"UBFX beyond bit 31", []uint16{0xf3c1, 0x701f}},
		{"BLX immediate", []uint16{0xf000, 0xe800}},
		{"MSR mask 0", []uint16{0xf380, 0x8000}},
		{"MRS SYSm 4", []uint16{0xf3ef, 0x8004}},
		{"MRS SYSm 10", []uint16{0xf3ef, 0x800a}},
		{"LDRSW hole", []uint16{0xf9d0, 0x1000}},
		{"load size 3", []uint16{0xf870, 0x1000}},
		{"store with sign", []uint16{0xf980, 0x1000}},
		{"STR with P=0 W=0", []uint16{0xf840, 0x1a04}},
		{"STR writeback onto Rt", []uint16{0xf840, 0x0d04}},
		{"LSL.W bits 15:12", []uint16{0xfa00, 0x0001}},
		{"parallel opcode 7", []uint16{0xfaf0, 0xf001}},
		{"CLZ with two sources", []uint16{0xfab1, 0xf082}},
		{"multiply bits 7:6", []uint16{0xfb00, 0xf0c1}},
		{"UDIV bits 7:4", []uint16{0xfbb0, 0xf001}},
		{"SMULL RdLo = RdHi", []uint16{0xfb80, 0x1102}},
	} {
		for arch := V7EM; arch <= V6M; arch++ {
			cfsr, exc := cfsrAfter(t, arch, x.code...)
			want := uint32(ufsrUNDEFINSTR)
			if arch == V6M {
				want = 0
			}
			if exc != excHardFault || cfsr != want {
				t.Errorf("%s on %d: exception %d, CFSR 0x%08x", x.what, arch, exc, cfsr)
			}
		}
	}
}

// TestArchitectures has encodings of only some architectures (DDI 0403E A5,
// DDI 0419D A5).
func TestArchitectures(t *testing.T) {
	for _, x := range []struct {
		what string
		code []uint16
		on   [3]bool // V7EM, V7M, V6M
	}{
		{"ADDS", []uint16{0x1888}, [3]bool{true, true, true}},
		{"BL", []uint16{0xf000, 0xf800}, [3]bool{true, true, true}},
		{"DMB", []uint16{0xf3bf, 0x8f5f}, [3]bool{true, true, true}},
		{"MRS", []uint16{0xf3ef, 0x8010}, [3]bool{true, true, true}},
		{"CPSID i", []uint16{0xb672}, [3]bool{true, true, true}},
		{"REV", []uint16{0xba00}, [3]bool{true, true, true}},
		{"MULS", []uint16{0x4340}, [3]bool{true, true, true}},
		{"CPSID f", []uint16{0xb671}, [3]bool{true, true, false}},
		{"MRS BASEPRI", []uint16{0xf3ef, 0x8011}, [3]bool{true, true, false}},
		{"CBZ", []uint16{0xb100}, [3]bool{true, true, false}},
		{"IT", []uint16{0xbf08}, [3]bool{true, true, false}},
		{"B.W", []uint16{0xf000, 0xb800}, [3]bool{true, true, false}},
		{"B<c>.W", []uint16{0xf000, 0x8000}, [3]bool{true, true, false}},
		{"MOVW", []uint16{0xf240, 0x0000}, [3]bool{true, true, false}},
		{"AND.W", []uint16{0xea00, 0x0001}, [3]bool{true, true, false}},
		{"UDIV", []uint16{0xfbb0, 0xf0f1}, [3]bool{true, true, false}},
		{"CLREX", []uint16{0xf3bf, 0x8f2f}, [3]bool{true, true, false}},
		{"NOP.W", []uint16{0xf3af, 0x8000}, [3]bool{true, true, false}},
		{"SXTH.W", []uint16{0xfa0f, 0xf080}, [3]bool{true, true, false}},
		{"SSAT", []uint16{0xf300, 0x0007}, [3]bool{true, true, false}},
		{"SMULL", []uint16{0xfb80, 0x0102}, [3]bool{true, true, false}},
		{"SMLAL", []uint16{0xfbc0, 0x0102}, [3]bool{true, true, false}},
		{"SXTAH", []uint16{0xfa00, 0xf080}, [3]bool{true, false, false}},
		{"SXTB16", []uint16{0xfa2f, 0xf080}, [3]bool{true, false, false}},
		{"SSAT16", []uint16{0xf320, 0x0007}, [3]bool{true, false, false}},
		{"PKHBT", []uint16{0xeac0, 0x0001}, [3]bool{true, false, false}},
		{"QADD", []uint16{0xfa80, 0xf080}, [3]bool{true, false, false}},
		{"SEL", []uint16{0xfaa0, 0xf080}, [3]bool{true, false, false}},
		{"SADD16", []uint16{0xfa90, 0xf000}, [3]bool{true, false, false}},
		{"SMULBB", []uint16{0xfb10, 0xf000}, [3]bool{true, false, false}},
		{"SMLALBB", []uint16{0xfbc0, 0x0182}, [3]bool{true, false, false}},
		{"UMAAL", []uint16{0xfbe0, 0x0162}, [3]bool{true, false, false}},
		{"USAD8", []uint16{0xfb70, 0xf001}, [3]bool{true, false, false}},
		{"MSR APSR_g", []uint16{0xf380, 0x8400}, [3]bool{true, false, false}},
	} {
		for arch := V7EM; arch <= V6M; arch++ {
			if _, exc := cfsrAfter(t, arch, x.code...); (exc == 0) != x.on[arch] {
				t.Errorf("%s on %d: exception %d, defined %v", x.what, arch, exc, x.on[arch])
			}
		}
	}
}

// TestNoCoprocessor: B1.5.14, NOCP, for every form of coprocessor instruction.
func TestNoCoprocessor(t *testing.T) {
	for _, code := range [][]uint16{
		{0xee00, 0x0a10}, // VMOV s0, r0 (MCR)
		{0xed90, 0x0a00}, // VLDR (LDC)
		{0xed2d, 0x8b02}, // VPUSH (STC)
		{0xec41, 0x0b10}, // VMOV d0, r0, r1 (MCRR)
		{0xee30, 0x0a00}, // VADD (CDP)
		{0xfe00, 0x0000}, // CDP2
	} {
		if cfsr, _ := cfsrAfter(t, V7EM, code...); cfsr != ufsrNOCP {
			t.Errorf("%04x: CFSR 0x%08x, want NOCP", code, cfsr)
		}
		if _, exc := cfsrAfter(t, V6M, code...); exc != excHardFault {
			t.Errorf("%04x on ARMv6-M: exception %d, want HardFault", code, exc)
		}
	}
}
