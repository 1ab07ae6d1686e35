package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mprof/mprof/firmware/corpus"
	"github.com/mprof/mprof/session/sampling"
	"github.com/mprof/mprof/snapshot"
)

// callersOf is what the JSON summary says of stacks.
type callersOf struct {
	Samples struct{ Method string }
	Stacks  struct {
		Callers string
		Guessed struct{ Stacks, Frames uint64 }
		Cut     map[string]uint64
	}
	Remarks []string
}

func (s outcome) callers(t *testing.T) (out callersOf) {
	t.Helper()
	if s.code != 0 {
		t.Fatalf("exit code %d: %s", s.code, s.stderr)
	}
	if err := json.Unmarshal([]byte(s.stdout), &out); err != nil {
		t.Fatalf("%v: %s", err, s.stdout)
	}
	return out
}

// rustCapture is a program whose frame pointers make a chain.
func rustCapture(t *testing.T) string {
	t.Helper()
	path := "../../../shared/data/unwind/stm32u585_psp_exception.elf"
	if _, err := os.Stat(path); err != nil {
		t.Skip("../shared/data/unwind is not here: programs of rustc are not sampled")
	}
	return path
}

// GCC's frame pointers make no chain, which is said before the target is touched.
func TestFramePointersRefused(t *testing.T) {
	s := mprof(t.Context(), nil, "sample", "--probe", "sim", "--method", "fp", "--duration", "1", "-o", filepath.Join(t.TempDir(), "x.folded"))
	for _, want := range []string{"compiled by GCC", "r7 points below the locals", "--method auto"} {
		if s.code != 1 || !strings.Contains(s.stderr, want) {
			t.Errorf("exit code %d, no %q in %s", s.code, want, s.stderr)
		}
	}
	if s.board != nil {
		t.Error("the target was opened")
	}
}

// The method is in the recording's header, in the profile, and convert reads it
// back or replaces it.
func TestMethodOfCallers(t *testing.T) {
	dir := t.TempDir()
	recording, out := filepath.Join(dir, "run.mprof"), filepath.Join(dir, "x.folded")
	sample := func(flags ...string) callersOf {
		t.Helper()
		args := append([]string{"sample", "--probe", "sim", "--duration", "1", "--seed", "1", "--json", "-o", out, "--record", recording}, flags...)
		return mprof(t.Context(), nil, args...).callers(t)
	}
	convert := func(flags ...string) callersOf {
		t.Helper()
		return mprof(t.Context(), nil, append([]string{"convert", recording, "--json", "-o", out}, flags...)...).callers(t)
	}
	check := func(what string, got callersOf, method, callers string) {
		t.Helper()
		if got.Samples.Method != method || got.Stacks.Callers != callers {
			t.Errorf("%s: samples by %q, callers by %q, want %q, %q", what, got.Samples.Method, got.Stacks.Callers, method, callers)
		}
	}
	check("sample", sample("--no-guess"), "dwarf", "auto")
	header := headerOf(t, recording)
	if header[sampling.KeyMethod] != "dwarf" || header[sampling.KeyUnwinding] != "auto" || header[sampling.KeyGuess] != "no" {
		t.Errorf("the header says %v", header)
	}
	check("convert", convert(), "dwarf", "auto")
	check("convert --method dwarf", convert("--method", "dwarf"), "dwarf", "dwarf")
	if s := mprof(t.Context(), nil, "convert", recording, "--method", "fp", "-o", out); s.code != 1 || !strings.Contains(s.stderr, "compiled by GCC") {
		t.Errorf("convert --method fp: exit code %d, %s", s.code, s.stderr)
	}
	check("sample --method dwarf", sample("--method", "dwarf"), "dwarf", "dwarf")
	check("convert", convert(), "dwarf", "dwarf")
	rust := rustCapture(t)
	check("sample --method fp", sample("--method", "fp", rust), "fp", "fp")
	check("convert", convert(), "fp", "fp")
	check("convert --method dwarf", convert("--method", "dwarf"), "dwarf", "dwarf")
	check("convert --method pc", convert("--method", "pc"), "pc", "auto")
	if text := mprof(t.Context(), nil, "convert", recording, "-o", out).stdout; !strings.Contains(text, "by frame pointers (--method fp)") {
		t.Errorf("the summary does not name the method:\n%s", text)
	}
}

func headerOf(t *testing.T, path string) map[string]string {
	t.Helper()
	r, err := snapshot.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return r.Header().Parameters
}

// mprof stack takes the same methods, and says how frames were found.
func TestStackByFramePointers(t *testing.T) {
	rust := rustCapture(t)
	core := strings.TrimSuffix(rust, ".elf") + ".snapshot.json"
	s := mprof(t.Context(), nil, "stack", rust, "--core", core, "--method", "fp", "-v")
	if s.code != 0 || strings.Count(s.stdout, ", frame pointer]") < 5 || !strings.Contains(s.stdout, "\ncomplete") {
		t.Errorf("exit code %d, %s\n%s", s.code, s.stderr, s.stdout)
	}
	s = mprof(t.Context(), nil, "stack", "../../firmware/demo/demo.elf", "--core", core, "--method", "fp")
	if s.code != 1 || !strings.Contains(s.stderr, "compiled by GCC") {
		t.Errorf("GCC: exit code %d, %s", s.code, s.stderr)
	}
}

// A program of clang with GCC's C library: frame pointers are followed, and the
// remark says where they end.
func TestFramePointersOfMixedProgram(t *testing.T) {
	for _, p := range corpus.All() {
		if !strings.Contains(p.String(), "clang") || !strings.HasSuffix(p.String(), "-fp") {
			continue
		}
		out := filepath.Join(t.TempDir(), "x.folded")
		s := mprof(t.Context(), nil, "sample", "--probe", "sim", "--method", "fp", "--duration", "0.01", "--rate", "1000", "--json", "-o", out, p.ELF(t)).callers(t)
		if text := strings.Join(s.Remarks, "\n"); !strings.Contains(text, "parts of the program are compiled by GCC") || s.Stacks.Callers != "fp" {
			t.Errorf("%s: %q, callers by %q", p, text, s.Stacks.Callers)
		}
		return
	}
	t.Error("the corpus has no program of clang with frame pointers")
}
