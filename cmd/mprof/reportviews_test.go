package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// The views of mprof report are printed of samples and of traced calls, of any file, in each format.
func TestReportViews(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	for _, args := range [][]string{
		{"sample", "--probe", "sim", "--duration", "5", "--seed", "1", "-q", "--record", file("s.mprof"), "-o", file("s.json.gz"), "-o", file("s.pb.gz"), "-o", file("s.folded")},
		{"trace", "--demo", "-q", "-o", file("t.json.gz")},
		{"sample", "--probe", "sim", "--method", "pcsr", "--duration", "0.2", "-q", "-o", file("p.pb.gz")},
	} {
		if s := mprof(t.Context(), nil, args...); s.code != 0 {
			t.Fatalf("%q: %s", args, s.stderr)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"s.json.gz --graph", "<spontaneous>"},
		{"s.mprof --graph=^idle$", "wait_for_interrupt"},
		{"s.folded --graph=idle", "wait_for_interrupt"},
		{"s.json.gz --contexts", "SysTick (interrupt)"},
		{"s.mprof --annotate partition", "if (o->compare(p, first) < 0) {"},
		{"s.pb.gz --annotate partition", "if (o->compare(p, first) < 0) {"},
		{"s.json.gz --annotate partition --contexts --format markdown", "## partition in firmware/demo/src/sort.c"},
		{"s.json.gz --format markdown", "## Functions"},
		{"t.json.gz --format markdown --top 3", "| calls | total |"},
		{"t.json.gz --graph=parse_array", "858+624"},
		{"t.json.gz --contexts", "of the run"},
		{"t.json.gz --annotate ^sort$", "everything is at its first one"},
		{"p.pb.gz --graph=memcpy", "which the file has for functions only"},
	} {
		args := strings.Fields(c.args)
		args[0] = file(args[0])
		s := mprof(t.Context(), nil, append([]string{"report"}, args...)...)
		if s.code != 0 || !strings.Contains(s.stdout, c.want) {
			t.Errorf("%s: exit code %d, %s%s", c.args, s.code, s.stdout, s.stderr)
		}
	}
	for _, flags := range [][]string{{"--json"}, {"--format", "json"}} {
		s := mprof(t.Context(), nil, append([]string{"report", file("s.pb.gz"), "--graph", "--contexts", "--annotate", "fir_apply"}, flags...)...)
		var all map[string]any
		if err := json.Unmarshal([]byte(s.stdout), &all); err != nil || all["graph"] == nil || all["contexts"] == nil || all["annotate"] == nil {
			t.Errorf("%q: %v, %s", flags, err, s.stderr)
		}
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"s.pb.gz --annotate nothing", 1, `no function of the profile is named "nothing"`},
		{"s.pb.gz --annotate a(", 1, "regular expression"},
		{"s.pb.gz --format yaml", 2, "--format yaml: use one of text, json, markdown"},
		{"s.pb.gz --graph --fit 8K", 2, "--fit prints its own table"},
		{"s.pb.gz --json --format markdown", 2, "which of the two"},
		{"p.pb.gz --contexts", 1, "DWT_PCSR"},
	} {
		args := strings.Fields(c.args)
		args[0] = file(args[0])
		s := mprof(t.Context(), nil, append([]string{"report"}, args...)...)
		if s.code != c.code || !strings.Contains(s.stderr, c.want) {
			t.Errorf("%s: exit code %d, %q", c.args, s.code, s.stderr)
		}
	}
}
