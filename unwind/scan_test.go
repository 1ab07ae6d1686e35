package unwind

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/sim/armv7m"
	"github.com/mprof/mprof/sim/truth"
	"github.com/mprof/mprof/snapshot"
)

// lost is a board in the middle of a function at +0x200 that nobody can follow,
// called by one at +0x300 that pushed R4 and LR and was called by the reset
// handler at +0x400.
func lost() *board {
	b := newBoard()
	b.functions(0x100, 0x110, 0x200, 0x240, 0x300, 0x320, 0x400, 0x420, 0x500, 0x520)
	b.code(0x200, 0x46af)                                 // MOV PC, R5
	b.code(0x300, 0xb510, 0xf7ff, 0xff7d, 0xbd10)         // PUSH {R4,LR}; BL +0x200; POP {R4,PC}
	b.code(0x400, 0xbf00, 0xf7ff, 0xff7d)                 // NOP; BL +0x300
	b.code(0x500, 0xb500, 0xf7ff, 0xfdfd, 0x4798, 0xf7ff) // PUSH {LR}; BL +0x100; BLX R3
	b.program.Outermost = []uint32{flash + 0x400}
	b.program.Guess = true
	b.set(snapshot.PC, flash+0x220)
	b.set(snapshot.LR, flash+0x507) // of a call to another function
	b.set(snapshot.SP, ram+0x40)
	b.set(snapshot.XPSR, 0x01000000)
	b.stack(ram+0x40, 1, flash+0x507, flash+0x303, ram+0x40, flash+0x307, 4, flash+0x407)
	return b
}

func TestGuess(t *testing.T) {
	leaf := Frame{PC: flash + 0x220}
	guessed := Frame{PC: flash + 0x306, CFA: ram + 0x5c, Kind: Caller, Method: FromScan}
	beyond := Frame{PC: flash + 0x406, CFA: ram + 0x5c, Kind: Caller, Method: FromPrologue, Beyond: true}
	for _, c := range []struct {
		name   string
		frames []Frame
		stop   Stop
		change func(*board)
	}{
		// Not what leads behind the call of another function, or behind no call.
		{"on the stack", []Frame{leaf, guessed, beyond}, Stop{NoRule, flash + 0x220}, func(b *board) {}},
		{"not asked for", []Frame{leaf}, Stop{NoRule, flash + 0x220}, func(b *board) { b.program.Guess = false }},
		{"behind a call through a register", []Frame{leaf, {PC: flash + 0x508, CFA: ram + 0x4c, Kind: Caller, Method: FromScan}, {PC: flash + 0x306, CFA: ram + 0x5c, Kind: Caller, Method: FromScan, Beyond: true}},
			Stop{NoRule, flash + 0x220}, func(b *board) {
				b.stack(ram+0x44, flash+0x509)
				b.program.Outermost = []uint32{flash + 0x300}
				b.code(0x304, 0x4788) // BLX R1 in front of +0x306
				b.code(0x302, 0xbf00)
			}},
		{"in LR", []Frame{leaf, {PC: flash + 0x306, Kind: Caller, Method: FromScan},
			{PC: flash + 0x406, CFA: ram + 0x5c, Kind: Caller, Method: FromScan, Beyond: true}}, Stop{NoRule, flash + 0x220}, func(b *board) {
			b.set(snapshot.LR, flash+0x307)
			b.stack(ram+0x50, 0)
		}},
		{"tail call", []Frame{leaf, guessed, beyond}, Stop{NoRule, flash + 0x220}, func(b *board) {
			b.set(snapshot.LR, 1)
			b.stack(ram+0x44, 1)
			b.code(0x302, 0xf7ff, 0xfefd)         // BL +0x100
			b.code(0x100, 0xbf00, 0xf000, 0xb87d) // NOP; B +0x200
		}},
		{"veneer", []Frame{leaf, guessed, beyond}, Stop{NoRule, flash + 0x220}, func(b *board) {
			b.set(snapshot.LR, 1)
			b.stack(ram+0x44, 1)
			b.code(0x302, 0xf7ff, 0xfefd)                 // BL +0x100
			b.code(0x100, 0xf8df, 0xf000, 0x0201, 0x0800) // LDR PC, =+0x200
		}},
		{"a call there is none", []Frame{leaf}, Stop{NoRule, flash + 0x220}, func(b *board) {
			b.code(0x302, 0xf7ff, 0xfefd)         // BL +0x100
			b.code(0x100, 0xbf00, 0xf000, 0xf87d) // NOP; BL +0x200
		}},
		{"not captured", []Frame{leaf}, Stop{NoRule, flash + 0x220}, func(b *board) { b.snap.Windows[0].Data = b.snap.Windows[0].Data[:0x50] }},
		{"return address that is none", []Frame{{PC: flash + 0x302, CFA: ram + 0x48}, {PC: flash + 0x406, CFA: ram + 0x5c, Kind: Caller, Method: FromScan}},
			Stop{BadRA, 0x77}, func(b *board) {
				b.set(snapshot.PC, flash+0x302)
				b.set(snapshot.LR, 1)
				b.stack(ram+0x40, 4, 0x77, 0, 0, 0, 0, flash+0x407)
			}},
		{"frame pointers alone", []Frame{leaf}, Stop{NoChain, flash + 0x220}, func(b *board) {
			b.program.Methods = FramePointers
			b.program.FramePointers = func(uint32) (bool, string) { return false, "GNU C17 12.2.1" }
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := lost()
			c.change(b)
			b.expect(t, c.frames, c.stop)
		})
	}
}

// What was looked at is wanted next time, up to the first that was not captured.
func TestGuessTouches(t *testing.T) {
	b := lost()
	b.snap.Windows[0].Data = b.snap.Windows[0].Data[:0x50]
	_, _, u := b.unwind(t)
	if d := cmp.Diff([]Range{{ram + 0x40, ram + 0x54}}, u.Touched()); d != "" {
		t.Errorf("touched want (-), got (+):\n%s", d)
	}
	b = lost()
	b.snap.Windows[0].Data = make([]byte, 4*maxScanned+0x100)
	_, _, u = b.unwind(t)
	if d := cmp.Diff([]Range{{ram + 0x40, ram + 0x40 + 4*maxScanned}}, u.Touched()); d != "" {
		t.Errorf("touched want (-), got (+):\n%s", d)
	}
}

// In a handler an exception return may stand on the stack, with its frame; not
// every word that looks like one does.
func TestGuessOfExceptionReturn(t *testing.T) {
	b := lost()
	b.set(snapshot.XPSR, 0x01000000|15)
	b.stack(ram+0x40, 0, 0xfffffff9, 0xffffff81, 0xfffffff9, 0, 1, 2, 3, 12, 0, flash+0x302, 0x01000000)
	b.stack(ram+0x70, 4, flash+0x407)
	b.expect(t, []Frame{
		{PC: flash + 0x220},
		{CFA: ram + 0x70, Kind: Exception, ExcNum: 15, Method: FromScan},
		{PC: flash + 0x302, CFA: ram + 0x78, Kind: Interrupted, Method: FromExceptionFrame, Beyond: true},
		{PC: flash + 0x406, CFA: ram + 0x78, Kind: Caller, Method: FromPrologue, Beyond: true},
	}, Stop{NoRule, flash + 0x220})
}

// The demo without any method but guessing: whatever is wrong is marked, and
// most of the first callers are right all the same.
func TestGuessesAreMarked(t *testing.T) {
	const path = "../firmware/demo/demo.elf"
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not built", path)
	}
	p := loadProgram(t, path)
	p.DebugFrame, p.Exidx, p.Guess = nil, Range{}, true
	u, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	u.finders = nil
	s := simulate(t, path, armv7m.V7EM)
	var got []Frame
	var want []truth.Frame
	stacks, right, unmarked := 0, 0, 0
	for range 20_000 {
		s.Run(s.Cycles() + 101)
		snap := s.freeze()
		pc, _ := snap.Regs.Value(snapshot.PC)
		var stop Stop
		got, stop = u.Unwind(got[:0], snap)
		want = s.truth.AppendStack(want[:0], pc)
		if len(want) < 2 {
			continue
		}
		stacks++
		if stop.Reason == Complete && len(got) > 1 {
			t.Fatalf("a guess is a fact: %v", got)
		}
		if len(got) > 1 && got[1].PC == want[1].PC {
			right++
		}
		for i, f := range got {
			if (i >= len(want) || f.PC != want[i].PC) && !f.Guessed() {
				unmarked++
			}
		}
	}
	t.Logf("%d of %d first callers are right", right, stacks)
	if unmarked > 0 || right < stacks/2 {
		t.Errorf("%d false frames are not marked; %d of %d first callers are right", unmarked, right, stacks)
	}
}
