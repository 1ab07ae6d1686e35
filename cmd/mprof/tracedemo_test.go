package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/session/tracing"
)

// mprof trace --demo needs nothing, and shows what a user is to see: tasks and an
// interrupt, the cost of tracing, sources.
func TestTraceDemo(t *testing.T) {
	out := filepath.Join(t.TempDir(), "demo.folded")
	s := mprof(t.Context(), nil, "trace", "--demo", "--json", "-o", out, "-o", filepath.Join(t.TempDir(), "demo.json.gz"))
	if s.code != 0 {
		t.Fatalf("exit code %d: %s", s.code, s.stderr)
	}
	summary := traceSummary(t, s)
	if !strings.HasSuffix(filepath.ToSlash(summary.Program), target.BuiltInTraced) || summary.Port != tracing.DemoRecording || summary.Trace.Version != 2 || !summary.Trace.Calibrated || summary.Trace.Lost != 0 {
		t.Errorf("%s from %s: %+v", summary.Program, summary.Port, summary.Trace)
	}
	if summary.Trace.Calls < 10_000 || len(summary.Functions) < 30 {
		t.Errorf("%d calls of %d functions", summary.Trace.Calls, len(summary.Functions))
	}
	var self float64
	for _, f := range summary.Functions {
		ns, _ := f["self_ns"].(float64)
		self += ns
	}
	if n := foldedSamples(t, out); float64(n) != self {
		t.Errorf("folded stacks hold %d ns, the statistics %.0f", n, self)
	}
	for _, r := range summary.Remarks {
		if strings.Contains(r, "build id") {
			t.Error(r)
		}
	}
	if _, ok := target.BuiltInTracedSource("firmware/examples/logger/../../demo/src/main.c"); !ok {
		t.Error("the built-in firmware has no source")
	}
}

// --port sim without an ELF file runs the built-in firmware, here until some bytes have
// come; with --cycles its times are in cycles of the core.
func TestTraceSim(t *testing.T) {
	coarse, fine := tracedSim(t), tracedSim(t, "--cycles")
	if coarse.Trace.TickHz != 1e6 || fine.Trace.TickHz != 16e6 {
		t.Errorf("ticks of %v Hz and %v Hz", coarse.Trace.TickHz, fine.Trace.TickHz)
	}
}

// tracedSim is what is said of the simulated board.
func tracedSim(t *testing.T, args ...string) tracedSummary {
	t.Helper()
	raw := filepath.Join(t.TempDir(), "raw.bin")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		defer cancel(&signalError{syscall.SIGINT})
		for range 3000 {
			if st, err := os.Stat(raw); err == nil && st.Size() > 4000 {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	s := mprof(ctx, nil, append([]string{"trace", "--port", "sim", "--record", raw, "--json", "-o", filepath.Join(t.TempDir(), "out.json")}, args...)...)
	if s.code != 0 {
		t.Fatalf("exit code %d: %s", s.code, s.stderr)
	}
	summary := traceSummary(t, s)
	if summary.Trace.Calls < 100 || summary.of("filter_reading", "calls") < 1 || summary.Port != "sim" {
		t.Errorf("%+v of %s", summary.Trace, summary.Port)
	}
	return summary
}

func TestTraceDemoBadInput(t *testing.T) {
	s := mprof(t.Context(), nil, "trace", "--port", "sim:clock=slow", "-o", filepath.Join(t.TempDir(), "out.json"))
	if s.code != 2 || !strings.Contains(s.stderr, "clock") {
		t.Errorf("exit code %d: %s", s.code, s.stderr)
	}
	s = mprof(t.Context(), nil, "trace", "--demo", "-o", filepath.Join(t.TempDir(), "out.json"), "app.elf")
	if s.code != 2 || !strings.Contains(s.stderr, "its own ELF") {
		t.Errorf("exit code %d: %s", s.code, s.stderr)
	}
}
