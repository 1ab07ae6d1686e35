package sim

import (
	"encoding/binary"
	"errors"

	"github.com/mprof/mprof/sim/armv7m"
)

// FPU says whether the core has a floating-point unit, FPv4-SP as in a
// Cortex-M4F. CPUID is the same with and without.
type FPU uint8

const (
	FPUAsBuilt FPU = iota // where the ELF was built for one
	FPUPresent
	FPUAbsent
)

// floatingPoint is what an ELF says of the floating-point instructions in it.
type floatingPoint struct {
	arch   uint64 // Tag_FP_arch (ARM IHI 0045, 3.3.6.1); 0: it has none
	single bool   // Tag_ABI_HardFP_use: single precision only
}

// Values of Tag_FP_arch.
const (
	fpVFPv4D16 = 6
	fpARMv8    = 7 // and 8, with 16 registers: FPv5
)

// hardFloat is EF_ARM_ABI_FLOAT_HARD (ARM IHI 0044, 5.2).
const hardFloat = 0x400

// elfFlags is e_flags of a 32-bit little-endian ELF, which has a whole header.
func elfFlags(b []byte) uint32 { return binary.LittleEndian.Uint32(b[36:]) }

// chooseFPU decides on the floating-point unit and remarks on instructions that
// the board does not have.
func (img *image) chooseFPU(o FPU) error {
	remark := func(s string) { img.remarks = append(img.remarks, s) }
	if o == FPUPresent && img.arch != armv7m.V7EM {
		return errors.New("the program's architecture has no floating-point unit: it was built for ARMv6-M or ARMv7-M")
	}
	img.fpu = img.arch == armv7m.V7EM && (o == FPUPresent || o == FPUAsBuilt && img.fp.arch != 0)
	switch fp := img.fp; {
	case fp.arch == 0:
	case !img.fpu:
		remark("Built for a floating-point unit: the board has none, such instructions fault.")
	case !fp.single:
		remark("Built for double precision: the board has FPv4-SP, double-precision instructions fault.")
	case fp.arch >= fpARMv8:
		remark("Built for FPv5: the board has FPv4-SP, what came with FPv5 faults.")
	}
	return nil
}
