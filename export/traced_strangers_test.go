package export_test

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
)

// nanos are a function's self and total nanoseconds by its name. The total is that
// of the samples in which it occurs.
type nanos map[string][2]int64

func tracedNanos(p *profile.Profile) nanos {
	out := nanos{}
	for _, e := range p.Top() {
		out[e.Name] = [2]int64{int64(e.SelfTime), int64(e.TotalTime)}
	}
	return out
}

// The statistics and the samples of the made-up profile agree, so that the tests
// below hold for both.
func TestTracedTimesAddUp(t *testing.T) {
	p := traced(t, 2000)
	found := tracedNanos(p)
	for _, f := range p.Trace.Functions {
		if got := found[p.Functions[f.Function].Name]; got != [2]int64{int64(f.Self), int64(f.Total)} {
			t.Errorf("%s: samples say %v, statistics self %d, total %d", p.Functions[f.Function].Name, got, f.Self, f.Total)
		}
	}
}

// trackNanos adds up "thread functions --json" of all tracks; weights are in ms.
func (c *profilerCLI) trackNanos(tracks int) nanos {
	c.t.Helper()
	found := nanos{}
	for i := range tracks {
		out := c.run("thread", "functions", "--thread", "t-"+strconv.Itoa(i), "--include-idle", "--limit", "0", "--json")
		var answer struct {
			Functions []struct {
				Name                      string
				SelfSamples, TotalSamples float64
			}
		}
		if err := json.Unmarshal([]byte(out[strings.IndexByte(out, '{'):]), &answer); err != nil {
			c.t.Fatalf("%v in %s", err, out)
		}
		for _, f := range answer.Functions {
			n := found[f.Name]
			found[f.Name] = [2]int64{n[0] + int64(math.Round(f.SelfSamples*1e6)), n[1] + int64(math.Round(f.TotalSamples*1e6))}
		}
	}
	return found
}

// The Firefox Profiler's loader adds the weights up to our statistics.
func TestFirefoxProfilerAddsTracedTimes(t *testing.T) {
	cli := newProfilerCLI(t)
	p := traced(t, 2000)
	cli.load(write(t, p, "traced.json.gz"))
	if diff := cmp.Diff(tracedNanos(p), cli.trackNanos(len(p.Threads))); diff != "" {
		t.Error(diff)
	}
	log, err := os.ReadFile(filepath.Join(cli.sessions, "mprof.log"))
	if err != nil || strings.Contains(strings.ToLower(string(log)), "error") {
		t.Errorf("%v, log of the loader:\n%s", err, log)
	}
}

// What the loader understood of calls, contexts and facts.
func TestFirefoxProfilerUnderstandsTraces(t *testing.T) {
	cli := newProfilerCLI(t)
	p := lossy(t)
	cli.load(write(t, p, "lossy.json.gz"))
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"profile", "meta"}, []string{"Imported from: mprof 0.1.0", "mprof trace --port=/dev/ttyUSB0 app.elf", "Symbolicated: yes",
			"Calls known to be lost: 30", "1 packet with a wrong CRC (130 bytes, 22 calls)", "tracing takes 420 ns per call", "168 MHz", "Firmware: pump", "/dev/ttyUSB0, 921600 baud"}},
		{[]string{"profile", "info"}, []string{"app.elf", "Task 0", "SysTick"}},
		{[]string{"thread", "markers", "--thread", "t-0", "--limit", "0"}, []string{"Reset", "Lost", "quicksort"}},
		{[]string{"thread", "markers", "--thread", "t-1"}, []string{"SysTick_Handler"}},
		{[]string{"thread", "markers", "--thread", "t-0", "--search", "that long or longer"}, []string{"main"}},
		{[]string{"marker", "info", "m-1"}, []string{"main", "Net of interrupts", "Task 0", "Callers above it", "Call"}},
		{[]string{"thread", "samples-top-down", "--thread", "t-0", "--include-idle"}, []string{"quicksort"}},
	} {
		out := cli.run(c.args...)
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in\n%s", strings.Join(c.args, " "), want, out)
			}
		}
	}
	if out := cli.run("counter", "list"); strings.Contains(out, "Halted") {
		t.Errorf("a trace has counters of samples:\n%s", out)
	}
}

// listedMarker is a row of "thread markers --list --json".
type listedMarker struct {
	Handle, Label, Name string
	Start, Duration     float64
	HasStack            bool
}

// A call's marker begins and ends with the call, and has its callers as a stack.
func TestFirefoxProfilerShowsCalls(t *testing.T) {
	cli := newProfilerCLI(t)
	p := traced(t, 60)
	cli.load(write(t, p, "calls.json"))
	out := cli.run("thread", "markers", "--thread", "t-0", "--list", "--limit", "0", "--json")
	var answer struct {
		FlatMarkers, Markers []listedMarker
	}
	if err := json.Unmarshal([]byte(out[strings.IndexByte(out, '{'):]), &answer); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	markers := append(answer.FlatMarkers, answer.Markers...)
	calls := p.Threads[0].Calls
	if len(markers) != len(calls) {
		t.Fatalf("%d markers of %d calls: %s", len(markers), len(calls), out[:min(len(out), 2000)])
	}
	for i, m := range markers {
		name := p.Functions[p.Frames[p.Stacks[calls[i].Stack].Frame].Function].Name
		if start, took := time.Duration(math.Round(m.Start*1e6)), time.Duration(math.Round(m.Duration*1e6)); m.Name != name || start != calls[i].Time || took != calls[i].Duration {
			t.Fatalf("call %d of %s, %v at %v: marker %+v", i, name, calls[i].Duration, calls[i].Time, m)
		}
	}
	last := markers[len(markers)-1]
	stack := cli.run("marker", "stack", last.Handle)
	for _, f := range p.Callers(calls[len(calls)-1].Stack) {
		if name := p.Functions[f.Function].Name; !strings.Contains(stack, name) {
			t.Errorf("no %q in the stack of the last call:\n%s", name, stack)
		}
	}
}

// go tool pprof -top -unit=ns: flat flat% sum% cum cum% name.
func pprofNanos(t *testing.T, path string, args ...string) nanos {
	t.Helper()
	args = append([]string{"tool", "pprof", "-top", "-unit=ns", "-nodecount=10000", "-nodefraction=0"}, append(args, path)...)
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatalf("go tool pprof: %v", err)
	}
	found := nanos{}
	row := regexp.MustCompile(`^\s*([\d.e+]+)(?:ns)?\s+[\d.]+%\s+[\d.]+%\s+([\d.e+]+)(?:ns)?\s+[\d.]+%\s+(.*)$`)
	for _, line := range strings.Split(string(out), "\n") {
		if m := row.FindStringSubmatch(line); m != nil {
			self, _ := strconv.ParseFloat(m[1], 64)
			total, _ := strconv.ParseFloat(m[2], 64)
			found[m[3]] = [2]int64{int64(self), int64(total)}
		}
	}
	return found
}

func TestPprofAddsTracedTimes(t *testing.T) {
	p := traced(t, 2000)
	path := write(t, p, "traced.pb.gz")
	if diff := cmp.Diff(tracedNanos(p), pprofNanos(t, path)); diff != "" {
		t.Error(diff)
	}
	calls := counts{}
	for name, n := range pprofTop(t, path, "calls") {
		calls[name] = [2]int{n[0]}
	}
	want := counts{}
	for _, f := range p.Trace.Functions {
		want[p.Functions[f.Function].Name] = [2]int{int(f.Calls)}
	}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Errorf("calls: %s", diff)
	}
	// A context is a label, so that a viewer can show one alone.
	if alone := pprofNanos(t, path, "-tagfocus=context=SysTick"); len(alone) != 1 || alone["SysTick_Handler"] != tracedNanos(p)["SysTick_Handler"] {
		t.Errorf("of context SysTick: %v", alone)
	}
}

func TestFoldedAddsTracedTimes(t *testing.T) {
	p := traced(t, 2000)
	found := nanos{}
	for name, n := range foldedCounts(t, write(t, p, "traced.folded")) {
		found[strings.ReplaceAll(name, ":", ";")] = [2]int64{int64(n[0]), int64(n[1])}
	}
	want := nanos{}
	for name, n := range tracedNanos(p) {
		want[strings.ReplaceAll(name, ":", ";")] = n
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
}

// As many calls as a timeline keeps make files that viewers load.
func TestManyCalls(t *testing.T) {
	calls := 200_000
	if testing.Short() {
		calls = 20_000
	}
	p := traced(t, calls)
	for _, f := range export.Formats {
		var written size
		if err := f.Write(&written, p); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d bytes", f.Ext, written)
		if most := size(calls) * 500; written > most {
			t.Errorf("%s: %d bytes, want %d at most", f.Ext, written, most)
		}
	}
}

// BenchmarkManyCalls is how long the JSON of 200,000 calls takes.
func BenchmarkManyCalls(b *testing.B) {
	p := traced(b, 200_000)
	b.ReportAllocs()
	for b.Loop() {
		var written size
		if err := export.WriteFirefox(&written, p); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(written)/1e6, "MB")
	}
}
