package export_test

import (
	"bytes"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
)

func TestGoldenPerf(t *testing.T) {
	for name, p := range map[string]*profile.Profile{"small.perf": small(t), "trace.perf": lossy(t)} {
		var out bytes.Buffer
		if err := export.WritePerf(&out, p); err != nil {
			t.Fatal(err)
		}
		golden(t, name, out.Bytes())
	}
}

// The Firefox Profiler's importer of perf script counts what we count.
func TestPerfInFirefoxProfiler(t *testing.T) {
	cli := newProfilerCLI(t)
	p := rich(t, 1500)
	cli.load(write(t, p, "rich.perf"))
	got := counts{}
	for name, c := range cli.functions("t-0") {
		if address, _, ok := strings.Cut(name, " (in "); ok && strings.HasPrefix(name, "0x") {
			name = address // its way to show code without a name
		}
		got[name] = c
	}
	if diff := cmp.Diff(hottest(p, 1000), got); diff != "" {
		t.Error(diff)
	}
}

// Ordinary Unix tools count the innermost functions: the line is that of docs/profiles.md.
func TestPerfWithUnixTools(t *testing.T) {
	p := rich(t, 1500)
	const line = `awk '/^[^\t#]/ { new = 1; next } new && NF { print; new = 0 }' "$1" | sed -E 's/^[[:space:]]*[0-9a-f]+ //; s/ \([^ ]*\)$//; s/\+0x[0-9a-f]+$//' | sort | uniq -c | sort -rn`
	out, err := exec.Command("sh", "-c", line, "sh", write(t, p, "rich.perf")).Output()
	if err != nil {
		t.Fatal(err)
	}
	got, want := map[string]int{}, map[string]int{}
	for line := range strings.Lines(string(out)) {
		number, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		got[name], _ = strconv.Atoi(number)
	}
	for name, c := range hottest(p, 1000) {
		if c[0] > 0 {
			want[name] = c[0]
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A profile of sums that would take a day to write is refused.
func TestPerfOfTooMany(t *testing.T) {
	back, err := export.Read(strings.NewReader("main;work 123456789012\n"), export.Input{})
	if err != nil {
		t.Fatal(err)
	}
	if err := export.WritePerf(&bytes.Buffer{}, back); err == nil || !strings.Contains(err.Error(), "123456789012 samples") {
		t.Errorf("error %v", err)
	}
}
