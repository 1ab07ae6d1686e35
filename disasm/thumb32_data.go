package disasm

import "math/bits"

// wideDataRows process data: A5.3.1, A5.3.3, A5.3.11 and A5.3.12 of the ARMv7-M manual.
var wideDataRows = []row{
	// Shifted register.
	{0xfff08f00, 0xea100f00, "tst{c}.w\t{r16}, {shifted}"},
	{0xffe08000, 0xea000000, "and{s}{c}.w\t{r8}, {r16}, {shifted}"},
	{0xffe08000, 0xea200000, "bic{s}{c}.w\t{r8}, {r16}, {shifted}"},
	{0xffef8000, 0xea4f0000, "mov{s}{c}.w\t{r8}, {shifted}"},
	{0xffe08000, 0xea400000, "orr{s}{c}.w\t{r8}, {r16}, {shifted}"},
	{0xffef8000, 0xea6f0000, "mvn{s}{c}.w\t{r8}, {shifted}"},
	{0xffe08000, 0xea600000, "orn{s}{c}\t{r8}, {r16}, {shifted}"},
	{0xfff08f00, 0xea900f00, "teq{c}\t{r16}, {shifted}"},
	{0xffe08000, 0xea800000, "eor{s}{c}.w\t{r8}, {r16}, {shifted}"},
	{0xfff08030, 0xeac00000, "pkhbt{c}\t{r8}, {r16}, {shifted}"},
	{0xfff08030, 0xeac00020, "pkhtb{c}\t{r8}, {r16}, {shifted}"},
	{0xfff08f00, 0xeb100f00, "cmn{c}.w\t{r16}, {shifted}"},
	{0xffe08000, 0xeb000000, "add{s}{c}.w\t{r8}, {r16}, {shifted}"},
	{0xffe08000, 0xeb400000, "adc{s}{c}.w\t{r8}, {r16}, {shifted}"},
	{0xffe08000, 0xeb600000, "sbc{s}{c}.w\t{r8}, {r16}, {shifted}"},
	{0xfff08f00, 0xebb00f00, "cmp{c}.w\t{r16}, {shifted}"},
	{0xffe08000, 0xeba00000, "sub{s}{c}.w\t{r8}, {r16}, {shifted}"},
	{0xffe08000, 0xebc00000, "rsb{s}{c}\t{r8}, {r16}, {shifted}"},

	// Modified immediate.
	{0xfbf08f00, 0xf0100f00, "tst{c}.w\t{r16}, {constant}"},
	{0xfbe08000, 0xf0000000, "and{s}{c}.w\t{r8}, {r16}, {constant}"},
	{0xfbe08000, 0xf0200000, "bic{s}{c}.w\t{r8}, {r16}, {constant}"},
	{0xfbef8000, 0xf04f0000, "mov{s}{c}.w\t{r8}, {constant}"},
	{0xfbe08000, 0xf0400000, "orr{s}{c}.w\t{r8}, {r16}, {constant}"},
	{0xfbef8000, 0xf06f0000, "mvn{s}{c}.w\t{r8}, {constant}"},
	{0xfbe08000, 0xf0600000, "orn{s}{c}\t{r8}, {r16}, {constant}"},
	{0xfbf08f00, 0xf0900f00, "teq{c}\t{r16}, {constant}"},
	{0xfbe08000, 0xf0800000, "eor{s}{c}.w\t{r8}, {r16}, {constant}"},
	{0xfbf08f00, 0xf1100f00, "cmn{c}.w\t{r16}, {constant}"},
	{0xfbe08000, 0xf1000000, "add{s}{c}.w\t{r8}, {r16}, {constant}"},
	{0xfbe08000, 0xf1400000, "adc{s}{c}.w\t{r8}, {r16}, {constant}"},
	{0xfbe08000, 0xf1600000, "sbc{s}{c}.w\t{r8}, {r16}, {constant}"},
	{0xfbf08f00, 0xf1b00f00, "cmp{c}.w\t{r16}, {constant}"},
	{0xfbe08000, 0xf1a00000, "sub{s}{c}.w\t{r8}, {r16}, {constant}"},
	{0xfbe08000, 0xf1c00000, "rsb{s}{c}\t{r8}, {r16}, {constant}"},

	// Plain binary immediate.
	{0xfbf08000, 0xf2000000, "addw{c}\t{r8}, {r16}, #{imm12}"},
	{0xfbf08000, 0xf2400000, "movw{c}\t{r8}, #{imm16}"},
	{0xfbf08000, 0xf2a00000, "subw{c}\t{r8}, {r16}, #{imm12}"},
	{0xfbf08000, 0xf2c00000, "movt{c}\t{r8}, #{imm16}"},
	{0xfff0f0e0, 0xf3200000, "ssat16{c}\t{r8}, #{sat}, {r16}"},
	{0xfff0f0e0, 0xf3a00000, "usat16{c}\t{r8}, #{u0.5}, {r16}"},
	{0xffd08020, 0xf3000000, "ssat{c}\t{r8}, #{sat}, {r16}{satshift}"},
	{0xffd08020, 0xf3800000, "usat{c}\t{r8}, #{u0.5}, {r16}{satshift}"},
	{0xfff08020, 0xf3400000, "sbfx{c}\t{r8}, {r16}, #{lsb}, #{width}"},
	{0xffff8020, 0xf36f0000, "bfc{c}\t{r8}, #{lsb}, #{between}"},
	{0xfff08020, 0xf3600000, "bfi{c}\t{r8}, {r16}, #{lsb}, #{between}"},
	{0xfff08020, 0xf3c00000, "ubfx{c}\t{r8}, {r16}, #{lsb}, #{width}"},

	// Register: shifts, extensions, bits.
	{0xffe0f0f0, 0xfa00f000, "lsl{s}{c}.w\t{R8}, {R16}, {R0}"},
	{0xffe0f0f0, 0xfa20f000, "lsr{s}{c}.w\t{R8}, {R16}, {R0}"},
	{0xffe0f0f0, 0xfa40f000, "asr{s}{c}.w\t{R8}, {R16}, {R0}"},
	{0xffe0f0f0, 0xfa60f000, "ror{s}{c}.w\t{r8}, {r16}, {r0}"},
	{0xfffff0c0, 0xfa0ff080, "sxth{c}.w\t{r8}, {r0}{rotated}"},
	{0xfffff0c0, 0xfa1ff080, "uxth{c}.w\t{r8}, {r0}{rotated}"},
	{0xfffff0c0, 0xfa2ff080, "sxtb16{c}\t{r8}, {r0}{rotated}"},
	{0xfffff0c0, 0xfa3ff080, "uxtb16{c}\t{r8}, {r0}{rotated}"},
	{0xfffff0c0, 0xfa4ff080, "sxtb{c}.w\t{r8}, {r0}{rotated}"},
	{0xfffff0c0, 0xfa5ff080, "uxtb{c}.w\t{r8}, {r0}{rotated}"},
	{0xfff0f0c0, 0xfa00f080, "sxtah{c}\t{r8}, {r16}, {r0}{rotated}"},
	{0xfff0f0c0, 0xfa10f080, "uxtah{c}\t{r8}, {r16}, {r0}{rotated}"},
	{0xfff0f0c0, 0xfa20f080, "sxtab16{c}\t{r8}, {r16}, {r0}{rotated}"},
	{0xfff0f0c0, 0xfa30f080, "uxtab16{c}\t{r8}, {r16}, {r0}{rotated}"},
	{0xfff0f0c0, 0xfa40f080, "sxtab{c}\t{r8}, {r16}, {r0}{rotated}"},
	{0xfff0f0c0, 0xfa50f080, "uxtab{c}\t{r8}, {r16}, {r0}{rotated}"},
	{0xfff0f0f0, 0xfa80f080, "qadd{c}\t{r8}, {r0}, {r16}"},
	{0xfff0f0f0, 0xfa80f090, "qdadd{c}\t{r8}, {r0}, {r16}"},
	{0xfff0f0f0, 0xfa80f0a0, "qsub{c}\t{r8}, {r0}, {r16}"},
	{0xfff0f0f0, 0xfa80f0b0, "qdsub{c}\t{r8}, {r0}, {r16}"},
	{0xfff0f0f0, 0xfa90f080, "rev{c}.w\t{r8}, {r16}"},
	{0xfff0f0f0, 0xfa90f090, "rev16{c}.w\t{r8}, {r16}"},
	{0xfff0f0f0, 0xfa90f0a0, "rbit{c}\t{r8}, {r16}"},
	{0xfff0f0f0, 0xfa90f0b0, "revsh{c}.w\t{r8}, {r16}"},
	{0xfff0f0f0, 0xfaa0f080, "sel{c}\t{r8}, {r16}, {r0}"},
	{0xfff0f0f0, 0xfab0f080, "clz{c}\t{r8}, {r16}"},

	// Parallel addition and subtraction.
	{0xfff0f080, 0xfa80f000, "{parallel}add8{c}\t{r8}, {r16}, {r0}"},
	{0xfff0f080, 0xfa90f000, "{parallel}add16{c}\t{r8}, {r16}, {r0}"},
	{0xfff0f080, 0xfaa0f000, "{parallel}asx{c}\t{r8}, {r16}, {r0}"},
	{0xfff0f080, 0xfac0f000, "{parallel}sub8{c}\t{r8}, {r16}, {r0}"},
	{0xfff0f080, 0xfad0f000, "{parallel}sub16{c}\t{r8}, {r16}, {r0}"},
	{0xfff0f080, 0xfae0f000, "{parallel}sax{c}\t{r8}, {r16}, {r0}"},
}

// imm12 is i:imm3:imm8.
func (t *thumb) imm12() uint32 { return t.word>>15&0x800 | t.word>>4&0x700 | t.word&0xff }

// lsb is imm3:imm2.
func (t *thumb) lsb() uint32 { return t.word>>10&0x1c | t.word>>6&3 }

// modified is a modified immediate constant: A5.3.2.
func modified(imm12 uint32) uint32 {
	imm8 := imm12 & 0xff
	switch imm12 >> 8 {
	case 0:
		return imm8
	case 1:
		return imm8<<16 | imm8
	case 2:
		return imm8<<24 | imm8<<8
	case 3:
		return imm8 * 0x01010101
	}
	return bits.RotateLeft32(imm8|0x80, -int(imm12>>7))
}

var _ = fields(map[string]func(*thumb){
	"shifted": func(t *thumb) { // A7.4.2
		t.put(registers[t.word&15])
		n, kind := t.lsb(), t.word>>4&3
		switch {
		case n == 0 && kind == 0:
			return
		case n == 0 && kind == 3:
			t.put(", rrx")
			return
		case n == 0:
			n = 32
		}
		t.put([]string{", lsl #", ", lsr #", ", asr #", ", ror #"}[kind])
		t.number(int64(n))
	},
	"constant": func(t *thumb) {
		t.put("#")
		t.number(int64(modified(t.imm12())))
	},
	"imm12":   func(t *thumb) { t.number(int64(t.imm12())) },
	"imm16":   func(t *thumb) { t.number(int64(t.word>>4&0xf000 | t.imm12())) },
	"sat":     func(t *thumb) { t.number(int64(t.word&31 + 1)) },
	"lsb":     func(t *thumb) { t.number(int64(t.lsb())) },
	"width":   func(t *thumb) { t.number(int64(t.word&31 + 1)) },
	"between": func(t *thumb) { t.number(int64(t.word&31 + 1 - t.lsb())); t.value = 0 },
	"satshift": func(t *thumb) {
		switch n, right := t.lsb(), t.word>>21&1 != 0; {
		case right:
			t.put(", asr #")
			t.number(int64(n))
		case n != 0:
			t.put(", lsl #")
			t.number(int64(n))
		}
	},
	"rotated": func(t *thumb) {
		if n := t.word >> 4 & 3; n != 0 {
			t.put(", ror #")
			t.put([]string{"", "8", "16", "24"}[n])
		}
	},
	"parallel": func(t *thumb) {
		prefix := []string{"s", "q", "sh", "", "u", "uq", "uh", ""}[t.word>>4&7]
		t.bad = t.bad || prefix == ""
		t.put(prefix)
	},
})
