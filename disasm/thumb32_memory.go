package disasm

// wideMemoryRows load and store: A5.3.5 to A5.3.10 of the ARMv7-M manual, C2.3 of the ARMv8-M one.
var wideMemoryRows = []row{
	// Load and store multiple.
	{0xffd00000, 0xe8800000, "stmia{c}.w\t{r16}{b21=!}, {list}"},
	{0xffd00000, 0xe8900000, "ldmia{c}.w\t{r16}{b21=!}, {list}{it}"},
	{0xffd00000, 0xe9000000, "stmdb{c}\t{r16}{b21=!}, {list}"},
	{0xffd00000, 0xe9100000, "ldmdb{c}\t{r16}{b21=!}, {list}{it}"},

	// Exclusive access, acquire and release, table branch, test target.
	{0xffffffff, 0xe97fe97f, "sg"},
	{0xfff0f0ff, 0xe840f000, "tt{c}\t{r8}, {r16}"},
	{0xfff0f0ff, 0xe840f040, "ttt{c}\t{r8}, {r16}"},
	{0xfff0f0ff, 0xe840f080, "tta{c}\t{r8}, {r16}"},
	{0xfff0f0ff, 0xe840f0c0, "ttat{c}\t{r8}, {r16}"},
	{0xfff00000, 0xe8400000, "strex{c}\t{r8}, {r12}, {exclusive}"},
	{0xfff00f00, 0xe8500f00, "ldrex{c}\t{r12}, {exclusive}"},
	{0xfff0fff0, 0xe8d0f000, "tbb{c}\t[{r16}, {r0}]{it}"},
	{0xfff0fff0, 0xe8d0f010, "tbh{c}\t[{r16}, {r0}, lsl #1]{it}"},
	{0xfff00ff0, 0xe8c00f40, "strexb{c}\t{r0}, {r12}, [{r16}]"},
	{0xfff00ff0, 0xe8c00f50, "strexh{c}\t{r0}, {r12}, [{r16}]"},
	{0xfff00fff, 0xe8d00f4f, "ldrexb{c}\t{r12}, [{r16}]"},
	{0xfff00fff, 0xe8d00f5f, "ldrexh{c}\t{r12}, [{r16}]"},
	{0xfff00fff, 0xe8c00f8f, "stlb{c}\t{r12}, [{R16}]"},
	{0xfff00fff, 0xe8c00f9f, "stlh{c}\t{r12}, [{R16}]"},
	{0xfff00fff, 0xe8c00faf, "stl{c}\t{r12}, [{R16}]"},
	{0xfff00ff0, 0xe8c00fc0, "stlexb{c}\t{r0}, {r12}, [{R16}]"},
	{0xfff00ff0, 0xe8c00fd0, "stlexh{c}\t{r0}, {r12}, [{R16}]"},
	{0xfff00ff0, 0xe8c00fe0, "stlex{c}\t{r0}, {r12}, [{R16}]"},
	{0xfff00fff, 0xe8d00f8f, "ldab{c}\t{r12}, [{R16}]"},
	{0xfff00fff, 0xe8d00f9f, "ldah{c}\t{r12}, [{R16}]"},
	{0xfff00fff, 0xe8d00faf, "lda{c}\t{r12}, [{R16}]"},
	{0xfff00fff, 0xe8d00fcf, "ldaexb{c}\t{r12}, [{R16}]"},
	{0xfff00fff, 0xe8d00fdf, "ldaexh{c}\t{r12}, [{R16}]"},
	{0xfff00fff, 0xe8d00fef, "ldaex{c}\t{r12}, [{R16}]"},

	// Load and store dual.
	{0xff500000, 0xe9400000, "strd{c}\t{r12}, {r8}, {dual}"},
	{0xff500000, 0xe9500000, "ldrd{c}\t{r12}, {r8}, {dual}"},
	{0xff700000, 0xe8600000, "strd{c}\t{r12}, {r8}, {dual}"},
	{0xff700000, 0xe8700000, "ldrd{c}\t{r12}, {r8}, {dual}"},

	// Preload: the loads of bytes and halfwords into pc.
	{0xff70f000, 0xf810f000, "pld{c}\t{memory}"},
	{0xff70f000, 0xf830f000, "pldw{c}\t{memory}"},
	{0xff70f000, 0xf910f000, "pli{c}\t{memory}"},

	// Load and store single: unprivileged ones first.
	{0xfff00f00, 0xf8000e00, "strbt{c}\t{r12}, {memory}"},
	{0xfff00f00, 0xf8100e00, "ldrbt{c}\t{r12}, {memory}"},
	{0xfff00f00, 0xf8200e00, "strht{c}\t{r12}, {memory}"},
	{0xfff00f00, 0xf8300e00, "ldrht{c}\t{r12}, {memory}"},
	{0xfff00f00, 0xf8400e00, "strt{c}\t{r12}, {memory}"},
	{0xfff00f00, 0xf8500e00, "ldrt{c}\t{r12}, {memory}"},
	{0xfff00f00, 0xf9100e00, "ldrsbt{c}\t{r12}, {memory}"},
	{0xfff00f00, 0xf9300e00, "ldrsht{c}\t{r12}, {memory}"},
	{0xff700000, 0xf8000000, "strb{c}.w\t{r12}, {memory}"},
	{0xff700000, 0xf8100000, "ldrb{c}.w\t{r12}, {memory}"},
	{0xff700000, 0xf8200000, "strh{c}.w\t{r12}, {memory}"},
	{0xff700000, 0xf8300000, "ldrh{c}.w\t{r12}, {memory}"},
	{0xff700000, 0xf8400000, "str{c}.w\t{r12}, {memory}"},
	{0xff700000, 0xf8500000, "ldr{c}.w\t{r12}, {memory}"},
	{0xff700000, 0xf9100000, "ldrsb{c}.w\t{r12}, {memory}"},
	{0xff700000, 0xf9300000, "ldrsh{c}.w\t{r12}, {memory}"},
}

var _ = fields(map[string]func(*thumb){
	"list": func(t *thumb) { t.list(t.word & 0xffff) },
	"exclusive": func(t *thumb) {
		t.put("[" + registers[t.word>>16&15])
		if offset := t.word & 0xff * 4; offset != 0 {
			t.put(", #")
			t.number(int64(offset))
		}
		t.put("]")
	},
	"dual":   putDual,
	"memory": putMemory,
})

// offset prints a distance with its sign, U (bit 23), which objdump keeps for 0.
func (t *thumb) offset(distance uint32) {
	t.put("#")
	if t.word>>23&1 == 0 {
		t.put("-")
	}
	t.number(int64(distance))
}

// putDual prints the address of LDRD and STRD: P is bit 24, U bit 23, W bit 21.
func putDual(t *thumb) {
	n, distance := t.word>>16&15, t.word&0xff*4
	t.put("[" + registers[n])
	switch indexed, add, back := t.word>>24&1 != 0, t.word>>23&1 != 0, t.word>>21&1 != 0; {
	case !indexed:
		t.put("], ")
		t.offset(distance)
	default:
		if distance != 0 || !add {
			t.put(", ")
			t.offset(distance)
		}
		t.put("]")
		if back && (distance != 0 || !add) { // as objdump prints it
			t.put("!")
		}
	}
	if n == 15 {
		t.remark(t.name(t.relative(distance)))
	}
}

// relative is an address before or behind the PC, by U.
func (t *thumb) relative(distance uint32) uint32 {
	if t.word>>23&1 == 0 {
		distance = -distance
	}
	return t.literal() + distance
}

// putMemory prints the address of a single load or store: A5.3.7.
func putMemory(t *thumb) {
	n, form, imm8 := t.word>>16&15, t.word>>8&15, t.word&0xff
	t.put("[" + registers[n])
	switch {
	case n == 15:
		distance := t.word & 0xfff
		if distance != 0 {
			t.put(", ")
			t.offset(distance)
			t.value = 0
		}
		t.put("]")
		t.remark(t.name(t.relative(distance)))
	case t.word>>23&1 != 0:
		if distance := t.word & 0xfff; distance != 0 {
			t.put(", #")
			t.number(int64(distance))
		}
		t.put("]")
	case form == 0:
		t.put(", " + registers[t.word&15])
		if shift := t.word >> 4 & 3; shift != 0 {
			t.put(", lsl #")
			t.number(int64(shift))
		}
		t.put("]")
	case form == 12 || form == 14: // below the base; unprivileged
		t.indexed(imm8, form == 14)
		t.put("]")
	case form&9 == 9: // P is bit 10, U bit 9
		if form&4 != 0 {
			t.indexed(imm8, form&2 != 0)
			t.put("]!")
		} else {
			t.put("], #")
			if form&2 == 0 && imm8 != 0 {
				t.put("-")
			}
			t.number(int64(imm8))
			t.value = 0
		}
	default:
		t.bad = true
	}
}

// indexed prints a distance of 8 bits, which objdump does not repeat in hexadecimal.
func (t *thumb) indexed(distance uint32, add bool) {
	switch {
	case add && distance == 0:
		return
	case add:
		t.put(", #")
	default:
		t.put(", #-")
	}
	t.number(int64(distance))
	t.value = 0
}
