package disasm_test

import (
	"encoding/binary"
	"math/rand"
	"strings"
	"testing"

	"github.com/mprof/mprof/disasm"
)

func thumbBytes(words []uint32) (code []byte) {
	for _, w := range words {
		if w>>16 != 0 {
			code = binary.LittleEndian.AppendUint16(code, uint16(w>>16))
		}
		code = binary.LittleEndian.AppendUint16(code, uint16(w))
	}
	return code
}

// textSection names addresses as objdump does in an object file without symbols.
func textSection(addr uint32) (string, int64, bool) { return ".text", int64(addr), true }

func compare(t *testing.T, ours []disasm.Instruction, theirs []line) {
	t.Helper()
	if len(ours) != len(theirs) {
		t.Fatalf("%d instructions, objdump has %d", len(ours), len(theirs))
	}
	wrong, meant := map[string]int{}, map[string]int{}
	for i, l := range theirs {
		got, want := strings.TrimRight(disasm.Text(ours[i]), "\t"), strings.TrimRight(l.text, "\t")
		if ours[i].Addr != l.addr {
			t.Fatalf("0x%08x: objdump is at 0x%08x", ours[i].Addr, l.addr)
		}
		if got == want {
			continue
		}
		if reason, ok := accepted(ours[i], l); ok {
			meant[reason]++
			continue
		}
		kind, _, _ := strings.Cut(want, "\t")
		if wrong[kind]++; wrong[kind] <= 3 {
			t.Errorf("%s: %q, objdump says %q", l.hex, got, want)
		}
	}
	t.Logf("%d instructions; meant to differ: %v; wrong: %v", len(ours), meant, wrong)
}

// Every halfword that is an instruction of its own.
func TestThumbNarrow(t *testing.T) {
	words := make([]uint32, 0xe800)
	for i := range words {
		words[i] = uint32(i)
	}
	theirs := objdump(t, "arm-none-eabi-objdump", assemble(t, "armv8-m.main", words))
	compare(t, disasm.Decode(nil, disasm.Thumb, 0, thumbBytes(words), textSection), theirs)
}

// Random wide instructions.
func TestThumbWide(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	words := make([]uint32, 200_000)
	for i := range words {
		words[i] = []uint32{0xe800, 0xf000, 0xf800}[random.Intn(3)]<<16 | random.Uint32()&0x07ffffff
	}
	theirs := objdump(t, "arm-none-eabi-objdump", assemble(t, "armv8-m.main", words))
	compare(t, disasm.Decode(nil, disasm.Thumb, 0, thumbBytes(words), textSection), theirs)
}

// Random instructions of the FPU.
func TestThumbFloat(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	words := make([]uint32, 200_000)
	for i := range words {
		words[i] = 0xec000000 | random.Uint32()&0x13fff0ff | uint32(9+random.Intn(3))<<8
	}
	theirs := objdump(t, "arm-none-eabi-objdump", assemble(t, "armv8-m.main", words))
	compare(t, disasm.Decode(nil, disasm.Thumb, 0, thumbBytes(words), textSection), theirs)
}

// Random conditional selections of ARMv8.1-M, which objdump knows only where it is told the machine.
func TestThumbSelect(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	words := make([]uint32, 20_000)
	for i := range words {
		register := func() uint32 { return []uint32{0, 1, 2, 3, 7, 8, 10, 12, 14}[random.Intn(9)] }
		rn, rm := register(), register()
		switch random.Intn(4) {
		case 0:
			rm = rn
		case 1:
			rm = 15
		case 2:
			rn = 15
		}
		words[i] = 0xea508000 | rn<<16 | uint32(random.Intn(4))<<12 | register()<<8 | uint32(random.Intn(14))<<4 | rm
	}
	theirs := objdump(t, "arm-none-eabi-objdump", "-m", "armv8.1-m.main", assemble(t, "armv8.1-m.main", words))
	compare(t, disasm.Decode(nil, disasm.Thumb, 0, thumbBytes(words), textSection), theirs)
}

// Random shifts of ARMv8.1-M.
func TestThumbShifts(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	var words []uint32
	for len(words) < 20_000 {
		w := 0xea500000 | uint32(random.Intn(13))<<16 | uint32(random.Intn(8))<<12 | uint32(random.Intn(6))<<9 | 1<<8 | uint32(random.Intn(16))<<4
		if random.Intn(3) == 0 {
			w = w&^0x80 | 0xf00 // of one register
		}
		words = append(words, w|[]uint32{0xd, 0xf}[random.Intn(2)])
	}
	theirs := objdump(t, "arm-none-eabi-objdump", "-m", "armv8.1-m.main", assemble(t, "armv8.1-m.main", words))
	compare(t, disasm.Decode(nil, disasm.Thumb, 0, thumbBytes(words), textSection), theirs)
}

// Random IT blocks, with what may stand in them and what may not.
func TestThumbIT(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	var words []uint32
	for len(words) < 100_000 {
		words = append(words, 0xbf00|uint32(random.Intn(14))<<4|uint32(1+random.Intn(15)))
		for range 1 + random.Intn(5) {
			if random.Intn(3) == 0 {
				words = append(words, []uint32{0xea000000, 0xf0000000, 0xf8000000, 0xfa000000, 0xee000a00, 0xf0009000, 0xf000d000}[random.Intn(7)]|random.Uint32()&0x01ff0fff)
			} else {
				words = append(words, uint32(random.Intn(0xe800)))
			}
		}
	}
	theirs := objdump(t, "arm-none-eabi-objdump", assemble(t, "armv8-m.main", words))
	compare(t, disasm.Decode(nil, disasm.Thumb, 0, thumbBytes(words), textSection), theirs)
}

// Every halfword that is a compressed instruction.
func TestRISCVCompressed(t *testing.T) {
	var words []uint32
	for w := range uint32(1 << 16) {
		if w&3 != 3 {
			words = append(words, w)
		}
	}
	theirs := objdump(t, "riscv64-unknown-elf-objdump", assembleRISCV(t, words))
	compare(t, disasm.Decode(nil, disasm.RV32, 0, riscvBytes(words), textSection), theirs)
}

// Random words of RISC-V.
func TestRISCVFull(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	opcodes := []uint32{0x03, 0x07, 0x0f, 0x13, 0x17, 0x23, 0x27, 0x2f, 0x33, 0x37, 0x43, 0x47, 0x4b, 0x4f, 0x53, 0x63, 0x67, 0x6f, 0x73}
	functions := []uint32{0, 1, 4, 5, 8, 9, 0x0c, 0x0d, 0x10, 0x11, 0x14, 0x15, 0x20, 0x24, 0x2c, 0x2d, 0x30, 0x34, 0x35, 0x50, 0x51, 0x60, 0x61, 0x68, 0x69, 0x70, 0x71, 0x78, 0x79}
	var words []uint32
	for csr := range uint32(4096) {
		words = append(words, csr<<20|0x2573, csr<<20|0x73, csr<<20|0x0f)
	}
	for range 200_000 {
		w := random.Uint32()&^0x7f | opcodes[random.Intn(len(opcodes))]
		if random.Intn(3) > 0 { // mostly what exists
			w = w&^(0x7f<<25) | functions[random.Intn(len(functions))]<<25
		}
		for _, register := range []uint32{7, 15, 20} { // names of their own for zero
			if random.Intn(4) == 0 {
				w &^= 31 << register
			}
		}
		words = append(words, w)
	}
	theirs := objdump(t, "riscv64-unknown-elf-objdump", assembleRISCV(t, words))
	compare(t, disasm.Decode(nil, disasm.RV32, 0, riscvBytes(words), textSection), theirs)
}

func riscvBytes(words []uint32) (code []byte) {
	for _, w := range words {
		if w&3 != 3 {
			code = binary.LittleEndian.AppendUint16(code, uint16(w))
		} else {
			code = binary.LittleEndian.AppendUint32(code, w)
		}
	}
	return code
}
