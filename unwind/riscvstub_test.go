package unwind

import (
	"encoding/binary"
	"encoding/hex"
	"regexp"
	"strconv"
	"testing"

	"github.com/mprof/mprof/sim/qemu"
)

// emulator is QEMU with a RISC-V program, stepped by the gdb remote protocol.
type emulator struct {
	t    *testing.T
	stub *qemu.Stub
	csr  map[string]int // numbers of registers beyond x0-x31 and pc
}

// emulate loads an ELF file into QEMU's virt machine and stops it before the
// first instruction.
func emulate(t *testing.T, path string) *emulator {
	t.Helper()
	e := &emulator{t: t, stub: stubOf(t, "virt", path), csr: map[string]int{}}
	must(t, e.stub.AskOK("Qqemu.sstep=5")) // step with interrupts, without timers
	text, err := e.stub.Describe("riscv-csr.xml")
	must(t, err)
	for _, m := range csrNumber.FindAllStringSubmatch(text, -1) {
		e.csr[m[1]], _ = strconv.Atoi(m[2])
	}
	if len(e.csr) != 3 {
		t.Fatalf("QEMU numbers %v", e.csr)
	}
	return e
}

// stubOf is the gdb server of a board that stands before the first instruction.
func stubOf(t *testing.T, board, path string) *qemu.Stub {
	t.Helper()
	m := qemu.Start(t, qemu.Options{Board: board, ELF: path, Silent: true, GDB: true, Halted: true, Icount: qemu.WallClock})
	stub, err := m.Stub()
	must(t, err)
	t.Cleanup(func() { stub.Close() })
	return stub
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var csrNumber = regexp.MustCompile(`<reg name="(mepc|mcause|mip)"[^>]* regnum="(\d+)"`)

// registers are x0-x31 and the PC.
func (e *emulator) registers() []uint32 {
	regs := make([]uint32, 33)
	must(e.t, e.stub.Registers(regs))
	return regs
}

func (e *emulator) readCSR(name string) uint32 {
	answer, err := e.stub.Ask("p%x", e.csr[name])
	must(e.t, err)
	p, err := hex.DecodeString(string(answer))
	if err != nil || len(p) != 4 {
		e.t.Fatalf("read %s: answer %q", name, answer)
	}
	return binary.LittleEndian.Uint32(p)
}

func (e *emulator) writeCSR(name string, v uint32) {
	must(e.t, e.stub.AskOK("P%x=%x", e.csr[name], binary.LittleEndian.AppendUint32(nil, v)))
}

func (e *emulator) memory(addr, n uint32) []byte {
	p := make([]byte, n)
	must(e.t, e.stub.ReadMemory(addr, p))
	return p
}

func (e *emulator) step() { must(e.t, e.stub.Step()) }
