package disasm_test

import (
	"encoding/binary"
	"testing"

	"github.com/mprof/mprof/disasm"
)

// Where a branch goes to is known of direct ones, and on RISC-V of a call by AUIPC and JALR, too.
func TestTargets(t *testing.T) {
	for _, c := range []struct {
		name   string
		arch   disasm.Arch
		code   []uint16
		target uint32 // of the last instruction
		known  bool
	}{
		{"b.n", disasm.Thumb, []uint16{0xe7fe}, 0x1000, true},
		{"beq.n", disasm.Thumb, []uint16{0xd001}, 0x1006, true},
		{"cbz", disasm.Thumb, []uint16{0xb108}, 0x1006, true},
		{"bl", disasm.Thumb, []uint16{0xf000, 0xf87e}, 0x1100, true},
		{"le", disasm.Thumb, []uint16{0xf00f, 0xc803}, 0x0ffe, true},
		{"bx lr", disasm.Thumb, []uint16{0x4770}, 0, false},
		{"ldr", disasm.Thumb, []uint16{0x4800}, 0, false},
		{"c.j", disasm.RV32, []uint16{0xa001}, 0x1000, true},
		{"jal", disasm.RV32, []uint16{0x00ef, 0x1000}, 0x1100, true},
		{"auipc, jalr", disasm.RV32, []uint16{0x2097, 0x0000, 0x80e7, 0x0100}, 0x3010, true},
		{"auipc, other, jalr", disasm.RV32, []uint16{0x2097, 0x0000, 0x0001, 0x80e7, 0x0100}, 0, false},
		{"jalr", disasm.RV32, []uint16{0x80e7, 0x0100}, 0, false},
		{"ret", disasm.RV32, []uint16{0x8082}, 0, false},
	} {
		var code []byte
		for _, h := range c.code {
			code = binary.LittleEndian.AppendUint16(code, h)
		}
		all := disasm.Decode(nil, c.arch, 0x1000, code, nil)
		if i := all[len(all)-1]; i.Target != c.target || i.Branches != c.known {
			t.Errorf("%s: to 0x%x, %v: %s", c.name, i.Target, i.Branches, disasm.Text(i))
		}
	}
}

// Without symbols an address stands alone, and what is cut in two is data.
func TestDecodeAlone(t *testing.T) {
	var got []string
	for _, i := range disasm.Decode(nil, disasm.Thumb, 0x0800_0000, []byte{0xfe, 0xe7, 0x05, 0x48, 0x00, 0xf0}, nil) {
		got = append(got, disasm.Text(i))
	}
	for _, i := range disasm.Decode(nil, disasm.RV32, 0x2000_0002, []byte{0xff, 0xff, 0x03, 0x00, 0x13}, nil) {
		got = append(got, disasm.Text(i))
	}
	want := []string{"b.n\t0x8000000", "ldr\tr0, [pc, #20]\t@ (0x8000018)", ".short\t0xf000", ".4byte\t0x3ffff", ".byte\t0x13"}
	if len(got) != len(want) {
		t.Fatalf("%q", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%q, want %q", got[i], want[i])
		}
	}
}
