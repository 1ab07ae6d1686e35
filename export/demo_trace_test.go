package export_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The built-in recording as the command makes files of it: every function has the
// same self time, in ns, in the statistics, in the Firefox Profiler's loader, in pprof and in
// folded stacks.
func TestTracedDemoEverywhereTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs the command")
	}
	cli := newProfilerCLI(t)
	dir := t.TempDir()
	bin := filepath.Join(dir, "mprof")
	if runtime.GOOS == "windows" {
		bin += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", bin, "../cmd/mprof").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	file := func(ext string) string { return filepath.Join(dir, "demo"+ext) }
	cmd := exec.Command(bin, "trace", "--demo", "--json", "-o", file(".json.gz"), "-o", file(".pb.gz"), "-o", file(".folded"),
		"-o", file(".callgrind"), "-o", file(".svg"), "-o", file(".trace.json"), "-o", file(".speedscope.json"))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var summary struct {
		Contexts  []struct{ Name string }
		Functions []struct {
			Name   string
			Calls  uint64
			SelfNs int64 `json:"self_ns"`
		}
	}
	if err := json.Unmarshal(out, &summary); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	want := map[string]int64{}
	for _, f := range summary.Functions {
		if f.Calls > 0 {
			want[f.Name] = f.SelfNs
		}
	}
	if len(want) < 30 || len(summary.Contexts) < 3 {
		t.Fatalf("%d functions in %d contexts", len(want), len(summary.Contexts))
	}
	selfs := func(found nanos) map[string]int64 {
		self := map[string]int64{}
		for name, n := range found {
			if !strings.HasPrefix(name, "<") { // a label, which has no time
				self[name] = n[0]
			} else if n[0] != 0 {
				t.Errorf("%s has %d ns of its own", name, n[0])
			}
		}
		return self
	}
	cli.load(file(".json.gz"))
	if diff := cmp.Diff(want, selfs(cli.trackNanos(len(summary.Contexts)))); diff != "" {
		t.Errorf("Firefox Profiler: %s", diff)
	}
	if diff := cmp.Diff(want, selfs(pprofNanos(t, file(".pb.gz")))); diff != "" {
		t.Errorf("pprof: %s", diff)
	}
	folded := nanos{}
	for name, n := range foldedCounts(t, file(".folded")) {
		folded[name] = [2]int64{int64(n[0])}
	}
	if diff := cmp.Diff(want, selfs(folded)); diff != "" {
		t.Errorf("folded stacks: %s", diff)
	}
	callgrind := nanos{}
	for name, n := range annotatedCosts(t, annotate(t, file(".callgrind")), func(string, string) bool { return true }) {
		if name != "<no caller>" && name != "<still running>" {
			callgrind[name] = [2]int64{n[0]}
		}
	}
	if diff := cmp.Diff(want, selfs(callgrind)); diff != "" {
		t.Errorf("callgrind_annotate: %s", diff)
	}
	scope := speedscope(t, file(".speedscope.json"))
	for name, n := range scope.nanos(t, 1) {
		if want[name] != n[0] {
			t.Errorf("speedscope: %s itself %d ns, want %d", name, n[0], want[name])
		}
	}
	calls := map[string]uint64{}
	longer := 0.0
	for _, track := range readLikePerfetto(t, read(t, file(".trace.json"))).slices {
		for _, s := range track {
			calls[s.name]++
			if longer = max(longer, float64(s.dur-s.took)/float64(max(s.dur, 1))); s.dur-s.took > 50_000_000 {
				t.Errorf("%s is drawn for %d ns, and took %d", s.name, s.dur, s.took)
			}
		}
	}
	for _, f := range summary.Functions {
		if calls[f.Name] != f.Calls {
			t.Errorf("Chrome trace: %d calls of %s, want %d", calls[f.Name], f.Name, f.Calls)
		}
	}
	t.Logf("calls are drawn longer by up to %.1f %%", 100*longer)
	drawn, left := addFrames(svgFrames(t, read(t, file(".svg")))), int64(0)
	for name, n := range want {
		left += n - drawn[name][0]
		if drawn[name][0] > n {
			t.Errorf("SVG: %s itself %d ns, want %d", name, drawn[name][0], n)
		}
	}
	if left > int64(5*time.Millisecond) { // too narrow to be drawn
		t.Errorf("SVG: %d ns are not drawn", left)
	}
}
