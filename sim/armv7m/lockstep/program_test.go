package lockstep

import (
	"errors"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestPrograms runs C programs of every optimisation to their end on both
// processors and compares all of the RAM: the computations and exceptions by
// QEMU's log, the exceptions once more by the gdb remote protocol, which also
// steps through the beginning of the computations.
func TestPrograms(t *testing.T) {
	needTools(t)
	levels := []string{"-O0", "-Os", "-O2"}
	if testing.Short() {
		levels = levels[1:2]
	}
	for _, b := range Boards {
		for _, opt := range levels {
			t.Run(b.String()+opt, func(t *testing.T) {
				t.Parallel()
				p := compile(t, b, opt, "")
				n := pair(t, b, p, StartLogged, 10_000_000, true)
				if testing.Short() {
					return
				}
				m := pair(t, b, p, StartStepped, 1000*factor(t), false)
				e := pair(t, b, compile(t, b, opt, "-DONLY_EXCEPTIONS"), StartStepped, 100_000, true)
				t.Logf("%d instructions, of them %d stepped; exceptions alone %d, all stepped", n, m, e)
			})
		}
	}
}

// compile builds the programs of testdata for a processor.
func compile(t *testing.T, b Board, opt, defines string) Program {
	t.Helper()
	out := filepath.Join(t.TempDir(), "program.elf")
	cmd := exec.Command("make", "-s", "-C", "testdata/programs", "CPU="+b.CPU, "FLOAT="+b.FloatABI(), "OPT="+opt, "DEFINES="+defines, "OUT="+out)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("make: %v: %s", err, text)
	}
	p, err := LoadELF(out, "done")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// pair runs a program on QEMU and on the simulated core.
func pair(t *testing.T, b Board, p Program, start func(Board, Program) (Machine, error), limit uint64, whole bool) uint64 {
	t.Helper()
	ref, err := start(b, p)
	if err != nil {
		t.Fatal(err)
	}
	defer ref.Close()
	core, err := StartSimulated(b, p)
	if err != nil {
		t.Fatal(err)
	}
	n, err := Lockstep(p, ref, core, limit, nil)
	if errors.Is(err, ErrNotOver) && !whole {
		return n
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := SameMemory(ref, core, RAMBase, 16<<10); err != nil {
		t.Fatal(err)
	}
	return n
}
