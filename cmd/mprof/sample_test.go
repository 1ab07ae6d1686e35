package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/session/target"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/symbol"
)

// outcome is one command line run in process.
type outcome struct {
	code           int
	stdout, stderr string
	board          *sim.Board
}

// mprof runs a command line with a context; on a simulated board, watch sees
// the board first.
func mprof(ctx context.Context, watch func(*sim.Board), args ...string) outcome {
	var s outcome
	var stdout, stderr bytes.Buffer
	a := &app{stdout: &stdout, stderr: &stderr, opened: func(t *target.Target) {
		s.board = t.Board
		if watch != nil {
			watch(t.Board)
		}
	}}
	root := a.root()
	root.SetArgs(args)
	s.code = a.report(root.ExecuteContext(ctx))
	s.stdout, s.stderr = stdout.String(), stderr.String()
	return s
}

// leftRunning checks the promise: resumed, C_DEBUGEN clear.
func (s outcome) leftRunning(t *testing.T) {
	t.Helper()
	if state := s.board.CoreState(); state.Halted || state.DebugEnabled {
		t.Errorf("the core is left %+v, want it running with C_DEBUGEN clear", state)
	}
}

func (s outcome) summary(t *testing.T) (out map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(s.stdout), &out); err != nil {
		t.Fatalf("--json printed %q: %v", s.stdout, err)
	}
	return out
}

func foldedSamples(t *testing.T, path string) (n int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		var count int
		if err := json.Unmarshal([]byte(fields[len(fields)-1]), &count); err != nil {
			t.Fatalf("folded line %q: %v", line, err)
		}
		n += count
	}
	return n
}

func TestSampleLeavesTheCoreRunning(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.folded")
	s := mprof(t.Context(), nil, "sample", "--probe", "sim", "--duration", "2", "--seed", "1", "-o", out)
	if s.code != 0 {
		t.Fatalf("exit code %d: %s", s.code, s.stderr)
	}
	s.leftRunning(t)
	if n := foldedSamples(t, out); n < 190 || n > 210 {
		t.Errorf("%d samples in 2 s at 100 Hz", n)
	}
	for _, want := range []string{"samples", "halted", "wait_for_interrupt", "flamegraph.pl " + out} {
		if !strings.Contains(s.stdout, want) {
			t.Errorf("the summary lacks %q:\n%s", want, s.stdout)
		}
	}
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(out), "*"))
	if diff := cmp.Diff([]string{out}, left); diff != "" {
		t.Errorf("files left behind (-want +got):\n%s", diff)
	}
}

// TestInterrupt cancels a run at a halt in its middle, as the signal handler
// does.
func TestInterrupt(t *testing.T) {
	for _, c := range []struct {
		name     string
		duration []string
		code     int
	}{
		{"with a duration", []string{"--duration", "60"}, 128 + int(syscall.SIGINT)},
		{"until Ctrl-C", nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out.folded")
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			halts := 0
			s := mprof(ctx, func(b *sim.Board) {
				b.OnHalt(func(time.Duration) {
					if halts++; halts == 50 {
						cancel(&signalError{syscall.SIGINT})
					}
				})
			}, append([]string{"sample", "--probe", "sim", "-o", out}, c.duration...)...)
			if s.code != c.code {
				t.Errorf("exit code %d, want %d: %s", s.code, c.code, s.stderr)
			}
			s.leftRunning(t)
			if n := foldedSamples(t, out); n < 45 || n > 51 {
				t.Errorf("%d samples kept of 50", n)
			}
		})
	}
}

func TestUnplugged(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.folded")
	s := mprof(t.Context(), nil, "sample", "--probe", "sim:debugprobe,unplug=3s", "--duration", "60", "--seed", "1", "-o", out)
	if s.code != 1 || !strings.Contains(s.stderr, "disconnected") || !strings.Contains(s.stderr, "cable") {
		t.Errorf("exit code %d, stderr %q", s.code, s.stderr)
	}
	if n := foldedSamples(t, out); n < 270 || n > 310 {
		t.Errorf("%d samples kept of 3 s at 100 Hz", n)
	}
}

// TestTargetTroubles: what happens to the target while the probe
// stays does not end the run.
func TestTargetTroubles(t *testing.T) {
	for _, fault := range []string{"reset=1s", "lockup=1s", "off=1s+500ms", "noack=1s", "wait=1s", "fault=1s", "late=1s+300ms", "short=1s", "stuck-core=1s+500ms",
		"unplug=1s+500ms", "brown-out=1s+500ms", "secure=1s+500ms", "long=1s", "lost=1s", "unheard=1s", "miscount=1s", "parity=1s"} {
		t.Run(fault, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out.folded")
			s := mprof(t.Context(), nil, "sample", "--probe", "sim:mcu-link,"+fault, "--duration", "4", "-o", out)
			if s.code != 0 {
				t.Fatalf("exit code %d: %s", s.code, s.stderr)
			}
			s.leftRunning(t)
			if n := foldedSamples(t, out); n < 300 {
				t.Errorf("%d samples kept of 4 s at 100 Hz", n)
			}
		})
	}
}

func TestForce(t *testing.T) {
	dir := t.TempDir()
	// The firmware that runs is changed at one place of its code.
	s := mprof(t.Context(), nil, "sample", "--probe", "sim", "--duration", "1", "-o", filepath.Join(dir, "a.folded"))
	if s.code != 0 {
		t.Fatal(s.stderr)
	}
	if got := hintsFor(&symbol.MismatchError{}); len(got) != 1 || !strings.Contains(got[0], "--force") {
		t.Errorf("hint for a mismatch: %q", got)
	}
	poke := func(b *sim.Board) { b.Core().WriteBus(0x08000010, 4, 0xBADC0DE5) }
	bad := mprof(t.Context(), poke, "sample", "--probe", "sim", "--duration", "1", "-o", filepath.Join(dir, "b.folded"))
	if bad.code != 1 || !strings.Contains(bad.stderr, "0x08000010") || !strings.Contains(bad.stderr, "--force") {
		t.Errorf("exit code %d, stderr %q", bad.code, bad.stderr)
	}
	bad.leftRunning(t)
	forced := mprof(t.Context(), poke, "sample", "--probe", "sim", "--duration", "1", "--force", "-o", filepath.Join(dir, "c.folded"))
	if forced.code != 0 || !strings.Contains(forced.stdout, "0x08000010") {
		t.Errorf("--force: exit code %d, stdout %q, stderr %q", forced.code, forced.stdout, forced.stderr)
	}
	forced.leftRunning(t)
}

func TestJSONAndQuiet(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.pb.gz")
	s := mprof(t.Context(), nil, "sample", "--probe", "sim", "--duration", "1", "--json", "-o", out)
	if s.code != 0 || len(s.summary(t)) == 0 {
		t.Errorf("exit code %d, %q", s.code, s.stdout)
	}
	s = mprof(t.Context(), nil, "sample", "--probe", "sim", "--duration", "1", "--quiet", "-o", out)
	if s.code != 0 || s.stdout+s.stderr != "" {
		t.Errorf("--quiet: exit code %d, printed %q and %q", s.code, s.stdout, s.stderr)
	}
}

// TestSameSeedSameProfile: on the simulated board a seed fixes the run.
func TestSameSeedSameProfile(t *testing.T) {
	dir := t.TempDir()
	var texts [2]string
	for i, name := range []string{"a.folded", "b.folded"} {
		path := filepath.Join(dir, name)
		if s := mprof(t.Context(), nil, "sample", "--probe", "sim", "--duration", "3", "--seed", "7", "-q", "-o", path); s.code != 0 {
			t.Fatal(s.stderr)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	if diff := cmp.Diff(texts[0], texts[1]); diff != "" {
		t.Errorf("two runs with one seed differ:\n%s", diff)
	}
}

// TestPanic: not even a bug leaves the core halted or loses the samples.
func TestPanic(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.folded")
	halts := 0
	s := mprof(t.Context(), func(b *sim.Board) {
		b.OnHalt(func(time.Duration) {
			if halts++; halts == 50 {
				panic("a bug in the middle of a sample")
			}
		})
	}, "sample", "--probe", "sim", "--duration", "60", "-o", out)
	if s.code != 1 || !strings.Contains(s.stderr, "a bug in the middle of a sample") {
		t.Errorf("exit code %d, stderr %q", s.code, s.stderr)
	}
	s.leftRunning(t)
	if n := foldedSamples(t, out); n < 45 || n > 50 {
		t.Errorf("%d samples kept of 49", n)
	}
}
