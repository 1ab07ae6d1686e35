package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mprof/mprof/firmware/demo"
)

// TestWithoutDebugInformation: the symbol table alone gives functions and
// whole stacks, and the summary says what is missing, once.
func TestWithoutDebugInformation(t *testing.T) {
	strip, err := exec.LookPath("arm-none-eabi-strip")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("arm-none-eabi-strip is missing")
		}
		t.Skip("arm-none-eabi-strip is not installed: scripts/setup.sh test installs it")
	}
	dir := t.TempDir()
	full, bare := filepath.Join(dir, "full.elf"), filepath.Join(dir, "bare.elf")
	if err := os.WriteFile(full, demo.ELF, 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(strip, "-g", "-o", bare, full).CombinedOutput(); err != nil {
		t.Fatalf("strip: %v: %s", err, out)
	}
	s := mprof(t.Context(), nil, "sample", "--probe", "sim", "--duration", "5", "--seed", "1", "-o", filepath.Join(dir, "out.folded"), bare)
	if s.code != 0 {
		t.Fatal(s.stderr)
	}
	for _, want := range []string{"fir_apply", "no DWARF line information", "compile with -g"} {
		if !strings.Contains(s.stdout, want) {
			t.Errorf("the summary lacks %q:\n%s", want, s.stdout)
		}
	}
	if n := strings.Count(s.stdout, "no .debug_frame"); n != 1 {
		t.Errorf("the missing .debug_frame is mentioned %d times:\n%s", n, s.stdout)
	}
	text, err := os.ReadFile(filepath.Join(dir, "out.folded"))
	if err != nil {
		t.Fatal(err)
	}
	if cut := strings.Count(string(text), "<cut"); cut > 5 || !strings.Contains(string(text), "task_start;sensor_task;") {
		t.Errorf("%d kinds of cut stacks without call frame information:\n%s", cut, text)
	}
}
