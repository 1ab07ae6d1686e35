package export_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
)

// annotate runs callgrind_annotate, and returns the lines of its table of functions. What it warns
// of fails the test.
func annotate(t *testing.T, path string, args ...string) []string {
	t.Helper()
	tool, err := exec.LookPath("callgrind_annotate")
	if err != nil {
		missing(t, "callgrind_annotate is not installed (scripts/setup.sh test does it): %v", err)
	}
	cmd := exec.Command(tool, append(append([]string{"--threshold=100", "--auto=no", "--show-percs=no"}, args...), path)...)
	var warnings bytes.Buffer
	cmd.Stderr = &warnings
	out, err := cmd.Output()
	if err != nil || warnings.Len() > 0 {
		t.Fatalf("callgrind_annotate: %v\n%s", err, warnings.String())
	}
	_, table, ok := strings.Cut(string(out), "file:function\n")
	if !ok {
		t.Fatalf("no table in %s", out)
	}
	return strings.Split(table, "\n")
}

// annotated is a row: numbers, what it is ("", "<" a caller, ">" a callee, "*" the function), file, function,
// number of calls, image.
var annotated = regexp.MustCompile(`^ *([\d,.]+(?: +[\d,.]+)*) +(?:([<>*]) +)?([^:]+):(.*?)(?: \(([\d,]+)x\))?(?: \[(?:[^\[\]]*\.elf|\?\?\?)\])?$`)

func annotatedNumber(t *testing.T, text string) int64 {
	t.Helper()
	if text == "." || text == "" {
		return 0
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(text, ",", ""), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// costs are the numbers of each function in the table: those of all its files, or of its own.
func annotatedCosts(t *testing.T, lines []string, of func(file, function string) bool) map[string][]int64 {
	t.Helper()
	out := map[string][]int64{}
	for _, line := range lines {
		m := annotated.FindStringSubmatch(line)
		if m == nil || !of(m[3], m[4]) {
			continue
		}
		if out[m[4]] == nil {
			out[m[4]] = make([]int64, len(strings.Fields(m[1])))
		}
		for i, n := range strings.Fields(m[1]) {
			out[m[4]][i] += annotatedNumber(t, n)
		}
	}
	return out
}

// withoutZeros leaves out functions that cost nothing, which the tool may list or not.
func withoutZeros(m map[string][]int64) map[string][]int64 {
	for name, v := range m {
		if strings.Trim(fmt.Sprint(v), "[0 ]") == "" {
			delete(m, name)
		}
	}
	delete(m, "<no caller>")
	return m
}

// callgrind_annotate counts what the summary counts: each function by itself and with what it
// calls, in samples and in time.
func TestCallgrindAnnotateCountsTheSame(t *testing.T) {
	for name, p := range map[string]*profile.Profile{"rich": rich(t, 3000), "traced": traced(t, 2000), "blocks": randomProfile(7), "gaps": randomProfile(4), "folded": reread(t, rich(t, 500), ".folded")} {
		t.Run(name, func(t *testing.T) {
			self, total := map[string][]int64{}, map[string][]int64{}
			files := map[string]string{}
			for _, f := range p.Functions {
				files[f.Name] = f.File
				if f.File == "" {
					files[f.Name] = "???"
				}
			}
			for _, e := range p.Top() {
				switch {
				case p.Trace != nil:
					self[e.Name], total[e.Name] = []int64{int64(e.SelfTime)}, []int64{int64(e.TotalTime)}
				case name == "folded":
					self[e.Name], total[e.Name] = []int64{int64(e.Self)}, []int64{int64(e.Total)}
				default:
					self[e.Name], total[e.Name] = []int64{int64(e.Self), int64(e.SelfTime)}, []int64{int64(e.Total), int64(e.TotalTime)}
				}
			}
			for _, file := range []string{"p.callgrind", "callgrind.out.77"} {
				path := write(t, p, file)
				got := annotatedCosts(t, annotate(t, path), func(string, string) bool { return true })
				if diff := cmp.Diff(withoutZeros(self), withoutZeros(got)); diff != "" {
					t.Errorf("self: %s", diff)
				}
				got = annotatedCosts(t, annotate(t, path, "--inclusive=yes"), func(file, function string) bool { return files[function] == file })
				if diff := cmp.Diff(withoutZeros(total), withoutZeros(got)); diff != "" {
					t.Errorf("total: %s", diff)
				}
			}
		})
	}
}

// Numbers of calls are those of the trace, caller by caller.
func TestCallgrindAnnotateCountsCalls(t *testing.T) {
	p := traced(t, 2000)
	want := map[string]int64{}
	for _, thread := range p.Threads {
		for _, c := range thread.Calls {
			caller := "<no caller>"
			if above := p.Stacks[c.Stack].Prefix; above != profile.None {
				caller = p.Functions[p.Frames[p.Stacks[above].Frame].Function].Name
			}
			want[caller+" -> "+p.Functions[p.Frames[p.Stacks[c.Stack].Frame].Function].Name]++
		}
	}
	got := map[string]int64{}
	var callers []string
	var counts []int64
	for _, line := range annotate(t, write(t, p, "calls.callgrind"), "--tree=caller") {
		m := annotated.FindStringSubmatch(line)
		switch {
		case m == nil:
			callers, counts = nil, nil
		case m[2] == "<":
			callers, counts = append(callers, m[4]), append(counts, annotatedNumber(t, m[5]))
		default:
			for i, caller := range callers {
				got[caller+" -> "+m[4]] += counts[i]
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// withoutRecord is a file without what mprof notes in it.
func withoutRecord(t *testing.T, content []byte) []byte {
	t.Helper()
	at := bytes.Index(content, []byte("\n# mprof "))
	if at < 0 {
		t.Fatal("nothing is noted in it")
	}
	return content[:at+1]
}

// A call graph that is read without the record has each function's own numbers, and totals that are
// right where nothing is called by several.
func TestReadForeignCallgrind(t *testing.T) {
	for name, p := range map[string]*profile.Profile{"rich": rich(t, 2000), "traced": traced(t, 1000), "small": small(t)} {
		t.Run(name, func(t *testing.T) {
			back, err := export.Read(bytes.NewReader(withoutRecord(t, written(t, p, ".callgrind"))), export.Input{})
			if err != nil {
				t.Fatal(err)
			}
			type self struct {
				Samples int
				Time    time.Duration
			}
			selfs := func(p *profile.Profile, traced bool) map[string]self {
				out := map[string]self{}
				for _, e := range p.Top() {
					s := self{e.Self, e.SelfTime}
					if traced {
						s.Samples = 0
					}
					if s != (self{}) {
						out[e.Name] = s
					}
				}
				return out
			}
			if diff := cmp.Diff(selfs(p, p.Trace != nil), selfs(back, p.Trace != nil)); diff != "" {
				t.Error(diff)
			}
			if back.Taken.Remarks[0] == "" || !strings.Contains(back.Taken.Remarks[0], "a guess") || !back.Taken.Unrecorded {
				t.Errorf("%+v", back.Taken)
			}
			if name == "small" {
				if diff := cmp.Diff(hottest(p, 100), hottest(back, 100)); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// The example of Callgrind's manual (cl-format, 2.3 and 2.4): names by numbers, relative positions,
// calls.
func TestReadCallgrindByOthers(t *testing.T) {
	const file = `version: 1
creator: some tool
positions: instr line
events: Instructions

ob=(1) clreq
fl=(1) file1.c
fn=(1) main
0x10 16 20
cfn=(2) func1
calls=1 0x20 50
* * 400
+2 +1 0
cob=(2) lib
cfi=(2) file2.c
cfn=(3) func2
calls=3 0x30 20
0x14 17 700

fn=(2)
0x20 51 100
cfi=(2)
cfn=(3)
calls=2 0x30 20
0x20 51 300

fl=(2)
fn=(3)
-16 20 400
fi=(3) inline.h
+4 5 600
fe=(2)
+2 21 0
`
	p, err := export.Read(strings.NewReader(file), export.Input{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(counts{"main": {20, 1120}, "func1": {100, 400}, "func2": {1000, 1000}}, hottest(p, 10)); diff != "" {
		t.Error(diff)
	}
	if notes := strings.Join(p.Taken.Remarks, "\n"); !strings.Contains(notes, "Instructions") {
		t.Error(notes)
	}
	places := map[string]int{}
	for _, s := range p.ByStack() {
		f := p.Frames[p.Stacks[s.Stack].Frame]
		places[fmt.Sprintf("%#x %s:%d", f.Addr, f.File, f.Line)] += s.Samples
	}
	if diff := cmp.Diff(map[string]int{"0x10 file1.c:16": 20, "0x20 file1.c:51": 100, "0x10 file2.c:20": 400, "0x14 inline.h:5": 600}, places); diff != "" {
		t.Error(diff)
	}
}

// Functions that call each other in a circle come to an end.
func TestReadCallgrindInACircle(t *testing.T) {
	const file = "events: Samples\nfn=a\n1 5\ncfn=b\ncalls=1 0\n1 10\nfn=b\n1 10\ncfn=a\ncalls=1 0\n1 5\ncfn=b\ncalls=4 0\n1 9\n"
	p, err := export.Read(strings.NewReader(file), export.Input{})
	if err != nil {
		t.Fatal(err)
	}
	if got := hottest(p, 10); got["a"][0] != 5 || got["b"][0] != 10 {
		t.Error(got)
	}
}

var hostileCallgrind = [][2]string{
	{"events: Samples\nfn=(1)\n1 1\n", "(1) is no name"},
	{"events: Samples\nfn=a\nnonsense here\n", `position "nonsense"`},
	{"events: Samples\nfn=a\n1 -5\n", `a cost of "-5"`},
	{"events: Samples\nfn=a\n1 5 6\n", `a cost of "6"`},
	{"events: Samples\nfn=a\n1 9223372036854775807\n2 9223372036854775807\n", "more than 63 bits"},
	{"events: Nanoseconds\nfn=a\n1 9223372036854775807\n1 1\n", "more than 63 bits"},
	{"events: Time_(10ns)\nfn=a\n1 9223372036854775807\n", "a cost of"},
	{"events: Samples\nevents: Samples\nfn=a\n", "a second time"},
	{"version: 2\nevents: Samples\nfn=a\n1 1\n", "version"},
	{"events: Samples\nfn=a\ncalls=1 2\n", "calls of no function"},
	{"# x\nevents: Samples\nfl=a\n1 1\n", "no line of a call graph"},
	{"events: Samples\nfn=a\n+99999999999999999999 1\n", "position"},
	{"events: Samples\nfn=a\n1 1\n# mprof nonsense\n", "noted in it is damaged"},
}

func TestReadHostileCallgrind(t *testing.T) {
	for _, h := range hostileCallgrind {
		_, err := export.Read(strings.NewReader(h[0]), export.Input{})
		if err == nil || !strings.Contains(err.Error(), h[1]) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v, want %q", h[0], err, h[1])
		}
	}
}

func FuzzReadCallgrind(f *testing.F) {
	for _, h := range hostileCallgrind {
		f.Add([]byte(h[0]))
	}
	f.Add(written(f, randomProfile(2), ".callgrind"))
	f.Fuzz(readsOrSays)
}
