package disasm

// shiftRows are the shifts of MVE that work on core registers, which compilers use for numbers of 64 bits: of register
// pairs, and with saturation and rounding. They have the encodings of ORRS with SP or PC as an operand, which no other
// program has (C2.4 of the ARMv8-M manual).
var shiftRows = []row{
	{0xfff08f3f, 0xea500f0f, "uqshl{c}\t{r16}, #{shift64}"},
	{0xfff08f3f, 0xea500f1f, "urshr{c}\t{r16}, #{shift64}"},
	{0xfff08f3f, 0xea500f2f, "srshr{c}\t{r16}, #{shift64}"},
	{0xfff08f3f, 0xea500f3f, "sqshl{c}\t{r16}, #{shift64}"},
	{0xfff00fff, 0xea500f0d, "uqrshl{c}\t{r16}, {r12}"},
	{0xfff00fff, 0xea500f2d, "sqrshr{c}\t{r16}, {r12}"},
	{0xfff1813f, 0xea50010f, "lsll{c}\t{even}, {odd}, #{shift64}"},
	{0xfff1813f, 0xea50011f, "lsrl{c}\t{even}, {odd}, #{shift64}"},
	{0xfff1813f, 0xea50012f, "asrl{c}\t{even}, {odd}, #{shift64}"},
	{0xfff101ff, 0xea50010d, "lsll{c}\t{even}, {odd}, {r12}"},
	{0xfff101ff, 0xea50012d, "asrl{c}\t{even}, {odd}, {r12}"},
	{0xfff1813f, 0xea51010f, "uqshll{c}\t{even}, {odd}, #{shift64}"},
	{0xfff1813f, 0xea51011f, "urshrl{c}\t{even}, {odd}, #{shift64}"},
	{0xfff1813f, 0xea51012f, "srshrl{c}\t{even}, {odd}, #{shift64}"},
	{0xfff1813f, 0xea51013f, "sqshll{c}\t{even}, {odd}, #{shift64}"},
	{0xfff1017f, 0xea51010d, "uqrshll{c}\t{even}, {odd}, #{bound}, {r12}"},
	{0xfff1017f, 0xea51012d, "sqrshrl{c}\t{even}, {odd}, #{bound}, {r12}"},
}

var _ = fields(map[string]func(*thumb){
	"even":  func(t *thumb) { t.put(registers[t.word>>16&14]) },
	"odd":   func(t *thumb) { t.put(registers[t.word>>8&14|1]); t.bad = t.bad || t.word>>9&7 >= 6 },
	"bound": func(t *thumb) { t.put([]string{"64", "48"}[t.word>>7&1]) },
	"shift64": func(t *thumb) { // 0 stands for 32
		n := t.lsb()
		if n == 0 {
			n = 32
		}
		t.number(int64(n))
	},
})
