package disasm_test

import (
	"testing"

	"github.com/mprof/mprof/disasm"
)

// Any bytes become instructions and data that lie one behind the other and cover them all.
func FuzzDecode(f *testing.F) {
	f.Add(false, uint32(0x08000000), []byte{0x2d, 0xe9, 0xf0, 0x41, 0x84, 0xb0, 0x08, 0xbf, 0x00, 0xf0})
	f.Add(true, uint32(0x80000000), []byte{0x41, 0x11, 0x06, 0xc6, 0xef, 0x00, 0x80, 0x00, 0x13})
	f.Fuzz(func(t *testing.T, riscv bool, addr uint32, code []byte) {
		arch := disasm.Thumb
		if riscv {
			arch = disasm.RV32
		}
		at := addr
		for _, i := range disasm.Decode(nil, arch, addr, code, nil) {
			if i.Addr != at || i.Size < 1 || i.Size > 4 || i.Mnemonic == "" || disasm.Text(i) == "" {
				t.Fatalf("0x%08x: %+v", at, i)
			}
			at += uint32(i.Size)
		}
		if at != addr+uint32(len(code)) {
			t.Errorf("ends at 0x%08x, want 0x%08x", at, addr+uint32(len(code)))
		}
	})
}
