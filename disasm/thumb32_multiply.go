package disasm

// wideMultiplyRows multiply and divide: A5.3.13 and A5.3.14 of the ARMv7-M manual.
var wideMultiplyRows = []row{
	{0xfff0f0f0, 0xfb00f000, "mul{c}.w\t{r8}, {r16}, {r0}"},
	{0xfff000f0, 0xfb000000, "mla{c}\t{r8}, {r16}, {r0}, {r12}"},
	{0xfff000f0, 0xfb000010, "mls{c}\t{r8}, {r16}, {r0}, {r12}"},
	{0xfff0f0c0, 0xfb10f000, "smul{b5=t}{bottom5}{b4=t}{bottom4}{c}\t{r8}, {r16}, {r0}"},
	{0xfff000c0, 0xfb100000, "smla{b5=t}{bottom5}{b4=t}{bottom4}{c}\t{r8}, {r16}, {r0}, {r12}"},
	{0xfff0f0e0, 0xfb20f000, "smuad{b4=x}{c}\t{r8}, {r16}, {r0}"},
	{0xfff000e0, 0xfb200000, "smlad{b4=x}{c}\t{R8}, {R16}, {R0}, {R12}"},
	{0xfff0f0e0, 0xfb30f000, "smulw{b4=t}{bottom4}{c}\t{r8}, {r16}, {r0}"},
	{0xfff000e0, 0xfb300000, "smlaw{b4=t}{bottom4}{c}\t{R8}, {R16}, {R0}, {R12}"},
	{0xfff0f0e0, 0xfb40f000, "smusd{b4=x}{c}\t{r8}, {r16}, {r0}"},
	{0xfff000e0, 0xfb400000, "smlsd{b4=x}{c}\t{R8}, {R16}, {R0}, {R12}"},
	{0xfff0f0e0, 0xfb50f000, "smmul{b4=r}{c}\t{r8}, {r16}, {r0}"},
	{0xfff000e0, 0xfb500000, "smmla{b4=r}{c}\t{R8}, {R16}, {R0}, {R12}"},
	{0xfff000e0, 0xfb600000, "smmls{b4=r}{c}\t{R8}, {R16}, {R0}, {R12}"},
	{0xfff0f0f0, 0xfb70f000, "usad8{c}\t{r8}, {r16}, {r0}"},
	{0xfff000f0, 0xfb700000, "usada8{c}\t{R8}, {R16}, {R0}, {R12}"},

	{0xfff000f0, 0xfb800000, "smull{c}\t{R12}, {R8}, {R16}, {R0}"},
	{0xfff0f0f0, 0xfb90f0f0, "sdiv{c}\t{r8}, {r16}, {r0}"},
	{0xfff000f0, 0xfba00000, "umull{c}\t{R12}, {R8}, {R16}, {R0}"},
	{0xfff0f0f0, 0xfbb0f0f0, "udiv{c}\t{r8}, {r16}, {r0}"},
	{0xfff000f0, 0xfbc00000, "smlal{c}\t{R12}, {R8}, {R16}, {R0}"},
	{0xfff000c0, 0xfbc00080, "smlal{b5=t}{bottom5}{b4=t}{bottom4}{c}\t{r12}, {r8}, {r16}, {r0}"},
	{0xfff000e0, 0xfbc000c0, "smlald{b4=x}{c}\t{R12}, {R8}, {R16}, {R0}"},
	{0xfff000e0, 0xfbd000c0, "smlsld{b4=x}{c}\t{R12}, {R8}, {R16}, {R0}"},
	{0xfff000f0, 0xfbe00000, "umlal{c}\t{R12}, {R8}, {R16}, {R0}"},
	{0xfff000f0, 0xfbe00060, "umaal{c}\t{R12}, {R8}, {R16}, {R0}"},
}

// bottom prints b where a bit is clear: the lower half of a register.
func bottom(bit uint) func(*thumb) {
	return func(t *thumb) {
		if t.word>>bit&1 == 0 {
			t.put("b")
		}
	}
}

var _ = fields(map[string]func(*thumb){"bottom5": bottom(5), "bottom4": bottom(4)})
