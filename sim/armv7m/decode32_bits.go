package armv7m

// decodeBitField: saturation and bit fields (A5.3.3).
func (c *Core) decodeBitField(w uint32, o op) op {
	lsb := uint8(w>>10&0x1c | w>>6&3)
	width := uint8(w & 31)
	if o.d == 13 || o.d == 15 || o.n == 13 {
		return undefinedOp32
	}
	o.imm = 0
	o.sh, o.kind, o.aux = lsb, shiftLSL, width
	switch w >> 20 & 31 {
	case 16, 18, 24, 26:
		return c.decodeSaturate(w, o)
	case 20, 28:
		o.do = execSBFX
		if bit(w, 23) {
			o.do = execUBFX
		}
		if o.aux++; o.n == 15 || lsb+width > 31 {
			return undefinedOp32
		}
		return o
	case 22:
		if width < lsb {
			return undefinedOp32
		}
		o.do = execBFI
		if o.n == 15 { // BFC
			o.n = slotZero
		}
		o.imm = 0xffffffff >> (31 - width + lsb) << lsb
		return o
	}
	return undefinedOp32
}

func (c *Core) decodeSaturate(w uint32, o op) op {
	if o.n == 15 {
		return undefinedOp32
	}
	unsigned := bit(w, 23)
	if !unsigned {
		o.aux++
	}
	o.do = execSSAT
	if unsigned {
		o.do = execUSAT
	}
	if !bit(w, 21) {
		return o
	}
	o.kind = shiftASR
	if o.sh != 0 {
		return o
	}
	// ASR #0 is SSAT16 and USAT16.
	if c.arch != V7EM || bit(w, 4) {
		return undefinedOp32
	}
	o.do = execSSAT16
	if unsigned {
		o.do = execUSAT16
	}
	return o
}
