package lockstep

import (
	"os"
	"os/exec"
	"strconv"
	"testing"
)

// needTools skips a test on a machine without the emulator or the compiler, and
// fails it where CI promises them.
func needTools(t *testing.T) {
	t.Helper()
	for _, tool := range []string{QEMU, Compiler, "make"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%s is not installed, and CI=true", tool)
			}
			t.Skipf("%s is not installed", tool)
		}
	}
}

// factor is by how much MPROF_LOCKSTEP_STEPS multiplies the volume.
func factor(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("MPROF_LOCKSTEP_STEPS")
	if text == "" {
		return 1
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || n == 0 {
		t.Fatalf("MPROF_LOCKSTEP_STEPS=%q: want a number from 1 on", text)
	}
	return n
}
