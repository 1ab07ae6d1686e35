package lockstep

// wideFP is the floating-point extension (DDI 0403E A6.4 to A6.7, A7.7). D, B
// and Y are the extension registers Vd, Vn and Vm; those of doubles have no fifth
// bit, which must be 0 where there are 16.
var wideFP = append(append(fpArithmetic(), fpConversions()...), []Pattern{
	{Name: "VMOV (immediate) T1", Bits: "11101110 1D11 iiii DDDD 1010 z0z0 iiii"},
	{Name: "VMOV (register) T2", Bits: "11101110 1D11 0000 DDDD 1010 01Y0 YYYY"},
	{Name: "VABS T1", Bits: "11101110 1D11 0000 DDDD 1010 11Y0 YYYY"},
	{Name: "VNEG T1", Bits: "11101110 1D11 0001 DDDD 1010 01Y0 YYYY"},
	{Name: "VSQRT T1", Bits: "11101110 1D11 0001 DDDD 1010 11Y0 YYYY"},
	{Name: "VCMP, VCMPE T1", Bits: "11101110 1D11 0100 DDDD 1010 e1Y0 YYYY"},
	{Name: "VCMP, VCMPE T2", Bits: "11101110 1D11 0101 DDDD 1010 e1z0 zzzz"},

	{Name: "VMOV (core register to single)", Bits: "11101110 0000 BBBB tttt 1010 Bzz1 zzzz", Not1315: "t"},
	{Name: "VMOV (single to core register)", Bits: "11101110 0001 BBBB tttt 1010 Bzz1 zzzz", Not1315: "t"},
	{Name: "VMOV (core register to half of double)", Bits: "11101110 00h0 BBBB tttt 1011 0001 zzzz", Not1315: "t"},
	{Name: "VMOV (half of double to core register)", Bits: "11101110 00h1 BBBB tttt 1011 0001 zzzz", Not1315: "t"},
	{Name: "VMOV (two core registers to two singles)", Bits: "11101100 0100 vvvv tttt 1010 00Y1 YYYY", Not1315: "tv", Check: checkPair},
	{Name: "VMOV (two singles to two core registers)", Bits: "11101100 0101 vvvv tttt 1010 00Y1 YYYY", Not1315: "tv", Check: checkPair},
	{Name: "VMOV (two core registers to double)", Bits: "11101100 0100 vvvv tttt 1011 0001 YYYY", Not1315: "tv"},
	{Name: "VMOV (double to two core registers)", Bits: "11101100 0101 vvvv tttt 1011 0001 YYYY", Not1315: "tv", Check: checkPair},
	{Name: "VMSR T1", Bits: "11101110 1110 0001 tttt 1010 zzz1 zzzz", Not1315: "t"},
	{Name: "VMRS T1", Bits: "11101110 1111 0001 tttt 1010 zzz1 zzzz", Check: checkVMRS},

	{Name: "VSTR T1, double", Kind: memImm, Size: 4, Width: 8, Scale: 4, Bits: "11101101 u000 nnnn DDDD 1011 iiiiiiii", Not15: "n"},
	{Name: "VSTR T2, single", Kind: memImm, Size: 4, Scale: 4, Bits: "11101101 uD00 nnnn DDDD 1010 iiiiiiii", Not15: "n"},
	{Name: "VLDR T1, double, literal", Kind: memLit, Size: 4, Scale: 4, Bits: "11101101 u001 1111 DDDD 1011 iiiiiiii"},
	{Name: "VLDR T2, single, literal", Kind: memLit, Size: 4, Scale: 4, Bits: "11101101 uD01 1111 DDDD 1010 iiiiiiii"},
	{Name: "VLDR T1, double", Kind: memImm, Size: 4, Width: 8, Scale: 4, Bits: "11101101 u001 nnnn DDDD 1011 iiiiiiii"},
	{Name: "VLDR T2, single", Kind: memImm, Size: 4, Scale: 4, Bits: "11101101 uD01 nnnn DDDD 1010 iiiiiiii"},

	{Name: "VSTMIA T1, doubles", Kind: memFP, Size: 4, Bits: "11101100 10w0 nnnn DDDD 1011 iiiiiiii", Check: checkFPList},
	{Name: "VSTMIA T2, singles", Kind: memFP, Size: 4, Bits: "11101100 1Dw0 nnnn DDDD 1010 iiiiiiii", Check: checkFPList},
	{Name: "VSTMDB T1, doubles", Kind: memFP, Size: 4, Bits: "11101101 0010 nnnn DDDD 1011 iiiiiiii", Check: checkFPList},
	{Name: "VSTMDB T2, singles", Kind: memFP, Size: 4, Bits: "11101101 0D10 nnnn DDDD 1010 iiiiiiii", Check: checkFPList},
	{Name: "VLDMIA T1, doubles", Kind: memFP, Size: 4, Bits: "11101100 10w1 nnnn DDDD 1011 iiiiiiii", Check: checkFPList},
	{Name: "VLDMIA T2, singles", Kind: memFP, Size: 4, Bits: "11101100 1Dw1 nnnn DDDD 1010 iiiiiiii", Check: checkFPList},
	{Name: "VLDMDB T1, doubles", Kind: memFP, Size: 4, Bits: "11101101 0011 nnnn DDDD 1011 iiiiiiii", Check: checkFPList},
	{Name: "VLDMDB T2, singles", Kind: memFP, Size: 4, Bits: "11101101 0D11 nnnn DDDD 1010 iiiiiiii", Check: checkFPList},
}...)

// fpArithmetic are the operations of two and three operands (A6.4).
func fpArithmetic() []Pattern {
	var t []Pattern
	for _, x := range []struct{ name, opc1, op string }{
		{"VMLA", "0D00", "0"}, {"VMLS", "0D00", "1"}, {"VNMLS", "0D01", "0"}, {"VNMLA", "0D01", "1"},
		{"VMUL", "0D10", "0"}, {"VNMUL", "0D10", "1"}, {"VADD", "0D11", "0"}, {"VSUB", "0D11", "1"},
		{"VDIV", "1D00", "0"}, {"VFNMS", "1D01", "0"}, {"VFNMA", "1D01", "1"}, {"VFMA", "1D10", "0"}, {"VFMS", "1D10", "1"},
	} {
		t = append(t, Pattern{Name: x.name, Bits: "11101110" + x.opc1 + "BBBB DDDD 1010 B" + x.op + "Y0 YYYY"})
	}
	return t
}

// fpConversions are VCVT and its like (A7.7).
func fpConversions() []Pattern {
	var t []Pattern
	add := func(name, opc2, op string, check func(Level, Word) RuleID) {
		t = append(t, Pattern{Name: name, Bits: "11101110 1D11" + opc2 + "DDDD 1010" + op, Check: check})
	}
	for _, sign := range []struct{ name, fixed, to, from string }{{"S", "0", "1", "1"}, {"U", "1", "0", "0"}} {
		add("VCVT.F32."+sign.name+"32", "1000", sign.from+"1Y0 YYYY", nil)
		add("VCVT."+sign.name+"32.F32", "110"+sign.to, "11Y0 YYYY", nil)
		add("VCVTR."+sign.name+"32.F32", "110"+sign.to, "01Y0 YYYY", nil)
		for _, size := range []struct{ name, sx string }{{"16", "0"}, {"32", "1"}} {
			var check func(Level, Word) RuleID
			if size.name == "16" {
				check = checkFixed16
			}
			add("VCVT.F32."+sign.name+size.name+", fixed-point", "101"+sign.fixed, size.sx+"1i0 iiii", check)
			add("VCVT."+sign.name+size.name+".F32, fixed-point", "111"+sign.fixed, size.sx+"1i0 iiii", check)
		}
	}
	for _, half := range []struct{ name, t string }{{"B", "0"}, {"T", "1"}} {
		add("VCVT"+half.name+".F32.F16", "0010", half.t+"1Y0 YYYY", nil)
		add("VCVT"+half.name+".F16.F32", "0011", half.t+"1Y0 YYYY", nil)
	}
	return t
}

// checkFixed16: no more bits behind the point than there are. The field has
// its lowest bit in front.
func checkFixed16(_ Level, w Word) RuleID {
	if imm5 := w.Get('i')<<1&0x1e | w.Get('i')>>4; imm5 > 16 {
		return "fixed"
	}
	return ""
}

func checkPair(_ Level, w Word) RuleID {
	if w.P.single() && w.Get('Y')&0xf == 0xf && w.Get('Y')>>4 == 1 {
		return "fp-list"
	}
	if w.W&(1<<20) != 0 && w.Get('t') == w.Get('v') {
		return "fp-twice"
	}
	return ""
}

func checkVMRS(_ Level, w Word) RuleID {
	if w.Get('t') == 13 {
		return "r13"
	}
	return ""
}

// checkFPList: VLDM and VSTM of no register, or of one beyond the last.
func checkFPList(_ Level, w Word) RuleID {
	if w.Get('n') == 15 {
		return "r15"
	}
	if first, words := fpList(w); words == 0 || first+words > 32 {
		return "fp-list"
	}
	return ""
}

// fpList is the first single of a list and the number of words transferred.
// FLDMX and FSTMX, with an odd count, transfer one less.
func fpList(w Word) (first, words uint32) {
	d, count := w.Get('D'), w.Get('i')
	if !w.P.single() {
		return 2 * d, count &^ 1
	}
	return d<<1&0x1e | d>>4, count
}

// single tells whether a pattern of the extension has singles.
func (p *Pattern) single() bool { return p.value&(1<<8) == 0 }

// inFP tells whether an encoding is in the space of the floating-point
// extension, coprocessors 10 and 11 (A5.3.18).
func inFP(w uint32) bool {
	return w>>29 == 7 && w>>26&3 == 3 && w>>24&3 != 3 && w>>21&31 != 0 && w>>9&7 == 5
}
