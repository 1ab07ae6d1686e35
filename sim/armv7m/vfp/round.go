package vfp

import "math/bits"

// format is a floating-point format: bits of fraction and of exponent.
type format struct {
	fraction uint
	exponent uint
}

var (
	single = format{23, 8}
	half   = format{10, 5}
)

func (m format) bias() int { return 1<<(m.exponent-1) - 1 }

// round is FPRound to a single: of man * 2^exp, man not zero. Bit 0 of man may
// stand for anything non-zero below it, as long as man has 26 bits or more.
// Underflow is found before rounding.
func (f *FPSCR) round(sign uint32, exp int, man uint64) uint32 {
	shift := bits.LeadingZeros64(man)
	man <<= shift
	biased := exp + 63 - shift + single.bias()
	if biased <= 0 && *f&FZ != 0 {
		*f |= UFC
		return sign
	}
	v, inexact := f.roundTo(single, sign, biased, man)
	if v >= infinite {
		*f |= OFC | IXC
		return sign | f.overflow(sign)
	}
	if inexact {
		*f |= IXC
	}
	return sign | v
}

// overflow is what is too large: infinity, or the largest number where rounding
// goes the other way.
func (f FPSCR) overflow(sign uint32) uint32 {
	m := f.mode()
	if m == nearest || m == plus && sign == 0 || m == minus && sign != 0 {
		return infinite
	}
	return maxNormal
}

// roundTo rounds man / 2^63 * 2^(biased - bias), man having bit 63, to
// exponent and fraction of a format, without the sign. The result may be
// beyond the largest number. UFC is set for what is inexact and below the
// smallest normal number.
func (f *FPSCR) roundTo(m format, sign uint32, biased int, man uint64) (v uint32, inexact bool) {
	small := biased <= 0
	if small {
		man = jam(man, uint(1-biased))
		biased = 1
	}
	if biased >= 1<<m.exponent {
		biased = 1 << m.exponent
	}
	drop := 63 - m.fraction
	rest := man << (64 - drop)
	// The highest bit of man is 1 in the exponent, if it is there.
	v = uint32(biased-1)<<m.fraction + uint32(man>>drop)
	if rest == 0 {
		return v, false
	}
	if small {
		*f |= UFC
	}
	const tie = 1 << 63
	var up bool
	switch f.mode() {
	case nearest:
		up = rest > tie || rest == tie && v&1 != 0
	case plus:
		up = sign == 0
	case minus:
		up = sign != 0
	}
	if up {
		v++
	}
	return v, true
}

// jam shifts right; what falls out stays as bit 0.
func jam(v uint64, n uint) uint64 {
	if n >= 64 {
		if v != 0 {
			return 1
		}
		return 0
	}
	r := v >> n
	if r<<n != v {
		r |= 1
	}
	return r
}
