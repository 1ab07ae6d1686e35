package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// reported is what a command prints as JSON, without what belongs to the command and
// not to the profile.
func reported(t *testing.T, args ...string) map[string]any {
	t.Helper()
	s := mprof(t.Context(), nil, args...)
	if s.code != 0 {
		t.Fatalf("%q: %s", args, s.stderr)
	}
	var all map[string]any
	if err := json.Unmarshal([]byte(s.stdout), &all); err != nil {
		t.Fatalf("%q: %v in %s", args, err, s.stdout)
	}
	delete(all, "files")
	delete(all, "remarks")
	return all
}

// sampledRuns are runs on the simulated board of all kinds.
func sampledRuns(t *testing.T) map[string][]string {
	runs := map[string][]string{
		"sampled":  {"--probe", "sim", "--duration", "5"},
		"pcsr":     {"--probe", "sim", "--method", "pcsr", "--duration", "0.3"},
		"pc":       {"--probe", "sim", "--method", "pc", "--duration", "2"},
		"budget":   {"--probe", "sim", "--duration", "2", "--max-halt", "100us", "--max-overhead", "1%"},
		"troubles": {"--probe", "sim:mcu-link,off=1s+500ms,reset=2s,brown-out=3s+300ms,fault=3700ms", "--duration", "4"},
	}
	if app, rom := buildChip(t, "0x1fff0000"); app != "" {
		runs["extra ELF"] = []string{"--probe", "sim", "--duration", "2", "--extra-elf", rom, app}
	}
	return runs
}

// What is reported of a file is what the run reported, whichever file it is; and the
// program is found again.
func TestReportOfRuns(t *testing.T) {
	for name, flags := range sampledRuns(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := func(ext string) string { return filepath.Join(dir, "run"+ext) }
			args := append([]string{"sample", "--seed", "3", "--json", "--record", file(".mprof"), "-o", file(".json.gz"), "-o", file(".json"), "-o", file(".pb.gz"), "-o", file(".folded")}, flags...)
			want := reported(t, args...)
			if away := want["away"].([]any); name == "troubles" && (len(away) == 0 || want["resets"] == 0.0) {
				t.Errorf("away %v, %v resets", away, want["resets"])
			}
			for _, ext := range []string{".mprof", ".json.gz", ".json", ".pb.gz"} {
				if diff := cmp.Diff(want, reported(t, "report", "--json", file(ext))); diff != "" {
					t.Errorf("%s: %s", ext, diff)
				}
				p, program, err := (&app{}).openProfile(t.Context(), file(ext), "", nil)
				if err != nil || program == nil || len(program.Images()) != 1+len(p.Others) {
					t.Errorf("%s: program %v, %v", ext, program, err)
				}
			}
			if got := reported(t, "report", "--json", file(".folded")); got["halted"] != nil || got["samples"].(map[string]any)["taken"] != want["samples"].(map[string]any)["taken"] {
				t.Errorf("folded: %v", got)
			}
		})
	}
}

// So it is of traced calls; pprof has no single ones.
func TestReportOfTrace(t *testing.T) {
	dir := t.TempDir()
	firefox, pb := filepath.Join(dir, "t.json.gz"), filepath.Join(dir, "t.pb.gz")
	want := reported(t, "trace", "--demo", "--json", "-o", firefox, "-o", pb)
	if diff := cmp.Diff(want, reported(t, "report", "--json", firefox)); diff != "" {
		t.Error(diff)
	}
	got := reported(t, "report", "--json", pb)
	for _, all := range []map[string]any{want, got} {
		delete(all["trace"].(map[string]any), "calls_on_timeline")
		for _, c := range all["contexts"].([]any) {
			delete(c.(map[string]any), "calls_on_timeline")
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The table has the columns and the order that were asked for.
func TestReportTable(t *testing.T) {
	dir := t.TempDir()
	pb := filepath.Join(dir, "run.pb.gz")
	if s := mprof(t.Context(), nil, "sample", "--probe", "sim", "--duration", "2", "--seed", "1", "-q", "-o", pb); s.code != 0 {
		t.Fatal(s.stderr)
	}
	first := func(args ...string) string {
		s := mprof(t.Context(), nil, append([]string{"report", pb}, args...)...)
		_, table, ok := strings.Cut(s.stdout, "  function\n")
		if s.code != 0 || !ok {
			t.Fatalf("%q: %s%s", args, s.stdout, s.stderr)
		}
		line, rest, _ := strings.Cut(table, "\n")
		if wanted := strings.Contains(strings.Join(args, " "), "--top 1"); wanted != strings.HasPrefix(strings.TrimSpace(rest), "and ") {
			t.Errorf("%q: %s", args, s.stdout)
		}
		return line
	}
	for _, c := range []struct{ args, want string }{
		{"--top 1", "wait_for_interrupt"}, {"--top 1 --sort total", "wait_for_interrupt"}, {"--top 1 --sort name", "<exception"}, {"--top 0 --sort self", "wait_for_interrupt"},
	} {
		if line := first(strings.Fields(c.args)...); !strings.Contains(line, c.want) {
			t.Errorf("%s: %s", c.args, line)
		}
	}
}

// Files and command lines that make no sense cost one sentence.
func TestReportBadInput(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	folded := file("a.folded", "main;work 3\n")
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no file", nil, 2, "which profile"},
		{"two files", []string{folded, folded}, 2, "one profile"},
		{"missing", []string{filepath.Join(dir, "none.json")}, 1, "none.json: no such file"},
		{"a folder", []string{dir}, 1, "is a directory"},
		{"empty", []string{file("empty", "")}, 1, "it is empty"},
		{"UTF-16", []string{file("utf16", "\xff\xfem\x00a\x00 \x001\x00\n\x00")}, 1, "PowerShell"},
		{"a picture", []string{file("a.png", "\x89PNG\r\n\x1a\n")}, 1, "neither a recording"},
		{"other JSON", []string{file("a.json", `{"a": 1}`)}, 1, "no profile of the Firefox Profiler"},
		{"cut JSON", []string{file("b.json", `{"meta": {`)}, 1, "damaged JSON"},
		{"column of calls", []string{folded, "--sort", "max"}, 2, "is for traced calls"},
		{"no column", []string{folded, "--sort", "heat"}, 2, "no column"},
		{"number", []string{folded, "--top", "-1"}, 2, "--top -1"},
		{"graph of nothing", []string{folded, "--graph="}, 2, "--graph= needs the name"},
		{"graph of a function, as a word", []string{"--graph", "work", folded}, 2, "write --graph=FUNCTION"},
		{"views with a column", []string{folded, "--graph", "--sort", "total"}, 2, "--sort orders the table of functions"},
		{"extra ELF alone", []string{folded, "--extra-elf", "b.elf"}, 2, "--elf"},
	} {
		s := mprof(t.Context(), nil, append([]string{"report"}, c.args...)...)
		first, _, _ := strings.Cut(s.stderr, "\n")
		if s.code != c.code || !strings.Contains(first, c.want) || strings.Count(s.stderr, "\n") > 2 || c.want == "neither a recording" && !strings.Contains(s.stderr, "docs/profiles.md") {
			t.Errorf("%s: exit code %d, %q", c.name, s.code, s.stderr)
		}
	}
}
