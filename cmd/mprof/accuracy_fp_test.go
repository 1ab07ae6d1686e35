package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAccuracyFP samples two tasks that compute in floating point, with
// interrupts and task switches in the middle: the stacks go through exception
// frames of 26 words, whose floating-point half is reserved only (LSPEN) or
// stored.
func TestAccuracyFP(t *testing.T) {
	gcc, err := exec.LookPath("arm-none-eabi-gcc")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("arm-none-eabi-gcc is not installed: scripts/setup.sh test installs it")
	}
	builds := []string{"-O2 -DLAZY=1", "-O0 -DLAZY=0 -DKEEP_LR", "-O2 -DLAZY=0", "-O0 -DLAZY=1", "-O2 -DLAZY=1 -DKEEP_LR"}
	if testing.Short() {
		builds = builds[:2]
	}
	for _, flags := range builds {
		t.Run(flags, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "fptasks.elf")
			args := append(strings.Fields(flags), "-mthumb", "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard", "-g", "-fno-math-errno",
				"-DFOREVER=1", "-nostdlib", "-ffreestanding", "-T", "board.ld", "-o", out, "fptasks.c")
			cmd := exec.Command(gcc, args...)
			cmd.Dir = "../../sim/testdata"
			if text, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			image, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			j := judge(t, accuracyCase{"fptasks", image, "mcu-link", 997, 2, 1, false, nil})
			t.Logf("%d samples, %d stacks complete, %d equal to the truth; %s", j.taken, j.complete, j.equal, j.firstDifference)
			if want := j.taken * 99 / 100; j.taken < 1950 || j.equal < want {
				t.Error("too few")
			}
			if j.equal < j.complete {
				t.Errorf("%d stacks are wrong", j.complete-j.equal)
			}
		})
	}
}
