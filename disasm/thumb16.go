package disasm

import "strconv"

// narrowRows are the instructions of 16 bits, in the order of A5.2 of the ARMv7-M manual.
var narrowRows = []row{
	{0xffc0, 0x0000, "mov{C}\t{l0}, {l3}"},
	{0xf800, 0x0000, "lsl{C}\t{l0}, {l3}, #{u6.5}"},
	{0xf800, 0x0800, "lsr{C}\t{l0}, {l3}, #{shift32}"},
	{0xf800, 0x1000, "asr{C}\t{l0}, {l3}, #{shift32}"},
	{0xfe00, 0x1800, "add{C}\t{l0}, {l3}, {l6}"},
	{0xfe00, 0x1a00, "sub{C}\t{l0}, {l3}, {l6}"},
	{0xfe00, 0x1c00, "add{C}\t{l0}, {l3}, #{u6.3}"},
	{0xfe00, 0x1e00, "sub{C}\t{l0}, {l3}, #{u6.3}"},
	{0xf800, 0x2000, "mov{C}\t{l8}, #{u0.8}"},
	{0xf800, 0x2800, "cmp{c}\t{l8}, #{u0.8}"},
	{0xf800, 0x3000, "add{C}\t{l8}, #{u0.8}"},
	{0xf800, 0x3800, "sub{C}\t{l8}, #{u0.8}"},

	{0xffc0, 0x4000, "and{C}\t{l0}, {l3}"},
	{0xffc0, 0x4040, "eor{C}\t{l0}, {l3}"},
	{0xffc0, 0x4080, "lsl{C}\t{l0}, {l3}"},
	{0xffc0, 0x40c0, "lsr{C}\t{l0}, {l3}"},
	{0xffc0, 0x4100, "asr{C}\t{l0}, {l3}"},
	{0xffc0, 0x4140, "adc{C}\t{l0}, {l3}"},
	{0xffc0, 0x4180, "sbc{C}\t{l0}, {l3}"},
	{0xffc0, 0x41c0, "ror{C}\t{l0}, {l3}"},
	{0xffc0, 0x4200, "tst{c}\t{l0}, {l3}"},
	{0xffc0, 0x4240, "neg{C}\t{l0}, {l3}"},
	{0xffc0, 0x4280, "cmp{c}\t{l0}, {l3}"},
	{0xffc0, 0x42c0, "cmn{c}\t{l0}, {l3}"},
	{0xffc0, 0x4300, "orr{C}\t{l0}, {l3}"},
	{0xffc0, 0x4340, "mul{C}\t{l0}, {l3}"},
	{0xffc0, 0x4380, "bic{C}\t{l0}, {l3}"},
	{0xffc0, 0x43c0, "mvn{C}\t{l0}, {l3}"},

	{0xff00, 0x4400, "add{c}\t{high}, {r3}"},
	{0xff00, 0x4500, "cmp{c}\t{high}, {r3}"},
	{0xffff, 0x46c0, "nop{nop}"},
	{0xff00, 0x4600, "mov{c}\t{high}, {r3}"},
	{0xff87, 0x4704, "bxns{c}\t{r3}"},
	{0xff80, 0x4700, "bx{c}\t{r3}{it}"},
	{0xff87, 0x4780, "blx{c}\t{r3}{it}"},
	{0xff87, 0x4784, "blxns{c}\t{r3}"},

	{0xf800, 0x4800, "ldr{c}\t{l8}, [pc, #{u0.8*4}]{literal}"},
	{0xfe00, 0x5000, "str{c}\t{l0}, [{l3}, {l6}]"},
	{0xfe00, 0x5200, "strh{c}\t{l0}, [{l3}, {l6}]"},
	{0xfe00, 0x5400, "strb{c}\t{l0}, [{l3}, {l6}]"},
	{0xfe00, 0x5600, "ldrsb{c}\t{l0}, [{l3}, {l6}]"},
	{0xfe00, 0x5800, "ldr{c}\t{l0}, [{l3}, {l6}]"},
	{0xfe00, 0x5a00, "ldrh{c}\t{l0}, [{l3}, {l6}]"},
	{0xfe00, 0x5c00, "ldrb{c}\t{l0}, [{l3}, {l6}]"},
	{0xfe00, 0x5e00, "ldrsh{c}\t{l0}, [{l3}, {l6}]"},
	{0xf800, 0x6000, "str{c}\t{l0}, [{l3}, #{u6.5*4}]"},
	{0xf800, 0x6800, "ldr{c}\t{l0}, [{l3}, #{u6.5*4}]"},
	{0xf800, 0x7000, "strb{c}\t{l0}, [{l3}, #{u6.5}]"},
	{0xf800, 0x7800, "ldrb{c}\t{l0}, [{l3}, #{u6.5}]"},
	{0xf800, 0x8000, "strh{c}\t{l0}, [{l3}, #{u6.5*2}]"},
	{0xf800, 0x8800, "ldrh{c}\t{l0}, [{l3}, #{u6.5*2}]"},
	{0xf800, 0x9000, "str{c}\t{l8}, [sp, #{u0.8*4}]"},
	{0xf800, 0x9800, "ldr{c}\t{l8}, [sp, #{u0.8*4}]"},
	{0xf800, 0xa000, "add{c}\t{l8}, pc, #{u0.8*4}{adr}"},
	{0xf800, 0xa800, "add{c}\t{l8}, sp, #{u0.8*4}"},

	{0xff80, 0xb000, "add{c}\tsp, #{u0.7*4}"},
	{0xff80, 0xb080, "sub{c}\tsp, #{u0.7*4}"},
	{0xfd00, 0xb100, "cbz\t{l0}, {compare}{IT}"},
	{0xfd00, 0xb900, "cbnz\t{l0}, {compare}{IT}"},
	{0xffc0, 0xb200, "sxth{c}\t{l0}, {l3}"},
	{0xffc0, 0xb240, "sxtb{c}\t{l0}, {l3}"},
	{0xffc0, 0xb280, "uxth{c}\t{l0}, {l3}"},
	{0xffc0, 0xb2c0, "uxtb{c}\t{l0}, {l3}"},
	{0xfe00, 0xb400, "push{c}\t{pushed}"},
	{0xfe00, 0xbc00, "pop{c}\t{popped}"},
	{0xfff8, 0xb660, "cpsie\t{b2=a}{b1=i}{b0=f}{IT}"},
	{0xfff8, 0xb670, "cpsid\t{b2=a}{b1=i}{b0=f}{IT}"},
	{0xffc0, 0xba00, "rev{c}\t{l0}, {l3}"},
	{0xffc0, 0xba40, "rev16{c}\t{l0}, {l3}"},
	{0xffc0, 0xbac0, "revsh{c}\t{l0}, {l3}"},
	{0xff00, 0xbe00, "bkpt\t{bkpt}"},
	{0xffff, 0xbf00, "nop{c}"},
	{0xffff, 0xbf10, "yield{c}"},
	{0xffff, 0xbf20, "wfe{c}"},
	{0xffff, 0xbf30, "wfi{c}"},
	{0xffff, 0xbf40, "sev{c}"},
	{0xffff, 0xbf50, "sevl{c}"},
	{0xff0f, 0xbf00, "nop{c}\t{hint}"},
	{0xff00, 0xbf00, "it{then}"},

	{0xf800, 0xc000, "stmia{c}\t{l8}!, {low}"},
	{0xf800, 0xc800, "ldmia{c}\t{l8}{loaded}, {low}"},
	{0xff00, 0xde00, "udf{c}\t#{u0.8}"},
	{0xff00, 0xdf00, "svc{c}\t{u0.8}"},
	{0xf000, 0xd000, "b{cond8}.n\t{branch8}{IT}"},
	{0xf800, 0xe000, "b{c}.n\t{branch11}{it}"},
}

var _ = fields(map[string]func(*thumb){
	"shift32": func(t *thumb) { // 0 stands for 32, A7.4.2
		if n := t.field(6, 5); n != 0 {
			t.number(int64(n))
		} else {
			t.put("32")
		}
	},
	"high": func(t *thumb) { t.put(registers[t.word>>4&8|t.word&7]) },
	"nop":  func(t *thumb) { t.put(t.it.cond()); t.remark("(mov r8, r8)") },
	"literal": func(t *thumb) {
		t.value = 0
		t.remark("(" + t.name(t.literal()+t.word&0xff*4) + ")")
	},
	"adr": func(t *thumb) {
		t.value = 0
		t.remark("(adr " + registers[t.word>>8&7] + ", " + t.name(t.literal()+t.word&0xff*4) + ")")
	},
	"compare":  func(t *thumb) { t.branch(t.addr + 4 + (t.word>>3&0x40 | t.word>>2&0x3e)) },
	"pushed":   func(t *thumb) { t.list(t.word&0xff | t.word<<6&0x4000) },
	"popped":   func(t *thumb) { t.list(t.word&0xff | t.word<<7&0x8000) },
	"low":      func(t *thumb) { t.list(t.word & 0xff) },
	"bkpt":     func(t *thumb) { t.text = appendHex(append(t.text, "0x"...), t.word&0xff, 4) },
	"hint":     func(t *thumb) { t.put("{" + strconv.Itoa(int(t.word>>4&15)) + "}") },
	"cond8":    func(t *thumb) { t.put(conditions[t.word>>8&15]) },
	"branch8":  func(t *thumb) { t.branch(t.addr + 4 + signed(t.word&0xff, 8)*2) },
	"branch11": func(t *thumb) { t.branch(t.addr + 4 + signed(t.word&0x7ff, 11)*2) },
	"loaded": func(t *thumb) { // writes back where the base is not among the registers
		if t.word>>(t.word>>8&7)&1 == 0 {
			t.put("!")
		}
	},
	"then": putIT,
})

// putIT prints the letters behind it, and its condition: A7.7.38.
func putIT(t *thumb) {
	first, mask := t.word>>4&15, t.word&15
	for bit := uint32(8); bit > mask&-mask; bit >>= 1 {
		if (mask&bit != 0) == (first&1 != 0) {
			t.put("t")
		} else {
			t.put("e")
		}
	}
	t.put("\t" + conditions[first])
	namedFields["IT"](t)
}
