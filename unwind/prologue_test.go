package unwind

import "testing"

// ruleAfter analyses a function at +0x100 that begins with the given halfwords
// and returns the rule behind them.
func ruleAfter(t *testing.T, halfwords ...uint16) string {
	t.Helper()
	b := newBoard()
	b.functions(0x100, 0x200)
	b.code(0x100, halfwords...)
	u, err := New(b.program)
	if err != nil {
		t.Fatal(err)
	}
	r, err := u.RuleAt(flash + 0x100 + uint32(2*len(halfwords)))
	if err != nil {
		t.Fatal(err)
	}
	return r.String()
}

// Instructions that make, use and undo a frame, one way of writing each
// (encodings of the ARMv7-M ARM, A7.7). What is not shown is a register that
// holds what it held.
func TestPrologues(t *testing.T) {
	for _, c := range []struct {
		name string
		code []uint16
		want string
	}{
		{"nothing", nil, "r13+0"},
		{"push {r4, r7, lr}", []uint16{0xb590}, "r13+12 r4:c-12 r7:c-8 ra:c-4"},
		{"push.w {r4-r11, lr}", []uint16{0xe92d, 0x4ff0}, "r13+36 r4:c-36 r5:c-32 r6:c-28 r7:c-24 r8:c-20 r9:c-16 r10:c-12 r11:c-8 ra:c-4"},
		{"str lr, [sp, #-4]!", []uint16{0xf84d, 0xed04}, "r13+4 ra:c-4"},
		{"str lr, [sp, #-8]!", []uint16{0xf84d, 0xed08}, "r13+8 ra:c-8"},
		{"strd r4, r5, [sp, #-16]!", []uint16{0xe96d, 0x4504}, "r13+16 r4:c-16 r5:c-12"},
		{"strd, then strd r6, r7, [sp, #8]", []uint16{0xe96d, 0x4504, 0xe9cd, 0x6702}, "r13+16 r4:c-16 r5:c-12 r6:c-8 r7:c-4"},
		{"sub sp, #24", []uint16{0xb500, 0xb086}, "r13+28 ra:c-4"},
		{"sub.w sp, sp, #1024", []uint16{0xb500, 0xf5ad, 0x6d80}, "r13+1028 ra:c-4"},
		{"subw sp, sp, #1004", []uint16{0xb500, 0xf2ad, 0x3dec}, "r13+1008 ra:c-4"},
		{"vpush {d8-d9}", []uint16{0xb500, 0xed2d, 0x8b04}, "r13+20 ra:c-4"},
		{"vpush {s16}", []uint16{0xb500, 0xed2d, 0x8a01}, "r13+8 ra:c-4"},
		{"vpush, vpop", []uint16{0xb500, 0xed2d, 0x8b04, 0xecbd, 0x8b04}, "r13+4 ra:c-4"},
		{"push {r4, lr}; pop {r4, lr}", []uint16{0xb510, 0xe8bd, 0x4010}, "r13+0"},
		{"push {r4, lr}; ldr lr, [sp, #4]; pop {r4}; add sp, #4", []uint16{0xb510, 0xf8dd, 0xe004, 0xbc10, 0xb001}, "r13+0"},
		{"push {r4, lr}; pop {r4}; pop {r3}", []uint16{0xb510, 0xbc10, 0xbc08}, "r13+0 ra:r3"},
		{"mov r4, lr", []uint16{0x4674}, "r13+0 r4:u ra:r4"},
		{"push {r7}; add r7, sp, #0; sub sp, r3", []uint16{0xb480, 0xaf00, 0xebad, 0x0d03}, "r7+4 r7:c-4"},
		{"mov r7, sp; msr control, r0", []uint16{0xb580, 0x466f, 0xf380, 0x8814}, "r7+8 r7:c-8 ra:c-4"},
		{"mov sp, r7", []uint16{0xb580, 0xb084, 0xaf00, 0xebad, 0x0d03, 0x3710, 0x46bd}, "r13+8 r7:c-8 ra:c-4"},
		{"ldr r4, =-1024; add sp, r4", []uint16{0xb510, 0x4c01, 0x44a5, 0xe001, 0xfc00, 0xffff}, "r13+1032 r4:c-8 ra:c-4"},
		{"movw, movt, negs, add sp", []uint16{0xb500, 0xf44f, 0x6380, 0x425b, 0x449d}, "r13+1028 ra:c-4"},
		{"mov r8 into r4, push (ARMv6-M)", []uint16{0xb510, 0x4644, 0xb410}, "r13+12 r4:c-8 r8:c-12 ra:c-4"},
		{"... and back", []uint16{0xb510, 0x4644, 0xb410, 0xbc10, 0x46a0}, "r13+8 r4:c-8 ra:c-4"},
		{"stmdb sp!, {r4-r6, lr}", []uint16{0xe92d, 0x4070}, "r13+16 r4:c-16 r5:c-12 r6:c-8 ra:c-4"},
		{"ldmia sp!, {r4-r6, lr}", []uint16{0xe92d, 0x4070, 0xe8bd, 0x4070}, "r13+0"},
		{"sub sp, #8; stmia via r12", []uint16{0xb082, 0x46ec, 0xe88c, 0x4010}, "r13+8 r4:c-8 ra:c-4"},
		{"bl: lr in its slot", []uint16{0xb500, 0xf000, 0xf87e}, "r13+4 ra:c-4"},
		{"blx r3", []uint16{0xb500, 0x4798}, "r13+4 ra:c-4"},
		{"cbz around pop {pc}", []uint16{0xb500, 0xb100, 0xbd00}, "r13+4 ra:c-4"},
		{"beq around", []uint16{0xb500, 0xd000, 0xbd00}, "r13+4 ra:c-4"},
		{"b.w around", []uint16{0xb500, 0xf000, 0xb800, 0xbf00}, "r13+4 ra:c-4"},
		{"it eq; popeq {pc}", []uint16{0xb500, 0xbf08, 0xbd00}, "r13+4 ra:c-4"},
		{"itt ne; movne; bxne lr", []uint16{0xbf1c, 0x2001, 0x4770}, "r13+0"},
		{"tbb [pc, r0] over its table", []uint16{0xb510, 0xe8df, 0xf000, 0x0302, 0xbd10, 0xbd10}, "r13+8 r4:c-8 ra:c-4"},
		{"mrs r0, psp; stmdb r0!, {r4, lr}", []uint16{0xf3ef, 0x8009, 0xe920, 0x4010}, "r13+0"},
		{"... bl", []uint16{0xf3ef, 0x8009, 0xe920, 0x4010, 0x4798}, "r13+0 ra:psp-4"},
		{"... ldmia r0!, {r4, lr}", []uint16{0xf3ef, 0x8009, 0xe920, 0x4010, 0x4798, 0xe8b0, 0x4010}, "r13+0 r4:psp-8 ra:psp-4"},
		{"... msr psp, r0", []uint16{0xf3ef, 0x8009, 0xe920, 0x4010, 0x4798, 0xe8b0, 0x4010, 0xf380, 0x8809}, "r13+0 r4:u ra:mark"},
		{"slot of r4 overwritten, not r4", []uint16{0xb510, 0x9000}, "r13+8 ra:c-4"},
		{"mov lr, r0: only an exception return", []uint16{0x4686}, "r13+0 ra:mark"},
		{"slot of lr overwritten after a call", []uint16{0xb500, 0x4798, 0x9000}, "r13+4 ra:mark"},
		{"slot of r4 overwritten, and r4", []uint16{0xb510, 0x9000, 0x2400}, "r13+8 r4:u ra:c-4"},
	} {
		if got := ruleAfter(t, c.code...); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Where nothing is known nothing is said.
func TestNoPrologue(t *testing.T) {
	for _, c := range []struct {
		name string
		code []uint16
	}{
		{"mov sp, r0", []uint16{0x4685}},
		{"bx lr: not reached", []uint16{0x4770}},
		{"pop {pc}: not reached", []uint16{0xb500, 0xbd00}},
		{"ldr pc, [sp], #4: not reached", []uint16{0xf84d, 0xed04, 0xf85d, 0xfb04}},
		{"b to itself: not reached", []uint16{0xe7fe}},
		{"udf: not reached", []uint16{0xde00}},
	} {
		if got := ruleAfter(t, c.code...); got != "none" {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}
