package unwind

import (
	"testing"

	"github.com/mprof/mprof/snapshot"
)

// caller is a board in a leaf at +0x100 whose caller at +0x200 pushed R4 and LR;
// ra is what it will return to.
func caller(ra uint32) *board {
	b := newBoard()
	b.functions(0x100, 0x110, 0x200, 0x210, 0x300, 0x310, 0x400, 0x410)
	b.code(0x100, 0x4770)                                 // BX LR
	b.code(0x200, 0xb510, 0xbf00, 0xf7ff, 0xff7c, 0xbd10) // PUSH {R4,LR}; NOP; BL +0x100; POP {R4,PC}
	b.code(0x300, 0xbf00, 0xf7ff, 0xff7d)                 // NOP; BL +0x200
	b.set(snapshot.PC, flash+0x100)
	b.set(snapshot.LR, flash+0x209)
	b.set(snapshot.SP, ram+0x40)
	b.set(snapshot.XPSR, 0x01000000)
	b.stack(ram+0x40, 4, ra)
	return b
}

var callerFrames = []Frame{
	{PC: flash + 0x100, CFA: ram + 0x40},
	{PC: flash + 0x208, CFA: ram + 0x48, Kind: Caller, Method: FromLR},
}

func TestEnds(t *testing.T) {
	third := append(callerFrames[:2:2], Frame{PC: flash + 0x306, CFA: ram + 0x48, Kind: Caller, Method: FromPrologue})
	for _, c := range []struct {
		name   string
		ra     uint32
		frames []Frame
		stop   Stop
		change func(*board)
	}{
		{"return address 0", 0, callerFrames, Stop{}, nil},
		{"return address 0xFFFFFFFF, as at reset", 0xffffffff, callerFrames, Stop{}, nil},
		{"thread that would return into a function", flash + 0x401, callerFrames, Stop{}, nil},
		{"the same, stored without Thumb bit", flash + 0x400, callerFrames, Stop{}, nil},
		{"not in code", 0x20000001, callerFrames, Stop{BadRA, 0x20000001}, nil},
		{"in code, behind no call", flash + 0x405, callerFrames, Stop{BadRA, flash + 0x405}, nil},
		{"no Thumb bit", flash + 0x306, callerFrames, Stop{BadRA, flash + 0x306}, nil},
		{"reset handler", flash + 0x307, third, Stop{}, func(b *board) { b.program.Outermost = []uint32{flash + 0x301} }},
		// It keeps its return address in LR, which its call has overwritten, and
		// nothing calls it: the first function of a thread.
		{"function that never returns", flash + 0x307, third, Stop{}, nil},
		{"function that never returns but is called", flash + 0x307, third, Stop{NoRegister, flash + 0x306}, func(b *board) { b.code(0x400, 0xf7ff, 0xff7e) }},
		{"stack not captured", 0, callerFrames, Stop{NotCaptured, ram + 0x44}, func(b *board) { b.snap.Windows[0].Data = b.snap.Windows[0].Data[:0x44] }},
		{"no stack pointer", 0, []Frame{{PC: flash + 0x100}}, Stop{NoRegister, flash + 0x100}, func(b *board) {
			b.snap.Regs = snapshot.Registers{}
			b.set(snapshot.PC, flash+0x100)
			b.set(snapshot.LR, flash+0x209)
		}},
		{"stack pointer not aligned", 0, []Frame{{PC: flash + 0x100}}, Stop{NoProgress, ram + 0x42}, func(b *board) { b.set(snapshot.SP, ram+0x42) }},
		{"no code bytes", 0, []Frame{{PC: flash + 0x100}}, Stop{NoRule, flash + 0x100}, func(b *board) { b.program.ReadCode = nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := caller(c.ra)
			if c.change != nil {
				c.change(b)
			}
			b.expect(t, c.frames, c.stop)
		})
	}
}

// A call that does not return may be the last instruction of its function: the
// return address is then the first of the next, and still no end.
func TestCallAtTheEndOfAFunction(t *testing.T) {
	b := caller(flash + 0x307)
	b.functions(0x100, 0x110, 0x200, 0x210, 0x300, 0x306, 0x306, 0x320)
	b.program.Outermost = []uint32{flash + 0x300}
	b.expect(t, append(callerFrames[:2:2], Frame{PC: flash + 0x306, CFA: ram + 0x48, Kind: Caller, Method: FromPrologue}), Stop{})
}

// Without a symbol LR is believed where it leads behind a call into the code
// around the PC, and not otherwise.
func TestBlindLeaf(t *testing.T) {
	b := caller(0)
	b.functions(0x200, 0x210)
	b.set(snapshot.PC, flash+0x900) // far from any symbol
	b.expect(t, []Frame{{PC: flash + 0x900, CFA: ram + 0x40}, callerFrames[1]}, Stop{})
	b.set(snapshot.LR, flash+0x309) // behind BL +0x200, which is farther than a function
	b.code(0x304, 0xf7fe, 0xfefc)   // BL -0x1008
	b.functions(0x200, 0x210, 0x300, 0x310)
	b.expect(t, []Frame{{PC: flash + 0x900}}, Stop{NoRule, flash + 0x900})
	b.set(snapshot.LR, flash+0x20b) // behind no call
	b.expect(t, []Frame{{PC: flash + 0x900}}, Stop{NoRule, flash + 0x900})
}

// A function that calls itself without end, with a stack to match.
func TestTooDeep(t *testing.T) {
	b := caller(0)
	b.functions(0x100, 0x110, 0x200, 0x210)
	b.code(0x200, 0xb500, 0xf7ff, 0xfffd, 0xbd00) // PUSH {LR}; BL self; POP {PC}
	b.snap.Windows[0].Data = make([]byte, 8*MaxDepth)
	b.set(snapshot.PC, flash+0x202)
	for i := range uint32(2 * MaxDepth) {
		b.stack(ram+4*i, flash+0x207)
	}
	b.set(snapshot.SP, ram)
	frames, stop, _ := b.unwind(t)
	if len(frames) != MaxDepth || stop.Reason != TooDeep {
		t.Errorf("%d frames, %v", len(frames), stop.Reason)
	}
}
