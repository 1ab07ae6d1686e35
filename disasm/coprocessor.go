package disasm

import "strconv"

// coprocessorRows are A5.3.18: what an implementation puts beside the core. The FPU's come before them.
var coprocessorRows = []row{
	{0xec000c00, 0xec000800, "{undefined}"}, // 8 to 11 are the FPU's
	{0xfff00000, 0xec400000, "mcrr{c}\t{cp}, {u4.4}, {R12}, {r16}, cr{cr0}"},
	{0xfff00000, 0xec500000, "mrrc{c}\t{cp}, {u4.4}, {R12}, {R16}, cr{cr0}{different}"},
	{0xfff00000, 0xfc400000, "mcrr2{c}\t{cp}, {u4.4}, {R12}, {R16}, cr{cr0}"},
	{0xfff00000, 0xfc500000, "mrrc2{c}\t{cp}, {u4.4}, {R12}, {R16}, cr{cr0}{different}"},
	{0xff000010, 0xee000000, "cdp{c}\t{cp}, {u20.4}, cr{cr12}, cr{cr16}, cr{cr0}, {opc2}"},
	{0xff000010, 0xfe000000, "cdp2{c}\t{cp}, {u20.4}, cr{cr12}, cr{cr16}, cr{cr0}, {opc2}"},
	{0xff10f010, 0xee10f010, "mrc{c}\t{cp}, {u21.3}, APSR_nzcv, cr{cr16}, cr{cr0}, {opc2}"},
	{0xff100010, 0xee100010, "mrc{c}\t{cp}, {u21.3}, {r12}, cr{cr16}, cr{cr0}, {opc2}"},
	{0xff100010, 0xee000010, "mcr{c}\t{cp}, {u21.3}, {R12}, cr{cr16}, cr{cr0}, {opc2}"},
	{0xff100010, 0xfe100010, "mrc2{c}\t{cp}, {u21.3}, {r12}, cr{cr16}, cr{cr0}, {opc2}"},
	{0xff100010, 0xfe000010, "mcr2{c}\t{cp}, {u21.3}, {R12}, cr{cr16}, cr{cr0}, {opc2}"},
	{0xffe00000, 0xec000000, "{undefined}"}, // P, U and W clear, and no MCRR
	{0xffe00000, 0xfc000000, "{undefined}"},
	{0xfe100000, 0xec000000, "stc{b22=l}{c}\t{cp}, cr{cr12}, {ldc}"},
	{0xfe100000, 0xec100000, "ldc{b22=l}{c}\t{cp}, cr{cr12}, {ldc}"},
	{0xfe100000, 0xfc000000, "stc2{b22=l}{c}\t{cp}, cr{cr12}, {ldc}"},
	{0xfe100000, 0xfc100000, "ldc2{b22=l}{c}\t{cp}, cr{cr12}, {ldc}"},
}

var _ = fields(map[string]func(*thumb){
	"undefined": func(t *thumb) { t.bad = true },
	"different": func(t *thumb) { t.unpredictable = t.unpredictable || t.word>>12&15 == t.word>>16&15 },
	"cp":        func(t *thumb) { t.put(strconv.Itoa(int(t.word >> 8 & 15))) },
	"cr0":       func(t *thumb) { t.put(strconv.Itoa(int(t.word & 15))) },
	"cr12":      func(t *thumb) { t.put(strconv.Itoa(int(t.word >> 12 & 15))) },
	"cr16":      func(t *thumb) { t.put(strconv.Itoa(int(t.word >> 16 & 15))) },
	"opc2":      func(t *thumb) { t.put("{" + strconv.Itoa(int(t.word>>5&7)) + "}") },
	"ldc":       func(t *thumb) { t.transfer(t.word & 0xff * 4) },
})

// transfer prints the address of LDC, STC and the FPU's loads and stores: P is bit 24, U bit 23,
// W bit 21; the offset is in bytes.
func (t *thumb) transfer(offset uint32) {
	n := t.word >> 16 & 15
	indexed, add, back := t.word>>24&1 != 0, t.word>>23&1 != 0, t.word>>21&1 != 0
	distance := int64(offset)
	t.put("[" + registers[n])
	signed := func() {
		t.put("#")
		if !add {
			t.put("-")
		}
		t.number(distance)
		if !add {
			t.value = -distance
		}
	}
	switch {
	case (indexed || back) && distance == 0 && add: // without writing back, as objdump prints it
		t.put("]")
	case indexed:
		t.put(", ")
		signed()
		t.put("]")
		if back && distance != 0 {
			t.put("!")
		}
	case back:
		t.put("], ")
		signed()
	default: // an option of the coprocessor
		t.put("], {")
		t.number(int64(t.word & 0xff))
		t.put("}")
	}
	if n == 15 && (indexed || back) {
		t.value = 0
		t.remark(t.name(t.relative(offset)))
	}
}
