package armv7m

// dataOp is a data processing instruction by its opcode in A5.3.1 and A5.3.11.
type dataOp struct {
	plain, s func(*Core, *op)
	test     func(*Core, *op) // with S and Rd 15
	move     func(*Core, *op) // with Rn 15
	moveS    func(*Core, *op)
	logical  bool
}

var dataOps = [16]dataOp{
	0:  {plain: execAND, s: execANDS, test: execTST, logical: true},
	1:  {plain: execBIC, s: execBICS, logical: true},
	2:  {plain: execORR, s: execORRS, move: execMOV, moveS: execMOVS, logical: true},
	3:  {plain: execORN, s: execORNS, move: execMVN, moveS: execMVNS, logical: true},
	4:  {plain: execEOR, s: execEORS, test: execTEQ, logical: true},
	8:  {plain: execADD, s: execADDS, test: execCMN},
	10: {plain: execADC, s: execADCS},
	11: {plain: execSBC, s: execSBCS},
	13: {plain: execSUB, s: execSUBS, test: execCMP},
	14: {plain: execRSB, s: execRSBS},
}

// dataProcessing chooses by opcode, S, Rn and Rd, without the second operand;
// ok is false where there is no such instruction.
func dataProcessing(w uint32) (o op, f dataOp, ok bool) {
	f = dataOps[w>>21&15]
	n, d, s := fieldN(w), fieldD(w), bit(w, 20)
	o = op32(f.plain, 1)
	o.n, o.d = n, d
	switch {
	case f.plain == nil:
		return o, f, false
	case s && d == 15 && f.test != nil:
		o.do = f.test
		return o, f, !isPC(n) && (n != 13 || !f.logical)
	case n == 15 && f.move != nil:
		o.n = slotZero
		o.do = f.move
		if s {
			o.do = f.moveS
		}
		return o, f, !badReg(d)
	case s:
		o.do = f.s
	}
	if code := w >> 21 & 15; n == 13 && (code == 8 || code == 13) { // ADD, SUB with SP
		o.alignSP = d == 13
		return o, f, d != 15
	}
	return o, f, !badReg(d, n)
}

// decodeModifiedImm: data processing with a modified constant (A5.3.1).
func decodeModifiedImm(w uint32) op {
	o, f, ok := dataProcessing(w)
	v, rotated, okImm := expandImm(w>>15&0x800 | w>>4&0x700 | w&0xff)
	if !ok || !okImm {
		return undefinedOp32
	}
	o.imm = v
	o.alignSP = o.alignSP && v&3 != 0
	if rotated && f.logical && bit(w, 20) {
		o.then, o.do = o.do, execRotated
	}
	return o
}

// decodeShifted: data processing with a shifted register (A5.3.11).
func (c *Core) decodeShifted(w uint32) op {
	kind, n := uint8(w>>4&3), uint8(w>>10&0x1c|w>>6&3)
	m, s := fieldM(w), bit(w, 20)
	if w>>21&15 == 6 {
		return c.decodePKH(w, n)
	}
	o, f, ok := dataProcessing(w)
	switch {
	case !ok && w>>20&31 == 4 && fieldN(w) == 15:
		return moveSP(w, kind, n)
	case !ok:
		return undefinedOp32
	case m == 13 && w>>16&0x1ff == 0x04f && kind == 0 && n == 0:
		// MOV.W Rd, SP
	case badReg(m):
		return undefinedOp32
	case o.alignSP && (kind != shiftLSL || n > 3):
		return undefinedOp32
	}
	if w>>21&15 == 2 && fieldN(w) == 15 {
		return moveShifted(o.d, m, kind, n, s, 4)
	}
	o.m = m
	if kind, n = immShift(kind, n); n != 0 {
		o = shifted(o, kind, n, f.logical && s)
	}
	return o
}

// moveSP is MOV.W SP, Rm, the one move that may write SP.
func moveSP(w uint32, kind, n uint8) op {
	if fieldD(w) != 13 || badReg(fieldM(w)) || kind != 0 || n != 0 {
		return undefinedOp32
	}
	o := op32(execMOV, 1)
	o.d, o.m, o.alignSP = 13, fieldM(w), true
	return o
}

func (c *Core) decodePKH(w uint32, n uint8) op {
	if c.arch != V7EM || bit(w, 20) || bit(w, 4) || badReg(fieldD(w), fieldN(w), fieldM(w)) {
		return undefinedOp32
	}
	o := op32(execPKHBT, 1)
	o.d, o.n, o.m = fieldD(w), fieldN(w), fieldM(w)
	if bit(w, 5) {
		o.do = execPKHTB
	}
	if kind, n := immShift(uint8(w>>4&3), n); n != 0 {
		o = shifted(o, kind, n, false)
	}
	return o
}

// decodePlainImm: data processing with a plain constant (A5.3.3).
func (c *Core) decodePlainImm(w, pc uint32) op {
	d, n := fieldD(w), fieldN(w)
	imm12 := w>>15&0x800 | w>>4&0x700 | w&0xff
	o := op32(nil, 1)
	o.d, o.n, o.imm = d, n, imm12
	switch w >> 20 & 31 {
	case 0, 10:
		return addPlain(o, pc, w>>20&31 == 10)
	case 4:
		o.do, o.n, o.imm = execMOV, slotZero, w>>4&0xf000|imm12
	case 12:
		o.do, o.imm = execMOVT, (w>>4&0xf000|imm12)<<16
	default:
		return c.decodeBitField(w, o)
	}
	if badReg(d) {
		return undefinedOp32
	}
	return o
}

// addPlain is ADDW and SUBW, ADR with PC.
func addPlain(o op, pc uint32, sub bool) op {
	if sub {
		o.imm = -o.imm
	}
	o.do = execADD
	switch {
	case o.n == 15 && badReg(o.d), o.d == 15, o.d == 13 && o.n != 13:
		return undefinedOp32
	case o.n == 15:
		o.n = slotZero
		o.imm += (pc + 4) &^ 3
	}
	o.alignSP = o.d == 13 && o.imm&3 != 0
	return o
}
