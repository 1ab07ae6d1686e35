package corpus

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"testing"

	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/sim/qemu"
)

// result is the value of sink where the program ends.
type result struct{ sink uint32 }

// onQEMU runs a program on QEMU until it ends, as its gdb server tells.
func onQEMU(t *testing.T, path string) result {
	t.Helper()
	m := qemu.Start(t, qemu.Options{Board: "mps2-an386", ELF: path, Silent: true, GDB: true, Halted: true, Icount: qemu.WallClock})
	stub, err := m.Stub()
	if err != nil {
		t.Fatal(err)
	}
	defer stub.Close()
	done := address(t, path, Done) &^ 1
	for _, at := range []uint32{done, address(t, path, "Default_Handler") &^ 1} {
		if err := stub.AskOK("Z0,%x,2", at); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := stub.Ask("c"); err != nil { // until it stops
		t.Fatal(err)
	}
	var regs [16]uint32
	if err := stub.Registers(regs[:]); err != nil {
		t.Fatal(err)
	}
	if regs[15] != done {
		t.Fatalf("%s was not reached on QEMU: it is at 0x%08x (%s)", Done, regs[15], m.Said())
	}
	sink, err := m.Word(address(t, path, "sink"))
	if err != nil {
		t.Fatal(err)
	}
	return result{sink}
}

// onBoard runs a program on the simulated board until it ends.
func onBoard(t *testing.T, path string) result {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	board, err := sim.New(sim.Options{ELF: data})
	if err != nil {
		t.Fatal(err)
	}
	done, sink := address(t, path, Done), address(t, path, "sink")
	core := board.Core()
	core.SetDebugEnabled(true)
	core.SetBreakpoints([]uint32{done})
	core.Run(20_000_000)
	if !core.Halted() {
		t.Fatalf("%s was not reached on the board", Done)
	}
	return result{binary.LittleEndian.Uint32(core.Memory(sink))}
}

func address(t *testing.T, path, name string) uint32 {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		if s.Name == name {
			return uint32(s.Value)
		}
	}
	t.Fatal(fmt.Errorf("%s has no symbol %s", path, name))
	return 0
}

// All programs end on both, and those that no timer interrupts with the same
// result.
func TestRunsOnQEMU(t *testing.T) {
	timed := map[string]bool{"interrupts": true, "threads": true, "floats": true, "bare": true, "described": true}
	for _, p := range Some(testing.Short()) {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			path := p.ELF(t)
			board, qemu := onBoard(t, path), onQEMU(t, path)
			if board != qemu && !timed[p.Source] {
				t.Errorf("sink is 0x%08x on the board and 0x%08x on QEMU", board.sink, qemu.sink)
			}
		})
	}
}
