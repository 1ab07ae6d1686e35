package armv7m

import "github.com/mprof/mprof/sim/armv7m/vfp"

// undefinedVFP is UNDEFINED where the extension is open, and NOCP where it is
// not.
var undefinedVFP = op32(execUndefinedVFP, 1)

func vfpIf(o op, ok bool) op {
	if !ok || o.do == nil {
		return undefinedVFP
	}
	return o
}

// Registers of singles are four bits and a lowest one, those of doubles four
// bits and a highest one, which is 0 as long as there are 16 (A6.3). A double
// is told by its lower single.
func singleD(w uint32) uint8 { return uint8(w>>11&0x1e | w>>22&1) }
func singleN(w uint32) uint8 { return uint8(w>>15&0x1e | w>>7&1) }
func singleM(w uint32) uint8 { return uint8(w<<1&0x1e | w>>5&1) }

// decodeVFP decodes coprocessors 10 and 11 (DDI 0403E A6.4 to A6.7).
func decodeVFP(w, pc uint32) op {
	switch {
	case bit(w, 28):
		return undefinedVFP
	case !bit(w, 25) && w>>21&15 == 2:
		return decodeVFPPair(w)
	case !bit(w, 25):
		return decodeVFPMemory(w, pc)
	case bit(w, 4):
		return decodeVFPMove(w)
	case bit(w, 8): // arithmetic of doubles
		return undefinedVFP
	}
	return decodeVFPData(w)
}

// decodeVFPData: by opc1 (bits 23, 21, 20) and bit 6 (A6.4).
func decodeVFPData(w uint32) op {
	o := op32(nil, 1)
	o.d, o.n, o.m = singleD(w), singleN(w), singleM(w)
	switch w>>20&8 | w>>19&6 | w>>6&1 {
	case 0:
		o.do, o.cost = execVMLA, 3
	case 1:
		o.do, o.cost = execVMLS, 3
	case 2:
		o.do, o.cost = execVNMLS, 3
	case 3:
		o.do, o.cost = execVNMLA, 3
	case 4:
		o.do = execVMUL
	case 5:
		o.do = execVNMUL
	case 6:
		o.do = execVADD
	case 7:
		o.do = execVSUB
	case 8:
		o.do, o.cost = execVDIV, 14
	case 10:
		o.do, o.cost = execVFNMS, 3
	case 11:
		o.do, o.cost = execVFNMA, 3
	case 12:
		o.do, o.cost = execVFMA, 3
	case 13:
		o.do, o.cost = execVFMS, 3
	case 14:
		o.do, o.imm = execVMOVConst, vfp.ExpandImm(uint8(w>>12&0xf0|w&15))
	case 15:
		return decodeVFPOther(w, o)
	}
	return vfpIf(o, true)
}

// decodeVFPOther: one operand, comparisons, conversions (A6.4).
func decodeVFPOther(w uint32, o op) op {
	top := bit(w, 7)
	switch opc2 := w >> 16 & 15; opc2 {
	case 0:
		o.do = execVMOV
		if top {
			o.do = execVABS
		}
	case 1:
		o.do = execVNEG
		if top {
			o.do, o.cost = execVSQRT, 14
		}
	case 2, 3: // sh: the half of the register
		o.do, o.sh = execVCVTFromHalf, uint8(w>>7&1*16)
		if opc2 == 3 {
			o.do = execVCVTToHalf
		}
	case 4, 5:
		o.do, o.kind = execVCMP, uint8(w>>7&1)
		if opc2 == 5 {
			o.do = execVCMPZero
		}
	case 8:
		o.do, o.kind = execVCVTFromInt, uint8(w>>7&1^1)
	case 12, 13:
		o.do, o.kind = execVCVTToInt, uint8(opc2&1^1)
		if top {
			o.do = execVCVTToIntZero
		}
	case 10, 11, 14, 15:
		return decodeVFPFixed(w, o)
	}
	return vfpIf(o, true)
}

// decodeVFPFixed is VCVT between a single and fixed point in the same register:
// aux is the size, sh the bits behind the point.
func decodeVFPFixed(w uint32, o op) op {
	o.do, o.kind, o.aux = execVCVTFromFixed, uint8(w>>16&1), 16
	if bit(w, 18) {
		o.do = execVCVTToFixed
	}
	if bit(w, 7) {
		o.aux = 32
	}
	imm5 := uint8(w&15<<1 | w>>5&1)
	o.sh = o.aux - imm5
	return vfpIf(o, imm5 <= o.aux)
}

// decodeVFPMove: between core and extension registers, 32 bits (A6.6).
func decodeVFPMove(w uint32) op {
	t, load := fieldT(w), bit(w, 20)
	o := op32(nil, 1)
	o.a, o.d = t, singleN(w)
	opc1 := w >> 21 & 7
	switch {
	case bit(w, 8): // a half of a double
		o.do, o.d = execVMOVFromCore, uint8(w>>15&0x1e|opc1&1)
		if load {
			o.do = execVMOVToCore
		}
		return vfpIf(o, !badReg(t) && !bit(w, 7) && opc1 < 2 && w>>5&3 == 0)
	case opc1 == 0:
		o.do = execVMOVFromCore
		if load {
			o.do = execVMOVToCore
		}
		return vfpIf(o, !badReg(t))
	case opc1 != 7 || w>>16&15 != 1: // FPSCR is the only system register
	case !load:
		o.do = execVMSR
		return vfpIf(o, !badReg(t))
	default:
		o.do = execVMRS
		if t == 15 {
			o.do = execVMRSFlags
		}
		return vfpIf(o, t != 13)
	}
	return undefinedVFP
}

// decodeVFPPair: two core registers and a double or two singles (A6.7, 64-bit
// transfers).
func decodeVFPPair(w uint32) op {
	t, t2 := fieldT(w), fieldN(w)
	o := op32(execVMOVPairFromCore, 2)
	o.a, o.n, o.d = t, t2, singleM(w)
	ok := w>>6&3 == 0 && bit(w, 4) && !badReg(t, t2)
	if bit(w, 8) {
		o.d = uint8(w << 1 & 0x1e)
		ok = ok && !bit(w, 5)
	} else {
		ok = ok && o.d != 31
	}
	if bit(w, 20) {
		o.do = execVMOVPairToCore
		ok = ok && t != t2
	}
	return vfpIf(o, ok)
}

// decodeVFPMemory: loads and stores of extension registers (A6.5). aux is the
// number of words, d the first of them.
func decodeVFPMemory(w, pc uint32) op {
	n, load, double := fieldN(w), bit(w, 20), bit(w, 8)
	p, u, back := bit(w, 24), bit(w, 23), bit(w, 21)
	o := op32(nil, 0)
	o.n, o.d, o.imm = n, singleD(w), w&0xff*4
	ok := true
	if double {
		o.d, ok = uint8(w>>11&0x1e), !bit(w, 22)
	}
	if p && !back {
		return vfpSingleTransfer(o, pc, load, double, u, ok)
	}
	if p == u { // P, U and W all 0 were the 64-bit transfers
		return undefinedVFP
	}
	words := w & 0xff
	if double {
		words &^= 1 // odd: FLDMX, FSTMX, whose last word is not transferred
	}
	ok = ok && n != 15 && words != 0 && uint32(o.d)+words <= 32
	o.do, o.aux, o.cost = execVSTM, uint8(words), uint8(1+words)
	if load {
		o.do = execVLDM
	}
	if p {
		o.kind |= multipleDB
	}
	if back {
		o.kind |= multipleWriteback
	}
	return vfpIf(o, ok)
}

// vfpSingleTransfer is VLDR and VSTR.
func vfpSingleTransfer(o op, pc uint32, load, double, up, ok bool) op {
	o.do, o.aux, o.cost = execVSTR, 1, 2
	if double {
		o.aux, o.cost = 2, 3
	}
	if !up {
		o.imm = -o.imm
	}
	if load {
		o.do = execVLDR
	}
	if o.n == 15 {
		o.n, o.imm = slotZero, o.imm+(pc+4)&^3
		ok = ok && load
	}
	return vfpIf(o, ok)
}
