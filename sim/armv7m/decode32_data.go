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

// extends are by op1 in A5.3.12: without and with accumulation.
var extends = [6]struct{ alone, add func(*Core, *op) }{
	{execSXTH, execSXTAH}, {execUXTH, execUXTAH}, {execSXTB16, execSXTB16},
	{execUXTB16, execUXTB16}, {execSXTB, execSXTAB}, {execUXTB, execUXTAB},
}

// decodeRegister32: data processing on registers (A5.3.12).
func (c *Core) decodeRegister32(w uint32) op {
	d, n, m := fieldD(w), fieldN(w), fieldM(w)
	op1, op2 := w>>20&15, w>>4&15
	if fieldT(w) != 15 || badReg(d, m) {
		return undefinedOp32
	}
	o := op32(nil, 1)
	o.d, o.n, o.m = d, n, m
	switch {
	case op1 < 8 && op2 == 0:
		o.do, o.kind = execShiftReg, uint8(op1>>1)
		if op1&1 != 0 {
			o.do = execShiftRegS
		}
	case op1 < 6 && op2 >= 8:
		return c.decodeExtend(o, op1, uint8(op2&3*8))
	case op1 >= 8 && op2 < 8:
		return c.decodeParallel(w, o)
	case op1>>2 == 2 && op2>>2 == 2:
		return c.decodeMisc32(o, op1&3, op2&3)
	default:
		return undefinedOp32
	}
	if badReg(n) {
		return undefinedOp32
	}
	return o
}

func (c *Core) decodeExtend(o op, op1 uint32, rotate uint8) op {
	f := extends[op1]
	o.sh, o.do = rotate, f.add
	if o.n == 15 {
		o.n, o.do = slotZero, f.alone
	}
	dsp := o.n != slotZero || op1>>1 == 1
	if o.n == 13 || dsp && c.arch != V7EM {
		return undefinedOp32
	}
	return o
}

// decodeMisc32: A5.3.15. REV and its like and CLZ have Rm twice.
func (c *Core) decodeMisc32(o op, op1, op2 uint32) op {
	var f func(*Core, *op)
	switch op1 {
	case 0:
		f = [...]func(*Core, *op){execQADD, execQDADD, execQSUB, execQDSUB}[op2]
	case 1:
		f = [...]func(*Core, *op){execREV, execREV16, execRBIT, execREVSH}[op2]
	case 2:
		f = [...]func(*Core, *op){execSEL, nil, nil, nil}[op2]
	case 3:
		f = [...]func(*Core, *op){execCLZ, nil, nil, nil}[op2]
	}
	twice := op1&1 != 0
	if f == nil || twice && o.n != o.m || !twice && (c.arch != V7EM || badReg(o.n)) {
		return undefinedOp32
	}
	o.do = f
	return o
}
