package vfp

import "math/bits"

// class is FPType.
type class uint8

const (
	zero class = iota
	nonzero
	infinity
	quiet
	signalling
)

func (c class) nan() bool { return c >= quiet }

// number is an operand taken apart: man * 2^exp, where man has its highest bit
// at 23 (nonzero only).
type number struct {
	class class
	sign  uint32 // bit 31
	exp   int
	man   uint32
}

// unpack is FPUnpack of a single. A denormal that is flushed sets IDC.
func (f *FPSCR) unpack(v uint32) number {
	sign, exp, frac := v&signBit, int(v>>23&0xff), v&0x7fffff
	switch {
	case exp == 0xff && frac == 0:
		return number{class: infinity, sign: sign}
	case exp == 0xff && frac&quietBit != 0:
		return number{class: quiet, sign: sign}
	case exp == 0xff:
		return number{class: signalling, sign: sign}
	case exp != 0:
		return number{nonzero, sign, exp - 127 - 23, frac | 1<<23}
	case frac == 0:
		return number{class: zero, sign: sign}
	case *f&FZ != 0:
		*f |= IDC
		return number{class: zero, sign: sign}
	}
	shift := bits.LeadingZeros32(frac) - 8
	return number{nonzero, sign, -126 - 23 - shift, frac << shift}
}

// processNaN is FPProcessNaN: the NaN made quiet, or the default NaN.
func (f *FPSCR) processNaN(c class, v uint32) uint32 {
	if c == signalling {
		*f |= IOC
	}
	if *f&DN != 0 {
		return defaultNaN
	}
	return v | quietBit
}

// processNaNs is FPProcessNaNs: signalling before quiet, first before second.
func (f *FPSCR) processNaNs(c1, c2 class, v1, v2 uint32) uint32 {
	switch {
	case c1 == signalling, c1 == quiet && c2 != signalling:
		return f.processNaN(c1, v1)
	}
	return f.processNaN(c2, v2)
}

// processNaNs3 is FPProcessNaNs3.
func (f *FPSCR) processNaNs3(c1, c2, c3 class, v1, v2, v3 uint32) uint32 {
	switch {
	case c1 == signalling, c1 == quiet && c2 != signalling && c3 != signalling:
		return f.processNaN(c1, v1)
	case c2.nan() || c3.nan():
		return f.processNaNs(c2, c3, v2, v3)
	}
	return f.processNaN(c1, v1)
}
