package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mprof/mprof/session/sampling"
	"github.com/mprof/mprof/sim/qemu"
	"github.com/mprof/mprof/snapshot"
)

// underGDB runs a program in an emulator and gdb's commands on it; it returns what
// gdb printed.
func underGDB(t *testing.T, board, elf string, commands ...string) string {
	t.Helper()
	m := qemu.Start(t, qemu.Options{Board: board, ELF: elf, Silent: true, GDB: true, Halted: true, Icount: qemu.WallClock})
	args := []string{"-nx", "-batch", "-iex", "set remotetimeout 60", "-iex", "set pagination off", "-ex", "file " + elf, "-ex", "target remote " + m.GDB}
	for _, c := range commands {
		args = append(args, "-ex", c)
	}
	gdb := exec.CommandContext(t.Context(), "gdb-multiarch", args...)
	out, err := gdb.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

var gdbFrame = regexp.MustCompile(`(?m)^#\d+ +(?:(0x[0-9a-f]+) in )?(\w+) \(`)

// functionsOfGDB gives the functions that gdb's bt lists.
func functionsOfGDB(out string) (functions []string) {
	for _, m := range gdbFrame.FindAllStringSubmatch(out, -1) {
		functions = append(functions, m[2])
	}
	return functions
}

// functionsOf are those of a stack, up to the one that gdb stops at.
func functionsOf(t stackTrace, last string) (functions []string) {
	for _, f := range t.Frames {
		functions = append(functions, f.Function)
		if f.Function == last {
			break
		}
	}
	return functions
}

// TestStackOfGDBCore: what gdb writes of a Cortex-M gives the stack that gdb
// shows of the running one, whole.
func TestStackOfGDBCore(t *testing.T) {
	qemu.Require(t, qemu.Command, "gdb-multiarch")
	path, capture := filepath.Join(t.TempDir(), "arm.core"), filepath.Join(t.TempDir(), "arm.json")
	out := underGDB(t, "netduinoplus2", demoELF, "break memcpy", "continue", "bt", "generate-core-file "+path,
		"source ../../scripts/gdb-capture.py", "mprof-capture "+capture+" 0x20000000 64")
	got := printedJSON(t, demoELF, "-c", path)
	want := functionsOfGDB(out)
	if functions := functionsOf(got.Stacks[0], ""); len(want) < 2 || !slices.Equal(functions, want) || !got.Stacks[0].End.Complete || len(got.Warnings) > 0 {
		t.Errorf("%v, gdb shows %v: %+v\n%s", functions, want, got, out)
	}
	if captured := printedJSON(t, demoELF, "-c", capture).Stacks[0]; !slices.Equal(functionsOf(captured, ""), want) || !captured.End.Complete {
		t.Errorf("gdb-capture.py: %+v", captured)
	}
}

// hartELF compiles the RISC-V program of package unwind's tests.
func hartELF(t *testing.T, flags ...string) string {
	t.Helper()
	const source = "../../unwind/testdata/riscv/"
	path := filepath.Join(t.TempDir(), "hart.elf")
	args := append([]string{"-march=rv32imac", "-misa-spec=2.2", "-mabi=ilp32", "-mcmodel=medany", "-g", "-Og", "-fno-optimize-sibling-calls",
		"-ffunction-sections", "--specs=picolibc.specs", "-nostartfiles", "-Wl,--gc-sections", "-T", source + "link.ld", "-o", path}, flags...)
	if out, err := exec.Command("riscv64-unknown-elf-gcc", append(args, source+"start.S", source+"program.c")...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// TestStackOfRISCV: a RISC-V program halted in QEMU, as gdb's core file and as the
// capture of scripts/gdb-capture.py; in the second the hart is in a trap.
func TestStackOfRISCV(t *testing.T) {
	qemu.Require(t, qemu.CommandRISCV, "gdb-multiarch", "riscv64-unknown-elf-gcc")
	dir := t.TempDir()
	elf, core, capture := hartELF(t), filepath.Join(dir, "rv32.core"), filepath.Join(dir, "rv32.json")
	out := underGDB(t, "virt", elf, "break compare", "continue", "bt", "generate-core-file "+core,
		"delete", "break tick", "set $mip = 2", "continue", "source ../../scripts/gdb-capture.py", "mprof-capture "+capture)
	got := printedJSON(t, elf, "--core", core)
	want := functionsOfGDB(out)
	if functions := functionsOf(got.Stacks[0], "main"); len(want) < 3 || !slices.Equal(functions, want) || !got.Stacks[0].End.Complete || got.Arch != "RISC-V (RV32)" {
		t.Errorf("%v, gdb shows %v: %+v\n%s", functions, want, got, out)
	}
	trap := printedJSON(t, elf, "--core", capture).Stacks[0]
	var text strings.Builder
	for _, f := range trap.Frames {
		fmt.Fprintf(&text, "%s%s ", f.Function, f.Exception)
	}
	if s := text.String(); !strings.HasPrefix(s, "tick trap_entry supervisor software interrupt compare ") || !strings.HasSuffix(s, " main _start ") || !trap.End.Complete {
		t.Errorf("%s: %+v", s, trap.End)
	}
	s := mprof(t.Context(), nil, "stack", demoELF, "-c", core)
	if s.code != 1 || !strings.Contains(s.stderr, "is of a RISC-V (RV32), but "+demoELF+" is a program for Cortex-M") {
		t.Errorf("exit code %d: %s", s.code, s.stderr)
	}
	if s := mprof(t.Context(), nil, "sample", "--probe", "sim", elf); s.code != 1 || !strings.Contains(s.stderr, "RISC-V") {
		t.Errorf("sample: exit code %d: %s", s.code, s.stderr)
	}
}

// TestTrapNames holds some of the table.
func TestTrapNames(t *testing.T) {
	for exc, want := range map[uint16]string{0x8007: "machine timer interrupt", 0x8010: "interrupt 16", 2: "illegal instruction", 24: "exception 24", 0x7fff: "trap"} {
		if got := sampling.Names(snapshot.RV32, nil).Handler(exc); got != want {
			t.Errorf("0x%x: %s, want %s", exc, got, want)
		}
	}
}
