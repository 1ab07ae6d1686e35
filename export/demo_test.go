package export_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// demoRun samples the built-in firmware on the simulated board with the
// command itself, and returns the counts of its JSON summary.
func demoRun(t *testing.T, sampling []string, outputs ...string) counts {
	t.Helper()
	if testing.Short() {
		t.Skip("builds and runs the command")
	}
	bin := filepath.Join(t.TempDir(), "mprof")
	if runtime.GOOS == "windows" {
		bin += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", bin, "../cmd/mprof").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	args := append([]string{"sample", "--probe", "sim", "--seed", "1", "--json"}, sampling...)
	for _, o := range outputs {
		args = append(args, "-o", o)
	}
	cmd := exec.Command(bin, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("mprof %s: %v", strings.Join(args, " "), err)
	}
	type part struct{ Samples int }
	var summary struct {
		Samples   struct{ Taken int }
		Functions []struct {
			Name        string
			Self, Total part
		}
	}
	if err := json.Unmarshal(out, &summary); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if summary.Samples.Taken < 900 || len(summary.Functions) < 50 {
		t.Fatalf("%d samples, %d functions", summary.Samples.Taken, len(summary.Functions))
	}
	found := counts{}
	for _, f := range summary.Functions {
		found[f.Name] = [2]int{f.Self.Samples, f.Total.Samples}
	}
	return found
}

// One run of the built-in firmware: every function has the same self and total
// counts in the Firefox Profiler, in pprof, in the folded stacks, in callgrind_annotate, in the flame
// graph, in a Chrome trace by Perfetto's rules and in the summary. That holds for PCs, too, of which many make one row.
func TestDemoCountsTheSameEverywhere(t *testing.T) {
	for name, sampling := range map[string][]string{
		"stacks": {"--rate", "100", "--duration", "10"},
		"PCs":    {"--method", "pcsr", "--duration", "3"},
	} {
		t.Run(name, func(t *testing.T) { countsTheSameEverywhere(t, sampling) })
	}
}

func countsTheSameEverywhere(t *testing.T, sampling []string) {
	dir := t.TempDir()
	firefox, pprof, folded := filepath.Join(dir, "demo.json.gz"), filepath.Join(dir, "demo.pb.gz"), filepath.Join(dir, "demo.folded")
	callgrind, svg, chrome := filepath.Join(dir, "demo.callgrind"), filepath.Join(dir, "demo.svg"), filepath.Join(dir, "demo.trace.json")
	want := demoRun(t, sampling, firefox, pprof, folded, callgrind, svg, chrome)
	if diff := cmp.Diff(want, pprofTop(t, pprof, "samples")); diff != "" {
		t.Errorf("pprof: %s", diff)
	}
	if diff := cmp.Diff(want, foldedCounts(t, folded)); diff != "" {
		t.Errorf("folded: %s", diff)
	}
	if diff := cmp.Diff(want, perfettoCounts(t, read(t, chrome))); diff != "" {
		t.Errorf("Chrome trace: %s", diff)
	}
	drawn, left := addFrames(svgFrames(t, read(t, svg))), 0
	for name, n := range want {
		left += n[0] - int(drawn[name][0])
	}
	for name, n := range want { // less what is too narrow to be drawn
		if missing := n[0] - int(drawn[name][0]); missing < 0 || left > 100 || n[1]-int(drawn[name][1]) > left {
			t.Errorf("SVG: %s %v, want %v; %d in all are not drawn", name, drawn[name], n, left)
		}
	}
	costs := annotatedCosts(t, annotate(t, callgrind), func(string, string) bool { return true })
	for name, n := range want {
		if got := costs[name]; n[0] > 0 && (len(got) == 0 || got[0] != int64(n[0])) {
			t.Errorf("callgrind_annotate: %s itself %v, want %d", name, got, n[0])
		}
	}
	cli := newProfilerCLI(t)
	cli.load(firefox)
	if diff := cmp.Diff(want, cli.functions("t-0")); diff != "" {
		t.Errorf("Firefox Profiler: %s", diff)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
