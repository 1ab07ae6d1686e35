package disasm

// loopRows are what ARMv8.1-M adds to the integer core: low-overhead loops, registers chosen by the flags or
// cleared, pointers signed (C2.4 of the ARMv8-M manual, issue B.p and later). They come before all others,
// since they have the encodings of instructions that make no sense.
var loopRows = []row{
	{0xffff2000, 0xe89f0000, "clrm{c}\t{cleared}"},
	{0xffbf0f01, 0xec9f0b00, "vscclrm{c}\t{doublesVPR}"},
	{0xffbf0f00, 0xec9f0a00, "vscclrm{c}\t{singlesVPR}"},
	{0xfffff001, 0xf00fc001, "le\tlr, {back}"},
	{0xfffff001, 0xf02fc001, "le\t{back}"},
	{0xfffff001, 0xf01fc001, "letp\tlr, {back}"},
	{0xffffffff, 0xf00fe001, "lctp{c}"},
	{0xfff0f001, 0xf040c001, "wls\tlr, {Z16}, {ahead}"},
	{0xfff0ffff, 0xf040e001, "dls\tlr, {Z16}"},
	{0xffc0f001, 0xf000c001, "wlstp.{lanes}\tlr, {Z16}, {ahead}"},
	{0xffc0ffff, 0xf000e001, "dlstp.{lanes}\tlr, {Z16}"},
	{0xff101f80, 0xed000f80, "vstr{c}\t{system}"},
	{0xff101f80, 0xed100f80, "vldr{c}\t{system}"},
	{0xff301f80, 0xec200f80, "vstr{c}\t{system}"},
	{0xff301f80, 0xec300f80, "vldr{c}\t{system}"},
	{0xfff0c000, 0xea508000, "{select}"},
	{0xfff00ff0, 0xfb500f00, "autg{c}\t{r12}, {r16}, {r0}"},
	{0xfff00ff0, 0xfb500f10, "bxaut{c}\t{r12}, {r16}, {r0}"},
	{0xfff0f0f0, 0xfb60f000, "pacg{c}\t{r8}, {r16}, {r0}"},
}

// loop is the distance of a low-overhead loop: imm10:imm1:0.
func (t *thumb) loop() uint32 { return t.word&0x7fe<<1 | t.word>>10&2 }

var _ = fields(map[string]func(*thumb){
	"cleared": func(t *thumb) {
		t.list(t.word & 0x7fff)
		if t.word>>15&1 != 0 { // in the place of pc
			t.text = t.text[:len(t.text)-1]
			if t.word&0x7fff != 0 {
				t.put(", ")
			}
			t.put("APSR}")
		}
	},
	"doublesVPR": func(t *thumb) { t.spanVPR('d', t.double(12, 22), t.word&0xff/2) },
	"singlesVPR": func(t *thumb) { t.spanVPR('s', t.single(12, 22), t.word&0xff) },
	"back":       func(t *thumb) { t.branch(t.addr + 4 - t.loop()) },
	"ahead":      func(t *thumb) { t.branch(t.addr + 4 + t.loop()) },
	"system": func(t *thumb) {
		name := map[uint32]string{1: "FPSCR", 2: "FPSCR_nzcvqc", 12: "VPR", 13: "P0", 14: "FPCXTNS", 15: "FPCXTS"}[t.word>>19&8|t.word>>13&7]
		t.bad = name == ""
		t.put(name + ", ")
		t.transfer(t.word & 0x7f * 4)
	},
	"select": putSelect,
	"lanes":  func(t *thumb) { t.put([]string{"8", "16", "32", "64"}[t.word>>20&3]) },
	"Z16": func(t *thumb) {
		r := t.word >> 16 & 15
		t.unpredictable = t.unpredictable || r == 13 || r == 15
		t.put(registers[r])
	},
})

func (t *thumb) spanVPR(letter byte, first, count uint32) {
	t.span(letter, first, count)
	t.text = append(t.text[:len(t.text)-1], ", VPR}"...)
}

// putSelect prints CSEL, CSINC, CSINV and CSNEG. Of a register and itself, the last three have names of their own, with
// the opposite condition.
func putSelect(t *thumb) {
	kind, rn, rd, cond, rm := t.word>>12&3, t.word>>16&15, t.word>>8&15, t.word>>4&15, t.word&15
	t.bad = rd == 13 || rd == 15 || rn == 13 || rm == 13
	name := func(r uint32) string {
		if r == 15 {
			return "zr"
		}
		return registers[r]
	}
	switch alias := []string{"", "cinc", "cinv", "cneg"}[kind]; {
	case alias == "" || rn != rm:
		t.put([]string{"csel", "csinc", "csinv", "csneg"}[kind] + "\t" + registers[rd] + ", " + name(rn) + ", " + name(rm) + ", " + conditions[cond])
	case rn == 15 && kind < 3:
		t.put([]string{"", "cset", "csetm"}[kind] + "\t" + registers[rd] + ", " + conditions[cond^1])
	default:
		t.put(alias + "\t" + registers[rd] + ", " + name(rn) + ", " + conditions[cond^1])
	}
}
