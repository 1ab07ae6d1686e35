package snapshot

import (
	"encoding/binary"
	"testing"
)

// The numbers are in files and on wires: they never change.
func TestRegisterNumbers(t *testing.T) {
	for r, want := range map[Reg]struct {
		number int
		name   string
	}{
		R7: {7, "r7"}, SP: {13, "sp"}, LR: {14, "lr"}, PC: {15, "pc"}, XPSR: {16, "xpsr"}, PSP: {18, "psp"}, CONTROL: {20, "control"},
		MSPNS: {24, "msp_ns"}, PSPS: {27, "psp_s"}, MSPLIMS: {28, "msplim_s"}, PSPLIMNS: {31, "psplim_ns"},
		FPSCR: {33, "fpscr"}, CONTROLNS: {35, "control_ns"},
		X0 + 1: {65, "x1"}, X0 + 31: {95, "x31"}, MEPC: {96, "mepc"}, MCAUSE: {97, "mcause"}, 19: {19, "register 19"}, 98: {98, "register 98"},
	} {
		if int(r) != want.number || r.String() != want.name {
			t.Errorf("%d %q, want %d %q", r, r.String(), want.number, want.name)
		}
	}
}

// A later version may record registers that this one does not know.
func TestRecordingWithUnknownRegister(t *testing.T) {
	body := []byte{1, 0, 0, 0, 0, 0, 2, byte(PC)}
	body = binary.LittleEndian.AppendUint32(body, 0x80000124)
	body = append(body, 255, 1, 2, 3, 4, 0)
	c := cursor{p: body}
	s, err := c.sample(recordWide)
	if err != nil {
		t.Fatal(err)
	}
	if pc, ok := s.Regs.Value(PC); !ok || pc != 0x80000124 {
		t.Errorf("PC 0x%08x, %v", pc, ok)
	}
	if _, ok := s.Regs.Value(255); ok {
		t.Error("has a register 255")
	}
}
