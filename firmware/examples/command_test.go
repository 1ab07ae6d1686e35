package examples_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/examples/examplestest"
	"github.com/mprof/mprof/sim/qemu"
)

// builtMprof is the program itself.
func builtMprof(t *testing.T) string {
	t.Helper()
	mprof := filepath.Join(t.TempDir(), "mprof")
	if text, err := exec.Command("go", "build", "-o", mprof, "../../cmd/mprof").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return mprof
}

// tracedByCommand is what mprof trace --json says of a port.
type tracedByCommand struct {
	Trace struct {
		Calls    uint64
		Lost     uint64 `json:"calls_lost"`
		Version  int    `json:"protocol_version"`
		Firmware string
		TickHz   float64 `json:"tick_hz"`
	}
	Functions []struct {
		Name  string
		Calls uint64
		Mean  float64 `json:"mean_ns"`
	}
}

// The command on the pseudo-terminals of emulators and of mprof sim: the same functions within the
// same one percent, a file to look at, and no trace with the ELF file of another program.
func TestAccuracyOfTheCommand(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("on Linux only")
	}
	if testing.Short() {
		t.Skip("builds mprof")
	}
	mprof := builtMprof(t)
	for _, c := range []struct{ board, example string }{{"mps2-an385", "bare"}, {"netduinoplus2", "tasks"}, {"microbit", "bare"}} {
		t.Run(c.board+"/"+c.example, func(t *testing.T) {
			truth := meanTruth(t, c.board, c.example)
			elf := examplestest.Build{Example: c.example, Board: c.board}.ELF(t)
			m := qemu.Start(t, qemu.Options{Board: c.board, ELF: elf})
			refuses(t, mprof, m.Pty, examplestest.Build{Example: c.example, Board: "mps2-an386"}.ELF(t))
			r := traceCommand(t, mprof, m.Pty, elf)
			if r.Trace.Version != 2 || r.Trace.Firmware != c.example || r.Trace.Calls == 0 {
				t.Errorf("%+v", r.Trace)
			}
			judgeCommand(t, c.example, r, truth, 10*time.Microsecond)
		})
	}
	t.Run("mprof sim", func(t *testing.T) {
		const hz = 16_000_000
		elf := examplestest.Build{Example: "bare", Board: "stm32f405", CoreHz: hz}.ELF(t)
		r := traceCommand(t, mprof, simulated(t, elf), elf)
		judgeCommand(t, "bare", r, meanOnBoard(t, "bare", hz), time.Duration(leastCycles*1e9/hz))
	})
}

func traceCommand(t *testing.T, mprof, port, elf string) (r tracedByCommand) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "profile.pb.gz")
	cmd := exec.Command(mprof, "trace", "--port", port, "--duration", "1500ms", "--json", "-o", file, elf)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if text, err := exec.Command("go", "tool", "pprof", "-top", "-sample_index=calls", file).CombinedOutput(); err != nil || !strings.Contains(string(text), "Type: calls") {
		t.Errorf("%v: %s", err, text)
	}
	return r
}

// refuses wants mprof to end with a sentence about the build id.
func refuses(t *testing.T, mprof, port, elf string) {
	t.Helper()
	text, err := exec.Command(mprof, "trace", "--port", port, "--duration", "1", "-o", filepath.Join(t.TempDir(), "x.folded"), elf).CombinedOutput()
	if err == nil || !strings.Contains(string(text), "build id") {
		t.Errorf("another ELF file: %v: %s", err, text)
	}
}

// judgeCommand compares means with the truth, where that is least or longer. Those of interrupts may be wrong
// by a tick.
func judgeCommand(t *testing.T, example string, r tracedByCommand, truth map[string]time.Duration, least time.Duration) {
	t.Helper()
	met := 0
	for _, f := range r.Functions {
		if !slices.Contains(judged[example], f.Name) || truth[f.Name] < least {
			continue
		}
		met++
		most := allowed * float64(truth[f.Name])
		if slices.Contains(interrupts, f.Name) { // that may come at one phase of the ticks
			most = max(most, 1e9/r.Trace.TickHz)
		}
		if math.Abs(f.Mean-float64(truth[f.Name])) > most {
			t.Errorf("%s: %d calls, mean %.0f ns, truth %v", f.Name, f.Calls, f.Mean, truth[f.Name])
		}
	}
	if met < 3 {
		t.Errorf("%d functions", met)
	}
	t.Logf("%d calls, %d lost, %d functions within %.0f %%", r.Trace.Calls, r.Trace.Lost, met, 100*allowed)
}
