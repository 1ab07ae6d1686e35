package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func needObjdump(t *testing.T, tool string) {
	t.Helper()
	if _, err := exec.LookPath(tool); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%v; scripts/setup.sh test installs it", err)
		}
		t.Skipf("%v; scripts/setup.sh test installs it", err)
	}
}

// dumped is what objdump -d says of an address.
type dumped struct{ raw, text string }

// objdump disassembles a program with a stranger's tool.
func objdump(t *testing.T, tool, elf string) map[uint32]dumped {
	t.Helper()
	out, err := exec.Command(tool, "-d", "-z", elf).Output()
	if err != nil {
		t.Fatalf("%s %s: %v", tool, elf, err)
	}
	lines := map[uint32]dumped{}
	for line := range strings.Lines(string(out)) {
		at, rest, _ := strings.Cut(strings.TrimRight(line, "\n"), ":\t")
		raw, text, found := strings.Cut(rest, "\t")
		if addr, err := strconv.ParseUint(strings.TrimSpace(at), 16, 32); found && err == nil {
			lines[uint32(addr)] = dumped{strings.TrimSpace(raw), strings.TrimRight(text, "\t")}
		}
	}
	return lines
}

// listings are the functions in a report's JSON.
type listings []struct {
	Function     string
	Low, High    uint32
	Self         struct{ Samples float64 }
	Instructions []struct {
		Addr      uint32
		Raw, Text string
		Data      bool
		Self      struct{ Samples float64 }
	}
}

// TestReportDisasmIsObjdump samples a Cortex-M and a RISC-V, lists the instructions of each function that was met, and
// compares them with objdump; the samples of a function are those of its instructions.
func TestReportDisasmIsObjdump(t *testing.T) {
	t.Run("Thumb", func(t *testing.T) {
		needObjdump(t, "arm-none-eabi-objdump")
		file := filepath.Join(t.TempDir(), "run.json.gz")
		if s := mprof(t.Context(), nil, "sample", "--probe", "sim", "--duration", "20", "--seed", "1", "-q", "-o", file); s.code != 0 {
			t.Fatal(s.stderr)
		}
		checkListings(t, file, objdump(t, "arm-none-eabi-objdump", "../../firmware/demo/demo.elf"), 40)
	})
	t.Run("RISC-V", func(t *testing.T) {
		needObjdump(t, "riscv64-unknown-elf-objdump")
		b, file := startGDBBoard(t, "virt"), filepath.Join(t.TempDir(), "run.json.gz")
		if s := mprof(t.Context(), nil, "sample", "--probe", b.probe(), "--rate", "100", "--max-overhead", "none", "--duration", "3", "-q", "-o", file, b.elf); s.code != 0 {
			t.Fatal(s.stderr)
		}
		checkListings(t, file, objdump(t, "riscv64-unknown-elf-objdump", b.elf), 3)
	})
}

func checkListings(t *testing.T, file string, want map[uint32]dumped, functions int) {
	t.Helper()
	s := mprof(t.Context(), nil, "report", file, "--json", "--disasm", ".")
	var out struct{ Disasm listings }
	if err := json.Unmarshal([]byte(s.stdout), &out); s.code != 0 || err != nil {
		t.Fatalf("exit code %d, %v: %.500s", s.code, err, s.stderr)
	}
	instructions, sampled := 0, 0.0
	for _, f := range out.Disasm {
		self, at := 0.0, f.Low
		for _, i := range f.Instructions {
			// objdump remembers what a register was set to in the function in front; a listing of one function cannot.
			w := want[i.Addr]
			if without, _, _ := strings.Cut(w.text, " # "); i.Raw != w.raw || i.Text != w.text && i.Text != without {
				t.Errorf("%s: 0x%08x: %q %q, objdump says %q %q", f.Function, i.Addr, i.Raw, i.Text, w.raw, w.text)
			}
			if i.Addr != at {
				t.Errorf("%s: nothing between 0x%08x and 0x%08x", f.Function, at, i.Addr)
			}
			at = i.Addr + uint32(len(strings.ReplaceAll(i.Raw, " ", ""))/2)
			self += i.Self.Samples
		}
		if at != f.High || self != f.Self.Samples {
			t.Errorf("%s: ends at 0x%08x, want 0x%08x; %g samples at its instructions, %g in it", f.Function, at, f.High, self, f.Self.Samples)
		}
		instructions += len(f.Instructions)
		sampled += self
	}
	if len(out.Disasm) < functions || instructions < 10*functions || sampled == 0 {
		t.Errorf("%d functions, %d instructions, %g samples", len(out.Disasm), instructions, sampled)
	}
	t.Logf("%d functions, %d instructions, %g samples", len(out.Disasm), instructions, sampled)
}
