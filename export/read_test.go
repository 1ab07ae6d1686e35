package export_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/unwind"
)

// reread writes p in a format, and reads that.
func reread(tb testing.TB, p *profile.Profile, ext string) *profile.Profile {
	tb.Helper()
	f, err := export.ByPath("p" + ext)
	if err != nil {
		tb.Fatal(err)
	}
	var out bytes.Buffer
	if err := f.Write(&out, p); err != nil {
		tb.Fatal(err)
	}
	back, err := export.Read(&out, export.Input{})
	if err != nil {
		tb.Fatalf("%s: %v", ext, err)
	}
	return back
}

// numbers are those of the summary, in the order of its functions; remarks are none.
func numbers(tb testing.TB, p *profile.Profile) map[string]any {
	tb.Helper()
	var out bytes.Buffer
	if err := export.SummaryJSON(&out, p); err != nil {
		tb.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(out.Bytes(), &all); err != nil {
		tb.Fatal(err)
	}
	delete(all, "remarks")
	return all
}

// randomProfile is a run of random stacks and random troubles: gaps, resets, sleep,
// blocks of PCs, several images.
func randomProfile(seed uint64) *profile.Profile {
	r := rand.New(rand.NewPCG(seed, 99))
	o := profile.Options{
		Start: time.Date(2026, 11, 20, 12, 0, 0, int(r.IntN(1e6))*1000, time.UTC), Period: time.Duration(r.IntN(int(20 * time.Millisecond))), Mapping: mapping,
		Source: func(file string) (string, bool) { return "int x;\n", file == sortFn.file },
	}
	if seed%3 == 1 {
		o.Others = []profile.Mapping{{Path: "/fw/boot.elf", Name: "boot.elf", LoadBase: 0x1fff0000, Low: 0x1fff0000, High: 0x1fff8000}}
	}
	b := profile.NewBuilder(program, o)
	a := profile.Acquisition{
		Command: []string{"mprof", "sample", "a b"}, Version: "0.1.0", Device: "Cortex-M4", Probe: "probe", EndReason: "interrupted",
		Seed: -int64(seed), RateHz: 1e3 / 7, SWCLKHz: 4e6, ClockLabel: "host time", Remarks: []string{"one thing"},
		Budget: profile.Budget{MaxOverhead: 0.01, MaxHalt: 40 * time.Microsecond, Delayed: uint64(r.IntN(50)), Depth: 30},
	}
	now := time.Duration(0)
	blocks := seed%4 == 3
	if blocks {
		a.Method = profile.MethodPCSR
	}
	for range 20 + r.IntN(400) {
		step := time.Duration(r.IntN(int(30 * time.Millisecond)))
		now += step
		s := &snapshot.Snapshot{Time: now, Weight: step, Halted: time.Duration(r.IntN(90_000)), State: 0}
		if blocks {
			s.Block = &snapshot.Block{Spacing: time.Microsecond}
			pcs := []uint32{0x08000110, 0x08000210, 0x08000910, 0, 0xffffffff, 0x1fff0002}
			at := pcs[r.IntN(len(pcs))]
			for range 1 + r.IntN(60) {
				if r.IntN(10) == 0 {
					at = pcs[r.IntN(len(pcs))]
				}
				s.Block.PCs = append(s.Block.PCs, at)
			}
			if r.IntN(5) == 0 {
				s.State = snapshot.Sleeping
			}
			b.AddBlock(s)
			continue
		}
		frames, stop := stack(r, s)
		if r.IntN(15) == 0 {
			s.State |= snapshot.Reset
		}
		b.Add(s, frames, stop)
		if r.IntN(40) == 0 {
			b.Event(profile.Event{Time: now, Duration: time.Duration(r.IntN(int(time.Second))), Name: "Gap", Detail: "the host slept"})
		}
	}
	return b.Finish(a, now+time.Duration(r.IntN(int(time.Second))))
}

// A profile that was read summarises with the numbers of the one that was written.
func TestReadSummarisesTheSame(t *testing.T) {
	for seed := range uint64(60) {
		p := randomProfile(seed)
		for _, ext := range []string{".json", ".json.gz", ".pb.gz"} {
			if diff := cmp.Diff(numbers(t, p), numbers(t, reread(t, p, ext))); diff != "" {
				t.Fatalf("seed %d, %s:\n%s", seed, ext, diff)
			}
		}
	}
}

// The Firefox Profiler's format holds all rows.
func TestReadFirefoxIsTheProfile(t *testing.T) {
	for seed := range uint64(30) {
		p := randomProfile(seed)
		back := reread(t, p, ".json")
		ignore := []cmp.Option{cmpopts.IgnoreTypes(unwind.Stop{}), cmpopts.EquateEmpty()}
		if diff := cmp.Diff(p, back, ignore...); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}

// Reading and writing again changes nothing more, whatever formats are on the way.
func TestReadAgainAndAgain(t *testing.T) {
	for seed := range uint64(12) {
		p := randomProfile(seed)
		for _, way := range [][]string{{".pb.gz", ".json", ".pb.gz"}, {".json", ".pb.gz", ".json.gz"}, {".json", ".json"}, {".pb.gz", ".pb.gz"}} {
			back := p
			for _, ext := range way {
				back = reread(t, back, ext)
			}
			if diff := cmp.Diff(numbers(t, p), numbers(t, back)); diff != "" {
				t.Fatalf("seed %d, %v:\n%s", seed, way, diff)
			}
		}
	}
}

// So do traced calls.
func TestReadTracedSummarisesTheSame(t *testing.T) {
	profiles := map[string]*profile.Profile{"lossy": lossy(t)}
	for _, n := range []int{1, 30, 3000} {
		profiles[fmt.Sprint(n)] = traced(t, n)
	}
	for name, p := range profiles {
		for _, ext := range []string{".json", ".pb.gz"} {
			back := reread(t, p, ext)
			want, got := numbers(t, p), numbers(t, back)
			if ext == ".pb.gz" { // single calls are not in there, which a remark says
				withoutCalls(want)
				withoutCalls(got)
				if n := len(back.Taken.Remarks); back.Trace.Kept != 0 || n != len(p.Taken.Remarks)+1 {
					t.Errorf("%d calls kept, remarks %q", back.Trace.Kept, back.Taken.Remarks)
				}
			} else if diff := cmp.Diff(p, back, cmpopts.IgnoreTypes(unwind.Stop{}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s:\n%s", name, ext, diff)
			}
		}
	}
}

// withoutCalls leaves out how many single calls a timeline shows.
func withoutCalls(summary map[string]any) {
	delete(summary["trace"].(map[string]any), "calls_on_timeline")
	for _, c := range summary["contexts"].([]any) {
		delete(c.(map[string]any), "calls_on_timeline")
	}
}

// Folded stacks come back with their counts, and nothing is made up beside them.
func TestReadFolded(t *testing.T) {
	for seed := range uint64(12) {
		p := randomProfile(seed)
		back := reread(t, p, ".folded")
		want := counts{}
		for name, c := range hottest(p, 1000) {
			want[foldedName(name)] = c
		}
		if diff := cmp.Diff(want, hottest(back, 1000)); diff != "" {
			t.Errorf("seed %d: %s", seed, diff)
		}
		a := back.Taken
		if !a.Unrecorded || len(a.Remarks) != 1 || back.Duration != 0 || a.Halted != 0 {
			t.Errorf("%+v", a)
		}
		var first, second bytes.Buffer
		if err := export.WriteFolded(&first, p); err != nil {
			t.Fatal(err)
		}
		if err := export.WriteFolded(&second, back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first.String(), second.String()); diff != "" {
			t.Error(diff)
		}
	}
}

// foldedName is a name as folded stacks have it.
func foldedName(name string) string { return strings.ReplaceAll(name, ";", ":") }

// A RISC-V program is not called one for ARM, nor after it was read again.
func TestFirefoxOfRISCV(t *testing.T) {
	p := rich(t, 20)
	p.Mapping.RISCV = true
	var out bytes.Buffer
	if err := export.WriteFirefox(&out, reread(t, p, ".pb.gz")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"platform":"RISC-V"`, `"abi":"riscv32-elf"`, `"arch":"riscv32"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s", want)
		}
	}
}

// A mark of UTF-8 in front of a text is no part of it.
func TestReadByteOrderMark(t *testing.T) {
	for _, ext := range []string{".folded", ".json", ".speedscope.json", ".trace.json", ".callgrind", ".perf"} {
		content := written(t, rich(t, 100), ext)
		want, err := export.Read(bytes.NewReader(content), export.Input{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := export.Read(bytes.NewReader(append([]byte("\ufeff"), content...)), export.Input{})
		if err != nil {
			t.Errorf("%s: %v", ext, err)
		} else if diff := cmp.Diff(graphed(want), graphed(got)); diff != "" {
			t.Errorf("%s: %s", ext, diff)
		}
	}
}
