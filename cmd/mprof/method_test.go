package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/firmware/shares"
)

// summaryOf is what tests look at in the JSON summary.
type summaryOf struct {
	DurationS float64 `json:"duration_s"`
	Samples   struct {
		Method       string
		Asked, Taken uint64
		Missed       map[string]uint64
		NoPCs        map[string]uint64 `json:"no_pcs"`
	}
	Halted struct {
		Share float64 `json:"share"`
	}
	Functions []struct {
		Name string
		Self struct{ Samples uint64 }
	}
	Remarks []string
}

func (s outcome) facts(t *testing.T) (out summaryOf) {
	t.Helper()
	if s.code != 0 {
		t.Fatalf("exit code %d: %s", s.code, s.stderr)
	}
	if err := json.Unmarshal([]byte(s.stdout), &out); err != nil {
		t.Fatalf("%v: %s", err, s.stdout)
	}
	return out
}

// The methods of sampling, as the summary tells of them and as the board knows.
func TestMethods(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args   []string
		probe  string
		method string
		least  uint64 // samples in a second
		most   uint64
	}{
		{nil, "sim", "dwarf", 90, 110},
		{[]string{"--method", "auto"}, "sim", "dwarf", 90, 110},
		{[]string{"--method", "pc", "--rate", "500"}, "sim", "pc", 450, 550},
		{[]string{"--method", "pcsr"}, "sim", "pcsr", 165_000, 177_000},
		{[]string{"--method", "pcsr"}, "sim:debugprobe", "pcsr", 101_000, 113_000},
		{[]string{"--method", "pcsr", "--rate", "1000"}, "sim", "pcsr", 850, 1100},
		{[]string{"--method", "pcsr"}, "sim:mcu-link,no-pcsr", "pc", 90, 110},
	} {
		t.Run(strings.Join(append(c.args, c.probe), " "), func(t *testing.T) {
			out := filepath.Join(dir, c.method+".folded")
			run := mprof(t.Context(), nil, append([]string{"sample", "--probe", c.probe, "--duration", "1", "--seed", "1", "--json", "-o", out}, c.args...)...)
			s := run.facts(t)
			if s.Samples.Method != c.method || s.Samples.Taken < c.least || s.Samples.Taken > c.most {
				t.Errorf("%d samples by %s", s.Samples.Taken, s.Samples.Method)
			}
			if n := foldedSamples(t, out); uint64(n) != s.Samples.Taken {
				t.Errorf("%d samples in the file, %d in the summary", n, s.Samples.Taken)
			}
			if halted := run.board.HaltedTime() > 0; halted != (c.method != "pcsr") || halted != (s.Halted.Share > 0) {
				t.Errorf("halted for %v, a share of %g by the summary", run.board.HaltedTime(), s.Halted.Share)
			}
			told := strings.Contains(strings.Join(s.Remarks, " "), "no PC sampling register")
			if told != strings.Contains(c.probe, "no-pcsr") {
				t.Errorf("remarks %q", s.Remarks)
			}
			run.leftRunning(t)
		})
	}
}

func TestMethodsRefused(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--method", "swo"}, "no method: use one of auto, dwarf, fp, pc, pcsr"},
		{[]string{"--rate", "30000"}, "--method pcsr goes on"},
		{[]string{"--method", "pc", "--rate", "30000"}, "--method pcsr goes on"},
	} {
		s := mprof(t.Context(), nil, append([]string{"sample", "--probe", "sim", "--duration", "1"}, c.args...)...)
		if s.code != 2 || !strings.Contains(s.stderr, c.want) {
			t.Errorf("%q: exit code %d, %s", c.args, s.code, s.stderr)
		}
	}
}

// What the samples are is in the summary for people, too.
func TestPCSRSummary(t *testing.T) {
	s := mprof(t.Context(), nil, "sample", "--probe", "sim", "--method", "pcsr", "--duration", "1", "-o", filepath.Join(t.TempDir(), "x.folded"))
	for _, want := range []string{"method    pcsr", "kHz reached", "halted    never", "stacks    none", "<asleep>"} {
		if !strings.Contains(s.stdout, want) {
			t.Errorf("no %q in:\n%s", want, s.stdout)
		}
	}
}

// A recording of PCs makes the files that the run made; one that is cut gives
// what is whole.
func TestConvertPCSR(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	outputs := func(n string) []string {
		return []string{"-o", file(n + ".json"), "-o", file(n + ".pb.gz"), "-o", file(n + ".folded")}
	}
	if s := mprof(t.Context(), nil, append([]string{"sample", "--probe", "sim", "--method", "pcsr", "--duration", "1", "--record", file("run.mprof")}, outputs("run")...)...); s.code != 0 {
		t.Fatal(s.stderr)
	}
	if s := mprof(t.Context(), nil, append([]string{"convert", file("run.mprof")}, outputs("convert")...)...); s.code != 0 {
		t.Fatal(s.stderr)
	}
	for _, ext := range []string{".json", ".pb.gz", ".folded"} {
		a, errA := os.ReadFile(file("run" + ext))
		b, errB := os.ReadFile(file("convert" + ext))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: %d bytes from the run, %d from the recording, and they differ (%v, %v)", ext, len(a), len(b), errA, errB)
		}
	}
	pprofAccepts(t, file("convert.pb.gz"))
	whole := foldedSamples(t, file("run.folded"))
	raw, err := os.ReadFile(file("run.mprof"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file("cut.mprof"), raw[:len(raw)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	s := mprof(t.Context(), nil, "convert", file("cut.mprof"), "-o", file("cut.folded"))
	if s.code != 0 || !strings.Contains(s.stdout, "cut at byte") {
		t.Fatalf("exit code %d: %s%s", s.code, s.stdout, s.stderr)
	}
	if n := foldedSamples(t, file("cut.folded")); n < whole*2/5 || n > whole*3/5 {
		t.Errorf("%d samples of %d in half of the recording", n, whole)
	}
	for _, method := range []string{"dwarf", "pc"} {
		if s := mprof(t.Context(), nil, "convert", file("run.mprof"), "--method", method, "-o", file("x.folded")); s.code != 1 || !strings.Contains(s.stderr, "made with --method pcsr") {
			t.Errorf("%s: exit code %d, %s", method, s.code, s.stderr)
		}
	}
}

// Stacks can be read as PCs: as many samples, of the same innermost functions.
func TestConvertWithAnotherMethod(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	s := mprof(t.Context(), nil, "sample", "--probe", "sim", "--duration", "3", "--record", file("run.mprof"), "--json", "-o", file("run.folded"))
	run := s.facts(t)
	flat := mprof(t.Context(), nil, "convert", file("run.mprof"), "--method", "pc", "--json", "-o", file("pc.folded")).facts(t)
	again := mprof(t.Context(), nil, "convert", file("run.mprof"), "--method", "dwarf", "--json", "-o", file("dwarf.folded")).facts(t)
	self := func(s summaryOf) map[string]uint64 {
		m := map[string]uint64{}
		for _, f := range s.Functions {
			if f.Self.Samples > 0 {
				m[f.Name] = f.Self.Samples
			}
		}
		return m
	}
	if d := cmp.Diff(self(run), self(flat)); d != "" || flat.Samples.Method != "pc" {
		t.Errorf("%s: %s", flat.Samples.Method, d)
	}
	if d := cmp.Diff(self(run), self(again)); d != "" || again.Samples.Method != "dwarf" {
		t.Errorf("%s: %s", again.Samples.Method, d)
	}
	deepest := func(name string) (n int) {
		text, err := os.ReadFile(file(name))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			n = max(n, strings.Count(line, ";"))
		}
		return n
	}
	if pc, dwarf := deepest("pc.folded"), deepest("dwarf.folded"); pc >= dwarf || pc == 0 {
		t.Errorf("stacks of up to %d callers by pc, %d by dwarf", pc, dwarf)
	}
}

// Another ELF file is taken where it is of the same build, and refused where it
// is not.
func TestConvertWithAnotherELF(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	if s := mprof(t.Context(), nil, "sample", "--probe", "sim", "--duration", "1", "--record", file("run.mprof"), "-o", file("run.folded")); s.code != 0 {
		t.Fatal(s.stderr)
	}
	if err := os.WriteFile(file("other.elf"), shares.ELF, 0o666); err != nil {
		t.Fatal(err)
	}
	s := mprof(t.Context(), nil, "convert", file("run.mprof"), "--elf", file("other.elf"), "-o", file("x.folded"))
	if s.code != 1 || !strings.Contains(s.stderr, "another build") || !strings.Contains(s.stderr, "--force") {
		t.Errorf("exit code %d: %s", s.code, s.stderr)
	}
	s = mprof(t.Context(), nil, "convert", file("run.mprof"), "--elf", file("other.elf"), "--force", "-o", file("x.folded"))
	if s.code != 0 || !strings.Contains(s.stdout, "--force") {
		t.Errorf("with --force: exit code %d: %s%s", s.code, s.stdout, s.stderr)
	}
	if s := mprof(t.Context(), nil, "convert", file("run.mprof"), "a.elf", "--elf", "b.elf"); s.code != 2 {
		t.Errorf("two ELF files: exit code %d", s.code)
	}
	strip, err := exec.LookPath("arm-none-eabi-strip")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("arm-none-eabi-strip is not installed")
	}
	if err := os.WriteFile(file("same.elf"), demo.ELF, 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(strip, "--strip-debug", file("same.elf")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s = mprof(t.Context(), nil, "convert", file("run.mprof"), "--elf", file("same.elf"), "-o", file("x.folded"))
	if s.code != 0 {
		t.Errorf("the same build without debug information: %s", s.stderr)
	}
}
