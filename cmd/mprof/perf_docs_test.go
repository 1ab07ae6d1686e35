package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mprof/mprof/profile"
)

// The commands of docs/profiles.md run as they stand there, and say what the profile says.
func TestPerfCommandsOfThePage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "profiles.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if s := mprof(t.Context(), nil, "sample", "--probe", "sim", "--duration", "10", "--seed", "1", "-q", "-o", filepath.Join(dir, "run.perf"), "-o", filepath.Join(dir, "run.json")); s.code != 0 {
		t.Fatal(s.stderr)
	}
	p, _, err := (&app{}).openProfile(t.Context(), filepath.Join(dir, "run.json"), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := perfAnswers(p)
	found := 0
	for line := range strings.Lines(string(page)) {
		command, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "    ")
		if !ok || !strings.Contains(command, "run.perf") || strings.HasPrefix(command, "mprof ") {
			continue
		}
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
		if found < len(want) && !want[found](string(out)) {
			t.Errorf("%s:\n%s", command, out)
		}
		found++
	}
	if found != len(want) {
		t.Errorf("%d commands on the page, %d judged", found, len(want))
	}
}

// perfAnswers judge the commands of the page, in their order.
func perfAnswers(p *profile.Profile) []func(out string) bool {
	top := p.Top()[0]
	frames, in := map[string]int{}, 0.0
	deepest, second := 0, 0
	for _, s := range p.Threads[0].Samples {
		depth, sorting := 0, false
		for _, f := range p.Callers(s.Stack) {
			depth++
			name := p.Functions[f.Function].Name
			if f.Addr>>24 == 8 {
				frames[name]++
			}
			sorting = sorting || name == "sort_range" && f.Depth == 0
		}
		if sorting {
			in += float64(s.Weight) / 1e6
		}
		if deepest = max(deepest, depth); s.Time >= 1e9 && s.Time < 2e9 {
			second++
		}
	}
	first := func(out string) []string {
		line, _, _ := strings.Cut(out, "\n")
		return strings.Fields(line)
	}
	return []func(string) bool{
		func(out string) bool {
			f := first(out)
			return len(f) == 2 && f[0] == fmt.Sprint(top.Self) && f[1] == top.Name && strings.Count(out, "\n") == 10
		},
		func(out string) bool {
			for line := range strings.Lines(out) {
				if f := strings.Fields(line); len(f) != 2 || f[0] != fmt.Sprint(frames[f[1]]) {
					return false
				}
			}
			return strings.Count(out, "\n") == 10
		},
		func(out string) bool { return out == fmt.Sprintf("%.1f ms\n", in) },
		func(out string) bool { return first(out)[0] == fmt.Sprint(deepest) },
		func(out string) bool { return second > 0 && strings.Count(out, "cpu-clock") == second },
	}
}
