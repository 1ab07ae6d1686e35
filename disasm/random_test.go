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
func textSection(addr uint32) (string, uint32, bool) { return ".text", addr, true }

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
