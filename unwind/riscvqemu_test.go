package unwind

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mprof/mprof/snapshot"
)

// harts are the programs that are stepped: how they are compiled, and how many
// stacks of them must be right, in parts of 1,000.
var harts = []struct {
	name   string
	flags  string
	bare   bool // without call frame information
	equal  int
	handed bool // the trap handler is the assembly one, which may be interrupted
	clang  bool // compiles the C source
}{
	{"O0", "-O0", false, 999, false, false},
	{"Og", "-Og", false, 999, true, false},
	{"Os", "-Os", false, 999, false, false},
	{"O2", "-O2", false, 999, true, false},
	{"O2 frame pointer", "-O2 -fno-omit-frame-pointer", false, 999, false, false},
	{"O3 not compressed", "-O3 -march=rv32im", false, 999, true, false},
	{"Os save and restore", "-Os -msave-restore", false, 999, true, false},
	{"O2 without CFI", "-O2", true, 980, true, false},
	{"Os save and restore without CFI", "-Os -msave-restore", true, 980, false, false},
	{"clang O0", "-O0", false, 999, false, true},
	{"clang Os", "-Os", false, 999, true, true},
	{"clang O2", "-O2", false, 999, false, true},
	{"clang O2 frame pointer", "-O2 -fno-omit-frame-pointer", false, 999, true, true},
	{"clang O2 without CFI", "-O2", true, 980, false, true},
}

// buildHart compiles testdata/riscv.
func buildHart(t *testing.T, flags string, handed, clang bool) string {
	t.Helper()
	const gcc = "riscv64-unknown-elf-gcc"
	dir := t.TempDir()
	out, source := filepath.Join(dir, "hart.elf"), "testdata/riscv/program.c"
	more := strings.Fields("-g -mabi=ilp32 -ffunction-sections " + flags)
	if handed {
		more = append(more, "-DTRAP_BY_HAND")
	}
	if clang {
		object := filepath.Join(dir, "program.o")
		run(t, "clang", append([]string{"--target=riscv32-unknown-elf", "-march=rv32imac", "-mcmodel=medium", "-c", "-o", object, source,
			"-isystem", "/usr/lib/picolibc/riscv64-unknown-elf/include"}, more...)...)
		source = object
	}
	run(t, gcc, append([]string{"-march=rv32imac", "-misa-spec=2.2", "-mcmodel=medany", "--specs=picolibc.specs", "-nostartfiles", "-Wl,--gc-sections",
		"-T", "testdata/riscv/link.ld", "-o", out, "testdata/riscv/start.S", source}, more...)...)
	return out
}

// run runs a program that the test needs.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	text, err := exec.Command(tool(t, name), args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", name, err, text)
	}
	return string(text)
}

// TestRISCVEveryInstruction steps programs through QEMU, traps among them, and
// compares the stack before every instruction with calls and returns as they
// happened.
func TestRISCVEveryInstruction(t *testing.T) {
	for i, h := range harts {
		t.Run(h.name, func(t *testing.T) {
			if testing.Short() && i%4 != 1 {
				t.Skip("some are enough for a quick look")
			}
			path := buildHart(t, h.flags, h.handed, h.clang)
			p := loadProgram(t, path)
			p.Arch, p.Outermost = snapshot.RV32, []uint32{symbolsOf(t, path)["_start"]}
			if h.bare {
				p.DebugFrame, p.EHFrame = nil, nil
			}
			u, err := New(p)
			if err != nil {
				t.Fatal(err)
			}
			most := 30_000
			if testing.Short() {
				most = 3_000
			}
			var judge hartJudge
			judge.run(t, emulate(t, path), path, u, most)
			t.Log(judge.String())
			if judge.total < 2000 || judge.equal*1000 < judge.total*h.equal || judge.wrong*10_000 > judge.total*5 || judge.traps == 0 {
				t.Errorf("%v: want %d in 1,000 equal and 5 in 10,000 wrong\n%s", &judge, h.equal, strings.Join(judge.notes, "\n"))
			}
		})
	}
}
