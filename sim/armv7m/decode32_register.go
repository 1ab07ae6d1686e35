package armv7m

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
