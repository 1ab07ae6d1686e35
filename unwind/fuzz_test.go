package unwind

import (
	"encoding/binary"
	"testing"

	"github.com/mprof/mprof/snapshot"
)

// FuzzCallFrames decodes arbitrary sections: no panic, every rule lies in its
// FDE, an error is a DecodeError inside the section.
func FuzzCallFrames(f *testing.F) {
	f.Add(plainFrame(cfaDefCFAOffset, 8, cfaOffset|14, 1).bytes(), false)
	f.Add(ehFrame("zR", []byte{pePcrel | peSdata4}, pePcrel|peSdata4, 0x08000100), true)
	f.Fuzz(func(t *testing.T, data []byte, eh bool) {
		if len(data) > 1<<12 {
			return
		}
		p := Program{Code: []Range{{0x08000000, 0x08001000}}}
		if eh {
			p.EHFrame, p.EHFrameAt = data, 0x08000800
		} else {
			p.DebugFrame = data
		}
		u, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		for pc := uint32(0x08000000); pc < 0x08001000; pc += 0x10 {
			if _, err := u.RuleAt(pc); err != nil {
				d, ok := err.(*DecodeError)
				if !ok || int(d.Offset) > len(data) {
					t.Fatalf("0x%08x: %v", pc, err)
				}
			}
		}
		for i := range u.cfi.index.sorted {
			d := &u.cfi.index.sorted[i]
			if d.from >= d.to || i > 0 && u.cfi.index.sorted[i-1].to > d.from {
				t.Fatalf("index entry %d: [0x%x, 0x%x)", i, d.from, d.to)
			}
		}
		u.Remarks()
	})
}

// FuzzExpression runs arbitrary expressions.
func FuzzExpression(f *testing.F) {
	f.Add([]byte{opBreg0 + 13, 4, opDeref, opLit0 + 3, opPlus})
	f.Fuzz(func(t *testing.T, expr []byte) {
		if len(expr) < 1<<12 {
			expressionWalk().evaluate(expr, 1000)
		}
	})
}

// FuzzUnwind unwinds arbitrary registers, stacks and code, with call frame
// information that may or may not fit: no panic, no frame out of order, stacks
// that were touched begin at the stack pointer or above.
func FuzzUnwind(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4}, []byte{0x10, 0xb5, 0x10, 0xbd}, plainFrame(cfaDefCFAOffset, 8, cfaOffset|14, 1).bytes())
	f.Add([]byte{}, thumb(0xb510, 0xe8df, 0xf000, 0x0302, 0xbd10), []byte{})
	// A Non-secure handler that interrupted a Secure function behind a gateway.
	secured := make([]byte, 4*27)
	for i, v := range map[int]uint32{2: 0x80, 3: 0x180, 6 + 14: 0xfffffff8, 6 + 15: 0x40000000, 6 + 16: 0x80000010} {
		binary.LittleEndian.PutUint32(secured[4*i:], v)
	}
	f.Add(secured, thumb(0xbf00, 0x4770, 0xe97f, 0xe97f, 0xf000, 0xb8fc), []byte{})
	f.Fuzz(func(t *testing.T, target, text, cfi []byte) {
		if len(text) > 1<<10 || len(cfi) > 1<<10 {
			return
		}
		b := newBoard()
		copy(b.image[0x100:], text)
		b.functions(0x100, 0x180, 0x180, 0x240, 0x300, 0x800)
		b.program.DebugFrame = cfi
		b.program.Outermost = []uint32{flash + 0x301}
		b.program.Guess = len(text)&2 != 0
		b.program.Methods = Choice(len(cfi) % 3)
		b.program.FramePointers = func(pc uint32) (bool, string) { return pc&4 == 0, "clang"[:pc>>3&1] }
		next := func() (v uint32) {
			if len(target) >= 4 {
				v = binary.LittleEndian.Uint32(target)
				target = target[4:]
			}
			return v
		}
		registers := []snapshot.Reg{snapshot.MSPNS, snapshot.PSPNS, snapshot.MSPS, snapshot.PSPS, snapshot.CONTROLS, snapshot.CONTROLNS}
		if len(text)&4 != 0 {
			registers = nil
		}
		for reg := range snapshot.CONTROL + 1 {
			registers = append(registers, reg)
		}
		for _, reg := range registers {
			v := next()
			switch v >> 30 { // near the stack, near the code, anything
			case 0:
				v = ram + v&0x3fc
			case 1:
				v = flash + 0x100 + v&0xfff
			}
			b.set(reg, v)
		}
		copy(b.snap.Windows[0].Data, target)
		u, err := New(b.program)
		if err != nil {
			t.Fatal(err)
		}
		frames, stop := u.Unwind(nil, &b.snap)
		if len(frames) > MaxDepth+1 || stop.Reason >= NumReasons {
			t.Fatalf("%d frames, reason %d", len(frames), stop.Reason)
		}
		for i, fr := range frames {
			if (fr.Kind == Leaf) != (i == 0) {
				t.Fatalf("frame %d: %+v", i, fr)
			}
			if i > 0 && frames[i-1].Guessed() && !fr.Guessed() || fr.Guessed() && stop.Reason == Complete {
				t.Fatalf("frame %d beyond a guess is a fact: %+v, %v", i, fr, stop.Reason)
			}
			if fr.Kind == Caller && !u.code.contains(fr.PC-1) {
				t.Fatalf("frame %d not in code: %+v", i, fr)
			}
		}
		for _, r := range u.Touched() {
			if r.Low > r.High {
				t.Fatalf("touched %+v", r)
			}
		}
	})
}
