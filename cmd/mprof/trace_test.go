package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tracedSummary is what mprof trace --json prints.
type tracedSummary struct {
	Program   string
	Port      string
	EndReason string `json:"end_reason"`
	Trace     struct {
		Calls      uint64
		Kept       uint64  `json:"calls_on_timeline"`
		Lost       uint64  `json:"calls_lost"`
		Version    int     `json:"protocol_version"`
		TickHz     float64 `json:"tick_hz"`
		Calibrated bool
	}
	Functions []map[string]any
	Remarks   []string
}

func traceSummary(t *testing.T, s outcome) (out tracedSummary) {
	t.Helper()
	if err := json.Unmarshal([]byte(s.stdout), &out); err != nil {
		t.Fatalf("--json printed %q: %v", s.stdout, err)
	}
	return out
}

// of is one value of a function.
func (s tracedSummary) of(function, key string) float64 {
	for _, f := range s.Functions {
		if f["name"] == function {
			v, _ := f[key].(float64)
			return v
		}
	}
	return -1
}

// recorded is a recording of so many rounds as a file.
func recorded(t testing.TB, version, rounds int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "raw.bin")
	if err := os.WriteFile(path, newFakeTarget(t, version).recording(rounds), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// judgeRounds compares statistics with what so many rounds of the fake target are.
func judgeRounds(t *testing.T, s tracedSummary, rounds int) {
	t.Helper()
	handlers := (rounds + handlerEvery - 1) / handlerEvery
	for _, c := range []struct {
		function, key string
		want          int
	}{
		{"main", "calls", rounds}, {"main", "total_ns", rounds * outerTicks * 1000}, {"main", "self_ns", rounds * (outerTicks - innerTicks) * 1000},
		{"receive", "calls", rounds}, {"receive", "total_ns", rounds * innerTicks * 1000}, {"receive", "self_ns", rounds * innerTicks * 1000},
		{"receive", "min_ns", innerTicks * 1000}, {"receive", "max_ns", innerTicks * 1000}, {"receive", "mean_ns", innerTicks * 1000},
		{"SysTick_Handler", "calls", handlers}, {"SysTick_Handler", "total_ns", handlers * handlerTicks * 1000},
	} {
		if got := s.of(c.function, c.key); got != float64(c.want) {
			t.Errorf("%d rounds: %s of %s is %.0f, want %d", rounds, c.key, c.function, got, c.want)
		}
	}
	if want := uint64(2*rounds + handlers); s.Trace.Calls != want || s.Trace.Lost != 0 {
		t.Errorf("%d calls, %d lost, want %d", s.Trace.Calls, s.Trace.Lost, want)
	}
}

func TestTraceReplays(t *testing.T) {
	app := demoFile(t)
	for _, version := range []int{1, 2} {
		t.Run(fmt.Sprint("version ", version), func(t *testing.T) {
			dir := t.TempDir()
			raw := recorded(t, version, 1000)
			args := []string{"trace", "--from", raw, "--json"}
			for _, ext := range []string{".json.gz", ".pb.gz", ".folded"} {
				args = append(args, "-o", filepath.Join(dir, "out"+ext))
			}
			s := mprof(t.Context(), nil, append(args, app)...)
			if s.code != 0 {
				t.Fatalf("exit code %d: %s", s.code, s.stderr)
			}
			summary := traceSummary(t, s)
			judgeRounds(t, summary, 1000)
			if summary.Trace.Version != version || summary.Program != app || summary.Port != raw {
				t.Errorf("%+v", summary)
			}
			pprofAccepts(t, filepath.Join(dir, "out.pb.gz"))
			if n := foldedSamples(t, filepath.Join(dir, "out.folded")); n != 1000*outerTicks*1000+100*handlerTicks*1000 {
				t.Errorf("folded stacks hold %d ns", n)
			}
			left, _ := filepath.Glob(filepath.Join(dir, "*"))
			if len(left) != 3 {
				t.Errorf("files: %v", left)
			}
		})
	}
}

// The summary for people: a table in the order that is asked for.
func TestTraceSummary(t *testing.T) {
	raw, app := recorded(t, 2, 1000), demoFile(t)
	out := filepath.Join(t.TempDir(), "out.json.gz")
	s := mprof(t.Context(), nil, "trace", "--from", raw, "-o", out, app)
	for _, want := range []string{"app.elf: 2100 calls of 3 functions", "control", "SysTick", "on clock", "mprof view " + out, "1 µs (1 MHz)"} {
		if !strings.Contains(s.stdout, want) {
			t.Errorf("the summary lacks %q:\n%s%s", want, s.stdout, s.stderr)
		}
	}
	if main, receive := strings.Index(s.stdout, "  main"), strings.Index(s.stdout, "  receive"); main < 0 || receive < main {
		t.Errorf("not sorted by total:\n%s", s.stdout)
	}
	s = mprof(t.Context(), nil, "trace", "--from", raw, "-o", out, "--sort", "name", "--top", "1", app)
	if !strings.Contains(s.stdout, "SysTick_Handler  ") || !strings.Contains(s.stdout, "and 2 more") {
		t.Errorf("--sort name --top 1:\n%s%s", s.stdout, s.stderr)
	}
}

// Without an ELF file functions are addresses, and the user is told.
func TestTraceWithoutELF(t *testing.T) {
	s := mprof(t.Context(), nil, "trace", "--from", recorded(t, 2, 10), "-o", filepath.Join(t.TempDir(), "out.folded"))
	at := entries(t)
	for _, want := range []string{"pump: 21 calls", fmt.Sprintf("0x%08x", at["main"]), "no ELF file was named", "SysTick"} {
		if s.code != 0 || !strings.Contains(s.stdout, want) {
			t.Errorf("exit code %d, no %q in\n%s%s", s.code, want, s.stdout, s.stderr)
		}
	}
	if strings.Contains(s.stdout, "build id") {
		t.Errorf("speaks of the build id of no file:\n%s", s.stdout)
	}
}

func TestTraceKeep(t *testing.T) {
	raw, app := recorded(t, 2, 1000), demoFile(t)
	s := mprof(t.Context(), nil, "trace", "--from", raw, "--keep", "100", "--json", "-o", filepath.Join(t.TempDir(), "out.json"), app)
	summary := traceSummary(t, s)
	judgeRounds(t, summary, 1000)
	if summary.Trace.Kept > 103 || summary.Trace.Kept < 50 {
		t.Errorf("%d calls are on the timeline", summary.Trace.Kept)
	}
}

// What --record kept is a recording for mprof convert as well.
func TestConvertTrace(t *testing.T) {
	raw, app := recorded(t, 2, 1000), demoFile(t)
	out := filepath.Join(t.TempDir(), "out.folded")
	s := mprof(t.Context(), nil, "convert", raw, "--elf", app, "--json", "-o", out)
	if s.code != 0 {
		t.Fatalf("exit code %d: %s", s.code, s.stderr)
	}
	judgeRounds(t, traceSummary(t, s), 1000)
	if n := foldedSamples(t, out); n != 1000*outerTicks*1000+100*handlerTicks*1000 {
		t.Errorf("folded stacks hold %d ns", n)
	}
	s = mprof(t.Context(), nil, "convert", raw, "--elf", app, "--method", "fp", "-o", out)
	if s.code != 2 || !strings.Contains(s.stderr, "--method") {
		t.Errorf("--method: exit code %d: %s", s.code, s.stderr)
	}
}

// A recording gives the same files whenever it is played.
func TestTraceReplaysTheSame(t *testing.T) {
	raw, app, dir := recorded(t, 2, 100), demoFile(t), t.TempDir()
	for _, ext := range []string{".json", ".pb.gz", ".folded"} {
		out := filepath.Join(dir, "out"+ext)
		var first []byte
		for range 2 {
			if s := mprof(t.Context(), nil, "trace", "--from", raw, "-q", "-o", out, app); s.code != 0 {
				t.Fatal(s.stderr)
			}
			content, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = content
			} else if string(first) != string(content) {
				t.Errorf("%s differs", out)
			}
		}
	}
}
