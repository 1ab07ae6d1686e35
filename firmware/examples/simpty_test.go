package examples_test

import (
	"bufio"
	"os/exec"
	"regexp"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/examples/examplestest"
)

var terminal = regexp.MustCompile(`: (/dev/[^:]+):`)

// simulated starts mprof sim, a process of its own, and returns the pseudo-terminal of the board.
func simulated(t *testing.T, elf string) string {
	t.Helper()
	mprof := builtMprof(t)
	cmd := exec.Command(mprof, "sim", "--clock", "16M", "--duration", "60", elf)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
	})
	said := ""
	for s := bufio.NewScanner(out); s.Scan(); {
		said += s.Text() + "\n"
		if name := terminal.FindStringSubmatch(s.Text()); name != nil {
			return name[1]
		}
	}
	t.Fatalf("no pseudo-terminal: %s", said)
	return ""
}

// The same in real time, through the pseudo-terminal of mprof sim.
func TestAccuracyOfMprofSim(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("on Linux only")
	}
	if testing.Short() {
		t.Skip("builds mprof")
	}
	const hz = 16_000_000
	truth := meanOnBoard(t, "bare", hz)
	elf := examplestest.Build{Example: "bare", Board: "stm32f405", CoreHz: hz}.ELF(t)
	r := record(t, openPty(t, simulated(t, elf)), elf, 2, 2*time.Second)
	if r.status.Running || r.status.Waiting != 0 || len(r.records) < 1000 {
		t.Errorf("%d records, %+v", len(r.records), r.status)
	}
	judge(t, "bare", r.profile(t), truth, time.Duration(leastCycles*1e9/hz))
}
