package main

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/sim"
)

var update = flag.Bool("update", false, "write the golden files anew")

// builtBy is the line that differs from machine to machine. Figures are compared
// with the probe's model in package check.
var (
	builtBy = regexp.MustCompile(`(?m)^mprof   .*$`)
	figure  = regexp.MustCompile(`0x[0-9a-f]+|[+-]?\b[0-9]+(\.[0-9]+)?(e[+-][0-9]+)?`)
	states  = regexp.MustCompile(`(?m)^    (running|asleep[^:]*): .*(values|times).*$`) // what the program did meanwhile
)

// TestProbeCheckText: the sentences of the report of one simulated probe.
func TestProbeCheckText(t *testing.T) {
	s := mprof(t.Context(), nil, "probe", "check", "--probe", "sim:debugprobe")
	if s.code != 0 {
		t.Fatalf("exit code %d: %s", s.code, s.stderr)
	}
	s.leftRunning(t)
	if !strings.Contains(s.stderr, "is halted") {
		t.Errorf("it does not say before that it halts: %q", s.stderr)
	}
	got := builtBy.ReplaceAllString(s.stdout, "mprof   VERSION")
	got = figure.ReplaceAllString(states.ReplaceAllString(got, "    $1: PCs"), "N")
	const golden = "testdata/probecheck.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("the report has changed (go test ./cmd/mprof -run ProbeCheckText -update):\n%s", d)
	}
}

func TestProbeCheckJSON(t *testing.T) {
	s := mprof(t.Context(), nil, "probe", "check", "--probe", "sim:free-dap", "--speed", "1M", "--json")
	var got struct {
		Mprof, OS, Core string
		SWCLK           uint32 `json:"swclk_hz"`
		Findings        []struct {
			Point, Name, Verdict string
			Facts                []string
			Values               map[string]float64
		}
	}
	if err := json.Unmarshal([]byte(s.stdout), &got); err != nil || s.code != 0 {
		t.Fatalf("exit code %d, %v: %s", s.code, err, s.stdout)
	}
	if got.Core != "Cortex-M4 r0p1" || got.SWCLK != 1_000_000 || got.OS == "" || len(got.Findings) < 15 {
		t.Errorf("%+v", got)
	}
}

// TestProbeCheckLosesTheProbe: what was found is printed, and the exit code says
// that it is not all.
func TestProbeCheckLosesTheProbe(t *testing.T) {
	s := mprof(t.Context(), nil, "probe", "check", "--probe", "sim:mcu-link,unplug=2s")
	if s.code != 1 || !strings.Contains(s.stdout, "(h) packet sizes: ok") || !strings.Contains(s.stdout, "ended early") || !strings.Contains(s.stderr, "disconnected") {
		t.Errorf("exit code %d\n%s%s", s.code, s.stdout, s.stderr)
	}
}

// TestProbeCheckEnds: Ctrl-C leaves the core running.
func TestProbeCheckEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	s := mprof(ctx, func(*sim.Board) { cancel(&signalError{syscall.SIGINT}) }, "probe", "check", "--probe", "sim")
	if s.code != 130 {
		t.Errorf("exit code %d: %s", s.code, s.stderr)
	}
	s.leftRunning(t)
}

func TestPermissionHints(t *testing.T) {
	for system, want := range map[string]string{"linux": "udev", "darwin": "sudo mprof", "windows": "driver"} {
		if got := permissionHint(system); !strings.Contains(got, want) || strings.Contains(got, "udev") != (system == "linux") {
			t.Errorf("%s: %q", system, got)
		}
	}
}
