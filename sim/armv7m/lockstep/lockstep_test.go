package lockstep

import (
	"os"
	"strconv"
	"testing"

	"github.com/mprof/mprof/sim/qemu"
)

// needTools skips a test on a machine without the emulator or the compiler, and
// fails it where CI promises them.
func needTools(t *testing.T) {
	t.Helper()
	qemu.Require(t, qemu.Command, Compiler, "make")
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
