package lockstep

import (
	"errors"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestPrograms runs C programs of every optimisation to their end on both
// processors (by QEMU's log) and compares all of the RAM; their first
// instructions by the gdb remote protocol, too.
func TestPrograms(t *testing.T) {
	needTools(t)
	for _, b := range Boards {
		for _, opt := range []string{"-O0", "-Os", "-O2"} {
			t.Run(b.CPU+opt, func(t *testing.T) {
				t.Parallel()
				p := compile(t, b, opt)
				n := pair(t, b, p, StartLogged, 10_000_000, true)
				short := uint64(1500)
				if testing.Short() {
					short = 200
				}
				m := pair(t, b, p, StartStepped, short*factor(t), false)
				t.Logf("%d instructions, of them %d by the gdb remote protocol", n, m)
			})
		}
	}
}

// compile builds the programs of testdata for a processor.
func compile(t *testing.T, b Board, opt string) Program {
	t.Helper()
	out := filepath.Join(t.TempDir(), "program.elf")
	cmd := exec.Command("make", "-s", "-C", "testdata/programs", "CPU="+b.CPU, "OPT="+opt, "OUT="+out)
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
