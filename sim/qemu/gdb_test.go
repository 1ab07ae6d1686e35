package qemu

import (
	"encoding/binary"
	"testing"
)

// The gdb server halts, steps and reads; the monitor sees it, and that the machine runs
// again; a reset goes back to the first instruction.
func TestStub(t *testing.T) {
	m := Start(t, Options{Board: "mps2-an385", ELF: assemble(t), Silent: true, GDB: true, Icount: WallClock})
	running := func(want bool) {
		t.Helper()
		if got, err := m.Running(); err != nil || got != want {
			t.Fatalf("running: %v, %v", got, err)
		}
	}
	running(true)
	stub, err := m.Stub()
	if err != nil {
		t.Fatal(err)
	}
	defer stub.Close()
	running(false)
	var before, after [17]uint32
	if err := stub.Registers(before[:]); err != nil {
		t.Fatal(err)
	}
	if err := stub.Step(); err != nil {
		t.Fatal(err)
	}
	if err := stub.Registers(after[:]); err != nil || before == after {
		t.Errorf("a step from %x to %x, %v", before, after, err)
	}
	vectors := make([]byte, 8)
	if err := stub.ReadMemory(0, vectors); err != nil {
		t.Fatal(err)
	}
	for at := range 2 {
		v, err := m.Word(uint32(4 * at))
		if want := binary.LittleEndian.Uint32(vectors[4*at:]); err != nil || v != want || v == 0 {
			t.Errorf("word %d: the monitor reads 0x%08x, %v; the gdb server 0x%08x", at, v, err, want)
		}
	}
	if err := m.Reset(); err != nil {
		t.Fatal(err)
	}
	if err := stub.Registers(after[:]); err != nil || after[15] != binary.LittleEndian.Uint32(vectors[4:])&^1 {
		t.Errorf("after a reset at 0x%08x, %v", after[15], err)
	}
	if err := stub.AskOK("D;1"); err != nil {
		t.Fatal(err)
	}
	running(true)
}

// What the monitor or the gdb server does not know is an error.
func TestRefused(t *testing.T) {
	m := Start(t, Options{Board: "mps2-an385", ELF: assemble(t), Silent: true, GDB: true, Icount: WallClock})
	if v, err := m.Word(0x30000000); err == nil {
		t.Errorf("a word where there is no memory: 0x%x", v)
	}
	stub, err := m.Stub()
	if err != nil {
		t.Fatal(err)
	}
	if err := stub.ReadMemory(0x30000000, make([]byte, 4)); err == nil {
		t.Error("memory where there is none")
	}
	if _, err := stub.Describe("nothing.xml"); err == nil {
		t.Error("a description of nothing")
	}
	m.Stop()
	if _, err := stub.Ask("g"); err == nil {
		t.Error("an answer of an emulator that ended")
	}
	if _, err := m.Monitor("info status"); err == nil {
		t.Error("a monitor of an emulator that ended")
	}
}
