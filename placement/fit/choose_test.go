package fit

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// buildVeneers links the program for a core, with a fragment where there is one.
func buildVeneers(t *testing.T, cpu, fragment string) string {
	t.Helper()
	requireTools(t, "arm-none-eabi-gcc")
	dir := t.TempDir()
	script := read(t, "testdata/veneers/app.ld")
	if fragment != "" {
		script = strings.Replace(script, "/* INCLUDE */", "INCLUDE fit.ld", 1)
		write(t, filepath.Join(dir, "fit.ld"), fragment)
	}
	write(t, filepath.Join(dir, "main.c"), read(t, "testdata/veneers/main.c"))
	write(t, filepath.Join(dir, "app.ld"), script)
	cmd := exec.Command("arm-none-eabi-gcc", "-mcpu="+cpu, "-mthumb", "-O1", "-g", "-ffreestanding", "-ffunction-sections", "-nostdlib", "-T", "app.ld", "-Wl,--no-warn-rwx-segments", "main.c", "-o", "app.elf")
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, text, fragment)
	}
	return filepath.Join(dir, "app.elf")
}

// TestVeneers counts veneers as GNU ld makes them, of all Thumb architectures.
func TestVeneers(t *testing.T) {
	for cpu, veneer := range map[string]int64{"cortex-m0": 16, "cortex-m23": 16, "cortex-m3": 8, "cortex-m4": 8, "cortex-m7": 8, "cortex-m33": 8} {
		t.Run(cpu, func(t *testing.T) {
			elf := buildVeneers(t, cpu, "")
			p, program := sampled(t, elf, map[string]int{"hot": 700, "leaf": 300})
			whole, err := Analyse(p, program, Options{Budget: 1 << 10})
			if err != nil {
				t.Fatal(err)
			}
			size := int64(0) // of hot and leaf
			for _, u := range whole.Units[:2] {
				size += u.Size
			}
			r, err := Analyse(p, program, Options{Budget: size + 2*veneer + sectionAlign + veneerAlign})
			if err != nil {
				t.Fatal(err)
			}
			if r.names() != "hot leaf" || r.Veneers != 2 || r.Size != r.Budget || r.Enter != 1 {
				t.Errorf("%s with %d veneers and %d in flash in %d bytes, want hot and leaf with 2 and 1 in %d", r.names(), r.Veneers, r.Enter, r.Size, r.Budget)
			}
			rebuilt := buildVeneers(t, cpu, fragment(t, r))
			if got := sectionSize(t, []byte(read(t, rebuilt)), ".ramtext"); got > r.Size || got < r.Size-24 {
				t.Errorf("the section has %d bytes, %d were said", got, r.Size)
			}
			less, err := Analyse(p, program, Options{Budget: r.Budget - 1})
			if err != nil {
				t.Fatal(err)
			}
			if less.names() == r.names() && less.Veneers == r.Veneers {
				t.Errorf("%s fits into a byte less, too", less.names())
			}
		})
	}
}

// TestChosenOfTheDemo tries all sets of the demo's most sampled functions: none
// within the budget covers more.
func TestChosenOfTheDemo(t *testing.T) {
	samples := map[string]int{"fir_apply": 120, "partition": 66, "sine_q15": 57, "by_value": 44, "butterflies": 39, "receive": 33, "crc32": 32, "biquad_apply": 28,
		"spectrum_magnitudes": 26, "synthetic_axis": 22, "chain_run": 21, "insertion_sort": 15, "lz_compress": 14, "rank_waypoints": 11, "integrate": 9}
	p, program := sampled(t, demoFolder+"/demo.elf", samples)
	for _, budget := range []int64{60, 150, 300, 500, 801, 1200, 1600, 2500} {
		r, err := Analyse(p, program, Options{Budget: budget})
		if err != nil {
			t.Fatal(err)
		}
		a := &analysis{image: program.App(), report: r}
		a.index()
		best := int64(0)
		for set := range 1 << len(samples) {
			if value, size := a.measureSet(set, len(samples)); size <= budget {
				best = max(best, value)
			}
		}
		if r.Moving != best || !r.Exact || r.Size > budget {
			t.Errorf("budget %d: %d samples in %d bytes, the best set has %d", budget, r.Moving, r.Size, best)
		}
	}
}

// TestCallsAreSaid: for each function that moves, what it calls that moves and what it
// calls in flash are the direct calls that objdump finds in the demo.
func TestCallsAreSaid(t *testing.T) {
	samples := map[string]int{"butterflies": 50, "sine_q15": 40, "spectrum_magnitudes": 30}
	p, program := sampled(t, demoFolder+"/demo.elf", samples)
	r, err := Analyse(p, program, Options{Budget: 460})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][2][]string{}
	for _, i := range r.Moved {
		got[r.Units[i].Name] = [2][]string{r.Units[i].Along, r.Units[i].Left}
	}
	listing, err := exec.Command("arm-none-eabi-objdump", "-d", demoFolder+"/demo.elf").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name, calls := range got {
		_, code, found := strings.Cut(string(listing), "<"+name+">:\n")
		if !found {
			t.Fatalf("objdump has no %s", name)
		}
		code, _, _ = strings.Cut(code, "\n\n")
		want := map[string]bool{}
		for _, m := range regexp.MustCompile(`\tb[lx.wn]*\t.*<([^+>]+)>`).FindAllStringSubmatch(code, -1) {
			if m[1] != name {
				want[m[1]] = true
			}
		}
		for i, names := range calls {
			for _, callee := range names {
				if _, moves := got[callee]; !want[callee] || moves != (i == 0) {
					t.Errorf("%s calls %s: %v by objdump; it moves: %v, said to: %v", name, callee, want[callee], moves, i == 0)
				}
				delete(want, callee)
			}
		}
		if len(want) > 0 {
			t.Errorf("%s also calls %v", name, want)
		}
	}
	if len(got["butterflies"][0]) == 0 || len(got["spectrum_magnitudes"][1]) == 0 {
		t.Errorf("the demo has other calls: %v", got)
	}
}

// measureSet adds up a set of the first n units by the definition: code, a veneer
// for each address out of the set that it calls, alignment.
func (a *analysis) measureSet(set, n int) (value, size int64) {
	size = sectionAlign + veneerAlign
	var veneers []uint32
	for i, u := range a.report.Units[:n] {
		if set>>i&1 == 0 {
			continue
		}
		value += u.Samples
		size += u.Size
		for _, c := range u.calls {
			to := a.target(c.to)
			if to >= 0 && (to >= n || set>>to&1 == 0) && !slices.Contains(veneers, c.to) {
				veneers = append(veneers, c.to)
				size += veneerThumb2
			}
		}
	}
	return value, size
}
