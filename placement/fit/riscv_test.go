package fit

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/unwind"
)

// buildRISCV links the program, with a fragment where there is one.
func buildRISCV(t *testing.T, march, fragment string) string {
	t.Helper()
	requireTools(t, "riscv64-unknown-elf-gcc")
	dir := t.TempDir()
	source, script := read(t, "testdata/riscv/main.c"), read(t, "testdata/riscv/riscv.ld")
	moved := "-DEXPECT_MOVED=0"
	if fragment != "" {
		moved = "-DEXPECT_MOVED=1"
		source = strings.Replace(source, "/* COPY */", pasted(t, fragment)+"__asm volatile(\".word 0x100f\");", 1)
		script = strings.Replace(script, "/* INCLUDE */", "INCLUDE fit.ld", 1)
		write(t, filepath.Join(dir, "fit.ld"), fragment)
	}
	write(t, filepath.Join(dir, "main.c"), source)
	write(t, filepath.Join(dir, "riscv.ld"), script)
	gcc := func(args ...string) {
		cmd := exec.Command("riscv64-unknown-elf-gcc", append([]string{"-march=" + march, "-mabi=ilp32", "-nostdlib"}, args...)...)
		cmd.Dir = dir
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s\n%s", err, text, fragment)
		}
	}
	gcc("-O2", "-g", "-ffreestanding", "-ffunction-sections", "-mcmodel=medany", "-Wall", "-Werror", moved, "-c", "main.c")
	gcc("-T", "riscv.ld", "-Wl,-Map=app.map", "-Wl,--fatal-warnings", "-Wl,--no-warn-rwx-segments", "main.o", "-o", "app.elf")
	return filepath.Join(dir, "app.elf")
}

// sampled is a profile with so many samples in each function.
func sampled(t *testing.T, elf string, samples map[string]int) (*profile.Profile, *symbol.Program) {
	t.Helper()
	im, err := symbol.OpenAny(elf)
	if err != nil {
		t.Fatal(err)
	}
	program, err := symbol.NewProgram(im)
	if err != nil {
		t.Fatal(err)
	}
	b := profile.NewBuilder(program, profile.Options{Period: time.Millisecond, Mapping: im.Mapping(), Flat: true})
	found := 0
	for _, f := range im.FunctionSymbols() {
		n, ok := samples[f.Names[0]]
		if !ok {
			continue
		}
		found++
		for i := range n {
			at := f.Low + uint32(i)%(f.High-f.Low)&^1
			b.Add(&snapshot.Snapshot{Time: time.Duration(i) * time.Millisecond}, []unwind.Frame{{PC: at}}, unwind.Stop{})
		}
	}
	if found != len(samples) {
		t.Fatalf("%d of %d functions are in %s", found, len(samples), elf)
	}
	return b.Finish(profile.Acquisition{}, time.Second), program
}

// runsOnVirt runs a program on QEMU: it ends with 0 where it finds all right.
func runsOnVirt(t *testing.T, elf string) {
	t.Helper()
	requireTools(t, "qemu-system-riscv32")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if text, err := exec.CommandContext(ctx, "qemu-system-riscv32", "-M", "virt", "-nographic", "-monitor", "none", "-serial", "none", "-bios", elf).CombinedOutput(); err != nil {
		t.Errorf("%s: %v: %s", elf, err, text)
	}
}

// TestRISCV moves functions of a program without and with compressed
// instructions, links it, and runs it: calls between flash and RAM go 8 MiB.
func TestRISCV(t *testing.T) {
	for march, budget := range map[string]int64{"rv32im": 320, "rv32imc": 224} {
		t.Run(march, func(t *testing.T) {
			elf := buildRISCV(t, march, "")
			runsOnVirt(t, elf)
			p, program := sampled(t, elf, map[string]int{"mix": 500, "churn": 300, "fill": 100, "hot": 50, "rarely": 2, "main": 48})
			file, err := os.Open(filepath.Join(filepath.Dir(elf), "app.map"))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			linkMap, err := ReadMap(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range []*LinkMap{nil, linkMap} {
				o := Options{Budget: budget, Regions: [2]string{"SRAM", "ROM"}, Map: m}
				r, err := Analyse(p, program, o)
				if err != nil {
					t.Fatal(err)
				}
				names := r.names()
				for _, want := range []string{"mix", "churn", "fill", "hot"} {
					if !strings.Contains(names, want) {
						t.Errorf("%s is not among %s", want, names)
					}
				}
				if strings.Contains(names, "main") {
					t.Errorf("main is among %s: the budget is for the others", names)
				}
				rebuilt := buildRISCV(t, march, fragment(t, r))
				if size := sectionSize(t, []byte(read(t, rebuilt)), ".ramtext"); size > r.Size || r.Size > o.Budget || size < r.Size*7/10 {
					t.Errorf("the section has %d bytes, %d were said", size, r.Size)
				}
				runsOnVirt(t, rebuilt)
				p2, program2 := sampled(t, rebuilt, map[string]int{"mix": 500, "churn": 300, "main": 200})
				again, err := Analyse(p2, program2, o)
				if err != nil {
					t.Fatal(err)
				}
				if again.Resident != 800 {
					t.Errorf("%d of 800 samples are in RAM", again.Resident)
				}
			}
		})
	}
}

// names lists what is to move.
func (r *Report) names() string {
	var all []string
	for _, i := range r.Moved {
		all = append(all, r.Units[i].Name)
	}
	return strings.Join(all, " ")
}
