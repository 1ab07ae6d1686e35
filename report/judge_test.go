package report_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/gmon/gproftest"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/report"
)

// built is where the command is, for all tests.
var built string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "mprof-report")
	if err != nil {
		panic(err)
	}
	built = filepath.Join(dir, "mprof")
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// command is mprof, built once.
var command = sync.OnceValues(func() (string, error) {
	if out, err := exec.Command("go", "build", "-o", built, "../cmd/mprof").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, out)
	}
	return built, nil
})

// run runs mprof on the simulated board, in the root of the repository, where the sources are.
func run(t *testing.T, args ...string) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds and runs the command")
	}
	bin, err := command()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, args...)
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("mprof %q: %v\n%s", args, err, out)
	}
}

// sampled is a run of 30 s, as pprof has it and as it is read again.
func sampled(t *testing.T) (file string, p *profile.Profile) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "run.pb.gz")
	firefox := filepath.Join(filepath.Dir(file), "run.json.gz")
	run(t, "sample", "--probe", "sim", "--duration", "30", "--seed", "1", "-q", "-o", file, "-o", firefox)
	p, err := export.ReadFile(firefox, export.Input{})
	if err != nil {
		t.Fatal(err)
	}
	return file, p
}

// pprof runs go tool pprof with all of its rows.
func pprof(t *testing.T, file string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", append(append([]string{"tool", "pprof", "-symbolize=none", "-sample_index=samples", "-nodecount=0", "-nodefraction=0", "-edgefraction=0"}, args...), file)...)
	cmd.Dir = ".."
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// peekRow is a row of pprof -peek: a function with flat and cum, or a caller or callee with the samples of that call.
var (
	peekSelf = regexp.MustCompile(`^ *(\d+|0)? +\S*%? +\S*% +(\d+) +\S+% +\| (.+)$`)
	peekCall = regexp.MustCompile(`^ {40,}(\d+) +\S+% \|   (.+)$`)
)

// The call graph of samples is that of pprof -peek, call by call; only pprof leaves recursion out.
func TestGraphEqualsPprof(t *testing.T) {
	file, p := sampled(t)
	want := map[string]int{}
	function, callers := "", []string{}
	for _, line := range strings.Split(pprof(t, file, "-peek", "."), "\n") {
		switch m := peekCall.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "-----"):
			function, callers = "", nil
		case m != nil && function == "":
			callers = append(callers, line)
		case m != nil:
			want[function+" -> "+strings.TrimSuffix(m[2], " (inline)")], _ = strconv.Atoi(m[1])
		default:
			if m := peekSelf.FindStringSubmatch(line); m != nil {
				function = strings.TrimSuffix(m[3], " (inline)")
				want[function+" self"], _ = strconv.Atoi(m[1])
				want[function], _ = strconv.Atoi(m[2])
				for _, c := range callers {
					m := peekCall.FindStringSubmatch(c)
					want[strings.TrimSuffix(m[2], " (inline)")+" -> "+function], _ = strconv.Atoi(m[1])
				}
			}
		}
	}
	r, err := report.New(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.AddGraph("", 0); err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, n := range r.Graph.Nodes {
		if n.Members != nil {
			continue
		}
		got[n.Name], got[n.Name+" self"] = n.Total.Samples, n.Self.Samples
		for _, e := range n.Callees {
			if e.Number != n.Number {
				got[n.Name+" -> "+e.Name] = e.Total.Samples
			}
		}
		for _, e := range n.Callers {
			if e.Number != 0 && got[e.Name+" -> "+n.Name] != 0 && got[e.Name+" -> "+n.Name] != e.Total.Samples {
				t.Errorf("%s calls %s: the two entries differ", e.Name, n.Name)
			}
		}
	}
	if len(got) < 300 {
		t.Fatalf("%d rows", len(got))
	}
	compare(t, got, want)
}

func compare(t *testing.T, got, want map[string]int) {
	t.Helper()
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s: %d, pprof has %d", k, got[k], v)
		}
	}
	for k, v := range got {
		if _, ok := want[k]; !ok && v != 0 {
			t.Errorf("%s: %d, pprof has none", k, v)
		}
	}
}

var (
	listHead = regexp.MustCompile(`^ROUTINE =+ (.*) in (.*)$`)
	listLine = regexp.MustCompile(`^ *(\S+) +(\S+) +(\d+):(.*)$`)
)

// The annotated source of every function is that of pprof -list, line by line and with its text.
func TestSourceEqualsPprof(t *testing.T) {
	file, p := sampled(t)
	want, text := map[string]int{}, map[string]string{}
	function := ""
	for _, line := range strings.Split(pprof(t, file, "-list", "."), "\n") {
		if m := listHead.FindStringSubmatch(line); m != nil {
			function = m[1] + " in " + m[2] + ":"
		} else if m := listLine.FindStringSubmatch(line); m != nil && function != "" {
			key := function + m[3]
			self, _ := strconv.Atoi(m[1])
			total, _ := strconv.Atoi(m[2])
			text[key] = strings.TrimSpace(m[4])
			if self > 0 {
				want[key+" self"] = self
			}
			if total > 0 {
				want[key] = total
			}
		}
	}
	r, err := report.New(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.AddSource("."); err != nil {
		t.Fatal(err)
	}
	definition := map[string]int{}
	for _, f := range p.Functions {
		if f.File != "" {
			definition[f.Name] = f.Line
		}
	}
	got, only := map[string]int{}, 0
	for _, s := range r.Sources {
		for _, l := range s.Lines {
			// pprof has no place for what is in front of a function's definition, as of a macro or of what was inlined
			// without a trace, nor for assembly, whose functions have no place of definition.
			if first := definition[s.Function]; first == 0 || l.Number < first {
				only += l.Total.Samples
				continue
			}
			key := fmt.Sprintf("%s in %s:%d", s.Function, s.File, l.Number)
			if l.Total.Samples > 0 {
				got[key], got[key+" self"] = l.Total.Samples, l.Self.Samples
			}
			if listed, ok := text[key]; ok && (l.Text == nil || strings.TrimSpace(*l.Text) != listed) {
				t.Errorf("%s: %v, pprof has %q", key, l.Text, listed)
			}
		}
	}
	if len(want) < 200 || only == 0 {
		t.Fatalf("%d lines, %d samples in others", len(want), only)
	}
	compare(t, got, want)
}

// The call graph of a trace has gprof's arcs, each with gprof's number of calls, and the self times of its flat
// profile. gprof shares the times of callees out by numbers of calls; here they are measured.
func TestGraphEqualsGprof(t *testing.T) {
	gproftest.Require(t, gproftest.Command)
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	run(t, "trace", "--demo", "-q", "-o", file("t.json.gz"), "-o", file("gmon.out"), "-o", file("gmon.syms"))
	p, err := export.ReadFile(file("t.json.gz"), export.Input{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.New(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.AddGraph("", 0); err != nil {
		t.Fatal(err)
	}
	elf := "../firmware/examples/logger/logger.elf"
	graph := gproftest.CallGraph(t, elf, file("gmon.out"), "-S", file("gmon.syms"))
	label := func(name string) bool { return strings.HasPrefix(name, "<") }
	arcs := 0
	for _, n := range r.Graph.Nodes {
		if n.Members != nil || label(n.Name) {
			continue
		}
		for _, e := range n.Callees {
			want := graph.Arcs[gproftest.Arc{Caller: n.Name, Callee: e.Name}]
			if arcs++; want != e.Calls {
				t.Errorf("%s calls %s %d times, gprof has %d", n.Name, e.Name, e.Calls, want)
			}
			delete(graph.Arcs, gproftest.Arc{Caller: n.Name, Callee: e.Name})
		}
	}
	for a, n := range graph.Arcs {
		if !label(a.Caller) && !label(a.Callee) {
			t.Errorf("%s calls %s %d times says gprof", a.Caller, a.Callee, n)
		}
	}
	if arcs < 60 {
		t.Fatalf("%d arcs", arcs)
	}
	out, err := exec.Command(gproftest.Command, "-b", "-q", "-S", file("gmon.syms"), elf, file("gmon.out")).Output()
	if err != nil {
		t.Fatal(err)
	}
	wholes := regexp.MustCompile(`(\d+)\+(\d+) +<cycle \d+ as a whole>`).FindAllStringSubmatch(string(out), -1)
	for _, n := range r.Graph.Nodes {
		if n.Members != nil && (len(wholes) != 1 || fmt.Sprintf("%d+%d", n.Calls-n.Recursive, n.Recursive) != wholes[0][1]+"+"+wholes[0][2]) {
			t.Errorf("%s: %d+%d calls, gprof has %q", n.Name, n.Calls-n.Recursive, n.Recursive, wholes)
		}
	}
	flat := gproftest.FlatProfile(t, elf, file("gmon.out"), "-S", file("gmon.syms"))
	for _, n := range r.Graph.Nodes {
		row, ok := flat.Row(n.Name)
		if !ok || n.Members != nil {
			continue
		}
		if d := n.Self.Time.Seconds() - row.Self; d > 0.011 || d < -0.011 || n.Calls-n.Recursive != row.Calls { // gprof counts calls by the function itself apart
			t.Errorf("%s: %d calls, %v; gprof has %d, %v s", n.Name, n.Calls, n.Self.Time, row.Calls, row.Self)
		}
	}
}
