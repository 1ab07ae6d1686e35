package armv7m

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// checkVFP is checkEncodings on a core with the extension open. States name
// "s0" to "s31" and "fpscr", too; FPSCR is zero where it is not mentioned.
func checkVFP(t *testing.T, tests []encoding) {
	t.Helper()
	for _, e := range tests {
		c := vfpMachine(t, e.code...)
		in := parseState(t, e.in, stateOfVFP(c))
		in.put(t, c)
		for i := range c.s {
			c.s[i] = in.Registers[fmt.Sprint("s", i)]
		}
		c.fpscr = in.Registers["fpscr"]
		for range e.length() {
			c.Step()
		}
		want := in
		want.Registers["pc"] = 0x100 + 2*uint32(len(e.code))
		if e.length() == 1 && strings.Contains(e.asm, ".word") {
			want.Registers["pc"] = 0x104
		}
		want = parseState(t, e.out, want)
		for a, v := range want.Memory {
			if v == 0 {
				delete(want.Memory, a)
			}
		}
		if d := cmp.Diff(want, stateOfVFP(c)); d != "" {
			t.Errorf("%s, %s: (-want +got)\n%s", e.asm, e.in, d)
		}
	}
}

// vfpMachine is a machine with the extension, full access to it, and a
// floating-point context begun.
func vfpMachine(t testing.TB, code ...uint16) *Core {
	t.Helper()
	c := machine(t, Config{FPU: true}, code...)
	c.writeSCS(regCPACR, 4, 0xf<<20)
	c.setControl(controlFPCA) // FPDSCR has gone into FPSCR
	return c
}

func stateOfVFP(c *Core) state {
	s := stateOf(c)
	for i, v := range c.s {
		s.Registers[fmt.Sprint("s", i)] = v
	}
	s.Registers["fpscr"] = c.fpscr
	return s
}

// Arithmetic and moves: DDI 0403E A6.4. The results are worked out by hand.
func TestVFPData(t *testing.T) {
	const two3 = "s1=3f800000 s2=40000000 s3=40400000" // 1, 2, 3
	checkVFP(t, []encoding{
		{"vadd.f32 s1, s2, s3", []uint16{0xee71, 0x0a21}, two3 + " N C", "s1=40a00000 same"},
		{"vsub.f32 s1, s2, s3", []uint16{0xee71, 0x0a61}, two3, "s1=bf800000"},
		{"vmul.f32 s1, s2, s3", []uint16{0xee61, 0x0a21}, two3, "s1=40c00000"},
		{"vnmul.f32 s1, s2, s3", []uint16{0xee61, 0x0a61}, two3, "s1=c0c00000"},
		{"vmla.f32 s1, s2, s3", []uint16{0xee41, 0x0a21}, two3, "s1=40e00000"},
		{"vmls.f32 s1, s2, s3", []uint16{0xee41, 0x0a61}, two3, "s1=c0a00000"},
		{"vnmla.f32 s1, s2, s3", []uint16{0xee51, 0x0a61}, two3, "s1=c0e00000"},
		{"vnmls.f32 s1, s2, s3", []uint16{0xee51, 0x0a21}, two3, "s1=40a00000"},
		{"vfma.f32 s1, s2, s3", []uint16{0xeee1, 0x0a21}, two3, "s1=40e00000"},
		{"vfms.f32 s1, s2, s3", []uint16{0xeee1, 0x0a61}, two3, "s1=c0a00000"},
		{"vfnma.f32 s1, s2, s3", []uint16{0xeed1, 0x0a61}, two3, "s1=c0e00000"},
		{"vfnms.f32 s1, s2, s3", []uint16{0xeed1, 0x0a21}, two3, "s1=40a00000"},
		{"vdiv.f32 s1, s2, s3", []uint16{0xeec1, 0x0a21}, two3, "s1=3f2aaaab fpscr=10"},
		{"vsqrt.f32 s1, s3", []uint16{0xeef1, 0x0ae1}, "s3=41100000", "s1=40400000"},
		{"vabs.f32 s1, s3", []uint16{0xeef0, 0x0ae1}, "s3=ff800001", "s1=7f800001"},
		{"vneg.f32 s1, s3", []uint16{0xeef1, 0x0a61}, "s3=7f800001", "s1=ff800001"},
		{"vmov.f32 s1, s3", []uint16{0xeef0, 0x0a61}, "s3=7f800001", "s1=7f800001"},
		{"vmov.f32 s1, #-2.5", []uint16{0xeef8, 0x0a04}, "", "s1=c0200000"},
		{"vmov.f32 s31, #0.125", []uint16{0xeef4, 0xfa00}, "", "s31=3e000000"},
		{"vadd.f32 s30, s31, s0", []uint16{0xee3f, 0xfa80}, "s31=3f800000 s0=3f800000", "s30=40000000"},
	})
}

// A chained multiply rounds twice, a fused one once: 1 + 2^-23 squared, less
// 1 + 2^-22, is 2^-46.
func TestVFPFused(t *testing.T) {
	const in = "s1=bf800002 s2=3f800001 s3=3f800001"
	checkVFP(t, []encoding{
		{"vmla.f32 s1, s2, s3", []uint16{0xee41, 0x0a21}, in, "s1=0 fpscr=10"},
		{"vfma.f32 s1, s2, s3", []uint16{0xeee1, 0x0a21}, in, "s1=28800000"},
	})
}

// Comparisons: DDI 0403E A7.7, VCMP, VCMPE.
func TestVFPCompare(t *testing.T) {
	checkVFP(t, []encoding{
		{"vcmp.f32 s1, s3", []uint16{0xeef4, 0x0a61}, "s1=3f800000 s3=3f800000", "fpscr=60000000"},
		{"vcmp.f32 s1, s3", []uint16{0xeef4, 0x0a61}, "s1=bf800000 s3=3f800000", "fpscr=80000000"},
		{"vcmp.f32 s1, s3", []uint16{0xeef4, 0x0a61}, "s1=7fc00000 s3=3f800000", "fpscr=30000000"},
		{"vcmpe.f32 s1, s3", []uint16{0xeef4, 0x0ae1}, "s1=7fc00000 s3=3f800000", "fpscr=30000001"},
		{"vcmp.f32 s1, #0", []uint16{0xeef5, 0x0a40}, "s1=80000000 fpscr=80000000", "fpscr=60000000"},
		{"vcmp.f32 s1, #0", []uint16{0xeef5, 0x0a40}, "s1=7f800001", "fpscr=30000001"},
		{"vcmpe.f32 s1, #0", []uint16{0xeef5, 0x0ac0}, "s1=3f800000", "fpscr=20000000"},
		{"vmrs apsr_nzcv, fpscr", []uint16{0xeef1, 0xfa10}, "fpscr=a0000010 V Q", "fpscr=a0000010 N C Q"},
	})
}

// Conversions: DDI 0403E A7.7, VCVT, VCVTR, VCVTB, VCVTT.
func TestVFPConvert(t *testing.T) {
	checkVFP(t, []encoding{
		{"vcvt.f32.s32 s1, s3", []uint16{0xeef8, 0x0ae1}, "s3=ffffffff", "s1=bf800000"},
		{"vcvt.f32.u32 s1, s3", []uint16{0xeef8, 0x0a61}, "s3=ffffffff", "s1=4f800000 fpscr=10"},
		{"vcvt.s32.f32 s1, s3", []uint16{0xeefd, 0x0ae1}, "s3=bfc00000", "s1=ffffffff fpscr=10"},
		{"vcvt.u32.f32 s1, s3", []uint16{0xeefc, 0x0ae1}, "s3=bf800000", "s1=0 fpscr=1"},
		{"vcvtr.s32.f32 s1, s3", []uint16{0xeefd, 0x0a61}, "s3=bfc00000", "s1=fffffffe fpscr=10"},
		{"vcvtr.u32.f32 s1, s3", []uint16{0xeefc, 0x0a61}, "s3=40600000 fpscr=800000", "s1=3 fpscr=800010"},
		{"vcvt.f32.s16 s1, s1, #3", []uint16{0xeefa, 0x0a66}, "s1=1fff8", "s1=bf800000"},
		{"vcvt.f32.u16 s1, s1, #3", []uint16{0xeefb, 0x0a66}, "s1=1fff8", "s1=45fff800"},
		{"vcvt.f32.s32 s1, s1, #3", []uint16{0xeefa, 0x0aee}, "s1=fffffff8", "s1=bf800000"},
		{"vcvt.f32.u32 s1, s1, #3", []uint16{0xeefb, 0x0aee}, "s1=8", "s1=3f800000"},
		{"vcvt.s16.f32 s1, s1, #3", []uint16{0xeefe, 0x0a66}, "s1=bf800000", "s1=fffffff8"},
		{"vcvt.u16.f32 s1, s1, #3", []uint16{0xeeff, 0x0a66}, "s1=7f800000", "s1=ffff fpscr=1"},
		{"vcvt.s32.f32 s1, s1, #3", []uint16{0xeefe, 0x0aee}, "s1=ff800000", "s1=80000000 fpscr=1"},
		{"vcvt.u32.f32 s1, s1, #3", []uint16{0xeeff, 0x0aee}, "s1=3f800000", "s1=8"},
		{"vcvtb.f32.f16 s1, s3", []uint16{0xeef2, 0x0a61}, "s3=c0003c00", "s1=3f800000"},
		{"vcvtt.f32.f16 s1, s3", []uint16{0xeef2, 0x0ae1}, "s3=c0003c00", "s1=c0000000"},
		{"vcvtb.f16.f32 s1, s3", []uint16{0xeef3, 0x0a61}, "s1=12345678 s3=3f800000", "s1=12343c00"},
		{"vcvtt.f16.f32 s1, s3", []uint16{0xeef3, 0x0ae1}, "s1=12345678 s3=3f800000", "s1=3c005678"},
	})
}
