package export_test

import (
	"bytes"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

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

// What was written is read: stacks, times, weights and addresses, and nothing beside.
func TestReadPerf(t *testing.T) {
	for seed := range uint64(12) {
		p := randomProfile(seed)
		back := reread(t, p, ".perf")
		if diff := cmp.Diff(hottest(p, 1000), hottest(back, 1000)); diff != "" {
			t.Errorf("seed %d: %s", seed, diff)
		}
		times := func(p *profile.Profile) map[string]time.Duration {
			all := map[string]time.Duration{}
			for _, e := range p.Top() {
				all[e.Name] = e.SelfTime
			}
			return all
		}
		if diff := cmp.Diff(times(p), times(back)); diff != "" {
			t.Errorf("seed %d: %s", seed, diff)
		}
		if !back.Taken.Unrecorded || back.Taken.Halted != 0 || len(back.Taken.Remarks) != 1 {
			t.Errorf("%+v", back.Taken)
		}
	}
	p := traced(t, 300)
	back := reread(t, p, ".perf")
	self := map[string]time.Duration{}
	for _, e := range back.Top() {
		self[e.Name] = e.SelfTime
	}
	for _, f := range p.Trace.Functions {
		if name := p.Functions[f.Function].Name; self[name] != f.Self {
			t.Errorf("%s: %v, want %v", name, self[name], f.Self)
		}
	}
}

// Lines as perf prints them, and lines that it does not.
func TestReadPerfScript(t *testing.T) {
	const script = `# ========
# captured on    : Mon Aug 30 11:15:28 2021
# ========
#
V8 WorkerThread 24636/25607 [000] 94564.109216:     250000 cpu-clock:pppH: 
	    7fffb84c9afc do_it+0x800047c022ec (/usr/lib/libc so.so)
	          401136 main (/tmp/a)

java 12688 6544038.708352: cycles:
	ffffffff81062bba [unknown] ([unknown])

`
	p, err := export.Read(strings.NewReader(script), export.Input{})
	if err != nil {
		t.Fatal(err)
	}
	want := counts{"do_it": {1, 1}, "main": {0, 1}, "0xffffffff81062bba": {1, 1}}
	if diff := cmp.Diff(want, hottest(p, 10)); diff != "" {
		t.Error(diff)
	}
	if len(p.Threads) != 2 || p.Threads[0].Name != "V8 WorkerThread" || p.Threads[0].Samples[0].Weight != 250*time.Microsecond ||
		len(p.Taken.Remarks) != 3 || !strings.Contains(p.Taken.Remarks[1], "cycles") {
		t.Errorf("%+v %q", p.Threads, p.Taken.Remarks)
	}
	const head = "a 1/1 [000] 1.5: 10 cpu-clock: \n"
	for text, want := range map[string]string{
		head + "nothing\n": "line 2: no frame", head + "\n\nrubbish\n": "line 4: no head of a sample", head + "\t1 (x)\n": "no frame",
		head + strings.Repeat("\t10 f (x)\n", 5000): "more than 4096 frames", "a 1/1 99999999999999.0: 1 cpu-clock:\n": "a time of",
		head + "\n" + "a 1 1.5: 99999999999999999999 cpu-clock:\n": "in one sample", strings.Repeat("a 1 1.5: 9223372036854775807 cpu-clock:\n\n", 2): "63 bits",
	} {
		if _, err := export.Read(strings.NewReader(text), export.Input{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
