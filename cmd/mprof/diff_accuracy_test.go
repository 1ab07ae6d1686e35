package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/diff"
	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/firmware/shares"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/symbol"
)

// diffCase is a comparison of runs on the simulated board, one after the other, each of which began
// at a moment of its own.
type diffCase struct {
	name, probe string
	elf         []byte
	flags       []string
	before      time.Duration // at most, that the firmware runs before it is sampled
	pairs       int           // in make test; 100 in make accuracy
}

func sameCases() []diffCase {
	return []diffCase{
		{"shares, 1000 Hz, 6 s", "sim:mcu-link", shares.ELF, []string{"--rate", "1000", "--duration", "6"}, time.Second, 12},
		{"demo, 100 Hz, 50 s", "sim:mcu-link", demo.ELF, []string{"--rate", "100", "--duration", "50"}, 20 * time.Second, 2},
		{"demo, pcsr, 10 s", "sim:mcu-link", demo.ELF, []string{"--method", "pcsr", "--rate", "1000", "--duration", "10"}, 20 * time.Second, 2},
	}
}

// diffRun is one run with the truth about it.
type diffRun struct {
	p     *profile.Profile
	truth map[string]float64 // self shares by what the image calls a function
}

func (c diffCase) run(t *testing.T, elf []byte, seed int) diffRun {
	t.Helper()
	dir := t.TempDir()
	image, out := filepath.Join(dir, "app.elf"), filepath.Join(dir, "out.json.gz")
	if err := os.WriteFile(image, elf, 0o666); err != nil {
		t.Fatal(err)
	}
	w := &witness{}
	random := rand.New(rand.NewPCG(uint64(seed), 7))
	args := append([]string{"sample", "--probe", c.probe, "--seed", fmt.Sprint(seed), "--max-overhead", "none", "-q", "-o", out}, c.flags...)
	s := mprof(t.Context(), func(b *sim.Board) {
		if err := b.Sleep(context.Background(), time.Duration(random.Int64N(int64(c.before)))); err != nil {
			t.Error(err)
		}
		w.watch(b)
	}, append(args, image)...)
	if s.code != 0 {
		t.Fatalf("exit code %d: %s", s.code, s.stderr)
	}
	p, _, err := (&app{}).openProfile(t.Context(), out, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	r := diffRun{p: p}
	if w.before != nil {
		opened, err := symbol.Open(image)
		if err != nil {
			t.Fatal(err)
		}
		r.truth = w.shares(imageNames(t, image, opened))
	}
	return r
}

func compareRuns(t *testing.T, old, new diffRun) *diff.Diff {
	t.Helper()
	d, err := diff.Compare(old.p, new.p, diff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// mostOf is what a binomial number of n, each with probability p, is not above in 99.9 % of the cases.
func mostOf(n int, p float64) int {
	sum, term := 0., math.Pow(1-p, float64(n))
	for k := 0; ; k++ {
		if sum += term; sum >= 0.999 || k == n {
			return k
		}
		term *= float64(n-k) / float64(k+1) * p / (1 - p)
	}
}

// numberOf is how many pairs a test compares.
func numberOf(c diffCase) int {
	if *fullCorpus {
		return 100
	}
	return c.pairs
}

// TestAccuracyOfDiff holds what docs/diff.md says and prints its tables: between runs of one firmware
// nothing is significant; a change that was made is found, and lies within its interval.
func TestAccuracyOfDiff(t *testing.T) {
	if testing.Short() {
		t.Skip("samples for minutes of virtual time")
	}
	rows := []string{"| firmware, run | comparisons | with anything significant | numbers tested, mean | intervals | that leave out 0 |", "|---|---|---|---|---|---|"}
	for _, c := range sameCases() {
		t.Run(c.name, func(t *testing.T) { rows = append(rows, c.same(t)) })
	}
	changed := []string{"", "| change | comparisons | found | by the rule `blue > +5%` | change, true | measured, mean | intervals | that miss the true change |", "|---|---|---|---|---|---|---|---|"}
	calls := []int{21}
	if *fullCorpus {
		calls = []int{15, 17, 21}
	}
	for _, times := range calls {
		t.Run(fmt.Sprintf("blue %d for 13", times), func(t *testing.T) { changed = append(changed, changedRow(t, times)) })
	}
	table := strings.Join(append(rows, changed...), "\n") + "\n"
	fmt.Println(table)
	if !*update || !*fullCorpus {
		return
	}
	const document = "../../docs/diff.md"
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	text = corpusTable.ReplaceAll(text, []byte("${1}\n"+table+"\n${2}"))
	if err := os.WriteFile(document, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// same compares runs of one firmware.
func (c diffCase) same(t *testing.T) string {
	pairs, alarms, tests, intervals, missed := numberOf(c), 0, 0, 0, 0
	last := c.run(t, c.elf, 1)
	for seed := 2; seed < pairs+2; seed++ {
		next := c.run(t, c.elf, seed)
		d := compareRuns(t, last, next)
		tests += d.Tests
		alarm := false
		for _, rows := range [][]diff.Row{d.Functions, d.Contexts} {
			for i := range rows {
				alarm = alarm || rows[i].Significant()
				for _, x := range []*diff.Change{&rows[i].Self, &rows[i].Total} {
					if x.Known && x.Old.Count+x.New.Count >= 20 {
						intervals++
						if x.Low > 0 || x.High < 0 {
							missed++
						}
					}
				}
			}
		}
		if alarm {
			alarms++
			t.Logf("seeds %d and %d: %+v", seed-1, seed, d.Functions[0])
		}
		last = next
	}
	if alarms > mostOf(pairs, 1-diff.Level) {
		t.Errorf("%d of %d comparisons found a change where there is none", alarms, pairs)
	}
	if float64(missed) > 0.08*float64(intervals) {
		t.Errorf("%d of %d intervals leave out no change", missed, intervals)
	}
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %.1f %% |", c.name, pairs, alarms, tests/pairs, intervals, 100*float64(missed)/float64(intervals))
}

// changedShares is the program shares with noon calling blue another number of times than 13.
func changedShares(t *testing.T, times int) []byte {
	t.Helper()
	for _, tool := range []string{"make", "arm-none-eabi-gcc"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal(err)
			}
			t.Skipf("%v (Debian and Ubuntu: scripts/setup.sh test installs it)", err)
		}
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../firmware/shares")); err != nil {
		t.Fatal(err)
	}
	header := filepath.Join(dir, "src", "shares.h")
	text, err := os.ReadFile(header)
	if err != nil {
		t.Fatal(err)
	}
	const was = "#define NOON(X) X(blue, 13)"
	if !bytes.Contains(text, []byte(was)) {
		t.Fatalf("%s has no line %q", header, was)
	}
	text = bytes.Replace(text, []byte(was), []byte(fmt.Sprintf("#define NOON(X) X(blue, %d)", times)), 1)
	// In front of the workers, so that the linker moves them.
	more := []byte("__attribute__((noinline)) void amber(void) { work(); }")
	source := filepath.Join(dir, "src", "shares.c")
	code, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	code = regexp.MustCompile(`(?m)^NOINLINE void amber.*$`).ReplaceAll(code, append([]byte("__attribute__((used, noinline)) void ahead(void) { work(); }\n"), more...))
	for path, content := range map[string][]byte{header: text, source: code} {
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "out")
	if err := os.Mkdir(out, 0o777); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command("make", "-s", "-C", dir, "OUT="+out).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	elf, err := os.ReadFile(filepath.Join(out, "shares.elf"))
	if err != nil {
		t.Fatal(err)
	}
	return elf
}

// workers of shares.
var workers = []string{"amber", "blue", "coral", "denim", "ebony"}

// changedRow compares shares with a firmware in which blue works more.
func changedRow(t *testing.T, times int) string {
	c := sameCases()[0]
	elf := changedShares(t, times)
	pairs, found, failed, intervals, missed := numberOf(c), 0, 0, 0, 0
	truth, measured := 0., 0.
	for seed := range pairs {
		old, new := c.run(t, c.elf, 1000+seed), c.run(t, elf, 2000+seed)
		d := compareRuns(t, old, new)
		for i := range d.Functions {
			r := &d.Functions[i]
			for _, name := range workers {
				if r.Name != name {
					continue
				}
				intervals++
				change := new.truth[name] - old.truth[name]
				if change < r.Total.Low || change > r.Total.High {
					missed++
				}
				if name != "blue" {
					continue
				}
				truth, measured = truth+change/float64(pairs), measured+r.Total.Value/float64(pairs)
				if r.Total.Significant && r.Total.Value > 0 {
					found++
				}
			}
		}
		rule, err := diff.ParseRule("blue > +5%")
		if err != nil {
			t.Fatal(err)
		}
		results, err := d.Judge([]*diff.Rule{rule}, false)
		if err != nil || len(results) != 1 {
			t.Fatalf("%v, %v", results, err)
		}
		if results[0].Violated {
			failed++
		}
	}
	if intervals != pairs*len(workers) {
		t.Fatalf("%d intervals of %d workers in %d comparisons", intervals, len(workers), pairs)
	}
	if missed > mostOf(intervals, 1-diff.Level) {
		t.Errorf("%d of %d intervals miss the true change", missed, intervals)
	}
	if least := pairs - mostOf(pairs, 0.05); times == 21 && (found < least || failed < least) {
		t.Errorf("the change was found %d and the rule failed %d times in %d comparisons", found, failed, pairs)
	}
	return fmt.Sprintf("| `blue` called %d times for 13 | %d | %d | %d | %+.2f pp | %+.2f pp | %d | %.1f %% |", times, pairs, found, failed, 100*truth, 100*measured, intervals, 100*float64(missed)/float64(intervals))
}
