package adi

// mode is what the two pins speak (ADIv5.2, B5).
type mode uint8

const (
	jtag mode = iota
	swd
	dormant
)

// A line reset is at least 50 cycles with SWDIO high (ADIv5.2, B4.3.3).
const lineResetBits = 50

// Sequences that follow a line reset, first bit lowest (ADIv5.2, B5.2.1,
// B5.2.2, B5.3.3). Each begins with a zero, so the first zero after the ones
// starts them.
const (
	jtagToSWD    = 0xe79e
	swdToJTAG    = 0xe73c
	swdToDormant = 0xe3bc
)

// From JTAG the dormant mode is reached by five cycles with TMS high and 31
// bits, first bit lowest (ADIv5.2, B5.3.2).
const (
	jtagToDormant     = 0x33bbbbba<<5 | 0x1f
	jtagToDormantBits = 36
)

// The selection alert is 128 bits, first bit lowest; four zero bits and an
// activation code of eight follow (ADIv5.2, B5.3.4).
const (
	alertLow     = 0x86852d956209f392
	alertHigh    = 0x19bc0ea2e3ddafe9
	activateSWD  = 0x1a
	activateJTAG = 0x0a
)

// selector watches for the sequences that change the mode.
type selector struct {
	ones      int    // in a row
	n         int    // bits of a 16-bit sequence taken
	seq       uint16 // those bits
	tms       uint64 // the last 36 bits, in JTAG mode
	modern    bool   // JTAG to SWD goes by way of the dormant mode alone
	low, high uint64 // the last 128 bits, for the alert
	after     int    // 1 + bits taken since the alert; 0: no alert
	code      uint16
}

// feed takes one bit and returns the mode after it.
func (s *selector) feed(now mode, bit bool) mode {
	if now == dormant {
		return s.alert(bit)
	}
	if now == jtag && s.leaveJTAG(bit) {
		return dormant
	}
	if bit {
		s.ones++
	} else {
		if s.ones >= lineResetBits {
			s.n, s.seq = 1, 0 // whatever was being taken is over
			s.ones = 0
			return now
		}
		s.ones = 0
	}
	if s.n == 0 {
		return now
	}
	if bit {
		s.seq |= 1 << s.n
	}
	if s.n++; s.n < 16 {
		return now
	}
	s.n = 0
	if next := sequence(now, s.seq); !s.modern || next == dormant {
		return next
	}
	return now
}

// leaveJTAG takes one bit in JTAG mode and says whether it ends the sequence to
// the dormant mode.
func (s *selector) leaveJTAG(bit bool) bool {
	s.tms >>= 1
	if bit {
		s.tms |= 1 << (jtagToDormantBits - 1)
	}
	if s.tms != jtagToDormant {
		return false
	}
	*s = selector{modern: s.modern}
	return true
}

// sequence is the mode after a 16-bit sequence.
func sequence(now mode, seq uint16) mode {
	switch {
	case seq == jtagToSWD && now == jtag:
		return swd
	case seq == swdToJTAG && now == swd:
		return jtag
	case seq == swdToDormant && now == swd:
		return dormant
	}
	return now
}

// alert takes one bit in dormant mode.
func (s *selector) alert(bit bool) mode {
	var b uint64
	if bit {
		b = 1
	}
	if s.after > 0 {
		s.code |= uint16(b) << (s.after - 1)
		if s.after++; s.after <= 12 {
			return dormant
		}
		code := s.code
		*s = selector{modern: s.modern}
		switch code {
		case activateSWD << 4:
			return swd
		case activateJTAG << 4:
			return jtag
		}
		return dormant
	}
	s.low = s.low>>1 | s.high<<63
	s.high = s.high>>1 | b<<63
	if s.low == alertLow && s.high == alertHigh {
		s.after = 1
	}
	return dormant
}
