package shares

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// Board is a machine of QEMU that the program is built for.
type Board struct {
	Name   string  // as for -M
	Core   string  // as a reader knows it
	RISCV  bool    // qemu-system-riscv32 has it, not qemu-system-arm
	TickHz float64 // of the counter that times the interrupt
}

// Boards is one of each processor. The rates are those of QEMU 7.2 (hw/arm/nrf51_soc.c,
// mps2.c, mps2-tz.c; hw/intc/riscv_aclint.h).
func Boards() []Board {
	return []Board{
		{"microbit", "Cortex-M0", false, 16e6},
		{"mps2-an385", "Cortex-M3", false, 25e6},
		{"mps2-an386", "Cortex-M4", false, 25e6},
		{"mps2-an505", "Cortex-M33", false, 20e6},
		{"virt", "RV32IMAC", true, 10e6},
	}
}

// ELF builds the program for the board and returns its path. Without the compiler
// the test is skipped; where CI=true it fails.
func (b Board) ELF(t testing.TB) string {
	t.Helper()
	compiler := "arm-none-eabi-gcc"
	if b.RISCV {
		compiler = "riscv64-unknown-elf-gcc"
	}
	for _, tool := range []string{compiler, "make"} {
		if _, err := exec.LookPath(tool); err != nil {
			give := t.Skipf
			if os.Getenv("CI") == "true" {
				give = t.Fatalf
			}
			give("%v (Debian and Ubuntu: scripts/setup.sh test installs it)", err)
		}
	}
	_, file, _, _ := runtime.Caller(0)
	dir := t.TempDir()
	if text, err := exec.Command("make", "-s", "-C", filepath.Dir(file), "BOARD="+b.Name, "OUT="+dir).CombinedOutput(); err != nil {
		t.Fatalf("make BOARD=%s: %v\n%s", b.Name, err, text)
	}
	return filepath.Join(dir, b.Name+".elf")
}

// Self is what the function Self is, on a board whose core takes ns nanoseconds of its
// own clock for an instruction.
func (b Board) Self(ns float64) map[string]float64 {
	const perIteration = 2 // instructions
	tick := float64(perIteration*number("UNIT_ITERATIONS")) * ns * 1e-9 * b.TickHz / float64(number("TICK_CYCLES"))
	m := Self()
	for name, share := range m {
		m[name] = share / (1 - tickShare()) * (1 - tick)
	}
	for _, c := range calls() {
		if c.Caller == interrupt {
			m[c.Function] = float64(c.Times) * tick
		}
	}
	return m
}
