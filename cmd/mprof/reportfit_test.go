package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestReportFit: what is worth the RAM, of every kind of file.
func TestReportFit(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	s := mprof(t.Context(), nil, "sample", "--probe", "sim:mcu-link,flash-wait=5", "--method", "pcsr", "--duration", "1", "--seed", "1", "--quiet",
		"--record", file("run.mprof"), "-o", file("run.json.gz"), "-o", file("run.pb.gz"))
	if s.code != 0 {
		t.Fatal(s.stderr)
	}
	for _, name := range []string{"run.mprof", "run.json.gz", "run.pb.gz"} {
		s := mprof(t.Context(), nil, "report", file(name), "--fit", "2K", "--flash-wait", "5", "--ld", file("fit.ld"), "--attributes", file("fit.h"), "--json")
		if s.code != 0 {
			t.Fatalf("%s: %s", name, s.stderr)
		}
		var r struct {
			Budget, Bytes int
			Covered       struct {
				Value float64
				Error float64 `json:"standard_error"`
			}
			Gain struct{ Predicted, Most float64 }
			Move []struct{ Name string }
		}
		if err := json.Unmarshal([]byte(s.stdout), &r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r.Budget != 2048 || r.Bytes > 2048 || r.Bytes < 1500 || r.Covered.Value < 0.4 || r.Covered.Error <= 0 || r.Gain.Predicted <= 0.1 || r.Gain.Predicted >= r.Gain.Most {
			t.Errorf("%s: %+v", name, r)
		}
		text, err := os.ReadFile(file("fit.ld"))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range r.Move {
			if !strings.Contains(string(text), "(.text."+m.Name+" ") {
				t.Errorf("%s: %s is not in the fragment", name, m.Name)
			}
		}
	}
	s = mprof(t.Context(), nil, "report", file("run.mprof"), "--fit", "1K", "--ld", "-")
	if s.code != 0 || !strings.HasPrefix(s.stdout, "/*") || !strings.Contains(s.stderr, "covered") {
		t.Errorf("--ld -: %d, stdout %.80q, stderr %.80q", s.code, s.stdout, s.stderr)
	}
}

// TestReportFitRefuses: one sentence each.
func TestReportFitRefuses(t *testing.T) {
	folded := filepath.Join(t.TempDir(), "x.folded")
	if err := os.WriteFile(folded, []byte("nothing;nowhere 10\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--fit", "1X"}, 2, "write bytes"},
		{[]string{"--fit", "0"}, 2, "write bytes"},
		{[]string{"--ld", "x"}, 2, "--ld goes with --fit"},
		{[]string{"--fit", "1K", "--flash-wait", "5/12"}, 2, "flash-wait=5/12"},
		{[]string{"--fit", "1K", "--ram", "here"}, 2, "write an address"},
		{[]string{"--fit", "1K", "--regions", "RAM"}, 2, "--regions RAM"},
		{[]string{"--fit", "1K", "--ld", "-", "--attributes", "-"}, 2, "one of them prints"},
		{[]string{"--fit", "1K"}, 2, "--elf"},
		{[]string{"--fit", "1K", "--elf", "../../firmware/demo/demo.elf"}, 1, "no sample of the profile lies in a function"},
		{[]string{"--fit", "1K", "--elf", "../../firmware/demo/demo.elf", "--section", "x y"}, 1, "write a name of its own, such as .ramtext"},
		{[]string{"--fit", "1K", "--elf", "../../firmware/demo/demo.elf", "--section", ".text"}, 1, "write a name of its own, such as .ramtext"},
		{[]string{"--fit", "1K", "--elf", "../../firmware/demo/demo.elf", "--map", folded}, 1, "no input sections"},
	} {
		s := mprof(t.Context(), nil, slices.Concat([]string{"report", folded}, test.args)...)
		if s.code != test.code || !strings.Contains(s.stderr, test.want) {
			t.Errorf("%q: %d, %s", test.args, s.code, s.stderr)
		}
	}
}
