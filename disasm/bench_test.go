package disasm_test

import (
	"math/rand"
	"testing"

	"github.com/mprof/mprof/disasm"
)

// BenchmarkThumb decodes the code of the built-in firmware, with its symbols.
func BenchmarkThumb(b *testing.B) {
	im := open(b, "../firmware/demo/demo.elf")
	text := im.file.Section(".text")
	code, err := text.Data()
	if err != nil {
		b.Fatal(err)
	}
	var dst []disasm.Instruction
	b.SetBytes(int64(len(code)))
	b.ReportAllocs()
	for b.Loop() {
		dst = disasm.Decode(dst[:0], disasm.Thumb, uint32(text.Addr), code, im.symbols)
	}
	b.ReportMetric(float64(len(dst)*b.N)/b.Elapsed().Seconds(), "instr/s")
}

// BenchmarkRISCV decodes random compressed and full instructions.
func BenchmarkRISCV(b *testing.B) {
	random := rand.New(rand.NewSource(1))
	var words []uint32
	for range 10_000 {
		words = append(words, random.Uint32()&0xffff&^3|uint32(random.Intn(3)), random.Uint32()&^0x7f|[]uint32{0x03, 0x13, 0x23, 0x33, 0x63, 0x6f}[random.Intn(6)])
	}
	code := riscvBytes(words)
	var dst []disasm.Instruction
	b.SetBytes(int64(len(code)))
	b.ReportAllocs()
	for b.Loop() {
		dst = disasm.Decode(dst[:0], disasm.RV32, 0x8000_0000, code, nil)
	}
	b.ReportMetric(float64(len(dst)*b.N)/b.Elapsed().Seconds(), "instr/s")
}
