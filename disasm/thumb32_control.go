package disasm

// wideControlRows branch and control: A5.3.4 of the ARMv7-M manual, and the low-overhead loops and
// conditional selections of ARMv8.1-M.
var wideControlRows = []row{
	{0xfff0f0ff, 0xf3808000, "msr{c}\t{status}, {r16}"},
	{0xffe0f000, 0xf3808000, "msr{c}\t{special}, {r16}"},
	{0xfff0f0ff, 0xf3e08000, "mrs{c}\t{r8}, CPSR"},
	{0xffe0f000, 0xf3e08000, "mrs{c}\t{r8}, {special}"},
	{0xffffffff, 0xf3bf8f2f, "clrex{c}"},
	{0xffffffff, 0xf3bf8f40, "ssbb"},
	{0xffffffff, 0xf3bf8f44, "pssbb"},
	{0xfffffff0, 0xf3bf8f40, "dsb{c}\t{barrier}"},
	{0xfffffff0, 0xf3bf8f50, "dmb{c}\t{barrier}"},
	{0xfffffff0, 0xf3bf8f60, "isb{c}\t{barrier}"},
	{0xffffffff, 0xf3af8000, "nop{c}.w"},
	{0xffffffff, 0xf3af8001, "yield{c}.w"},
	{0xffffffff, 0xf3af8002, "wfe{c}.w"},
	{0xffffffff, 0xf3af8003, "wfi{c}.w"},
	{0xffffffff, 0xf3af8004, "sev{c}.w"},
	{0xffffffff, 0xf3af8005, "sevl{c}.w"},
	{0xffffffff, 0xf3af800d, "pacbti\tr12, lr, sp"},
	{0xffffffff, 0xf3af800f, "bti"},
	{0xffffffff, 0xf3af8010, "esb{c}"},
	{0xffffffff, 0xf3af8014, "csdb"},
	{0xffffffff, 0xf3af801d, "pac\tr12, lr, sp"},
	{0xffffffff, 0xf3af802d, "aut\tr12, lr, sp"},
	{0xfffffff0, 0xf3af80f0, "dbg{c}\t#{u0.4}"},
	{0xffffff00, 0xf3af8000, "nop{c}.w\t{widehint}"},
	{0xffffff1f, 0xf3af8400, "cpsie.w\t{b7=a}{b6=i}{b5=f}{IT}"},
	{0xffffff1f, 0xf3af8600, "cpsid.w\t{b7=a}{b6=i}{b5=f}{IT}"},
	{0xfff0f000, 0xf7f0a000, "udf{c}.w\t#{udf}"},

	{0xf800d000, 0xf000d000, "bl{c}\t{branch24}{it}"},
	{0xf800d000, 0xf0009000, "b{c}.w\t{branch24}{it}"},
	{0xf800d000, 0xf0008000, "b{cond20}.w\t{branch20}{IT}"},
}

var _ = fields(map[string]func(*thumb){
	"status": func(t *thumb) { // SYSm is APSR: the mask tells its parts
		t.put("CPSR_")
		for bit, letter := range []string{"f", "s", "x", "c"} {
			if t.word>>(11-bit)&1 != 0 {
				t.put(letter)
			}
		}
	},
	"special": func(t *thumb) {
		name := specialRegisters[uint8(t.word)]
		switch {
		case name != "":
			t.put(name)
		case t.word>>5&1 != 0: // banked registers of ARMv7-A
			t.bad = true
		default:
			t.put("<unknown>")
		}
	},
	"barrier": func(t *thumb) {
		option := t.word & 15
		switch name := barriers[option]; {
		case t.word>>4&15 == 6 && option != 15, name == "":
			t.put("#")
			t.number(int64(option))
		default:
			t.put(name)
		}
	},
	"widehint": func(t *thumb) {
		t.put("{")
		t.number(int64(t.word & 0xff))
		t.put("}")
	},
	"udf":    func(t *thumb) { t.number(int64(t.word>>4&0xf000 | t.word&0xfff)) },
	"cond20": func(t *thumb) { t.put(conditions[t.word>>22&15]); t.bad = t.bad || t.word>>22&15 >= 14 },
	"branch20": func(t *thumb) { // S:J2:J1:imm6:imm11:0
		s, j1, j2 := t.word>>26&1, t.word>>13&1, t.word>>11&1
		t.branch(t.addr + 4 + signed(s<<20|j2<<19|j1<<18|t.word>>4&0x3f000|t.word&0x7ff<<1, 21))
	},
	"branch24": func(t *thumb) { // S:I1:I2:imm10:imm11:0, I = NOT(J EOR S)
		s, j1, j2 := t.word>>26&1, t.word>>13&1, t.word>>11&1
		t.branch(t.addr + 4 + signed(s<<24|(^(j1^s)&1)<<23|(^(j2^s)&1)<<22|t.word>>4&0x3ff000|t.word&0x7ff<<1, 25))
	},
})

// specialRegisters are the values of SYSm: B5.2.2, and D1.2 of the ARMv8-M manual for those of the
// non-secure state.
var specialRegisters = [256]string{
	1: "IAPSR", 2: "EAPSR", 3: "PSR", 5: "IPSR", 6: "EPSR", 7: "IEPSR",
	8: "MSP", 9: "PSP", 10: "MSPLIM", 11: "PSPLIM",
	16: "PRIMASK", 17: "BASEPRI", 18: "BASEPRI_MAX", 19: "FAULTMASK", 20: "CONTROL",
	0x88: "MSP_NS", 0x89: "PSP_NS", 0x8a: "MSPLIM_NS", 0x8b: "PSPLIM_NS",
	0x90: "PRIMASK_NS", 0x91: "BASEPRI_NS", 0x93: "FAULTMASK_NS", 0x94: "CONTROL_NS", 0x98: "SP_NS",
}

// barriers are the options that have a name; on an M-profile core all do what sy does.
var barriers = [16]string{1: "oshld", 2: "oshst", 3: "osh", 5: "nshld", 6: "unst", 7: "un", 9: "ishld", 10: "ishst", 11: "ish", 13: "ld", 14: "st", 15: "sy"}
