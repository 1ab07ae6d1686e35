// Package vfp is the arithmetic of the floating-point extension FPv4-SP, bit
// for bit as the pseudocode of DDI 0403E A2.5 has it. In: the bits of operands
// and FPSCR. Out: the bits of the result, and the cumulative flags in FPSCR. It
// computes with integers only.
package vfp

// FPSCR is the Floating-point Status and Control Register (DDI 0403E A2.5.3).
// Its methods are the operations: they obey its control bits and set its
// cumulative flags. Operands and results are the bits of singles.
type FPSCR uint32

// Bits of FPSCR.
const (
	N = 1 << 31 // less
	Z = 1 << 30 // equal
	C = 1 << 29 // equal, greater or unordered
	V = 1 << 28 // unordered

	AHP = 1 << 26 // alternative half-precision
	DN  = 1 << 25 // default NaN
	FZ  = 1 << 24 // flush to zero

	IDC = 1 << 7 // input denormal
	IXC = 1 << 4 // inexact
	UFC = 1 << 3 // underflow
	OFC = 1 << 2 // overflow
	DZC = 1 << 1 // division by zero
	IOC = 1 << 0 // invalid operation
)

// RMode, FPSCR[23:22].
const (
	nearest  = 0 << 22 // ties to even
	plus     = 1 << 22 // towards +infinity
	minus    = 2 << 22 // towards -infinity
	truncate = 3 << 22 // towards zero
	modeMask = 3 << 22
)

func (f FPSCR) mode() FPSCR { return f & modeMask }

// with is f with another rounding mode.
func (f FPSCR) with(mode FPSCR) FPSCR { return f&^modeMask | mode }

// Special values of singles.
const (
	signBit    = 1 << 31
	infinite   = 0x7f800000
	maxNormal  = 0x7f7fffff
	quietBit   = 1 << 22
	defaultNaN = 0x7fc00000
)

// invalid is an Invalid Operation: its result is the default NaN.
func (f *FPSCR) invalid() uint32 {
	*f |= IOC
	return defaultNaN
}

// exactZero is the sum of what cancels out: -0 only where rounding is down.
func (f FPSCR) exactZero() uint32 {
	if f.mode() == minus {
		return signBit
	}
	return 0
}

// Neg is FPNeg and Abs is FPAbs: NaNs are numbers for them.
func Neg(v uint32) uint32 { return v ^ signBit }
func Abs(v uint32) uint32 { return v &^ signBit }

// ExpandImm is VFPExpandImm for singles (DDI 0403E A6.4.1): a sign, three bits
// of exponent and four of fraction.
func ExpandImm(imm8 uint8) uint32 {
	v := uint32(imm8&0x80)<<24 | uint32(imm8&0x3f)<<19
	if imm8&0x40 != 0 {
		return v | 0x1f<<25
	}
	return v | 1<<30
}
