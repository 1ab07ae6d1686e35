package unwind

import "testing"

// FuzzExidx decodes arbitrary tables over arbitrary code: no panic, what an entry
// covers lies in code, errors are DecodeErrors inside the section, rules restore
// the stack pointer from one column only.
func FuzzExidx(f *testing.F) {
	f.Add([]byte{0x00, 0xf5, 0xff, 0x7f, 0xb0, 0xb0, 0xa8, 0x80}, []byte{0x10, 0xb5, 0x10, 0xbd}, uint8(8))
	f.Add([]byte{0x00, 0xf5, 0xff, 0x7f, 0x0c, 0, 0, 0, 0x10, 0xf5, 0xff, 0x7f, 1, 0, 0, 0, 0xb0, 0x82, 1, 0x81, 0x97, 0xb1, 0x0f, 0x84}, []byte{}, uint8(16))
	f.Fuzz(func(t *testing.T, data, text []byte, size uint8) {
		if len(data) > 0x200 || len(text) > 0x200 {
			return
		}
		const at = 0xb00
		b := newBoard()
		copy(b.image[0x100:], text)
		copy(b.image[at:], data)
		b.functions(0x100, 0x140, 0x180, 0x240)
		b.program.Exidx = Range{flash + at, flash + at + uint32(size)}
		u, err := New(b.program)
		if err != nil {
			t.Fatal(err)
		}
		for pc := uint32(flash); pc < flash+0x400; pc += 0x11 {
			_, err := u.RuleAt(pc)
			if d, ok := err.(*DecodeError); err != nil && (!ok || d.Section != exidxSection || d.Offset > uint32(size)) {
				t.Fatalf("0x%08x: %v", pc, err)
			}
			i, fn, ok := u.exidx.covering(&u.code, pc)
			if !ok {
				continue
			}
			if !fn.Contains(pc) || !u.code.holds(fn.Low, fn.High) {
				t.Fatalf("0x%08x: covered by [0x%08x, 0x%08x)", pc, fn.Low, fn.High)
			}
			if rule, err := u.exidx.rule(&u.code, i); err == nil && rule.where(uint8(armM.sp)).how != unspecified {
				t.Fatalf("0x%08x: %v", pc, rule)
			}
		}
		u.Remarks()
	})
}
