package armv7m

// Fields of 32-bit encodings: w has the first halfword in its upper half.
func fieldN(w uint32) uint8     { return uint8(w >> 16 & 15) }
func fieldT(w uint32) uint8     { return uint8(w >> 12 & 15) } // also Ra, RdLo
func fieldD(w uint32) uint8     { return uint8(w >> 8 & 15) }  // also Rt2, RdHi
func fieldM(w uint32) uint8     { return uint8(w & 15) }
func bit(w uint32, n uint) bool { return w>>n&1 != 0 }

// badReg says that a register is SP or PC, where that is UNPREDICTABLE.
func badReg(rs ...uint8) bool {
	for _, r := range rs {
		if r == 13 || r == 15 {
			return true
		}
	}
	return false
}

func isPC(rs ...uint8) bool {
	for _, r := range rs {
		if r == 15 {
			return true
		}
	}
	return false
}

func op32(do func(*Core, *op), cost uint8) op {
	return op{do: do, size: 4, cost: cost, n: slotZero, m: slotZero}
}

var undefinedOp32 = op32(execUndefined, 1)

// decode32 decodes a 32-bit instruction (DDI 0403E A5.3).
func (c *Core) decode32(w, pc uint32, inIT bool) op {
	o := undefinedOp32
	switch w >> 27 & 3 {
	case 1:
		switch {
		case c.arch == V6M:
		case bit(w, 26):
			o = c.decodeCoprocessor(w, pc)
		case bit(w, 25):
			o = c.decodeShifted(w)
		case bit(w, 22):
			o = decodeDual(w, pc)
		default:
			o = decodeMultiple32(w)
		}
	case 2:
		switch {
		case bit(w, 15):
			o = c.decodeControl(w, pc, inIT)
		case c.arch == V6M:
		case bit(w, 25):
			o = c.decodePlainImm(w, pc)
		default:
			o = decodeModifiedImm(w)
		}
	case 3:
		switch {
		case c.arch == V6M:
		case bit(w, 26):
			o = c.decodeCoprocessor(w, pc)
		case w>>24&7 == 2:
			o = c.decodeRegister32(w)
		case w>>23&15 == 6:
			o = c.decodeMultiply(w)
		case w>>23&15 == 7:
			o = c.decodeLongMultiply(w)
		default:
			o = c.decodeTransfer32(w, pc)
		}
	}
	return o
}

// decodeCoprocessor: coprocessors 10 and 11 are the floating-point extension,
// others are not there (A5.3.18).
func (c *Core) decodeCoprocessor(w, pc uint32) op {
	if w>>24&3 == 3 || w>>21&31 == 0 {
		return undefinedOp32
	}
	if c.cfg.FPU && w>>9&7 == 5 {
		return decodeVFP(w, pc)
	}
	return op32(execNOCP, 1)
}

func execNOCP(c *Core, _ *op) { c.raise(excUsageFault, ufsrNOCP) }
