package armv7m

var undefinedOp = op{do: execUndefined, size: 2, cost: 1, m: slotZero, n: slotZero}

func op16(do func(*Core, *op), cost uint8) op {
	return op{do: do, size: 2, cost: cost, n: slotZero, m: slotZero}
}

// decode16 decodes a 16-bit instruction (DDI 0403E A5.2).
func (c *Core) decode16(hw, pc uint32, inIT bool) op {
	switch hw >> 12 {
	case 0, 1:
		return decodeShiftAdd(hw, inIT)
	case 2, 3:
		return decodeImm8(hw, inIT)
	case 4:
		switch hw >> 10 & 3 {
		case 0:
			return decodeRegister16(hw, inIT)
		case 1:
			return decodeSpecial(hw, pc)
		}
		return c.decodeLiteral16(hw, pc)
	case 5, 6, 7, 8, 9:
		return decodeTransfer16(hw)
	case 10:
		return decodeAddress(hw, pc)
	case 11:
		return c.decodeMisc16(hw, pc, inIT)
	case 12:
		return decodeMultiple16(hw)
	case 13:
		return decodeCondBranch16(hw, pc, inIT)
	}
	// B T2; 0xe800 and above are 32-bit
	o := op16(execB, 1+costRefill)
	o.imm, o.flow = pc+4+signed(hw&0x7ff, 11)<<1, flowBranch
	return o
}

// signed extends the low n bits of v.
func signed(v uint32, n uint) uint32 { return uint32(int32(v<<(32-n)) >> (32 - n)) }

// either picks the flag-setting form outside an IT block.
func either(inIT bool, plain, s func(*Core, *op)) func(*Core, *op) {
	if inIT {
		return plain
	}
	return s
}

// decodeShiftAdd: shift by a constant, add and subtract (A5.2.1).
func decodeShiftAdd(hw uint32, inIT bool) op {
	d, n := uint8(hw&7), uint8(hw>>3&7)
	kind := uint8(hw >> 11 & 3)
	if kind != 3 {
		return moveShifted(d, n, kind, uint8(hw>>6&31), !inIT, 2)
	}
	do := either(inIT, execADD, execADDS)
	if hw>>9&1 != 0 {
		do = either(inIT, execSUB, execSUBS)
	}
	o := op16(do, 1)
	o.d, o.n = d, n
	if hw>>10&1 != 0 {
		o.imm = hw >> 6 & 7
	} else {
		o.m = uint8(hw >> 6 & 7)
	}
	return o
}

// moveShifted is MOV, LSL, LSR, ASR, ROR and RRX by a constant as encoded.
func moveShifted(d, m, kind, n uint8, s bool, size uint8) op {
	kind, n = immShift(kind, n)
	o := op{do: execMOV, size: size, cost: 1, d: d, n: slotZero, m: m, sh: n}
	if s {
		o.do = execMOVS
	}
	switch {
	case n == 0:
	case s && n < 32 && kind <= shiftASR:
		o.do = [...]func(*Core, *op){execLSLS, execLSRS, execASRS}[kind]
	default:
		o = shifted(o, kind, n, s)
	}
	return o
}

// shifted has the second operand of o, register m, shifted; carry: C becomes
// the carry out.
func shifted(o op, kind, n uint8, carry bool) op {
	o.then, o.do = o.do, execShifted
	o.a, o.m = o.m, slotShift
	o.kind, o.sh = kind, n
	if carry {
		o.aux = 1
	}
	return o
}

// decodeImm8: MOV, CMP, ADD and SUB with 8 bits (A5.2.1).
func decodeImm8(hw uint32, inIT bool) op {
	o := op16(nil, 1)
	o.d, o.imm = uint8(hw>>8&7), hw&0xff
	if hw>>11 != 4 {
		o.n = o.d
	}
	switch hw >> 11 & 3 {
	case 0:
		o.do = either(inIT, execMOV, execMOVS)
	case 1:
		o.do = execCMP
	case 2:
		o.do = either(inIT, execADD, execADDS)
	case 3:
		o.do = either(inIT, execSUB, execSUBS)
	}
	return o
}

var registerOps16 = [16]struct{ plain, s func(*Core, *op) }{
	{execAND, execANDS}, {execEOR, execEORS}, {execShiftReg, execShiftRegS}, {execShiftReg, execShiftRegS},
	{execShiftReg, execShiftRegS}, {execADC, execADCS}, {execSBC, execSBCS}, {execShiftReg, execShiftRegS},
	{execTST, execTST}, {execRSB, execRSBS}, {execCMP, execCMP}, {execCMN, execCMN},
	{execORR, execORRS}, {execMUL, execMULS}, {execBIC, execBICS}, {execMVN, execMVNS},
}

// decodeRegister16: data processing on two registers (A5.2.2).
func decodeRegister16(hw uint32, inIT bool) op {
	code := hw >> 6 & 15
	f := registerOps16[code]
	o := op16(either(inIT, f.plain, f.s), 1)
	o.d, o.n, o.m = uint8(hw&7), uint8(hw&7), uint8(hw>>3&7)
	switch code {
	case 2, 3, 4:
		o.kind = uint8(code - 2)
	case 7:
		o.kind = shiftROR
	case 9: // RSB Rd, Rn, #0: n is in the place of m
		o.n, o.m = o.m, slotZero
	}
	return o
}

// decodeSpecial: ADD, CMP and MOV on all registers, BX, BLX (A5.2.3).
func decodeSpecial(hw, pc uint32) op {
	d, m := uint8(hw>>4&8|hw&7), uint8(hw>>3&15)
	o := op16(nil, 1)
	o.d, o.n, o.m = d, d, m
	if m == 15 {
		o.m, o.imm = slotZero, pc+4
	}
	switch hw >> 8 & 3 {
	case 0:
		o.do = execADD
		if d == 15 {
			o.n = slotZero
			o.imm += pc + 4
		}
		if d == 15 && m == 15 {
			return undefinedOp
		}
	case 1:
		if d == 15 || m == 15 {
			return undefinedOp
		}
		o.do = execCMP
		return o
	case 2:
		o.do = execMOV
		o.n = slotZero
	case 3:
		return decodeBX(o, hw, m)
	}
	return resultTo(o, d)
}

// resultTo looks after PC and SP as the destination.
func resultTo(o op, d uint8) op {
	switch d {
	case 13:
		o.alignSP = true
	case 15:
		o.then, o.do = o.do, execToPC
		o.d = slotShift
		o.cost += costRefill
		o.flow = flowAway
	}
	return o
}

func decodeBX(o op, hw uint32, m uint8) op {
	o.cost, o.flow = 1+costRefill, flowAway
	o.do = execBX
	if hw>>7&1 != 0 {
		o.do = execBLX
		if m == 15 {
			return undefinedOp
		}
	}
	return o
}

func decodeCondBranch16(hw, pc uint32, inIT bool) op {
	cc := hw >> 8 & 15
	switch {
	case cc == 14:
		return undefinedOp
	case cc == 15:
		return op16(execSVC, 1)
	case inIT:
		return undefinedOp
	}
	o := op16(condBranches[cc], 1)
	o.imm, o.flow = pc+4+signed(hw&0xff, 8)<<1, flowEither
	return o
}
