package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/demo"
)

func TestOverheadFlag(t *testing.T) {
	for text, want := range map[string]float64{"1%": 0.01, "0.5%": 0.005, "1": 0.01, "25 %": 0.25, "100%": 1, "0": 0, "0%": 0, "none": 0, "0.001%": 0.00001} {
		var o overheadFlag
		if err := o.Set(text); err != nil || float64(o) < want*0.999 || float64(o) > want*1.001 {
			t.Errorf("%q: %v, %v", text, float64(o), err)
		}
		var again overheadFlag
		if err := again.Set(o.String()); err != nil || again != o {
			t.Errorf("%q prints as %q, which reads as %v, %v", text, o.String(), float64(again), err)
		}
	}
	for _, text := range []string{"", "%", "-1%", "101%", "NaN", "inf", "1e-9", "one percent", "1%%"} {
		var o overheadFlag
		if err := o.Set(text); err == nil || !strings.Contains(err.Error(), "none") {
			t.Errorf("%q: %v, %v", text, float64(o), err)
		}
	}
}

func TestHaltFlag(t *testing.T) {
	for text, want := range map[string]time.Duration{"200us": 200 * time.Microsecond, "200µs": 200 * time.Microsecond, "1ms": time.Millisecond, "1.5ms": 1500 * time.Microsecond, "0": 0, "none": 0} {
		var h haltFlag
		if err := h.Set(text); err != nil || time.Duration(h) != want {
			t.Errorf("%q: %v, %v", text, time.Duration(h), err)
		}
	}
	for _, text := range []string{"", "200", "-1ms", "1ns", "2m", "soon"} {
		var h haltFlag
		if err := h.Set(text); err == nil {
			t.Errorf("%q: %v", text, time.Duration(h))
		}
	}
}

// A run within its budget says what it did, and mprof convert says the same of
// its recording.
func TestSampleWithinABudget(t *testing.T) {
	dir := t.TempDir()
	recording := filepath.Join(dir, "run.mprof")
	s := mprof(t.Context(), nil, "sample", "--probe", "sim", "--rate", "1000", "--duration", "3", "--seed", "1", "--max-overhead", "2%",
		"-o", filepath.Join(dir, "out.folded"), "--record", recording)
	if s.code != 0 {
		t.Fatalf("exit code %d: %s", s.code, s.stderr)
	}
	s.leftRunning(t)
	if want := "asked 1000 Hz, lowered to "; !strings.Contains(s.stdout, want) || !strings.Contains(s.stdout, "to keep the core halted at most 2 % of the time") {
		t.Errorf("the summary lacks %q:\n%s", want, s.stdout)
	}
	if share := s.board.HaltedTime().Seconds() / 3; share > 0.02 || share < 0.012 { // the account begins empty
		t.Errorf("the core stood still for %.2f %% of the run, the budget is 2 %%", 100*share)
	}
	app := filepath.Join(dir, "demo.elf")
	if err := os.WriteFile(app, demo.ELF, 0o666); err != nil {
		t.Fatal(err)
	}
	c := mprof(t.Context(), nil, "convert", "-o", filepath.Join(dir, "again.folded"), recording, app)
	budget := func(text string) string {
		_, after, _ := strings.Cut(text, "asked 1000 Hz")
		line, _, _ := strings.Cut(after, "\n")
		return line
	}
	if a, b := budget(s.stdout), budget(c.stdout); a != b || a == "" {
		t.Errorf("convert says %q, sample said %q", b, a)
	}
}
