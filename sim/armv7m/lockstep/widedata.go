package lockstep

// wideData are the 32-bit data-processing encodings (DDI 0403E A5.3.1, A5.3.3,
// A5.3.11 to A5.3.17).
var wideData = append(shiftedPatterns(), []Pattern{
	{Name: "PKHBT, PKHTB T1", Need: V7EM, Bits: "11101010 1100 nnnn ziii dddd iib0 mmmm", Not1315: "dnm"},

	{Name: "ADR T2", Need: V7M, Bits: "11110 i 10101 0 1111 0iii dddd iiiiiiii", Not1315: "d"},
	{Name: "ADR T3", Need: V7M, Bits: "11110 i 10000 0 1111 0iii dddd iiiiiiii", Not1315: "d"},
	{Name: "ADD (immediate) T4", Need: V7M, Bits: "11110 i 10000 0 nnnn 0iii dddd iiiiiiii", Check: checkPlainAdd},
	{Name: "SUB (immediate) T4", Need: V7M, Bits: "11110 i 10101 0 nnnn 0iii dddd iiiiiiii", Check: checkPlainAdd},
	{Name: "MOVW T3", Need: V7M, Bits: "11110 i 10010 0 aaaa 0iii dddd iiiiiiii", Not1315: "d"},
	{Name: "MOVT T1", Need: V7M, Bits: "11110 i 10110 0 aaaa 0iii dddd iiiiiiii", Not1315: "d"},
	{Name: "SSAT16 T1", Need: V7EM, Bits: "11110 z 11001 0 nnnn 0000 dddd 00zz ssss", Not1315: "dn"},
	{Name: "USAT16 T1", Need: V7EM, Bits: "11110 z 11101 0 nnnn 0000 dddd 00zz ssss", Not1315: "dn"},
	{Name: "SSAT T1", Need: V7M, Bits: "11110 z 11000 0 nnnn 0iii dddd iiz sssss", Not1315: "dn"},
	{Name: "SSAT T1, ASR", Need: V7M, Bits: "11110 z 11001 0 nnnn 0iii dddd iiz sssss", Not1315: "dn", Check: checkSatShift},
	{Name: "USAT T1", Need: V7M, Bits: "11110 z 11100 0 nnnn 0iii dddd iiz sssss", Not1315: "dn"},
	{Name: "USAT T1, ASR", Need: V7M, Bits: "11110 z 11101 0 nnnn 0iii dddd iiz sssss", Not1315: "dn", Check: checkSatShift},
	{Name: "SBFX T1", Need: V7M, Bits: "11110 z 11010 0 nnnn 0iii dddd iiz sssss", Not1315: "dn", Check: checkExtractField},
	{Name: "UBFX T1", Need: V7M, Bits: "11110 z 11110 0 nnnn 0iii dddd iiz sssss", Not1315: "dn", Check: checkExtractField},
	{Name: "BFC T1", Need: V7M, Bits: "11110 z 11011 0 1111 0iii dddd iiz sssss", Not1315: "d", Check: checkInsertField},
	{Name: "BFI T1", Need: V7M, Bits: "11110 z 11011 0 nnnn 0iii dddd iiz sssss", Not1315: "dn", Check: checkInsertField},

	{Name: "LSL (register) T2", Need: V7M, Bits: "11111010 000s nnnn 1111 dddd 0000 mmmm", Not1315: "dnm"},
	{Name: "LSR (register) T2", Need: V7M, Bits: "11111010 001s nnnn 1111 dddd 0000 mmmm", Not1315: "dnm"},
	{Name: "ASR (register) T2", Need: V7M, Bits: "11111010 010s nnnn 1111 dddd 0000 mmmm", Not1315: "dnm"},
	{Name: "ROR (register) T2", Need: V7M, Bits: "11111010 011s nnnn 1111 dddd 0000 mmmm", Not1315: "dnm"},
	{Name: "SXTH T2", Need: V7M, Bits: "11111010 0000 1111 1111 dddd 1zrr mmmm", Not1315: "dm"},
	{Name: "UXTH T2", Need: V7M, Bits: "11111010 0001 1111 1111 dddd 1zrr mmmm", Not1315: "dm"},
	{Name: "SXTB16 T1", Need: V7EM, Bits: "11111010 0010 1111 1111 dddd 1zrr mmmm", Not1315: "dm"},
	{Name: "UXTB16 T1", Need: V7EM, Bits: "11111010 0011 1111 1111 dddd 1zrr mmmm", Not1315: "dm"},
	{Name: "SXTB T2", Need: V7M, Bits: "11111010 0100 1111 1111 dddd 1zrr mmmm", Not1315: "dm"},
	{Name: "UXTB T2", Need: V7M, Bits: "11111010 0101 1111 1111 dddd 1zrr mmmm", Not1315: "dm"},
	{Name: "SXTAH T1", Need: V7EM, Bits: "11111010 0000 nnnn 1111 dddd 1zrr mmmm", Not1315: "dmn"},
	{Name: "UXTAH T1", Need: V7EM, Bits: "11111010 0001 nnnn 1111 dddd 1zrr mmmm", Not1315: "dmn"},
	{Name: "SXTAB16 T1", Need: V7EM, Bits: "11111010 0010 nnnn 1111 dddd 1zrr mmmm", Not1315: "dmn"},
	{Name: "UXTAB16 T1", Need: V7EM, Bits: "11111010 0011 nnnn 1111 dddd 1zrr mmmm", Not1315: "dmn"},
	{Name: "SXTAB T1", Need: V7EM, Bits: "11111010 0100 nnnn 1111 dddd 1zrr mmmm", Not1315: "dmn"},
	{Name: "UXTAB T1", Need: V7EM, Bits: "11111010 0101 nnnn 1111 dddd 1zrr mmmm", Not1315: "dmn"},
	{Name: "QADD T1", Need: V7EM, Bits: "11111010 1000 nnnn 1111 dddd 1000 mmmm", Not1315: "dmn"},
	{Name: "QDADD T1", Need: V7EM, Bits: "11111010 1000 nnnn 1111 dddd 1001 mmmm", Not1315: "dmn"},
	{Name: "QSUB T1", Need: V7EM, Bits: "11111010 1000 nnnn 1111 dddd 1010 mmmm", Not1315: "dmn"},
	{Name: "QDSUB T1", Need: V7EM, Bits: "11111010 1000 nnnn 1111 dddd 1011 mmmm", Not1315: "dmn"},
	{Name: "REV T2", Need: V7M, Bits: "11111010 1001 nnnn 1111 dddd 1000 mmmm", Not1315: "dm", Check: checkTwice},
	{Name: "REV16 T2", Need: V7M, Bits: "11111010 1001 nnnn 1111 dddd 1001 mmmm", Not1315: "dm", Check: checkTwice},
	{Name: "RBIT T1", Need: V7M, Bits: "11111010 1001 nnnn 1111 dddd 1010 mmmm", Not1315: "dm", Check: checkTwice},
	{Name: "REVSH T2", Need: V7M, Bits: "11111010 1001 nnnn 1111 dddd 1011 mmmm", Not1315: "dm", Check: checkTwice},
	{Name: "SEL T1", Need: V7EM, Bits: "11111010 1010 nnnn 1111 dddd 1000 mmmm", Not1315: "dmn"},
	{Name: "CLZ T1", Need: V7M, Bits: "11111010 1011 nnnn 1111 dddd 1000 mmmm", Not1315: "dm", Check: checkTwice},

	{Name: "MUL T2", Need: V7M, Bits: "11111011 0000 nnnn 1111 dddd 0000 mmmm", Not1315: "dmn"},
	{Name: "MLA T1", Need: V7M, Bits: "11111011 0000 nnnn aaaa dddd 0000 mmmm", Not1315: "dmna"},
	{Name: "MLS T1", Need: V7M, Bits: "11111011 0000 nnnn aaaa dddd 0001 mmmm", Not1315: "dmna"},
	{Name: "SMULxy T1", Need: V7EM, Bits: "11111011 0001 nnnn 1111 dddd 00xy mmmm", Not1315: "dmn"},
	{Name: "SMLAxy T1", Need: V7EM, Bits: "11111011 0001 nnnn aaaa dddd 00xy mmmm", Not1315: "dmna"},
	{Name: "SMUAD T1", Need: V7EM, Bits: "11111011 0010 nnnn 1111 dddd 000x mmmm", Not1315: "dmn"},
	{Name: "SMLAD T1", Need: V7EM, Bits: "11111011 0010 nnnn aaaa dddd 000x mmmm", Not1315: "dmna"},
	{Name: "SMULWy T1", Need: V7EM, Bits: "11111011 0011 nnnn 1111 dddd 000y mmmm", Not1315: "dmn"},
	{Name: "SMLAWy T1", Need: V7EM, Bits: "11111011 0011 nnnn aaaa dddd 000y mmmm", Not1315: "dmna"},
	{Name: "SMUSD T1", Need: V7EM, Bits: "11111011 0100 nnnn 1111 dddd 000x mmmm", Not1315: "dmn"},
	{Name: "SMLSD T1", Need: V7EM, Bits: "11111011 0100 nnnn aaaa dddd 000x mmmm", Not1315: "dmna"},
	{Name: "SMMUL T1", Need: V7EM, Bits: "11111011 0101 nnnn 1111 dddd 000r mmmm", Not1315: "dmn"},
	{Name: "SMMLA T1", Need: V7EM, Bits: "11111011 0101 nnnn aaaa dddd 000r mmmm", Not1315: "dmna"},
	{Name: "SMMLS T1", Need: V7EM, Bits: "11111011 0110 nnnn aaaa dddd 000r mmmm", Not1315: "dmna"},
	{Name: "USAD8 T1", Need: V7EM, Bits: "11111011 0111 nnnn 1111 dddd 0000 mmmm", Not1315: "dmn"},
	{Name: "USADA8 T1", Need: V7EM, Bits: "11111011 0111 nnnn aaaa dddd 0000 mmmm", Not1315: "dmna"},
	{Name: "SMULL T1", Need: V7M, Bits: "11111011 1000 nnnn llll hhhh 0000 mmmm", Not1315: "lhnm", Check: checkLong},
	{Name: "SDIV T1", Need: V7M, Bits: "11111011 1001 nnnn oooo dddd 1111 mmmm", Not1315: "dnm"},
	{Name: "UMULL T1", Need: V7M, Bits: "11111011 1010 nnnn llll hhhh 0000 mmmm", Not1315: "lhnm", Check: checkLong},
	{Name: "UDIV T1", Need: V7M, Bits: "11111011 1011 nnnn oooo dddd 1111 mmmm", Not1315: "dnm"},
	{Name: "SMLAL T1", Need: V7M, Bits: "11111011 1100 nnnn llll hhhh 0000 mmmm", Not1315: "lhnm", Check: checkLong},
	{Name: "SMLALxy T1", Need: V7EM, Bits: "11111011 1100 nnnn llll hhhh 10xy mmmm", Not1315: "lhnm", Check: checkLong},
	{Name: "SMLALD T1", Need: V7EM, Bits: "11111011 1100 nnnn llll hhhh 110x mmmm", Not1315: "lhnm", Check: checkLong},
	{Name: "SMLSLD T1", Need: V7EM, Bits: "11111011 1101 nnnn llll hhhh 110x mmmm", Not1315: "lhnm", Check: checkLong},
	{Name: "UMLAL T1", Need: V7M, Bits: "11111011 1110 nnnn llll hhhh 0000 mmmm", Not1315: "lhnm", Check: checkLong},
	{Name: "UMAAL T1", Need: V7EM, Bits: "11111011 1110 nnnn llll hhhh 0110 mmmm", Not1315: "lhnm", Check: checkLong},
}...)

// shiftedPatterns are data processing with a shifted register and with a
// modified immediate, which share their operation codes, and the parallel
// additions and subtractions.
func shiftedPatterns() []Pattern {
	var t []Pattern
	add := func(name, op, sn, d, not string, check func(Level, Word) RuleID) {
		both := func(a Level, w Word) RuleID {
			if check != nil {
				if r := check(a, w); r != "" {
					return r
				}
			}
			return checkExpand(a, w)
		}
		t = append(t,
			Pattern{Name: name + " (register)", Need: V7M, Bits: "11101 01" + op + sn + "z iii" + d + "iikk mmmm", Not1315: not + "m", Check: check},
			Pattern{Name: name + " (immediate)", Need: V7M, Bits: "11110 i0" + op + sn + "0 iii" + d + "iiiiiiii", Not1315: not, Check: both})
	}
	// A destination of 15 with S set is the comparison; with 15 as first
	// operand ORR and ORN are moves.
	add("TST", "0000", "1nnnn", "1111", "n", nil)
	add("AND", "0000", "snnnn", "dddd", "dn", nil)
	add("BIC", "0001", "snnnn", "dddd", "dn", nil)
	t = append(t, Pattern{Name: "MOV (register) T3", Need: V7M, Bits: "11101 010010 s 1111 z000 dddd 0000 mmmm", Check: checkWideMove})
	add("MOV, shift", "0010", "s1111", "dddd", "d", nil)
	add("ORR", "0010", "snnnn", "dddd", "dn", nil)
	add("MVN", "0011", "s1111", "dddd", "d", nil)
	add("ORN", "0011", "snnnn", "dddd", "dn", nil)
	add("TEQ", "0100", "1nnnn", "1111", "n", nil)
	add("EOR", "0100", "snnnn", "dddd", "dn", nil)
	add("CMN", "1000", "1nnnn", "1111", "", checkNot15n)
	add("ADD", "1000", "snnnn", "dddd", "", checkWideAdd)
	add("ADC", "1010", "snnnn", "dddd", "dn", nil)
	add("SBC", "1011", "snnnn", "dddd", "dn", nil)
	add("CMP", "1101", "1nnnn", "1111", "", checkNot15n)
	add("SUB", "1101", "snnnn", "dddd", "", checkWideAdd)
	add("RSB", "1110", "snnnn", "dddd", "dn", nil)
	for _, op := range []struct{ name, bits string }{
		{"ADD16", "001"}, {"ASX", "010"}, {"SAX", "110"}, {"SUB16", "101"}, {"ADD8", "000"}, {"SUB8", "100"},
	} {
		for _, kind := range []struct{ name, bits string }{
			{"S", "000"}, {"Q", "001"}, {"SH", "010"}, {"U", "100"}, {"UQ", "101"}, {"UH", "110"},
		} {
			t = append(t, Pattern{Name: kind.name + op.name + " T1", Need: V7EM,
				Bits: "11111010 1" + op.bits + "nnnn 1111 dddd 0" + kind.bits + "mmmm", Not1315: "dnm"})
		}
	}
	return t
}
