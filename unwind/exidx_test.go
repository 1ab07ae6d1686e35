package unwind

import (
	"strings"
	"testing"

	"github.com/mprof/mprof/sim/armv7m"
	"github.com/mprof/mprof/snapshot"
)

// A program without call frame information, as compilers leave it without -g
// but with exceptions: with all methods, and with the tables alone.
func TestEveryInstructionOfExidx(t *testing.T) {
	const n = 100_000
	for _, c := range []struct {
		flags string
		arch  armv7m.Arch
	}{
		{"-mcpu=cortex-m0plus -Os", armv7m.V6M},
		{"-mcpu=cortex-m0plus -O0", armv7m.V6M},
		{"-mcpu=cortex-m3 -O2", armv7m.V7M},
		{"-mcpu=cortex-m4 -O1 -fno-omit-frame-pointer", armv7m.V7EM},
		{"-mcpu=cortex-m4 -O3", armv7m.V7EM},
	} {
		path := compile(t, c.flags+" -fexceptions -nostartfiles -T testdata/link.ld --specs=nosys.specs -Wl,--no-warn-rwx-segments",
			"testdata/startup.c", "testdata/throws.cpp", "-lstdc++", "-lsupc++",
			"-Wl,--defsym=getentropy=0,--defsym=__dso_handle=0")
		for _, alone := range []bool{false, true} {
			name := c.flags
			if alone {
				name += " alone"
			}
			t.Run(name, func(t *testing.T) {
				p := loadProgram(t, path)
				p.DebugFrame, p.EHFrame = nil, nil
				u, err := New(p)
				if err != nil {
					t.Fatal(err)
				}
				if alone {
					u.finders = []finder{u.exidx, exidxEnd{u.exidx}}
				}
				r := watch(t, u, path, c.arch, n)
				r.report(t)
				if r.stacks < n/10 || r.false > 0 || r.methods[FromEXIDX] < r.stacks/3 {
					t.Errorf("%d of %d stacks with a false frame, %d frames by EXIDX", r.false, r.stacks, r.methods[FromEXIDX])
				}
				if !alone && r.differ > r.stacks/500 {
					t.Errorf("%d of %d stacks differ", r.differ, r.stacks)
				}
			})
		}
	}
}

// exidxBoard is a board whose index table is made of pairs of an offset in flash
// and a word; it lies at +0xc00 with tables of words at +0xe00.
func exidxBoard(entries []uint32, table ...uint32) *board {
	b := newBoard()
	const at = 0xc00
	put := func(off, v uint32) { b.code(off, uint16(v), uint16(v>>16)) }
	for i := 0; i < len(entries); i += 2 {
		off := at + uint32(4*i)
		put(off, (entries[i]-off)&0x7fffffff)
		put(off+4, entries[i+1])
	}
	for i, v := range table {
		put(0xe00+uint32(4*i), v)
	}
	b.program.Exidx = Range{flash + at, flash + at + uint32(4*len(entries))}
	return b
}

// extab is the second word of entry i if its instructions are at +0xe00.
func extab(i uint32) uint32 { return (0xe00 - (0xc00 + 8*i + 4)) & 0x7fffffff }

func TestExidxRules(t *testing.T) {
	personality := func(at uint32) uint32 { return (0x700 - at) & 0x7fffffff }
	for _, c := range []struct {
		name  string
		word  uint32
		table []uint32
		want  string
		err   string
	}{
		{"finish", 0x80b0b0b0, nil, "r13+0", ""},
		{"locals and push", 0x8003abb0, nil, "r13+36 r4:c-20 r5:c-16 r6:c-12 r7:c-8 ra:c-4", ""},
		{"frame pointer", 0x80000000 | 0x9741a8, nil, "r7+0 r4:c-8 ra:c-4", ""},
		{"pop of PC", 0x80880000, nil, "r13+8 ra:c-8", ""},
		{"LR and PC", 0x808c00b0, nil, "r13+8 ra:c-4", ""},
		{"r0 to r3", 0x80b105b0, nil, "r13+8 r0:c-8 r2:c-4", ""},
		{"uleb", 0x80b28100, nil, "r13+520", ""}, // 0x204 + (1 << 2), in two bytes
		{"VFP", 0x80b901b0, nil, "r13+28", ""},
		{"stack pointer from memory", 0x80820000, nil, "exp", ""},
		{"routine 1", extab(0), []uint32{0x8101a8b0, 0x3f3f3fb0}, "r13+8 r4:c-8 ra:c-4", ""},
		{"routine 2, no more words", extab(0), []uint32{0x8200a8b0}, "r13+8 r4:c-8 ra:c-4", ""},
		{"routine of C++", extab(0), []uint32{personality(0xe00), 0x0103b23f, 0x84ffd8b0}, "", "without meaning"},
		{"routine of C++, right", extab(0), []uint32{personality(0xe00), 0x010203b2, 0x01a8b0b0}, "r13+556 r4:c-8 ra:c-4", ""},
		{"refused", 0x808000b0, nil, "", "unwind: .ARM.exidx+0x0: the function refuses to be unwound"},
		{"reserved", 0x809db0b0, nil, "", "unwind: .ARM.exidx+0x0: unwinding instruction without meaning: 0x9d"},
		{"not a model", 0x90b0b0b0, nil, "", "unwind: .ARM.exidx+0x4: no compact model: 0x90b0b0b0"},
		{"routine 3", extab(0), []uint32{0x8301a8b0}, "", "unwind: .ARM.exidx+0x4: .ARM.extab 0x08000e00: no compact model: 0x8301a8b0"},
		{"outside", 0x7000000, nil, "", "unwind: .ARM.exidx+0x4: .ARM.extab 0x0f000c04: not in the image"},
		{"more words than there are", extab(0), []uint32{0x81ffa8b0}, "", "not in the image"},
		{"truncated", 0x80b0b080&^0xb0b000 | 0x3f3f00, nil, "", "unwind: .ARM.exidx+0x0: truncated"},
		{"vsp from memory without end", extab(0), []uint32{0x81028200, 0x82008200, 0x82008200}, "", "too many values of vsp"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := exidxBoard([]uint32{0x100, c.word, 0x200, cantUnwind}, c.table...)
			if c.name == "more words than there are" {
				b.image = b.image[:0xe40]
				b.program.Code[0].High = flash + 0xe40
			}
			u, err := New(b.program)
			if err != nil {
				t.Fatal(err)
			}
			i, _, ok := u.exidx.covering(&u.code, flash+0x105)
			if !ok {
				t.Fatalf("not covered: %v", u.exidx.err)
			}
			rule, err := u.exidx.rule(&u.code, i)
			if c.err == "" && (err != nil || rule.String() != c.want) {
				t.Errorf("%v, %v, want %s", rule, err, c.want)
			}
			if c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("%v, %v, want the error %s", rule, err, c.err)
			}
		})
	}
}

// What an entry covers: not the function behind it that has a symbol of its own,
// not code in another section.
func TestExidxCoverage(t *testing.T) {
	b := exidxBoard([]uint32{0x100, 0x80a8b0b0, 0x300, cantUnwind, 0x400, 0x80b0b0b0})
	b.functions(0x100, 0x180, 0x200, 0x240, 0x300, 0x340, 0x380, 0x3a0)
	b.program.Code = []Range{{flash, flash + 0x500}, {flash + 0x600, flash + 0x1000}}
	u, err := New(b.program)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		pc   uint32
		want Range
	}{
		{0x0fe, Range{}}, {0x100, Range{0x100, 0x180}}, {0x17f, Range{0x100, 0x180}}, {0x181, Range{0x100, 0x300}},
		{0x200, Range{}}, {0x23e, Range{}}, {0x300, Range{0x300, 0x340}}, {0x390, Range{}},
		{0x4fe, Range{0x400, 0x500}}, {0x500, Range{}}, {0x600, Range{}}, {0x700, Range{}},
	} {
		_, fn, ok := u.exidx.covering(&u.code, flash+c.pc)
		if want := (Range{flash + c.want.Low, flash + c.want.High}); ok != (c.want != Range{}) || ok && fn != want {
			t.Errorf("+0x%x: %v [0x%x, 0x%x), want %+v", c.pc, ok, fn.Low, fn.High, c.want)
		}
	}
}

// Damaged index tables count up to the damage.
func TestExidxDamage(t *testing.T) {
	for _, c := range []struct {
		name    string
		change  func(*board)
		entries int
		err     string
	}{
		{"order", func(b *board) { b.code(0xc08, 0, 0) }, 0, ""},
		{"bit 31", func(b *board) { b.code(0xc0a, 0xffff) }, 1, "unwind: .ARM.exidx+0x8: bit 31 of a distance to a function is set"},
		{"odd size", func(b *board) { b.program.Exidx.High -= 3 }, 2, "unwind: .ARM.exidx+0x10: ends inside an entry"},
		{"outside", func(b *board) { b.program.Exidx.High = 0xffffffff }, 0, "unwind: .ARM.exidx+0x0: not in the image"},
		{"upside down", func(b *board) { b.program.Exidx.High = 4 }, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := exidxBoard([]uint32{0x100, 0x80a8b0b0, 0x200, cantUnwind, 0x300, 0x80b0b0b0})
			c.change(b)
			u, err := New(b.program)
			if err != nil {
				t.Fatal(err)
			}
			x := &u.exidx.table
			x.read(&u.code, b.program.Exidx)
			if c.name == "order" {
				c.entries, c.err = len(x.entries), "unwind: .ARM.exidx+0x10: functions are not in ascending order"
			}
			if len(x.entries) != c.entries || (x.err == nil) != (c.err == "") || x.err != nil && x.err.Error() != c.err {
				t.Errorf("%d entries, %v; want %d, %s", len(x.entries), x.err, c.entries, c.err)
			}
		})
	}
}

// The end in code that is marked: a thread's first function is the outermost, in
// a handler or in code that is called it is a cut.
func TestCantUnwind(t *testing.T) {
	mark := func() *board {
		b := exidxBoard([]uint32{0x100, cantUnwind, 0x200, cantUnwind})
		b.functions(0x100, 0x180)
		b.code(0x100, 0xf3bf, 0x8f4f, 0x4687) // DSB; MOV PC, R0
		b.code(0x120, 0xbf00)                 // reached from nowhere
		b.set(snapshot.PC, flash+0x120)
		b.set(snapshot.SP, ram+0x40)
		b.set(snapshot.LR, 1)
		b.set(snapshot.XPSR, 0x01000000)
		return b
	}
	frames := []Frame{{PC: flash + 0x120}}
	b := mark()
	b.expect(t, frames, Stop{})
	b = mark()
	b.code(0x300, 0xf7ff, 0xfefe) // BL +0x100
	b.expect(t, frames, Stop{CantUnwind, flash + 0x120})
	b = mark()
	b.set(snapshot.XPSR, 0x01000003)
	b.expect(t, frames, Stop{CantUnwind, flash + 0x120})
}

// The tables of two images are one.
func TestExidxOfImages(t *testing.T) {
	b := exidxBoard([]uint32{0x300, 0x80a8b0b0, 0x400, cantUnwind, 0x100, 0x80b0b0b0, 0x380, 0x80a9b0b0})
	whole := b.program.Exidx
	b.program.Exidx = Range{whole.Low, whole.Low + 16}
	b.program.Others = []Tables{{Exidx: Range{whole.Low + 16, whole.High}}, {}}
	u, err := New(b.program)
	if err != nil {
		t.Fatal(err)
	}
	for pc, want := range map[uint32]string{0x104: "r13+0", 0x304: "r13+8 r4:c-8 ra:c-4", 0x384: "r13+12 r4:c-12 r5:c-8 ra:c-4"} {
		i, _, ok := u.exidx.covering(&u.code, flash+pc)
		if !ok {
			t.Fatalf("+0x%x is not covered: %v", pc, u.exidx.err)
		}
		if rule, err := u.exidx.rule(&u.code, i); err != nil || rule.String() != want {
			t.Errorf("+0x%x: %v, %v, want %s", pc, rule, err, want)
		}
	}
}
