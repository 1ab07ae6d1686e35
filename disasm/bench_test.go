package disasm_test

import (
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
