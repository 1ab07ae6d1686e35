package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/mprof/mprof/firmware/shares"
)

// diffPair is a profile of shares, and one of shares with more of blue.
func diffPair(t *testing.T) (old, new string) {
	t.Helper()
	dir := t.TempDir()
	for i, elf := range [][]byte{shares.ELF, changedShares(t, 25)} {
		image, out := filepath.Join(dir, fmt.Sprintf("app%d.elf", i)), filepath.Join(dir, fmt.Sprintf("run%d.json.gz", i))
		if err := os.WriteFile(image, elf, 0o666); err != nil {
			t.Fatal(err)
		}
		if s := mprof(t.Context(), nil, "sample", "--probe", "sim", "--rate", "1000", "--duration", "3", "--max-overhead", "none", "--seed", fmt.Sprint(i+1), "-q", "-o", out, image); s.code != 0 {
			t.Fatal(s.stderr)
		}
		old, new = new, out
	}
	return old, new
}

// What rules say is the exit code: 0, 3 where one failed, 1 where one cannot be answered, 2 for
// one that is none.
func TestDiffRules(t *testing.T) {
	old, new := diffPair(t)
	for _, c := range []struct {
		rules []string // and other flags
		code  int
		says  string
	}{
		{[]string{"blue > +10%"}, 3, "FAILED  blue > +10%: blue total"},
		{[]string{"blue > +10%", "amber > +10%"}, 3, "ok      amber > +10%"},
		{[]string{"blue > +5pp"}, 3, "significant (p <1e-6)"},
		{[]string{"blue > +90%"}, 0, "ok "},
		{[]string{"blue < -5%"}, 0, "ok "},
		{[]string{"ebony < -5%"}, 3, "FAILED  ebony < -5%"},
		{[]string{"any > +1pp"}, 3, "any > +1pp: blue total"},
		{[]string{"any self > +50pp"}, 0, "none of 1"},
		{[]string{"bl?e > +1pp"}, 3, "blue total"},
		{[]string{"work self > +1pp"}, 0, "work self"}, // what is in them all has not changed
		{[]string{"context:SysTick > +1pp"}, 0, "SysTick total"},
		{[]string{"SysTick > +1pp"}, 0, "SysTick total"}, // no function has that name
		{[]string{"amber > +0%", "--no-significance"}, 0, "amber total"},
		{[]string{"purple > +3%"}, 1, `"purple" is no function and no context of either profile`},
		{[]string{"context:blue > +3%"}, 1, `"blue" is no context of either profile`},
		{[]string{"blu > +3%"}, 1, `there is "blue"`},
		{[]string{"blue call > +3us"}, 1, `samples do not know "call"`},
		{[]string{"blue calls > +3/s"}, 1, `samples do not know "calls"`},
		{[]string{"context:SysTick self > +3%"}, 1, `a context has no "self"`},
		{[]string{"blue > 3 apples"}, 2, "is no amount"},
	} {
		args := []string{"diff", old, new}
		for _, r := range c.rules {
			if strings.HasPrefix(r, "--") {
				args = append(args, r)
			} else {
				args = append(args, "--fail-if", r)
			}
		}
		s := mprof(t.Context(), nil, args...)
		if text := s.stdout + s.stderr; s.code != c.code || !strings.Contains(text, c.says) {
			t.Errorf("%q: exit code %d, want %d and %q in\n%s", c.rules, s.code, c.code, c.says, text)
		}
	}
}

func TestDiffUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{nil, "takes two profiles"},
		{[]string{"a"}, "takes two profiles, OLD and NEW, got 1"},
		{[]string{"a", "b", "c"}, "got 3"},
		{[]string{"a", "b", "--format", "xml"}, "use one of text, json, markdown"},
		{[]string{"a", "b", "--top", "-1"}, "0 lists all"},
		{[]string{"a", "b", "-o", "diff.png"}, "names no format of a difference"},
		{[]string{"-", "-"}, "cannot both be standard input"},
	} {
		if s := mprof(t.Context(), nil, append([]string{"diff"}, c.args...)...); s.code != 2 || !strings.Contains(s.stderr, c.says) {
			t.Errorf("%q: exit code %d, %s", c.args, s.code, s.stderr)
		}
	}
	if s := mprof(t.Context(), nil, "diff", "no-such-file", "b"); s.code != 1 {
		t.Errorf("a file that is not there: exit code %d, %s", s.code, s.stderr)
	}
}

// All that is printed has the same numbers, and what is written has them, too: pprof's percentages of
// a difference are percent points.
func TestDiffSaysTheSameEverywhere(t *testing.T) {
	old, new := diffPair(t)
	pb := filepath.Join(t.TempDir(), "diff.pb.gz")
	s := mprof(t.Context(), nil, "diff", old, new, "--format", "json", "--fail-if", "blue > +10%", "-o", pb)
	if s.code != 3 {
		t.Fatalf("exit code %d: %s", s.code, s.stderr)
	}
	type change struct {
		Old, New          struct{ Value, Error, Count float64 }
		Change, Low, High float64
		Significant       bool
	}
	var said struct {
		Functions []struct {
			Name        string
			Significant bool
			Total, Self change
		}
		Rules []struct {
			Rule     string
			Violated bool
			Change   change
		}
		Remarks []string
	}
	if err := json.Unmarshal([]byte(s.stdout), &said); err != nil {
		t.Fatalf("%v in %s", err, s.stdout)
	}
	if len(said.Rules) != 1 || !said.Rules[0].Violated || said.Rules[0].Change.Change < 0.05 {
		t.Errorf("rules %+v", said.Rules)
	}
	blue := change{}
	ended := false
	for _, f := range said.Functions {
		if f.Name == "blue" {
			blue = f.Total
		}
		if ended && f.Significant {
			t.Errorf("%s is significant, and stands behind others that are not", f.Name)
		}
		ended = ended || !f.Significant
	}
	// blue has 20 of 100 units of work before and 32 of 112 after.
	if truth := 32./112 - 20./100; !blue.Significant || blue.Low > truth || blue.High < truth {
		t.Errorf("blue %+v, truth %+.3f", blue, truth)
	}
	row := fmt.Sprintf("%.1f %%", 100*blue.Old.Value)
	text, markdown := mprof(t.Context(), nil, "diff", old, new).stdout, mprof(t.Context(), nil, "diff", old, new, "--format", "markdown").stdout
	for name, printed := range map[string]string{"text": text, "markdown": markdown} {
		found := false
		for line := range strings.Lines(printed) {
			found = found || strings.Contains(line, "blue") && strings.Contains(line, row) && strings.Contains(line, fmt.Sprintf("%+.2f pp", 100*blue.Change))
		}
		if !found {
			t.Errorf("%s has no blue with %s and %+.2f pp:\n%s", name, row, 100*blue.Change, printed)
		}
	}
	out, err := exec.Command("go", "tool", "pprof", "-top", "-nodecount=1000", "-nodefraction=0", pb).Output()
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^.*?(-?\d+) +([\d.]+)%  blue\b`).FindStringSubmatch(string(out))
	if m == nil {
		t.Fatalf("no blue in\n%s", out)
	}
	samples, _ := strconv.ParseFloat(m[1], 64)
	points, _ := strconv.ParseFloat(m[2], 64)
	if math.Abs(points-100*blue.Change) > 0.1 || math.Abs(samples-blue.Change*blue.New.Count/blue.New.Value) > 5 {
		t.Errorf("pprof says %g samples, %g %%; mprof %+.2f pp", samples, points, 100*blue.Change)
	}
}

// The same profile twice has not changed, however it is read. With this seed a sample fell into the part of strcmp that
// newlib keeps before its symbol.
func TestDiffOfOneProfile(t *testing.T) {
	dir := t.TempDir()
	file := func(ext string) string { return filepath.Join(dir, "run"+ext) }
	args := []string{"sample", "--probe", "sim", "--duration", "3", "--rate", "500", "--seed", "7", "-q", "--record", file(".mprof")}
	for _, ext := range []string{".json.gz", ".pb.gz", ".folded"} {
		args = append(args, "-o", file(ext))
	}
	if s := mprof(t.Context(), nil, args...); s.code != 0 {
		t.Fatal(s.stderr)
	}
	if s := mprof(t.Context(), nil, "report", file(".mprof"), "--top", "0"); !strings.Contains(s.stdout, "[code 0x08000000 without symbols]") {
		t.Errorf("no sample has no symbol:\n%s", s.stdout)
	}
	for _, ext := range []string{".json.gz", ".pb.gz", ".folded"} {
		s := mprof(t.Context(), nil, "diff", file(".mprof"), file(ext), "--fail-if", "any > +0pp", "--fail-if", "any < -0pp", "--no-significance", "-q")
		if s.code != 0 || strings.Contains(s.stdout, "FAILED") {
			t.Errorf("%s: exit code %d\n%s%s", ext, s.code, s.stdout, s.stderr)
		}
	}
}

// Time asleep is left out of shares, files and contexts.
func TestDiffAwake(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run.json.gz")
	if s := mprof(t.Context(), nil, "sample", "--probe", "sim", "--duration", "3", "-q", "-o", out); s.code != 0 {
		t.Fatal(s.stderr)
	}
	if s := mprof(t.Context(), nil, "diff", out, out); !strings.Contains(s.stdout, "asleep\n") {
		t.Errorf("no sleep in\n%s", s.stdout)
	}
	folded := filepath.Join(t.TempDir(), "diff.folded")
	s := mprof(t.Context(), nil, "diff", out, out, "--awake", "--top", "0", "-o", folded)
	for line := range strings.Lines(s.stdout) {
		if strings.HasSuffix(line, "  asleep\n") {
			t.Errorf("with --awake: %s", line)
		}
	}
	p, _, err := (&app{}).openProfile(t.Context(), out, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(folded)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, m := range regexp.MustCompile(`(?m) \d+ (\d+)$`).FindAllStringSubmatch(string(content), -1) {
		n, _ := strconv.Atoi(m[1])
		sum += n
	}
	if asleep := int(p.Taken.Sleeping); asleep < 10 || sum != p.Samples()-asleep {
		t.Errorf("%d samples in the file, %d of %d were asleep", sum, asleep, p.Samples())
	}
	if s := mprof(t.Context(), nil, "diff", out, out, "--context", "SysTick"); s.code != 0 || strings.Contains(s.stdout, "filter_reading") || strings.Contains(s.stdout, "Reset_Handler") || !strings.Contains(s.stdout, "SysTick_Handler") {
		t.Errorf("exit code %d, functions of SysTick:\n%s%s", s.code, s.stdout, s.stderr)
	}
	if s := mprof(t.Context(), nil, "diff", out, out, "--context", "DMA"); s.code != 1 || !strings.Contains(s.stderr, `no context "DMA"`) || !strings.Contains(s.stderr, `"SysTick"`) {
		t.Errorf("exit code %d: %s", s.code, s.stderr)
	}
}

// Traced calls are compared by time per call; with samples they cannot be.
func TestDiffOfTraces(t *testing.T) {
	dir := t.TempDir()
	trace, pb, samples := filepath.Join(dir, "t.json.gz"), filepath.Join(dir, "t.pb.gz"), filepath.Join(dir, "s.json.gz")
	for _, args := range [][]string{{"trace", "--demo", "-q", "-o", trace, "-o", pb}, {"sample", "--probe", "sim", "--duration", "1", "-q", "-o", samples}} {
		if s := mprof(t.Context(), nil, args...); s.code != 0 {
			t.Fatal(s.stderr)
		}
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{trace, trace, "--fail-if", "crc32 > +1us"}, 0, "ok      crc32 > +1us: crc32 call"},
		{[]string{trace, trace, "--fail-if", "crc32 > +1%", "--fail-if", "crc32 calls > +1/s", "--fail-if", "crc32 total > +1pp"}, 0, "crc32 calls"},
		{[]string{trace, trace, "--fail-if", "context:SysTick > +1pp"}, 0, "SysTick total"},
		{[]string{trace, trace}, 0, "no function has changed significantly"},
		{[]string{trace, samples}, 1, "samples and traced calls cannot be compared"},
		{[]string{trace, pb}, 0, "the file has sums only"},
		{[]string{trace, pb, "--fail-if", "crc32 > +1us"}, 1, "its error is not known"},
		{[]string{trace, pb, "--fail-if", "crc32 > +1us", "--no-significance"}, 0, "its error not known"},
		{[]string{trace, trace, "--awake"}, 1, "do not say when the core slept"},
	} {
		s := mprof(t.Context(), nil, append([]string{"diff"}, c.args...)...)
		if text := s.stdout + s.stderr; s.code != c.code || !strings.Contains(text, c.says) {
			t.Errorf("%q: exit code %d, want %d and %q in\n%s", c.args, s.code, c.code, c.says, text)
		}
	}
}

// Sums of times that somebody measured say nothing of chance: a nanosecond is no sample.
func TestDiffOfMeasuredSums(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for _, b := range []int{300_000_000, 310_000_000} {
		path := filepath.Join(dir, fmt.Sprintf("callgrind.out.%d", b))
		text := fmt.Sprintf("events: ns\nfn=A\n1 %d\nfn=B\n1 %d\n", 1_300_000_000-b, b)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	s := mprof(t.Context(), nil, "diff", files[0], files[1])
	if s.code != 0 || !strings.Contains(s.stdout, "+0.77 pp") || !strings.Contains(s.stdout, "sums of measured times") || strings.Contains(s.stdout, "pp  *") {
		t.Errorf("exit code %d\n%s%s", s.code, s.stdout, s.stderr)
	}
	if s := mprof(t.Context(), nil, "diff", files[0], files[1], "--fail-if", "B > +0.1pp"); s.code == 0 || s.code == 3 || !strings.Contains(s.stderr, "error is not known") {
		t.Errorf("exit code %d\n%s%s", s.code, s.stdout, s.stderr)
	}
	if s := mprof(t.Context(), nil, "diff", files[0], files[1], "--fail-if", "B > +0.1pp", "--no-significance"); s.code != 3 {
		t.Errorf("exit code %d\n%s%s", s.code, s.stdout, s.stderr)
	}
}
