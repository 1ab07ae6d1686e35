package unwind

import (
	"encoding/binary"
	"testing"
)

// ruleAt analyses a function at +0x100 of the given halfwords and returns the
// rule at one of them; odd: at the call there.
func ruleAt(t *testing.T, at uint32, halfwords ...uint16) string {
	t.Helper()
	b := newBoard()
	b.functions(0x100, 0x100+uint32(2*len(halfwords)))
	b.code(0x100, halfwords...)
	u, err := New(b.program)
	if err != nil {
		t.Fatal(err)
	}
	r, err := u.RuleAt(flash + 0x100 + at)
	if err != nil {
		t.Fatal(err)
	}
	return r.String()
}

// What a frame is where several ways meet, where SP is known from elsewhere only,
// and in code that is not entered at its beginning.
func TestAnalysis(t *testing.T) {
	rounded := []uint16{0x4668, 0xf020, 0x0107, 0x468d, 0xb501, 0x2000, 0xbf00} // MOV R0, SP; BIC R1, R0, #7; MOV SP, R1; PUSH {R0, LR}; MOVS R0, #0
	variable := []uint16{0xb580, 0xaf00, 0xebad, 0x0d03, 0xe7fc}                // PUSH {R7, LR}; ADD R7, SP, #0; 1: SUB SP, R3; B 1b
	conditional := []uint16{0xb590, 0xb081, 0xbf04, 0xb001, 0xbd90, 0xbf00, 0xbf00}
	block := []uint16{0x46ec, 0xb500, 0xe92d, 0x5000, 0xe92d, 0x1fff, 0xb40c, 0xa901, 0xf000, 0xf8fe, 0xbf00} // as _Unwind_RaiseException, BL +0x200
	table := []uint16{0xb510, 0x4479, 0x7909, 0x0049, 0x448f, 0x0201, 0xbd10, 0xbd10}
	branches := []uint16{0xb510, 0xa101, 0xeb01, 0x0180, 0x468f, 0xbf00, 0xf000, 0xb802, 0xf000, 0xb801, 0xbf00, 0xbd10, 0xbd10}
	kept := []uint16{0xb500, 0xb082, 0x4b05, 0x9300, 0x4798, 0x9b00, 0x0080, 0x581b, 0x469f, 0xbf00, 0xbf00, 0xbd00, 0xbf00, 0xbf00,
		0x0117, 0x0800, 0x0129, 0x0800, 0xffff, 0xffff, 0xb002, 0xbd00}
	kept[14], kept[15] = 0x0120, 0x0800 // the literal: the table's address
	known := []uint16{0xb510, 0x4b03, 0xf043, 0x0301, 0x4718, 0xbf00, 0xe7fe, 0xbf00, 0x010c, 0x0800}
	interpreter := []uint16{0xb510, 0x4b03, 0x469f, 0x4a03, 0xf852, 0x3020, 0xe7fa, 0xe7fe, 0x0106, 0x0800, 0x0118, 0x0800, 0x0106, 0x0800, 0x010e, 0x0800}
	growing := []uint16{0xb580, 0xaf00, 0x2400, 0x3408, 0xebad, 0x0d04, 0x4798, 0xe7fa} // ...; MOVS R4, #0; 1: ADDS R4, #8; SUB SP, R4; BLX R3; B 1b
	spilled := []uint16{0xb510, 0xb082, 0x4a02, 0xf852, 0x3020, 0x9301, 0xe002, 0xe7fe, 0x0118, 0x0800, 0x9b01, 0x469f, 0x010e, 0x0800}
	for _, c := range []struct {
		name string
		at   uint32
		code []uint16
		want string
	}{
		{"jump to an address that is known", 12, known, "r13+8 r4:c-8 ra:c-4"},
		{"interpreter: the first jump is to a known address, the others through a table", 14, interpreter, "r13+8 r4:c-8 ra:c-4"},
		{"loop that moves SP by what it counts, behind a call through a pointer", 6, growing, "r7+8 r4:u r7:c-8 ra:c-4"},
		{"target of a table, put on the stack before the jump", 14, spilled, "r13+16 r4:c-8 ra:c-4"},
		{"SP rounded down, CFA in R0", 8, rounded, "r0+0"},
		{"SP rounded down, RA stored", 10, rounded, "r0+0 ra:exp"},
		{"SP rounded down, CFA stored", 12, rounded, "exp ra:exp"},
		{"round down by shifts", 10, []uint16{0xb510, 0x466c, 0x08e4, 0x00e4, 0x46a5, 0xbf00}, "none"},
		{"loop that moves SP", 4, variable, "r7+8 r7:c-8 ra:c-4"},
		{"before it", 2, variable, "r13+8 r7:c-8 ra:c-4"},
		{"IT block, before its end", 8, conditional, "none"},
		{"IT block, behind it", 10, conditional, "r13+16 r4:c-12 r7:c-8 ra:c-4"},
		{"end of other functions", 0, []uint16{0xb002, 0xbd10}, "r13+16 r4:c-8 ra:c-4"},
		{"... at its end", 2, []uint16{0xb002, 0xbd10}, "r13+8 r4:c-8 ra:c-4"},
		{"tail call through an argument on the stack", 0, []uint16{0x9b00, 0x4718}, "r13+0"},
		{"block of registers, stored", 14, block, "r13+72 r4:c-48 r5:c-44 r6:c-40 r7:c-36 r8:c-32 r9:c-28 r10:c-24 r11:c-20 ra:c-4"},
		{"block of registers, given away", 17, block, "r13+72"},
		{"table of bytes behind ADD PC", 12, table, "r13+8 r4:c-8 ra:c-4"},
		{"... second entry", 14, table, "r13+8 r4:c-8 ra:c-4"},
		{"table of branches", 22, branches, "r13+8 r4:c-8 ra:c-4"},
		{"... not all of it, but the way out", 20, branches, "r13+8 r4:c-8 ra:c-4"},
		{"on a new stack that the way out shows", 2, []uint16{0x4685, 0x4718}, "r13+0 ra:r3"},
		{"on a new stack with the link register", 2, []uint16{0x4685, 0x4770}, "r13+0"},
		{"on a new stack, LR popped", 2, []uint16{0x4685, 0xbc10, 0xbd00}, "r13+8 r4:c-8 ra:c-4"},
		{"constants of the code are none", 6, []uint16{0x4800, 0x4770, 0xb500, 0xb500}, "none"},
	} {
		if got := ruleAt(t, c.at, c.code...); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Call frame information that goes on from SP is not believed in the middle of a
// conditional epilogue: the way out is.
func TestConditionalEpilogue(t *testing.T) {
	b := newBoard()
	b.functions(0x100, 0x10c)
	b.code(0x100, 0xb510, 0xbf04, 0xe8bd, 0x4010, 0xbf00, 0x4770) // PUSH {R4, LR}; ITT EQ; LDMIAEQ SP!, {R4, LR}; NOPEQ; BX LR
	d := plainFrame(cfaAdvanceLoc|1, cfaDefCFAOffset, 8, cfaOffset|4, 2, cfaOffset|14, 1)
	b.program.DebugFrame = d.bytes()
	u, err := New(b.program)
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[uint32]string{2: "r13+8 r4:c-8 ra:c-4", 8: "none", 10: "r13+0"} {
		if r, _ := u.RuleAt(flash + 0x100 + at); r.String() != want {
			t.Errorf("+%d: %v, want %s", at, r, want)
		}
	}
}

// A function that jumps through an array of pointers hands its return address on:
// the callee's caller is behind a call of another function.
func TestTailCallThroughAnArray(t *testing.T) {
	b := caller(flash + 0x307)
	b.functions(0x100, 0x110, 0x200, 0x210, 0x300, 0x310)
	b.code(0x200, 0x4b01, 0xf853, 0x3020, 0x4718, 0xbf00, 0x0400, 0x0800) // LDR R3, =+0x400; LDR R3, [R3, R0, LSL #2]; BX R3
	b.code(0x400, 0x0101, 0x0800)
	u, err := New(b.program)
	if err != nil {
		t.Fatal(err)
	}
	if !u.code.handsOn(flash + 0x200) {
		t.Error("the jump stays inside")
	}
	b.code(0x200, 0x4770)
	if u, err = New(b.program); err != nil {
		t.Fatal(err)
	}
	if u.code.handsOn(flash + 0x200) {
		t.Error("a function that returns hands on")
	}
}

// counting is a Cortex-M that counts the instructions that are looked at.
func counting(n *int) *machine {
	m := armM
	m.step = func(c *code, f *frameState, addr uint32) (flow, bool) {
		*n++
		return stepThumb(c, f, addr)
	}
	return &m
}

// FuzzAnalysis analyses a function of arbitrary code, as often repeated as it
// takes to fill up to 1 MB: the work is in proportion to the bytes, and every
// state that is kept lies in the function.
func FuzzAnalysis(f *testing.F) {
	f.Add([]byte{0x10, 0xb5, 0x10, 0xbd}, uint8(0))
	f.Add(binary.LittleEndian.AppendUint64(nil, 0xe7fc_0d03_ebad_b580), uint8(3))
	f.Add(binary.LittleEndian.AppendUint64(nil, 0xd0fe_bf08_e8df_f000), uint8(5))
	f.Add(binary.LittleEndian.AppendUint64(nil, 0xf7ff_fffe_d1fc_b082), uint8(20))
	f.Fuzz(func(t *testing.T, text []byte, size uint8) {
		if len(text) == 0 || len(text) > 1<<10 {
			return
		}
		fn := Range{flash, flash + min(maxFunction, uint32(64)<<(size%15))}
		visits := 0
		p := Program{Code: []Range{fn}, Function: func(uint32) (Range, bool) { return fn, true }}
		p.ReadCode = func(addr uint32, b []byte) bool {
			if addr < fn.Low || uint64(addr)+uint64(len(b)) > uint64(fn.High) {
				return false
			}
			for i := range b {
				b[i] = text[int(addr-fn.Low+uint32(i))%len(text)]
			}
			return true
		}
		c := &code{p: &p, m: counting(&visits)}
		fr := c.frames(fn, fn.Low)
		// Twice for shared ends, once for the final states, two looks an
		// instruction; branch tables and the search for returns beside it.
		halves := int(fn.High-fn.Low)/2 + 256
		if most := 4*maxVisits*halves + 4*searchVisits*len(c.returning); visits > most || len(c.returning) > 2*maxAsked {
			t.Fatalf("%d visits of %d halfwords, %d subroutines", visits, halves, len(c.returning))
		}
		for i, r := range fr.runs {
			if r.addr < fn.Low || r.addr > fn.High+2 || int(r.state) >= len(fr.states) || i > 0 && fr.runs[i-1].addr >= r.addr {
				t.Fatalf("run %d: %+v", i, r)
			}
		}
		for pc := fn.Low; pc < fn.High; pc += (fn.High-fn.Low)/64 | 1 {
			if s, ok := fr.at(pc); ok {
				s.rule(c.m)
			}
		}
	})
}
