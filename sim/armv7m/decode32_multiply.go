package armv7m

// decodeMultiply: multiply and multiply accumulate (DDI 0403E A5.3.16). kind
// has the low bits of op2: which halves, exchange, rounding.
func (c *Core) decodeMultiply(w uint32) op {
	d, n, m, a := fieldD(w), fieldN(w), fieldM(w), fieldT(w)
	op1, op2 := w>>20&7, w>>4&3
	if w>>6&3 != 0 || badReg(d, n, m) || a == 13 {
		return undefinedOp32
	}
	o := op32(nil, 1)
	o.d, o.n, o.m, o.a, o.kind = d, n, m, a, uint8(op2)
	accumulate := a != 15
	if !accumulate {
		o.a = slotZero
	}
	if op1 == 0 {
		switch {
		case op2 == 0 && !accumulate:
			o.do = execMUL
		case op2 == 0:
			o.do = execMLA
		case op2 == 1 && accumulate:
			o.do = execMLS
		default:
			return undefinedOp32
		}
		return o
	}
	if c.arch != V7EM || op1 > 1 && op2 > 1 || op1 == 7 && op2 > 0 {
		return undefinedOp32
	}
	if op1 == 6 && !accumulate {
		return undefinedOp32
	}
	o.do = [8]func(*Core, *op){
		1: execSMLAxy, 2: execSMLAD, 3: execSMLAW, 4: execSMLSD, 5: execSMMLA, 6: execSMMLS, 7: execUSADA8,
	}[op1]
	return o
}

// decodeLongMultiply: long multiply and divide (A5.3.17). RdLo is a.
func (c *Core) decodeLongMultiply(w uint32) op {
	d, n, m, a := fieldD(w), fieldN(w), fieldM(w), fieldT(w)
	op1, op2 := w>>20&7, w>>4&15
	o := op32(nil, 1)
	o.d, o.n, o.m, o.a, o.kind = d, n, m, a, uint8(op2&3)
	if badReg(d, n, m) {
		return undefinedOp32
	}
	if op1 == 1 || op1 == 3 {
		o.do, o.cost = execSDIV, 0
		if op1 == 3 {
			o.do = execUDIV
		}
		return undefinedIf(o, op2 != 15) // bits 15:12 should be one
	}
	if badReg(a) || d == a {
		return undefinedOp32
	}
	dsp := true
	switch {
	case op1 == 0 && op2 == 0:
		o.do, dsp = execSMULL, false
	case op1 == 2 && op2 == 0:
		o.do, dsp = execUMULL, false
	case op1 == 4 && op2 == 0:
		o.do, dsp = execSMLAL, false
	case op1 == 6 && op2 == 0:
		o.do, dsp = execUMLAL, false
	case op1 == 6 && op2 == 6:
		o.do = execUMAAL
	case op1 == 4 && op2>>2 == 2:
		o.do = execSMLALxy
	case op1 == 4 && op2>>1 == 6:
		o.do = execSMLALD
	case op1 == 5 && op2>>1 == 6:
		o.do = execSMLSLD
	}
	return undefinedIf(o, o.do == nil || dsp && c.arch != V7EM)
}
