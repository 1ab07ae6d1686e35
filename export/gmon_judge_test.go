package export_test

import (
	"debug/elf"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/firmware/examples"
	"github.com/mprof/mprof/firmware/shares"
	"github.com/mprof/mprof/gmon/gproftest"
)

// gmonRun is a run of the command, and what it wrote.
type gmonRun struct {
	elf, gmon, symbols string
	profile            *profile.Profile // of the same run, as pprof has it
	summary            struct {
		Remarks []string
	}
}

// gmonOf runs mprof with three outputs.
func gmonOf(t *testing.T, elf string, args ...string) (r gmonRun) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds and runs the command")
	}
	gproftest.Require(t, gproftest.Command)
	dir := t.TempDir()
	bin := filepath.Join(dir, "mprof")
	if out, err := exec.Command("go", "build", "-o", bin, "../cmd/mprof").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	r.elf, r.gmon, r.symbols = elf, filepath.Join(dir, "gmon.out"), filepath.Join(dir, "gmon.syms")
	pprof := filepath.Join(dir, "p.pb.gz")
	cmd := exec.Command(bin, append(args, "--json", "-o", r.gmon, "-o", r.symbols, "-o", pprof)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &r.summary); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(pprof)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if r.profile, err = profile.Parse(f); err != nil {
		t.Fatal(err)
	}
	return r
}

func elfFile(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "app.elf")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// code is a function of an ELF file, with all its names.
type code struct {
	low, high uint64
	names     []string
}

func functionsOf(t *testing.T, path string) (all []code) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	byLow := map[uint64]*code{}
	for _, s := range symbols {
		low := s.Value &^ 1
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Section == elf.SHN_UNDEF {
			continue
		}
		if byLow[low] == nil {
			byLow[low] = &code{low: low}
		}
		byLow[low].names = append(byLow[low].names, s.Name)
	}
	for _, c := range byLow {
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b code) int { return int(int64(a.low) - int64(b.low)) })
	return all
}

// functions are those that gprof knows: it takes code behind a function for the function's, unless it
// has the table of mprof, where that code has a row of its own.
func (r *gmonRun) functions(t *testing.T, table bool) []code {
	t.Helper()
	all := functionsOf(t, r.elf)
	if table {
		rows, err := os.ReadFile(r.symbols)
		if err != nil {
			t.Fatal(err)
		}
		for row := range strings.Lines(string(rows)) {
			c := code{}
			name := ""
			if _, err := fmt.Sscanf(row, "%x T %s", &c.low, &name); err != nil {
				t.Fatalf("%v in %q", err, row)
			}
			if c.names = []string{name}; strings.HasPrefix(name, "[code_") {
				all = append(all, c)
			}
		}
		slices.SortFunc(all, func(a, b code) int { return int(int64(a.low) - int64(b.low)) })
	}
	for i := range all {
		if all[i].high = 1 << 32; i+1 < len(all) {
			all[i].high = all[i+1].low
		}
	}
	return all
}

// amounts is what a function has: of samples their number, of traced calls ns.
type amounts struct{ self, calls int64 }

// physical adds up the profile by the function of the ELF file in which the innermost address lies.
func (r *gmonRun) physical(t *testing.T, all []code, value int) map[uint64]amounts {
	t.Helper()
	found := map[uint64]amounts{}
	for _, s := range r.profile.Sample {
		if len(s.Location) == 0 || s.Location[0].Address == 0 {
			continue // a label: asleep, or below a cut
		}
		at := s.Location[0].Address &^ 1
		i, _ := slices.BinarySearchFunc(all, at, func(c code, at uint64) int {
			if c.low <= at {
				return -1
			}
			return 1
		})
		if i == 0 || at >= all[i-1].high {
			t.Fatalf("0x%x is in no function", at)
		}
		a := found[all[i-1].low]
		found[all[i-1].low] = amounts{a.self + s.Value[value], a.calls + s.Value[0]}
	}
	return found
}

// line is a row of gprof's flat profile, by the address of its function.
type line struct {
	percent, seconds float64
	calls            uint64
}

// flatByAddress gives rows back to functions: by name, and where several have one name, by time. All names of
// an address are its.
func flatByAddress(t *testing.T, flat gproftest.Flat, all []code, want map[uint64]line) map[uint64]line {
	t.Helper()
	got := map[uint64]line{}
	for _, row := range flat.Rows {
		var at []uint64
		for _, c := range all {
			if _, taken := got[c.low]; !taken && slices.Contains(c.names, row.Name) {
				at = append(at, c.low)
			}
		}
		if len(at) == 0 {
			t.Fatalf("gprof has %s, which is no function of the program, or has it twice", row.Name)
		}
		slices.SortFunc(at, func(a, b uint64) int { // the nearest first
			return int(math.Copysign(1, math.Abs(want[a].seconds-row.Self)-math.Abs(want[b].seconds-row.Self)))
		})
		got[at[0]] = line{row.Percent, row.Self, row.Calls}
	}
	return got
}

// same tells whether a number that gprof prints with two decimals is v, but for what the rate and
// the counts cannot hold.
func same(printed, v, exact float64) bool { return math.Abs(printed-v) <= 0.005+exact+1e-9 }

// judgeFlat compares gprof's flat profile line by line with the profile: each function once, its
// share, its time, its calls, and nothing else.
func (r *gmonRun) judgeFlat(t *testing.T, flags []string, value int, unit float64, calls map[uint64]uint64) {
	t.Helper()
	flat, all := gproftest.FlatProfile(t, r.elf, r.gmon, flags...), r.functions(t, flags != nil)
	found := r.physical(t, all, value)
	total := 0.0
	for _, a := range found {
		total += float64(a.self)
	}
	want := map[uint64]line{}
	for low, a := range found {
		if a.self > 0 || calls[low] > 0 {
			want[low] = line{100 * float64(a.self) / total, float64(a.self) * unit, calls[low]}
		}
	}
	got := flatByAddress(t, flat, all, want)
	for low, w := range want {
		g, ok := got[low]
		if !ok && w.seconds < flat.Each/2 && w.calls == 0 {
			continue // less than half a count
		}
		if !ok || !same(g.percent, w.percent, 1e-6) || !same(g.seconds, w.seconds, 20e-6) || g.calls != w.calls {
			t.Errorf("0x%x: gprof has %+v (%v), the profile %+v", low, g, ok, w)
		}
		delete(got, low)
	}
	for low, g := range got {
		t.Errorf("0x%x: only gprof has %+v", low, g)
	}
	if last := flat.Rows[len(flat.Rows)-1]; !same(last.Cumulative, total*unit, 20e-6) {
		t.Errorf("gprof adds up to %g s, the profile to %g s", last.Cumulative, total*unit)
	}
	t.Logf("%d lines, %.2f s", len(flat.Rows), total*unit)
}

// perSample is how long a sample is on average, s.
func (r *gmonRun) perSample() float64 {
	var n, ns int64
	for _, s := range r.profile.Sample {
		n, ns = n+s.Value[0], ns+s.Value[1]
	}
	return float64(ns) / float64(n) / 1e9
}

// gprof's flat profile of samples is the profile, line by line: with its own table of symbols where that has the
// program's functions, as with that of mprof.
func TestGprofFlatOfSamples(t *testing.T) {
	for name, c := range map[string]struct {
		elf  []byte
		args []string
	}{
		"demo":   {demo.ELF, []string{"--duration", "10"}},
		"PCs":    {demo.ELF, []string{"--duration", "2", "--method", "pcsr"}},
		"shares": {shares.ELF, []string{"--duration", "10", "--rate", "200"}},
	} {
		t.Run(name, func(t *testing.T) {
			elf := elfFile(t, c.elf)
			r := gmonOf(t, elf, append([]string{"sample", "--probe", "sim", "--seed", "3", elf}, c.args...)...)
			for _, flags := range [][]string{nil, {"-S", r.symbols}} {
				r.judgeFlat(t, flags, 0, r.perSample(), nil)
			}
			if notes := fmt.Sprint(r.summary.Remarks); strings.Contains(notes, "has no address (asleep") != (name == "PCs") {
				t.Error(notes)
			}
		})
	}
}

// Of a trace, too, and with the number of calls; and the call graph is the traced calls, one by one.
func TestGprofReadsTheTracedDemo(t *testing.T) {
	elf := elfFile(t, examples.DemoELF)
	r := gmonOf(t, elf, "trace", "--demo")
	all := map[uint64]uint64{}    // calls of a function
	inside := map[uint64]uint64{} // of them, those by another function
	want := map[gproftest.Arc]uint64{}
	for _, s := range r.profile.Sample {
		callee := s.Location[0]
		if callee.Address == 0 || s.Value[0] == 0 {
			continue
		}
		n := uint64(s.Value[0])
		caller := "<no_caller>"
		if len(s.Location) > 1 {
			if c := s.Location[1]; c.Address != 0 {
				caller = c.Line[0].Function.SystemName
				if c.Address != callee.Address {
					inside[callee.Address&^1] += n
				}
			} else {
				caller = strings.ReplaceAll(c.Line[0].Function.Name, " ", "_")
			}
		}
		if len(s.Location) == 1 || s.Location[1].Address != callee.Address {
			all[callee.Address&^1] += n
		}
		want[gproftest.Arc{Caller: caller, Callee: callee.Line[0].Function.SystemName}] += n
	}
	if len(want) < 40 {
		t.Fatalf("only %d arcs", len(want))
	}
	for what, c := range map[string]struct {
		flags []string
		calls map[uint64]uint64
	}{"with mprof's table": {[]string{"-S", r.symbols}, all}, "by itself": {nil, inside}} {
		t.Run(what, func(t *testing.T) {
			r.judgeFlat(t, c.flags, 1, 1e-9, c.calls)
			got := gproftest.CallGraph(t, r.elf, r.gmon, c.flags...).Arcs
			known := map[gproftest.Arc]uint64{}
			for arc, n := range want {
				if c.flags != nil || !strings.HasPrefix(arc.Caller, "<") {
					known[arc] = n
				}
			}
			if diff := cmp.Diff(known, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if notes := fmt.Sprint(r.summary.Remarks); !strings.Contains(notes, "tasks and interrupts are added up") {
		t.Error(notes)
	}
}
