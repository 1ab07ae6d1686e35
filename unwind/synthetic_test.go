package unwind

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/snapshot"
)

// board is a made-up program and core: code bytes at 0x08000000, stacks that
// tests fill word by word.
type board struct {
	program Program
	image   []byte
	snap    snapshot.Snapshot
}

const (
	flash = 0x08000000
	ram   = 0x20000000
	words = 256 // of RAM
)

func newBoard() *board {
	b := &board{image: make([]byte, 0x1000)}
	for i := 0; i < len(b.image); i += 2 {
		binary.LittleEndian.PutUint16(b.image[i:], 0xbf00) // NOP
	}
	b.program = Program{Code: []Range{{flash, flash + 0x1000}}, ReadCode: func(addr uint32, p []byte) bool {
		if addr < flash || addr-flash+uint32(len(p)) > uint32(len(b.image)) {
			return false
		}
		copy(p, b.image[addr-flash:])
		return true
	}}
	b.snap.Windows = []snapshot.Window{{Addr: ram, Data: make([]byte, 4*words)}}
	return b
}

// code puts halfwords at an offset in flash.
func (b *board) code(offset uint32, halfwords ...uint16) {
	copy(b.image[offset:], thumb(halfwords...))
}

// functions gives the program function symbols: pairs of offsets.
func (b *board) functions(bounds ...uint32) {
	b.program.Function = func(pc uint32) (Range, bool) {
		for i := 0; i < len(bounds); i += 2 {
			if r := (Range{flash + bounds[i], flash + bounds[i+1]}); r.Contains(pc) {
				return r, true
			}
		}
		return Range{}, false
	}
}

func (b *board) set(reg snapshot.Reg, v uint32) { b.snap.Regs.Set(reg, v) }

// stack puts words at addr.
func (b *board) stack(addr uint32, values ...uint32) {
	for i, v := range values {
		binary.LittleEndian.PutUint32(b.snap.Windows[0].Data[addr-ram+uint32(4*i):], v)
	}
}

func (b *board) unwind(t *testing.T) ([]Frame, Stop, *Unwinder) {
	t.Helper()
	u, err := New(b.program)
	if err != nil {
		t.Fatal(err)
	}
	frames, stop := u.Unwind(nil, &b.snap)
	return frames, stop, u
}

func (b *board) expect(t *testing.T, frames []Frame, stop Stop) *Unwinder {
	t.Helper()
	got, why, u := b.unwind(t)
	show := cmp.Transformer("hex", func(v uint32) string { return fmt.Sprintf("0x%08x", v) })
	if d := cmp.Diff(frames, got, show); d != "" {
		t.Errorf("frames want (-), got (+):\n%s", d)
	}
	if why != stop {
		t.Errorf("stop %v 0x%08x, want %v 0x%08x", why.Reason, why.Addr, stop.Reason, stop.Addr)
	}
	return u
}

// interrupted is a board whose handler at +0x100 is about to return with the
// given EXC_RETURN, and whose thread code at +0x200 is a function that pushed
// LR and was called from the reset handler at +0x300.
func interrupted(excReturn uint32) *board {
	b := newBoard()
	b.functions(0x100, 0x110, 0x200, 0x210, 0x300, 0x310)
	b.code(0x100, 0xbf00, 0x4770)                 // NOP; BX LR
	b.code(0x200, 0xb510, 0xbf00, 0xbf00, 0xbd10) // PUSH {R4,LR}; NOP; NOP; POP {R4,PC}
	b.code(0x300, 0xbf00, 0xbf00, 0xf7ff, 0xff7c) // BL +0x200
	b.program.Outermost = []uint32{flash + 0x300}
	b.set(snapshot.PC, flash+0x100)
	b.set(snapshot.LR, excReturn)
	b.set(snapshot.XPSR, 0x01000000|15)
	return b
}

// frame puts an exception frame of the interrupted function at addr; sp is
// behind it, where the function pushed R4 and LR.
func (b *board) frame(addr, sp, xpsr uint32) {
	b.stack(addr, 0xa0, 0xa1, 0xa2, 0xa3, 0xac, flash+0x999, flash+0x204, xpsr)
	b.stack(sp, 0x44444444, flash+0x309)
}

// expectedStack is that of an interrupted board: the CFA of the handler, and the
// stack pointer when it was interrupted.
func expectedStack(cfa, sp uint32) []Frame {
	return []Frame{
		{PC: flash + 0x100, CFA: cfa, Kind: Leaf, Method: FromRegisters},
		{CFA: sp, Kind: Exception, ExcNum: 15, Method: FromLR},
		{PC: flash + 0x204, CFA: sp + 8, Kind: Interrupted, Method: FromExceptionFrame},
		{PC: flash + 0x308, CFA: sp + 8, Kind: Caller, Method: FromPrologue},
	}
}

// Frames as ARMv7-M ARM B1.5.6 lays them out: 8 words, 26 with the
// floating-point extension, on either stack, with the padding word that bit 9
// of the stacked xPSR tells of.
func TestExceptionFrames(t *testing.T) {
	const main, process = ram + 0x40, ram + 0x200
	for _, c := range []struct {
		excReturn, words, pad uint32
		psp                   bool
	}{
		{0xfffffff9, 8, 0, false}, {0xfffffff9, 8, 1, false}, {0xfffffffd, 8, 0, true}, {0xfffffffd, 8, 1, true},
		{0xffffffe9, 26, 0, false}, {0xffffffe9, 26, 1, false}, {0xffffffed, 26, 0, true}, {0xffffffed, 26, 1, true},
		{0xffffffb8, 8, 0, false}, {0xffffffbc, 8, 1, true}, {0xffffffa8, 26, 0, false}, {0xffffffac, 26, 1, true},
	} {
		t.Run(fmt.Sprintf("0x%08x pad %d", c.excReturn, c.pad), func(t *testing.T) {
			b := interrupted(c.excReturn)
			at := uint32(main)
			b.set(snapshot.SP, main)
			b.set(snapshot.MSP, main)
			b.set(snapshot.PSP, process)
			if c.psp {
				at = process
			}
			sp := at + 4*c.words + 4*c.pad
			b.frame(at, sp, 0x01000000|c.pad<<9)
			u := b.expect(t, expectedStack(main, sp), Stop{})
			want := []Range{{at + 24, at + 32}, {sp + 4, sp + 8}} // ReturnAddress, xPSR; LR of the caller
			if d := cmp.Diff(want, u.Touched()); d != "" {
				t.Errorf("touched want (-), got (+):\n%s", d)
			}
		})
	}
}

// SysTick (15) interrupted an interrupt (IRQ 4: 20), which interrupted a thread
// on the process stack.
func TestNestedExceptions(t *testing.T) {
	b := interrupted(0xfffffff1)
	const main, process = ram + 0x40, ram + 0x200
	b.functions(0x100, 0x110, 0x200, 0x210, 0x300, 0x310, 0x400, 0x410)
	b.code(0x400, 0xb500, 0xbf00, 0xbd00) // PUSH {LR}; NOP; POP {PC}
	b.set(snapshot.SP, main)
	b.set(snapshot.MSP, main)
	b.set(snapshot.PSP, process)
	b.stack(main, 0, 0, 0, 0, 0, 0, flash+0x402, 0x01000000|20)
	b.stack(main+32, 0xfffffffd)
	b.frame(process, process+32, 0x01000000)
	b.expect(t, []Frame{
		{PC: flash + 0x100, CFA: main},
		{CFA: main + 32, Kind: Exception, ExcNum: 15, Method: FromLR},
		{PC: flash + 0x402, CFA: main + 36, Kind: Interrupted, Method: FromExceptionFrame},
		{CFA: process + 32, Kind: Exception, ExcNum: 20, Method: FromPrologue},
		{PC: flash + 0x204, CFA: process + 40, Kind: Interrupted, Method: FromExceptionFrame},
		{PC: flash + 0x308, CFA: process + 40, Kind: Caller, Method: FromPrologue},
	}, Stop{})
}

// A handler that keeps EXC_RETURN on the process stack, below PSP, where no
// window reaches, and is in a call: it returns to a thread all the same, and
// whether that has a floating-point frame shows in what comes next.
func TestThreadSwitch(t *testing.T) {
	for _, size := range []uint32{8, 26} {
		b := interrupted(flash + 0x10d)
		b.functions(0x100, 0x120, 0x200, 0x210, 0x300, 0x310, 0x400, 0x410)
		b.code(0x100, 0xf3ef, 0x8009, 0xe920, 0x4ff0, 0xf000, 0xf97a) // MRS R0,PSP; STMDB R0!,{R4-R11,LR}; BL +0x400
		b.code(0x400, 0x4770)
		const main, process = ram + 0x40, ram + 0x200
		b.set(snapshot.PC, flash+0x400)
		b.set(snapshot.SP, main)
		b.set(snapshot.PSP, process)
		b.frame(process, process+4*size, 0x01000000)
		data := b.snap.Windows[0].Data
		b.snap.Windows = []snapshot.Window{{Addr: ram, Data: data[:0x100]}, {Addr: process, Data: data[process-ram:]}}
		sp := process + 4*size
		b.expect(t, []Frame{
			{PC: flash + 0x400, CFA: main},
			{PC: flash + 0x10c, CFA: main, Kind: Caller, Method: FromLR},
			{CFA: sp, Kind: Exception, ExcNum: 15, Method: FromPrologue},
			{PC: flash + 0x204, CFA: sp + 8, Kind: Interrupted, Method: FromExceptionFrame},
			{PC: flash + 0x308, CFA: sp + 8, Kind: Caller, Method: FromPrologue},
		}, Stop{})
	}
}

func TestExceptionCuts(t *testing.T) {
	const main = ram + 0x40
	leaf := Frame{PC: flash + 0x100, CFA: main}
	edge := Frame{Kind: Exception, ExcNum: 15, Method: FromLR}
	ready := func(v uint32) *board {
		b := interrupted(v)
		b.set(snapshot.SP, main)
		b.set(snapshot.MSP, main)
		b.set(snapshot.PSP, ram+0x200)
		b.frame(main, main+32, 0x01000000)
		return b
	}
	t.Run("no EXC_RETURN", func(t *testing.T) {
		b := ready(0xffffff81)
		b.expect(t, []Frame{leaf}, Stop{BadRA, 0xffffff81})
	})
	t.Run("EXC_RETURN in thread mode", func(t *testing.T) {
		b := ready(0xfffffff9)
		b.set(snapshot.XPSR, 0x01000000)
		b.expect(t, []Frame{leaf}, Stop{BadRA, 0xfffffff9})
	})
	t.Run("frame not captured", func(t *testing.T) {
		b := ready(0xfffffffd)
		b.set(snapshot.PSP, ram+0x10000)
		u := b.expect(t, []Frame{leaf, edge}, Stop{NotCaptured, ram + 0x1001c})
		if d := cmp.Diff([]Range{{ram + 0x1001c, ram + 0x10020}}, u.Touched()); d != "" {
			t.Errorf("touched want (-), got (+):\n%s", d)
		}
	})
	t.Run("no PSP", func(t *testing.T) {
		b := interrupted(0xfffffffd)
		b.set(snapshot.SP, main)
		b.expect(t, []Frame{leaf, edge}, Stop{NoRegister, 0xfffffffd})
	})
	t.Run("mode of the frame", func(t *testing.T) {
		b := ready(0xfffffff9)
		b.frame(main, main+32, 0x01000000|11)
		b.expect(t, []Frame{leaf, edge}, Stop{BadRA, flash + 0x204})
	})
	t.Run("stacked PC not in code", func(t *testing.T) {
		b := ready(0xfffffff9)
		b.stack(main+24, 0x30000000)
		edge := edge
		edge.CFA = main + 32
		b.expect(t, []Frame{leaf, edge}, Stop{BadRA, 0x30000000})
	})
	t.Run("jump into nowhere", func(t *testing.T) {
		b := ready(0xfffffff9)
		b.stack(main+20, flash+0x309, 0x30000000)
		edge := edge
		edge.CFA = main + 32
		b.expect(t, []Frame{leaf, edge,
			{PC: 0x30000000, Kind: Interrupted, Method: FromExceptionFrame}}, Stop{NoRule, 0x30000000})
	})
	t.Run("null function pointer", func(t *testing.T) {
		b := ready(0xfffffff9)
		b.code(0x304, 0xbf00, 0x4798) // BLX R3
		b.stack(main+20, flash+0x309, 0)
		edge := edge
		edge.CFA = main + 32
		b.expect(t, []Frame{leaf, edge,
			{PC: 0, CFA: main + 32, Kind: Interrupted, Method: FromExceptionFrame},
			{PC: flash + 0x308, CFA: main + 32, Kind: Caller, Method: FromLR}}, Stop{})
	})
}

func TestNoStack(t *testing.T) {
	b := interrupted(0xfffffff9)
	b.snap.Miss = snapshot.NotHalted
	b.expect(t, nil, Stop{NoSample, 0})
	b = interrupted(0xfffffff9)
	b.snap.State = snapshot.Lockup
	b.expect(t, nil, Stop{InLockup, flash + 0x100})
	b = newBoard() // only a PC, as DWT_PCSR gives it
	b.functions(0x100, 0x110)
	b.set(snapshot.PC, flash+0x100)
	b.expect(t, []Frame{{PC: flash + 0x100}}, Stop{NoRegister, flash + 0x100})
}
