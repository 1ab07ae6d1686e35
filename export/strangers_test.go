package export_test

import (
	"encoding/json"
	"fmt"
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

// counts are a function's self and total samples by its name.
type counts map[string][2]int

// hottest are the counts of the n hottest functions as the summary has them.
func hottest(p *profile.Profile, n int) counts {
	top := p.Top()
	out := counts{}
	for _, e := range top[:min(n, len(top))] {
		out[e.Name] = [2]int{e.Self, e.Total}
	}
	return out
}

// missing skips a test for want of a tool, or fails where CI must have it.
func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// profilerCLI runs the Firefox Profiler's own loader and command line on one
// file, in a session of its own.
type profilerCLI struct {
	t          *testing.T
	node, tool string
	sessions   string
}

func newProfilerCLI(t *testing.T) *profilerCLI {
	dir := os.Getenv("MPROF_NODE_TOOLS")
	if dir == "" {
		dir = filepath.Join("..", ".tools")
	}
	c := &profilerCLI{t: t, node: filepath.Join(dir, "bin", "node"), tool: filepath.Join(dir, "bin", "profiler-cli.js")}
	for _, path := range []string{c.node, c.tool} {
		if _, err := os.Stat(path); err != nil {
			missing(t, "the Firefox Profiler's loader is not installed (scripts/node-tools.sh does it): %v", err)
		}
	}
	// Socket paths are limited to about 100 bytes, and t.TempDir is long.
	sessions, err := os.MkdirTemp("", "mprof-cli")
	if err != nil {
		t.Fatal(err)
	}
	c.sessions = sessions
	t.Cleanup(func() { _ = os.RemoveAll(sessions) })
	return c
}

func (c *profilerCLI) command(args ...string) (string, error) {
	cmd := exec.Command(c.node, append([]string{c.tool}, append(args, "--session", "mprof")...)...)
	cmd.Env = append(os.Environ(), "PROFILER_CLI_SESSION_DIR="+c.sessions)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (c *profilerCLI) run(args ...string) string {
	c.t.Helper()
	out, err := c.command(args...)
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(c.sessions, "mprof.log"))
		c.t.Fatalf("profiler-cli %s: %v\n%s\n%s", strings.Join(args, " "), err, out, log)
	}
	return out
}

// load starts a session for the file; it ends with the test. The tool gives
// its daemon half a second to start, which a busy machine does not always
// keep; the daemon comes up all the same.
func (c *profilerCLI) load(path string) {
	c.t.Helper()
	c.t.Cleanup(func() { _, _ = c.command("stop", "mprof") })
	out, err := c.command("load", path)
	for try := 0; err != nil && try < 20 && strings.Contains(out, "did not become ready"); try++ {
		time.Sleep(500 * time.Millisecond)
		if _, statusErr := c.command("status"); statusErr == nil {
			return
		}
	}
	if err != nil {
		c.t.Fatalf("profiler-cli load %s: %v\n%s", path, err, out)
	}
}

// functions reads "thread functions --json".
func (c *profilerCLI) functions(thread string) counts {
	c.t.Helper()
	out := c.run("thread", "functions", "--thread", thread, "--include-idle", "--limit", "0", "--json")
	var answer struct {
		Functions []struct {
			Name                      string
			SelfSamples, TotalSamples int
		}
	}
	if err := json.Unmarshal([]byte(out[strings.IndexByte(out, '{'):]), &answer); err != nil {
		c.t.Fatalf("%v in %s", err, out)
	}
	found := counts{}
	for _, f := range answer.Functions {
		found[f.Name] = [2]int{f.SelfSamples, f.TotalSamples}
	}
	return found
}

func write(t *testing.T, p *profile.Profile, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := export.WriteFile(path, p); err != nil {
		t.Fatal(err)
	}
	return path
}

// The Firefox Profiler's loader takes the file and counts what we count.
func TestFirefoxProfilerCountsTheSame(t *testing.T) {
	cli := newProfilerCLI(t)
	p := rich(t, 3000)
	for _, name := range []string{"rich.json.gz", "rich.json"} {
		t.Run(name, func(t *testing.T) {
			cli := &profilerCLI{t: t, node: cli.node, tool: cli.tool, sessions: cli.sessions}
			cli.load(write(t, p, name))
			want := hottest(p, 1000)
			if diff := cmp.Diff(want, cli.functions("t-0")); diff != "" {
				t.Error(diff)
			}
			log, err := os.ReadFile(filepath.Join(cli.sessions, "mprof.log"))
			if err != nil || strings.Contains(strings.ToLower(string(log)), "error") {
				t.Errorf("%v, log of the loader:\n%s", err, log)
			}
		})
	}
}

// What the loader understood of everything else in the file.
func TestFirefoxProfilerUnderstands(t *testing.T) {
	cli := newProfilerCLI(t)
	p := rich(t, 3000)
	cli.load(write(t, p, "rich.json.gz"))
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"profile", "meta"}, []string{"Cortex-M4 r0p1", "Imported from: mprof 0.1.0", "mprof sample --rate 100 app.elf",
			"Sampling interval: 10ms", "Symbolicated: yes", "Asked: 3,000", fmt.Sprintf("Taken: 2,%d", p.Samples()-2000), "Cut: stack memory not captured"}},
		{[]string{"profile", "info"}, []string{"app.elf", "Core 0"}},
		{[]string{"thread", "markers"}, []string{"Reset", "Missed samples"}},
		{[]string{"counter", "list"}, []string{"Halted", "Core running"}},
		{[]string{"thread", "samples", "--include-idle"}, []string{"Idle", "Interrupt", "Thread mode", "Unknown"}},
		{[]string{"thread", "samples-top-down", "--include-idle"}, []string{"<exception: SysTick>", "<cut: stack memory not captured>"}},
	} {
		out := cli.run(c.args...)
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in\n%s", strings.Join(c.args, " "), want, out)
			}
		}
	}
}

// Sleep is what the viewer drops as idle, no more and no less.
func TestFirefoxProfilerDropsIdle(t *testing.T) {
	cli := newProfilerCLI(t)
	p := rich(t, 1000)
	cli.load(write(t, p, "rich.json.gz"))
	out := cli.run("thread", "functions", "--limit", "0")
	if strings.Contains(out, "idle_task - self: ") && !strings.Contains(out, "idle_task - self: 0 ") {
		t.Errorf("idle samples are shown:\n%s", out)
	}
	match := regexp.MustCompile(`main - self: \d+ .*?total: (\d+)`).FindStringSubmatch(out)
	var total int
	for _, e := range p.Top() {
		if e.Name == "main" {
			total = e.Total
		}
	}
	if match == nil || match[1] != strconv.Itoa(total-int(p.Taken.Sleeping)) {
		t.Errorf("main without sleep: %q, want %d-%d", match, total, p.Taken.Sleeping)
	}
}

// The loader takes a profile of one sample, and one without any.
func TestFirefoxProfilerLoadsNextToNothing(t *testing.T) {
	cli := newProfilerCLI(t)
	one := rich(t, 1)
	cli.load(write(t, one, "one.json"))
	if diff := cmp.Diff(hottest(one, 10), cli.functions("t-0")); diff != "" {
		t.Error(diff)
	}
	if out, err := cli.command("stop", "mprof"); err != nil {
		t.Fatal(out)
	}
	empty := profile.NewBuilder(program, profile.Options{Mapping: mapping}).Finish(profile.Acquisition{}, 0)
	cli.load(write(t, empty, "empty.json"))
}

// go tool pprof -top: flat flat% sum% cum cum% name.
func pprofTop(t *testing.T, path, sampleType string) counts {
	t.Helper()
	out, err := exec.Command("go", "tool", "pprof", "-top", "-sample_index="+sampleType, "-nodecount=10000", "-nodefraction=0", path).Output()
	if err != nil {
		t.Fatalf("go tool pprof: %v", err)
	}
	found := counts{}
	row := regexp.MustCompile(`^\s*(\d+)\s+[\d.]+%\s+[\d.]+%\s+(\d+)\s+[\d.]+%\s+(.*)$`)
	for _, line := range strings.Split(string(out), "\n") {
		if m := row.FindStringSubmatch(line); m != nil {
			self, _ := strconv.Atoi(m[1])
			total, _ := strconv.Atoi(m[2])
			name := strings.TrimSuffix(strings.TrimSuffix(m[3], " (inline)"), " (partial-inline)")
			found[name] = [2]int{self, total}
		}
	}
	return found
}

func TestPprofCountsTheSame(t *testing.T) {
	p := rich(t, 3000)
	for _, name := range []string{"rich.pb.gz", "rich.pprof"} {
		if diff := cmp.Diff(hottest(p, 1000), pprofTop(t, write(t, p, name), "samples")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// foldedCounts counts folded stacks as flame graph tools do.
func foldedCounts(t *testing.T, path string) counts {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found := counts{}
	for _, line := range strings.Split(strings.TrimSpace(string(content)), "\n") {
		blank := strings.LastIndexByte(line, ' ')
		n, err := strconv.Atoi(line[blank+1:])
		if err != nil {
			t.Fatal(err)
		}
		names := strings.Split(line[:blank], ";")
		seen := map[string]bool{}
		for i, name := range names {
			c := found[name]
			if !seen[name] {
				c[1] += n
			}
			if i == len(names)-1 {
				c[0] += n
			}
			seen[name] = true
			found[name] = c
		}
	}
	return found
}

func TestFoldedCountsTheSame(t *testing.T) {
	p := rich(t, 3000)
	want := counts{}
	for name, c := range hottest(p, 1000) {
		want[strings.ReplaceAll(name, ";", ":")] = c
	}
	if diff := cmp.Diff(want, foldedCounts(t, write(t, p, "rich.folded"))); diff != "" {
		t.Error(diff)
	}
}
