package disasm

// floatRows are F and D: bit 25 chooses the precision.
func floatRows() (rows []row) {
	for fmt, p := range []string{"s", "d"} {
		bit := uint32(fmt) << 25
		width := []uint32{0x2000, 0x3000}[fmt]
		rows = append(rows,
			row{0x0000707f, width | 0x07, "fl" + []string{"w", "d"}[fmt] + "\t{f7},{load}"},
			row{0x0000707f, width | 0x27, "fs" + []string{"w", "d"}[fmt] + "\t{f20},{store}"})
		for i, name := range []string{"fmadd", "fmsub", "fnmsub", "fnmadd"} {
			rows = append(rows, row{0x0600007f, bit | 0x43 + uint32(i)<<2, name + "." + p + "\t{f7},{f15},{f20},{f27}{rm}"})
		}
		for i, name := range []string{"fadd", "fsub", "fmul", "fdiv"} {
			rows = append(rows, row{0xfe00007f, uint32(i)<<27 | bit | 0x53, name + "." + p + "\t{f7},{f15},{f20}{rm}"})
		}
		for _, f := range []row{
			{0xfff0007f, 0x58000053, "fsqrt.%\t{f7},{f15}{rm}"},
			{0xfe00707f, 0x20000053, "{sign}.%\t{f7},{f15}{other}"},
			{0xfe00707f, 0x20001053, "{sign}.%\t{f7},{f15}{other}"},
			{0xfe00707f, 0x20002053, "{sign}.%\t{f7},{f15}{other}"},
			{0xfe00707f, 0x28000053, "fmin.%\t{f7},{f15},{f20}"},
			{0xfe00707f, 0x28001053, "fmax.%\t{f7},{f15},{f20}"},
			{0xfe00707f, 0xa0002053, "feq.%\t{x7},{f15},{f20}"},
			{0xfe00707f, 0xa0001053, "flt.%\t{x7},{f15},{f20}"},
			{0xfe00707f, 0xa0000053, "fle.%\t{x7},{f15},{f20}"},
			{0xfff0707f, 0xe0001053, "fclass.%\t{x7},{f15}"},
			{0xfff0007f, 0xc0000053, "fcvt.w.%\t{x7},{f15}{rm}"},
			{0xfff0007f, 0xc0100053, "fcvt.wu.%\t{x7},{f15}{rm}"},
		} {
			rows = append(rows, row{f.mask, f.value | bit, precision(f.text, p)})
		}
	}
	return append(rows,
		row{0xfff0707f, 0xe0000053, "fmv.x.w\t{x7},{f15}"},
		row{0xfff0707f, 0xf0000053, "fmv.w.x\t{f7},{x15}"},
		row{0xfff0007f, 0xd0000053, "fcvt.s.w\t{f7},{x15}{rm}"},
		row{0xfff0007f, 0xd0100053, "fcvt.s.wu\t{f7},{x15}{rm}"},
		row{0xfff0707f, 0xd2000053, "fcvt.d.w\t{f7},{x15}"},
		row{0xfff0707f, 0xd2100053, "fcvt.d.wu\t{f7},{x15}"},
		row{0xfff0007f, 0x40100053, "fcvt.s.d\t{f7},{f15}{rm}"},
		row{0xfff0707f, 0x42000053, "fcvt.d.s\t{f7},{f15}"})
}

// precision puts the letter of a precision into a text.
func precision(text, letter string) string {
	for i := range text {
		if text[i] == '%' {
			return text[:i] + letter + text[i+1:]
		}
	}
	return text
}
