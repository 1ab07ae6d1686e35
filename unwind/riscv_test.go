package unwind

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/snapshot"
)

// rv32 is a RISC-V hart as far as call frames go (RISC-V ELF psABI, "DWARF
// register numbers" and "Integer calling convention"), on a snapshot that has
// ra, sp and s0 where a Cortex-M has LR, SP and R7. The engine takes it as it
// is: numbers and masks.
func rv32() *machine {
	const none = snapshot.Reg(19) // never captured
	m := &machine{
		columns: 32, sp: 2, link: 1, align: 4, codeMask: ^uint32(1), pc: snapshot.PC, ends: []uint32{0},
		kept: 1<<3 | 1<<4 | 1<<8 | 1<<9 | 0x3ff<<18,
		calls: func(c *code, ra uint32) (callSite, uint32) {
			if hw, ok := c.half(ra - 2); ok && hw&0xf07f == 0x9002 { // C.JALR
				return indirectCall, 0
			}
			if w, ok := c.word(ra - 4); ok && w&0xfff == 0x0ef { // JAL ra
				return directCall, 0
			}
			return noCall, 0
		},
	}
	for range m.columns {
		m.capture = append(m.capture, none)
	}
	m.capture[1], m.capture[2], m.capture[8] = snapshot.LR, snapshot.SP, snapshot.R7
	return m
}

func TestAnotherMachine(t *testing.T) {
	b := newBoard()
	frame := func(low uint32, program ...byte) {
		f := debugFrame{version: 3, codeAlign: 1, dataAlign: -4, initial: []byte{cfaDefCFA, 2, 0}, low: low, size: 0x20, program: program, ra: 1}
		f.at = len(b.program.DebugFrame)
		b.program.DebugFrame = append(b.program.DebugFrame, f.bytes()...)
	}
	frame(flash + 0x100)
	frame(flash+0x200, cfaDefCFA, 8, 0, cfaOffset|1, 1, cfaOffset|8, 2) // s0 is the CFA
	b.code(0x204, 0x00ef, 0xefdf)                                       // JAL ra
	b.code(0x304, 0x9502)                                               // C.JALR a0
	b.set(snapshot.PC, flash+0x100)
	b.set(snapshot.LR, flash+0x208)
	b.set(snapshot.SP, ram+0x40)
	b.set(snapshot.R7, ram+0x60)
	b.stack(ram+0x58, 0, flash+0x306) // s0, ra
	u, err := newFor(rv32(), b.program)
	if err != nil {
		t.Fatal(err)
	}
	frames, stop := u.Unwind(nil, &b.snap)
	want := []Frame{
		{PC: flash + 0x100, CFA: ram + 0x40},
		{PC: flash + 0x208, CFA: ram + 0x60, Kind: Caller, Method: FromCFI},
		{PC: flash + 0x306, Kind: Caller, Method: FromCFI},
	}
	if d := cmp.Diff(want, frames); d != "" || stop != (Stop{NoRule, flash + 0x306}) {
		t.Errorf("stop %v 0x%08x, want (-), got (+):\n%s", stop.Reason, stop.Addr, d)
	}
}
