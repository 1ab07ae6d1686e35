package unwind

import (
	"encoding/binary"
	"testing"

	"github.com/mprof/mprof/snapshot"
)

// hart is a board with the registers of RISC-V: NOPs are C.NOP.
func hart() *board {
	b := newBoard()
	b.program.Arch = snapshot.RV32
	for i := 0; i < len(b.image); i += 2 {
		binary.LittleEndian.PutUint16(b.image[i:], 0x0001)
	}
	return b
}

func (b *board) x(n int, v uint32) { b.set(snapshot.X0+snapshot.Reg(n), v) }

// word32 puts 32-bit instructions at an offset in flash.
func (b *board) word32(offset uint32, words ...uint32) {
	for i, w := range words {
		binary.LittleEndian.PutUint32(b.image[offset+4*uint32(i):], w)
	}
}

// Call frame information of RISC-V: DWARF 1 is ra, 2 is sp, 8 is s0.
func TestRISCVCallFrames(t *testing.T) {
	b := hart()
	frame := func(low uint32, program ...byte) {
		f := debugFrame{version: 3, codeAlign: 1, dataAlign: -4, initial: []byte{cfaDefCFA, 2, 0}, low: low, size: 0x20, program: program, ra: 1}
		f.at = len(b.program.DebugFrame)
		b.program.DebugFrame = append(b.program.DebugFrame, f.bytes()...)
	}
	frame(flash + 0x100)
	frame(flash+0x200, cfaDefCFA, 8, 0, cfaOffset|1, 1, cfaOffset|8, 2) // s0 is the CFA
	b.code(0x200, 0x1101, 0xce06, 0xcc22, 0x1000)                       // C.ADDI sp,-32; C.SWSP ra,28; C.SWSP s0,24; C.ADDI4SPN s0,32
	b.word32(0x208, 0xef9ff0ef)                                         // JAL ra, -0x108
	b.code(0x304, 0x9502)                                               // C.JALR a0
	b.set(snapshot.PC, flash+0x100)
	b.x(1, flash+0x20c)
	b.x(2, ram+0x40)
	b.x(8, ram+0x60)
	b.stack(ram+0x58, 0, flash+0x306) // s0, ra
	b.expect(t, []Frame{
		{PC: flash + 0x100, CFA: ram + 0x40},
		{PC: flash + 0x20c, CFA: ram + 0x60, Kind: Caller, Method: FromCFI},
		{PC: flash + 0x306, Kind: Caller, Method: FromCFI},
	}, Stop{NoRule, flash + 0x306})
}

// What may stand before a return address.
func TestRISCVCalls(t *testing.T) {
	for name, c := range map[string]struct {
		before []uint16 // up to 0x208
		site   callSite
		target uint32
	}{
		"JAL ra":            {[]uint16{0xf0ef, 0xefdf}, directCall, flash + 0x100},
		"JAL t0":            {[]uint16{0xf2ef, 0xefdf}, directCall, flash + 0x100},
		"JAL x0":            {[]uint16{0xf06f, 0xefdf}, noCall, 0},
		"C.JAL":             {[]uint16{0x0001, 0x2805}, directCall, flash + 0x206 + 48},
		"C.J":               {[]uint16{0x0001, 0xa805}, noCall, 0},
		"JALR ra, 4(a0)":    {[]uint16{0x00e7, 0x0045}, indirectCall, 0},
		"JALR x0, 0(ra)":    {[]uint16{0x8067, 0x0000}, noCall, 0},
		"C.JALR a0":         {[]uint16{0x0001, 0x9502}, indirectCall, 0},
		"C.JR a0":           {[]uint16{0x0001, 0x8502}, noCall, 0},
		"AUIPC ra, JALR ra": {[]uint16{0x1097, 0x0000, 0x80e7, 0x0100}, directCall, flash + 0x200 + 0x1010},
		"AUIPC t1, JALR ra": {[]uint16{0x1317, 0x0000, 0x80e7, 0x0100}, indirectCall, 0},
		"ADDI":              {[]uint16{0x0513, 0x0015}, noCall, 0},
		"half of an ADDI":   {[]uint16{0x0513, 0x9502}, indirectCall, 0}, // no one can tell
	} {
		b := hart()
		b.code(0x208-2*uint32(len(c.before)), c.before...)
		site, target := rv32.calls(&code{p: &b.program, m: &rv32}, flash+0x208)
		if site != c.site || target != c.target {
			t.Errorf("%s: %v 0x%08x, want %v 0x%08x", name, site, target, c.site, c.target)
		}
	}
}

// A function without call frame information, at every instruction of its
// prologue and epilogue.
func TestRISCVPrologue(t *testing.T) {
	b := hart()
	b.functions(0x100, 0x120, 0x200, 0x220)
	// ADDI sp,-32; SW ra,28(sp); C.SWSP s0,24; C.ADDI4SPN s0,sp,32; NOP;
	// C.LWSP ra,28; C.LWSP s0,24; C.ADDI16SP 32; C.JR ra
	b.code(0x100, 0x1101, 0x2e23, 0x0011, 0xcc22, 0x1000, 0x0001, 0x40f2, 0x4462, 0x6105, 0x8082)
	b.code(0x204, 0xf0ef, 0xefdf) // JAL ra, -0x104
	b.program.Outermost = []uint32{flash + 0x200}
	for _, at := range []struct{ pc, sp, s0 uint32 }{
		{0x100, 0x60, 7}, {0x102, 0x40, 7}, {0x106, 0x40, 7}, {0x108, 0x40, 7}, {0x10a, 0x40, 0x60}, {0x10c, 0x40, 0x60},
		{0x10e, 0x40, 0x60}, {0x110, 0x40, 7}, {0x112, 0x60, 7},
	} {
		b.set(snapshot.PC, flash+at.pc)
		b.x(1, flash+0x208)
		b.x(2, ram+at.sp)
		b.x(8, at.s0)
		b.stack(ram+0x58, 7, flash+0x208)
		frames, stop, _ := b.unwind(t)
		if len(frames) != 2 || frames[0].CFA != ram+0x60 || frames[1].PC != flash+0x208 || stop != (Stop{}) {
			t.Errorf("+0x%x: %+v, %v 0x%08x", at.pc, frames, stop.Reason, stop.Addr)
		}
	}
}

// traps is a board whose handler at +0x100, made by a compiler, calls the leaf at
// +0x200. It interrupted the leaf at +0x300, called from +0x404.
func trapBoard() *board {
	b := hart()
	b.functions(0x100, 0x140, 0x200, 0x210, 0x300, 0x310, 0x400, 0x420)
	b.code(0x100, 0x1141, 0xc606, 0xc416)         // C.ADDI sp,-16; C.SWSP ra,12; C.SWSP t0,8
	b.word32(0x106, 0x0fa000ef)                   // JAL ra, +0x200
	b.code(0x10a, 0x40b2, 0x42a2, 0x0141)         // C.LWSP ra,12; C.LWSP t0,8; C.ADDI sp,16
	b.word32(0x110, 0x30200073)                   // MRET
	b.code(0x200, 0x0001, 0x8082)                 // C.NOP; C.JR ra
	b.code(0x300, 0x0001, 0x0001, 0x0001, 0x8082) // C.NOP; C.NOP; C.NOP; C.JR ra
	b.code(0x404, 0xf0ef, 0xefdf)                 // JAL ra, -0x104
	b.program.Outermost = []uint32{flash + 0x400}
	b.set(snapshot.PC, flash+0x200)
	b.x(1, flash+0x10a)
	b.x(2, ram+0x50)
	b.stack(ram+0x58, 0, flash+0x408) // t0, ra
	b.set(snapshot.MEPC, flash+0x304)
	b.set(snapshot.MCAUSE, 1<<31|7)
	return b
}

var trapFrames = []Frame{
	{PC: flash + 0x200, CFA: ram + 0x50},
	{PC: flash + 0x10a, CFA: ram + 0x60, Kind: Caller, Method: FromLR},
	{CFA: ram + 0x60, Kind: Exception, ExcNum: TrapInterrupt | 7, Method: FromPrologue},
	{PC: flash + 0x304, CFA: ram + 0x60, Kind: Interrupted, Method: FromExceptionFrame},
	{PC: flash + 0x408, CFA: ram + 0x60, Kind: Caller, Method: FromLR},
}

func TestRISCVTrap(t *testing.T) {
	b := trapBoard()
	b.expect(t, trapFrames, Stop{})
	// In the handler itself, before it has stored anything.
	b.set(snapshot.PC, flash+0x100)
	b.x(1, flash+0x408)
	b.x(2, ram+0x60)
	b.expect(t, []Frame{
		{PC: flash + 0x100, CFA: ram + 0x60},
		{CFA: ram + 0x60, Kind: Exception, ExcNum: TrapInterrupt | 7, Method: FromLR},
		{PC: flash + 0x304, CFA: ram + 0x60, Kind: Interrupted, Method: FromExceptionFrame},
		trapFrames[4],
	}, Stop{})
}

// Without mepc, as in an ELF core file, a handler's stack ends with it: ra is
// that of the code which was interrupted, and its caller is not the handler's.
func TestRISCVTrapWithoutMEPC(t *testing.T) {
	b := trapBoard()
	regs := b.snap.Regs
	b.snap.Regs = snapshot.Registers{}
	for _, r := range []snapshot.Reg{snapshot.PC, snapshot.X0 + 1, snapshot.X0 + 2} {
		v, _ := regs.Value(r)
		b.set(r, v)
	}
	b.expect(t, trapFrames[:2], Stop{NoRegister, flash + 0x10a})
}

// A trap inside of a handler: mepc is that of the inner one, the outer one's is
// where the handler put it, or lost.
func TestRISCVNestedTraps(t *testing.T) {
	for name, keeps := range map[string]bool{"stored": true, "lost": false} {
		b := trapBoard()
		b.program.Outermost = []uint32{flash + 0x400}
		if keeps { // CSRR t0, mepc; C.SWSP t0,4 before the call
			b.code(0x100, 0x1141, 0xc606, 0xc416)
			b.word32(0x106, 0x341022f3)
			b.code(0x10a, 0xc216)
			b.word32(0x10c, 0x0f4000ef)
			b.code(0x110, 0x40b2, 0x42a2, 0x0141)
			b.word32(0x116, 0x30200073)
		}
		// The handler was interrupted in the leaf at +0x200 by itself.
		b.set(snapshot.PC, flash+0x100)
		b.set(snapshot.MEPC, flash+0x202)
		at := uint32(0x10a)
		if keeps {
			at = 0x110
		}
		b.x(1, flash+at)
		b.x(2, ram+0x50)
		b.stack(ram+0x50, 0, flash+0x304, 0, flash+0x408)
		frames, stop, _ := b.unwind(t)
		want := 4
		if keeps {
			want = 7
		}
		if len(frames) != want || stop != (map[bool]Stop{true: {}, false: {NoRegister, flash + at}})[keeps] {
			t.Errorf("%s: %+v, %v 0x%08x", name, frames, stop.Reason, stop.Addr)
			continue
		}
		if frames[1].ExcNum != TrapInterrupt|7 || frames[2].PC != flash+0x202 || frames[3].PC != flash+at {
			t.Errorf("%s: %+v", name, frames)
		}
		if keeps && (frames[4].ExcNum != TrapUnknown || frames[5].PC != flash+0x304 || frames[6].PC != flash+0x408) {
			t.Errorf("%s: %+v", name, frames)
		}
	}
}

// A function that goes down to another privilege by MRET handles no trap.
func TestRISCVIntoUserMode(t *testing.T) {
	b := trapBoard()
	b.word32(0x10a, 0x34151073) // CSRW mepc, a0
	if rvReturnsFromTrap(&code{p: &b.program, m: &rv32}, Range{flash + 0x100, flash + 0x140}) {
		t.Error("taken for a handler")
	}
	b.word32(0x10a, 0x34102573) // CSRR a0, mepc
	if !rvReturnsFromTrap(&code{p: &b.program, m: &rv32}, Range{flash + 0x100, flash + 0x140}) {
		t.Error("not taken for a handler")
	}
}

// Any bytes decode to something that goes on.
func FuzzRISCVAnalysis(f *testing.F) {
	f.Add([]byte{0x01, 0x11, 0x23, 0x2e, 0x11, 0x00, 0x22, 0xcc}, uint16(4))
	f.Fuzz(func(t *testing.T, p []byte, at uint16) {
		b := hart()
		copy(b.image, p)
		b.functions(0, 0x1000)
		b.set(snapshot.PC, flash+uint32(at)&0xffe)
		for n := range 32 {
			b.x(n, ram+uint32(n)*4)
		}
		b.set(snapshot.MEPC, flash+uint32(at)&0xff0)
		frames, _, _ := b.unwind(t)
		if len(frames) > MaxDepth {
			t.Fatal(len(frames))
		}
	})
}

// What LLVM outlines is called with t0 as the link register, whatever the call
// frame information that it writes for it says.
func TestRISCVOutlined(t *testing.T) {
	b := hart()
	frame := func(low uint32, program ...byte) {
		f := debugFrame{version: 3, codeAlign: 1, dataAlign: -4, initial: []byte{cfaDefCFA, 2, 0}, low: low, size: 0x20, program: program, ra: 1}
		f.at = len(b.program.DebugFrame)
		b.program.DebugFrame = append(b.program.DebugFrame, f.bytes()...)
	}
	frame(flash + 0x100)
	frame(flash+0x200, cfaDefCFA, 8, 0, cfaOffset|1, 1, cfaOffset|8, 2)
	b.program.Function = func(pc uint32) (Range, bool) {
		low := pc &^ 0xff
		return Range{Low: low, High: low + 0x20}, pc < low+0x20 && low < flash+0x300
	}
	b.code(0x100, 0x8d31, 0x8282)                 // C.XOR a0,a2; C.JR t0
	b.code(0x200, 0x1101, 0xce06, 0xcc22, 0x1000) // C.ADDI sp,-32; C.SWSP ra,28; C.SWSP s0,24; C.ADDI4SPN s0,32
	b.word32(0x208, 0xef9ff2ef)                   // JAL t0, -0x108
	b.code(0x304, 0x9502)                         // C.JALR a0
	b.x(1, flash+0x306)                           // what ra holds there is the business of the caller
	b.x(2, ram+0x40)
	b.x(5, flash+0x20c)
	b.x(8, ram+0x60)
	b.stack(ram+0x58, 0, flash+0x306) // s0, ra
	caller := func(at uint32, method Method) {
		t.Helper()
		b.set(snapshot.PC, flash+at)
		if frames, stop, _ := b.unwind(t); len(frames) < 2 || frames[1].PC != flash+0x20c || frames[1].Method != method {
			t.Errorf("0x%x: %+v, %v", at, frames, stop)
		}
	}
	for _, at := range []uint32{0x100, 0x102} {
		caller(at, FromPrologue)
	}
	b.x(5, flash+0x306)
	b.word32(0x100, 0x00000293) // LI t0, 0: a tail call to where it leads
	b.code(0x104, 0x8282)
	b.x(1, flash+0x20c)
	b.word32(0x208, 0xef9ff0ef) // JAL ra, -0x108
	caller(0x100, FromCFI)
}
