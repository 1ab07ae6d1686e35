package armv7m

import "testing"

// TestTraceCalls: BL and BLX are calls; BX, POP {PC}, LDR PC, MOV PC and TBB
// are jumps, with the clock at their end.
func TestTraceCalls(t *testing.T) {
	c, l := traced(t, Config{},
		0xf000, 0xf802, // 100: BL 108
		0x4798,         // 104: BLX r3
		self,           // 106
		0xb500, 0xbd00, // 108: PUSH {LR}; POP {PC}
		0x469f,         // 10c: MOV PC, r3
		0xe7fe,         // 10e
		0xf851, 0xf000, // 110: LDR.W PC,[r1,r0]
		0xe8d1, 0xf002, // 114: TBB [r1,r2]
		nop, nop, 0x4770) // 118, 11a, 11c: BX LR
	c.WriteReg(3, 0x111)
	c.WriteReg(1, 0x20000000)
	poke(t, c, 0x20000000, 0x115)
	c.WriteReg(2, 4)
	poke(t, c, 0x20000004, 2)
	for range 7 {
		c.Step()
	}
	l.check(t,
		"3 call 100>108 ret 104 sp 20008000",
		"9 jump 10a>104 sp 20008000",
		"12 call 104>110 ret 106 sp 20008000",
		"16 jump 110>114 sp 20008000",
		"20 jump 114>11c sp 20008000",
		"23 jump 11c>106 sp 20008000")
	c.WriteReg(15, 0x10c)
	c.Step()
	l.check(t, "26 jump 10c>110 sp 20008000")
}

// TestTraceLeaves: direct branches and fall-through are asked of Leaves once,
// when decoded, and reported when they happen.
func TestTraceLeaves(t *testing.T) {
	type edge struct{ from, to uint32 }
	var asked []edge
	leaving := map[edge]bool{
		{0x102, 0x104}: true, // fall-through of SUBS
		{0x106, 0x100}: true, // BNE taken
		{0x106, 0x108}: true, // and not
		{0x10a, 0x10c}: true, // MOVEQ, executed or not
		{0x10c, 0x110}: true, // B
	}
	c, l := traced(t, Config{Leaves: func(from, to uint32) bool {
		asked = append(asked, edge{from, to})
		return leaving[edge{from, to}]
	}},
		nop,    // 100
		0x3801, // 102: SUBS r0,#1
		nop,    // 104
		0xd1fb, // 106: BNE 100
		0xbf18, // 108: IT NE
		0x2107, // 10a: MOVNE r1,#7
		0xe000, // 10c: B 110
		nop,    // 10e
		nop, self)
	c.WriteReg(0, 2)
	c.Run(24)
	l.check(t,
		"2 jump 102>104 sp 20008000",
		"6 jump 106>100 sp 20008000",
		"8 jump 102>104 sp 20008000",
		"10 jump 106>108 sp 20008000",
		"12 jump 10a>10c sp 20008000",
		"15 jump 10c>110 sp 20008000")
	seen := map[edge]int{}
	for _, e := range asked {
		if seen[e]++; seen[e] > 1 {
			t.Errorf("%x asked twice", e)
		}
	}
	if seen[edge{0x10c, 0x10e}] != 0 {
		t.Error("asked for the fall-through of an unconditional branch")
	}
}

// TestTraceSwitch: PendSV changes PSP between stacking and unstacking, as a
// scheduler does: Enter has one frame, Leave another.
func TestTraceSwitch(t *testing.T) {
	c, l := traced(t, Config{}, self, self)
	handler(c, 14, 0xf381, 0x8809, bx) // MSR PSP, r1; BX LR
	poke(t, c, 0x20003000+24, 0x102)
	poke(t, c, 0x20003000+28, psrT)
	c.WriteReg(18, 0x20004000)
	c.WriteReg(20, 2<<24)
	c.WriteReg(1, 0x20003000)
	c.Pend(-2)
	for range 3 {
		c.Step()
	}
	l.check(t,
		"12 enter 14 ret 100 frame 20003fe0 fffffffd to 11c0",
		"26 leave 14 frame 20003000 fffffffd to 102")
}
