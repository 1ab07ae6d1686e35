package export_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
)

// richPair is a long run and a shorter one of another program, in which a function has another
// name and one is not found again.
func richPair(t *testing.T) export.Pair {
	t.Helper()
	old, new := rich(t, 2000), rich(t, 3000)
	pair := export.Pair{Old: old, New: new, OldWhole: float64(old.Samples()), NewWhole: float64(new.Samples())}
	for i := range old.Functions {
		same := profile.FunctionIndex(profile.None)
		for j := range new.Functions {
			if new.Functions[j].Name == old.Functions[i].Name {
				same = profile.FunctionIndex(j)
			}
		}
		switch old.Functions[i].Name {
		case "quicksort":
			old.Functions[i].Name = "sort_quickly"
		case "fast_copy [guessed]", "memcpy":
			same = profile.None
		}
		pair.Same = append(pair.Same, same)
	}
	return pair
}

// changes are the differences of self and total counts of each function, by New's names.
func changes(pair export.Pair) map[string][2]float64 {
	out := map[string][2]float64{}
	for _, e := range pair.New.Top() {
		out[e.Name] = [2]float64{float64(e.Self), float64(e.Total)}
	}
	for _, e := range pair.Old.Top() {
		name := e.Name
		if same := pair.Same[e.Function]; same != profile.None {
			name = pair.New.Functions[same].Name
		} else if _, taken := out[name]; taken {
			name += " (old)"
		}
		c := out[name]
		out[name] = [2]float64{c[0] - pair.NewWhole/pair.OldWhole*float64(e.Self), c[1] - pair.NewWhole/pair.OldWhole*float64(e.Total)}
	}
	return out
}

func writeDiff(t *testing.T, pair export.Pair, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := export.WriteDiffFile(path, pair); err != nil {
		t.Fatal(err)
	}
	return path
}

// near holds counts against changes; how far they are off by rounding, within most.
func near(t *testing.T, want map[string][2]float64, got counts, most float64) {
	t.Helper()
	met := 0
	for name, w := range want {
		g, ok := got[name]
		if !ok && math.Abs(w[0])+math.Abs(w[1]) <= most {
			continue // tools leave out what is 0
		}
		met++
		if math.Abs(float64(g[0])-w[0]) > most || math.Abs(float64(g[1])-w[1]) > most {
			t.Errorf("%s: %v, want %.1f", name, g, w)
		}
	}
	if met < 10 {
		t.Errorf("%d functions", met)
	}
}

// go tool pprof -top takes the file for a difference, and shows changes in samples of the new
// profile.
func TestPprofReadsADifference(t *testing.T) {
	pair := richPair(t)
	path := writeDiff(t, pair, "diff.pb.gz")
	out, err := exec.Command("go", "tool", "pprof", "-top", "-sample_index=samples", "-nodecount=10000", "-nodefraction=0", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := counts{}
	row := regexp.MustCompile(`^\s*(-?\d+)\s+[\d.]+%\s+[\d.]+%\s+(-?\d+)\s+[\d.]+%\s+(.*)$`)
	for _, line := range strings.Split(string(out), "\n") {
		if m := row.FindStringSubmatch(line); m != nil {
			self, _ := strconv.Atoi(m[1])
			total, _ := strconv.Atoi(m[2])
			got[strings.TrimSuffix(strings.TrimSuffix(m[3], " (inline)"), " (partial-inline)")] = [2]int{self, total}
		}
	}
	// A stack is rounded by less than 1, and what is left goes to the next one.
	near(t, changes(pair), got, 20)
	// Percentages are of the old profile, which has as many samples as the new one.
	if want := "of " + strconv.Itoa(pair.New.Samples()) + " total"; !strings.Contains(string(out), want) {
		t.Errorf("no %q in\n%s", want, out)
	}
}

// Of profiles of one size nothing is rounded.
func TestPprofDifferenceIsExact(t *testing.T) {
	pair := richPair(t)
	pair.OldWhole = pair.NewWhole
	want := changes(pair)
	out, err := exec.Command("go", "tool", "pprof", "-raw", writeDiff(t, pair, "diff.pb.gz")).Output()
	if err != nil {
		t.Fatal(err)
	}
	sum, base := 0, 0
	for _, m := range regexp.MustCompile(`(?m)^\s*(-?\d+)\s+-?\d+: `).FindAllStringSubmatch(string(out), -1) {
		n, _ := strconv.Atoi(m[1])
		if sum += n; n < 0 {
			base += n
		}
	}
	if sum != pair.New.Samples()-pair.Old.Samples() || base != -pair.Old.Samples() {
		t.Errorf("samples add up to %d, those of the old profile to %d; want %d and %d", sum, base, pair.New.Samples()-pair.Old.Samples(), -pair.Old.Samples())
	}
	if math.Abs(want["main"][1]) < 100 {
		t.Fatalf("the profiles hardly differ: %v", want["main"])
	}
}

// Of traced calls it is the time observed that both have as much of.
func TestDifferenceOfTraces(t *testing.T) {
	old, new := traced(t, 1500), traced(t, 2000)
	pair := export.Pair{Old: old, New: new, OldWhole: float64(old.Duration), NewWhole: float64(new.Duration)}
	for i := range old.Functions {
		same := profile.FunctionIndex(profile.None)
		for j := range new.Functions {
			if new.Functions[j].Name == old.Functions[i].Name {
				same = profile.FunctionIndex(j)
			}
		}
		pair.Same = append(pair.Same, same)
	}
	total := func(p *profile.Profile) (ns float64) {
		for _, s := range p.ByStack() {
			ns += float64(s.Weight)
		}
		return ns
	}
	out, err := exec.Command("go", "tool", "pprof", "-raw", writeDiff(t, pair, "diff.pb.gz")).Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), "time/nanoseconds[dflt]") {
		t.Errorf("time is not what is shown first:\n%.200s", out)
	}
	sum, base := 0., 0.
	for _, m := range regexp.MustCompile(`(?m)^\s*-?\d+\s+(-?\d+): `).FindAllStringSubmatch(string(out), -1) {
		n, _ := strconv.ParseFloat(m[1], 64)
		if sum += n; n < 0 {
			base -= n
		}
	}
	scaled := total(old) * pair.NewWhole / pair.OldWhole
	if math.Abs(base-scaled) > 1 || math.Abs(sum-(total(new)-scaled)) > 1 {
		t.Errorf("the old profile has %.0f ns, the difference %.0f ns; want %.0f and %.0f", base, sum, scaled, total(new)-scaled)
	}
	cli := newProfilerCLI(t)
	cli.load(writeDiff(t, pair, "diff.json.gz"))
	if info := cli.run("profile", "info"); !strings.Contains(info, "new minus old") {
		t.Errorf("no track of the difference in\n%s", info)
	}
}

// The Firefox Profiler's loader takes the file: both tracks have their samples, and the third
// is the difference.
func TestFirefoxProfilerReadsADifference(t *testing.T) {
	cli := newProfilerCLI(t)
	pair := richPair(t)
	cli.load(writeDiff(t, pair, "diff.json.gz"))
	want := hottest(pair.New, 1000)
	if diff := cmp.Diff(want, cli.functions("t-1")); diff != "" {
		t.Errorf("new: %s", diff)
	}
	old := counts{}
	for name, c := range changes(export.Pair{Old: pair.Old, New: &profile.Profile{Functions: pair.New.Functions}, Same: pair.Same, OldWhole: -1, NewWhole: 1}) {
		old[name] = [2]int{int(c[0]), int(c[1])}
	}
	got := cli.functions("t-0")
	for name, c := range old {
		if got[strings.TrimSuffix(name, " (old)")] != c && got[name] != c && got[name+" (old)"] != c {
			t.Errorf("old: %s %v, want %v", name, got[name], c)
		}
	}
	text := cli.run("thread", "functions", "--thread", "t-2", "--include-idle", "--limit", "0", "--json")
	var answer struct {
		Functions []struct {
			Name                      string
			SelfSamples, TotalSamples float64
		}
	}
	if err := json.Unmarshal([]byte(text[strings.IndexByte(text, '{'):]), &answer); err != nil {
		t.Fatal(err)
	}
	wanted := changes(pair)
	if len(answer.Functions) < 10 {
		t.Errorf("%d functions", len(answer.Functions))
	}
	for _, f := range answer.Functions {
		if w := wanted[f.Name]; math.Abs(f.SelfSamples-w[0])+math.Abs(f.TotalSamples-w[1]) > 1e-6 {
			t.Errorf("%s: %v, %v, want %v", f.Name, f.SelfSamples, f.TotalSamples, w)
		}
	}
	if info := cli.run("profile", "info"); !strings.Contains(info, "new minus old") {
		t.Errorf("no track of the difference in\n%s", info)
	}
	log, err := os.ReadFile(filepath.Join(cli.sessions, "mprof.log"))
	if err != nil || strings.Contains(strings.ToLower(string(log)), "error") {
		t.Errorf("%v, log of the loader:\n%s", err, log)
	}
}

// Folded stacks with two counts: each column is one profile.
func TestFoldedDifference(t *testing.T) {
	pair := richPair(t)
	content, err := os.ReadFile(writeDiff(t, pair, "diff.folded"))
	if err != nil {
		t.Fatal(err)
	}
	var olds, news bytes.Buffer
	sum := [2]int{}
	for line := range strings.Lines(string(content)) {
		fields := strings.Fields(line)
		last := len(fields) - 1
		stack := strings.Join(fields[:last-1], " ")
		for i, f := range fields[last-1:] {
			n, err := strconv.Atoi(f)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			sum[i] += n
		}
		olds.WriteString(stack + " " + fields[last-1] + "\n")
		news.WriteString(stack + " " + fields[last] + "\n")
	}
	if sum[0] != sum[1] || sum[1] != pair.New.Samples() {
		t.Errorf("columns add up to %v, want %d", sum, pair.New.Samples())
	}
	path := filepath.Join(t.TempDir(), "new.folded")
	if err := os.WriteFile(path, news.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	want := counts{}
	for name, c := range hottest(pair.New, 1000) {
		want[strings.ReplaceAll(name, ";", ":")] = c
	}
	got := foldedCounts(t, path)
	for name, c := range got {
		if c == [2]int{} {
			delete(got, name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A difference is no profile: mprof does not take it for one.
func TestDifferencesAreNotRead(t *testing.T) {
	pair := richPair(t)
	for _, name := range []string{"diff.pb.gz", "diff.json.gz", "diff.folded"} {
		in, err := os.Open(writeDiff(t, pair, name))
		if err != nil {
			t.Fatal(err)
		}
		if p, err := export.Read(in, export.Input{}); err == nil {
			t.Errorf("%s was read as a profile of %d samples", name, p.Samples())
		} else if !strings.Contains(err.Error(), "difference") {
			t.Errorf("%s: %v", name, err)
		}
		in.Close()
	}
}

func TestDifferencesThatAreNone(t *testing.T) {
	pair := richPair(t)
	for _, wrong := range []func(*export.Pair){
		func(p *export.Pair) { p.Same = p.Same[1:] },
		func(p *export.Pair) { p.OldWhole = 0 },
		func(p *export.Pair) { p.NewWhole = math.NaN() },
		func(p *export.Pair) { broken := *p.Old; broken.Threads = nil; p.Old = &broken },
	} {
		bad := pair
		wrong(&bad)
		for _, f := range export.DiffFormats {
			if err := f.Write(&bytes.Buffer{}, bad); err == nil {
				t.Errorf("%s: %v of %v was written", f.Name, bad.NewWhole, bad.OldWhole)
			}
		}
	}
	if _, err := export.DiffByPath("diff.svgz"); err == nil {
		t.Error("diff.svgz is a format")
	}
}

// The picture is as wide as the new profile, its titles say both shares and the change, and the
// colours are red where a function itself has more.
func TestSVGDifference(t *testing.T) {
	pair := richPair(t)
	content, err := os.ReadFile(writeDiff(t, pair, "diff.svg"))
	if err != nil {
		t.Fatal(err)
	}
	frames := svgFrames(t, content)
	if diff := cmp.Diff(graphed(pair.New), addFrames(frames)); diff != "" {
		t.Error(diff)
	}
	all := frames[0].n
	for _, f := range frames {
		if f.y < frames[0].y+float64(f.depth) {
			t.Errorf("%s, called %d deep, is at y %v, and the root at %v", f.name, f.depth, f.y, frames[0].y)
		}
	}
	red, blue := 0, 0
	for _, m := range regexp.MustCompile(`fill="hsl\((\d+),`).FindAllStringSubmatch(string(content), -1) {
		if m[1] == "8" {
			red++
		} else if m[1] == "214" {
			blue++
		}
	}
	if red < 5 || blue < 5 {
		t.Errorf("%d red, %d blue", red, blue)
	}
	met := 0
	for _, f := range frames {
		m := regexp.MustCompile(`\n([\d.]+) % -> ([\d.]+) %, ([+-][\d.]+) pp`).FindStringSubmatch(f.title)
		if m == nil {
			t.Errorf("%q", f.title)
			continue
		}
		met++
		was, _ := strconv.ParseFloat(m[1], 64)
		is, _ := strconv.ParseFloat(m[2], 64)
		change, _ := strconv.ParseFloat(m[3], 64)
		if math.Abs(is-100*float64(f.n)/float64(all)) > 0.06 || math.Abs(is-was-change) > 0.11 {
			t.Errorf("%q, and it is %d of %d", f.title, f.n, all)
		}
	}
	if met < 30 {
		t.Errorf("%d frames", met)
	}
}
