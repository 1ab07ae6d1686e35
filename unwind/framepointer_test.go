package unwind

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/sim/armv7m"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
)

// byFramePointer is a program of which nothing but frame pointers may be used.
func byFramePointer(t testing.TB, path string) func(*Program) {
	image, err := symbol.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return func(p *Program) {
		p.DebugFrame, p.EHFrame, p.Exidx = nil, nil, Range{}
		p.Methods = FramePointers
		p.FramePointers = func(pc uint32) (bool, string) {
			producer := image.Producer(pc)
			return symbol.ChainsFrames(producer), producer
		}
	}
}

// Rust's code has frame pointers; C libraries of GCC's among it have none, and
// are cut there.
func TestEveryInstructionOfFramePointers(t *testing.T) {
	for _, path := range captures(t) {
		name := filepath.Base(path)
		arch := armv7m.V7EM
		if strings.HasPrefix(name, "RP2040") {
			arch = armv7m.V6M
		}
		t.Run(name, func(t *testing.T) {
			r := check(t, path, arch, 150_000, byFramePointer(t, path))
			r.report(t)
			if strings.HasPrefix(name, "atsamd51") { // of GCC
				if r.reasons[NoChain] < r.stacks/2 || r.false > 0 || r.methods[FromFramePointer] > 0 {
					t.Errorf("%d of %d stacks are cut in GCC's code, %d frames by frame pointer", r.reasons[NoChain], r.stacks, r.methods[FromFramePointer])
				}
				return
			}
			if r.stacks < 5_000 || r.differ > r.stacks/500 || r.false > 0 || r.methods[FromFramePointer] < r.stacks/2 {
				t.Errorf("%d of %d stacks differ, %d with a false frame; %d frames by frame pointer", r.differ, r.stacks, r.false, r.methods[FromFramePointer])
			}
		})
	}
}

func TestEveryInstructionOfClangFramePointers(t *testing.T) {
	for _, c := range []struct {
		flags string
		arch  armv7m.Arch
	}{
		{"-mcpu=cortex-m0plus -O0", armv7m.V6M},
		{"-mcpu=cortex-m3 -O1 -fno-omit-frame-pointer", armv7m.V7M},
		{"-mcpu=cortex-m4 -O2 -fno-omit-frame-pointer", armv7m.V7EM},
	} {
		t.Run(c.flags, func(t *testing.T) {
			path := clangProgram(t, c.flags, "-nostartfiles -T testdata/link.ld --specs=nosys.specs --specs=nano.specs -Wl,--no-warn-rwx-segments",
				"testdata/startup.c", "testdata/mixed.c")
			r := check(t, path, c.arch, 100_000, byFramePointer(t, path))
			r.report(t)
			// Debian's C library is made by GCC: stacks are cut where they lead
			// into it, and nowhere else.
			if r.stacks < 50_000 || r.differ-r.reasons[NoChain] > r.stacks/500 || r.false > 0 || r.reasons[NoChain] == 0 {
				t.Errorf("%d of %d stacks differ, %d with a false frame, %d cut in GCC's code", r.differ, r.stacks, r.false, r.reasons[NoChain])
			}
			if r.methods[FromFramePointer] < r.stacks/10 {
				t.Errorf("%d frames by frame pointer", r.methods[FromFramePointer])
			}
		})
	}
}

// chainBoard is a leaf at +0x100, called by a function at +0x200 with a frame
// pointer, called by one at +0x300.
func chainBoard(producer string) *board {
	b := newBoard()
	b.functions(0x100, 0x110, 0x200, 0x240, 0x300, 0x340)
	b.code(0x100, 0xbf00, 0x4770)                         // NOP; BX LR
	b.code(0x200, 0xb5d0, 0xaf02, 0xb084, 0xf7ff, 0xff7b) // PUSH {R4,R6,R7,LR}; ADD R7,SP,#8; SUB SP,#16; BL +0x100
	b.code(0x300, 0xb580, 0x466f, 0xf7ff, 0xff7c)         // PUSH {R7,LR}; MOV R7,SP; BL +0x200
	b.program.Methods = FramePointers
	b.program.Outermost = []uint32{flash + 0x300}
	b.program.FramePointers = func(uint32) (bool, string) { return symbol.ChainsFrames(producer), producer }
	b.set(snapshot.PC, flash+0x100)
	b.set(snapshot.LR, flash+0x20b)
	b.set(snapshot.SP, ram+0x40)
	b.set(snapshot.R7, ram+0x58)
	b.set(snapshot.XPSR, 0x01000000)
	b.stack(ram+0x50, 4, 6, ram+0x60, flash+0x309)
	return b
}

func TestFramePointers(t *testing.T) {
	leaf := Frame{PC: flash + 0x100, CFA: ram + 0x40}
	second := Frame{PC: flash + 0x20a, CFA: ram + 0x60, Kind: Caller, Method: FromLR}
	whole := []Frame{leaf, second, {PC: flash + 0x308, CFA: ram + 0x68, Kind: Caller, Method: FromFramePointer}}
	const clang, gcc = "Debian clang version 14.0.6", "GNU C17 12.2.1"
	for _, c := range []struct {
		name, producer string
		frames         []Frame
		stop           Stop
		change         func(*board)
	}{
		{"clang", clang, whole, Stop{}, nil},
		{"rustc", "clang LLVM (rustc version 1.70.0)", whole, Stop{}, nil},
		{"GCC", gcc, []Frame{{PC: flash + 0x100}}, Stop{NoChain, flash + 0x100}, nil},
		{"GCC calls assembly", gcc, []Frame{leaf, {PC: flash + 0x20a, Kind: Caller, Method: FromLR}}, Stop{NoChain, flash + 0x20a}, func(b *board) {
			b.program.FramePointers = func(pc uint32) (bool, string) {
				if pc < flash+0x200 {
					return false, "GNU AS 2.40"
				}
				return false, gcc
			}
		}},
		{"GCC, all methods", gcc, func() []Frame {
			w := append([]Frame(nil), whole...)
			w[2].Method = FromPrologue
			return w
		}(), Stop{}, func(b *board) { b.program.Methods = Auto }},
		{"frame pointer below the stack pointer", clang, []Frame{leaf, {PC: flash + 0x20a, Kind: Caller, Method: FromLR}}, Stop{NoProgress, ram + 0x38},
			func(b *board) { b.set(snapshot.R7, ram+0x30) }},
		{"return address behind no call", clang, whole[:2], Stop{BadRA, flash + 0x305}, func(b *board) { b.stack(ram+0x5c, flash+0x305) }},
		{"stack not captured", clang, whole[:2], Stop{NotCaptured, ram + 0x5c}, func(b *board) { b.snap.Windows[0].Data = b.snap.Windows[0].Data[:0x5c] }},
		// Whatever the instructions are behind a jump that cannot be followed: the
		// call is made with the frame set up.
		{"code that cannot be followed", clang, whole, Stop{}, func(b *board) { b.code(0x204, 0x46af) }}, // MOV PC, R5
		{"a leaf there", clang, []Frame{{PC: flash + 0x220}}, Stop{NoRule, flash + 0x220}, func(b *board) {
			b.code(0x204, 0x46af)
			b.set(snapshot.PC, flash+0x220)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := chainBoard(c.producer)
			if c.change != nil {
				c.change(b)
			}
			b.expect(t, c.frames, c.stop)
		})
	}
}

// Halted cores of real chips that run Rust: the chain of frame pointers has the
// frames that call frame information has.
func TestCapturesByFramePointers(t *testing.T) {
	for _, path := range captures(t) {
		base := strings.TrimSuffix(path, ".elf")
		if strings.HasPrefix(filepath.Base(base), "atsamd51") { // of GCC
			continue
		}
		t.Run(filepath.Base(base), func(t *testing.T) {
			p := loadProgram(t, path)
			byCFI, err := New(p)
			if err != nil {
				t.Fatal(err)
			}
			byFramePointer(t, path)(&p)
			byChain, err := New(p)
			if err != nil {
				t.Fatal(err)
			}
			snap := loadCapture(t, base+".snapshot.json")
			want, wantStop := byCFI.Unwind(nil, snap)
			got, stop := byChain.Unwind(nil, snap)
			chained := 0
			for i := range got {
				if got[i].Method == FromFramePointer {
					chained++
				}
				got[i].Method = 0
			}
			for i := range want {
				want[i].Method = 0
			}
			if d := cmp.Diff(want, got); d != "" || stop != wantStop || chained < 3 {
				t.Errorf("call frame information (-), frame pointers (+), of which %d frames:\n%s\n%v, %v", chained, d, wantStop, stop)
			}
		})
	}
}
