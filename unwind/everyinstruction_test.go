package unwind

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/mprof/mprof/sim/armv7m"
	"github.com/mprof/mprof/sim/truth"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
)

// tally counts stacks and keeps an example of each place where they differ.
type tally struct {
	stacks, differ, cut, false int // false: a frame that is none
	where                      map[string]*difference
	leaves                     map[string]bool // functions that were the leaf of a stack
	methods                    [FromEXIDX + 1]int
	reasons                    [NumReasons]int // of the stacks that differ
}

type difference struct {
	n    int
	text string
}

// check runs a program instruction by instruction and compares the stack that
// is unwound with the one that was watched.
func check(t *testing.T, path string, arch armv7m.Arch, instructions int, changes ...func(*Program)) *tally {
	t.Helper()
	p := loadProgram(t, path)
	for _, change := range changes {
		change(&p)
	}
	u, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return watch(t, u, path, arch, instructions)
}

// watch is check with an unwinder.
func watch(t *testing.T, u *Unwinder, path string, arch armv7m.Arch, instructions int) *tally {
	t.Helper()
	s := simulate(t, path, arch)
	names := functionNames(t, path)
	c := &tally{where: map[string]*difference{}, leaves: map[string]bool{}}
	var got []Frame
	var want []truth.Frame
	last := ^uint32(0)
	for i := 0; i < instructions; i++ {
		s.Step()
		snap := s.freeze()
		pc, _ := snap.Regs.Value(snapshot.PC)
		if pc == last { // asleep, or a loop that does nothing
			continue
		}
		if pc == lockupPC {
			break
		}
		last = pc
		var stop Stop
		got, stop = u.Unwind(got[:0], snap)
		want = s.truth.AppendStack(want[:0], pc)
		c.compare(got, want, stop, names)
	}
	return c
}

func (c *tally) compare(got []Frame, want []truth.Frame, stop Stop, names func(uint32) string) {
	c.stacks++
	for _, f := range got {
		c.methods[f.Method]++
	}
	c.leaves[want[0].Function] = true
	same := len(got) == len(want)
	wrong := len(got) > len(want)
	for i := range min(len(got), len(want)) {
		if got[i].PC != want[i].PC || int(got[i].ExcNum) != want[i].Exception || (got[i].Kind == Exception) != (want[i].Exception != 0) {
			same, wrong = false, true
			break
		}
	}
	if same && stop.Reason == Complete {
		return
	}
	c.differ++
	c.reasons[stop.Reason]++
	if wrong {
		c.false++
	} else {
		c.cut++
	}
	key := fmt.Sprintf("%s: %v", want[0].Function, stop.Reason)
	d := c.where[key]
	if d == nil {
		d = &difference{text: fmt.Sprintf("got %s\nwant %s\nstop %v 0x%08x", stackText(got, names), truthText(want), stop.Reason, stop.Addr)}
		c.where[key] = d
	}
	d.n++
}

// sawLeaf tells whether a function, or a copy of it that the compiler made, was
// the leaf of a stack.
func (c *tally) sawLeaf(name string) bool {
	for leaf := range c.leaves {
		if strings.HasPrefix(leaf, name) {
			return true
		}
	}
	return false
}

func stackText(frames []Frame, names func(uint32) string) (s string) {
	for _, f := range frames {
		if f.Kind == Exception {
			s += fmt.Sprintf(" <%d>", f.ExcNum)
			continue
		}
		s += fmt.Sprintf(" %s@%08x/%d", names(f.LookupPC()), f.PC, f.Method)
	}
	return s
}

func truthText(frames []truth.Frame) (s string) {
	for _, f := range frames {
		s += fmt.Sprintf(" %s@%08x", f.Function, f.PC)
	}
	return s
}

func functionNames(t *testing.T, path string) func(uint32) string {
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
	var functions []elf.Symbol
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			functions = append(functions, s)
		}
	}
	sort.Slice(functions, func(i, j int) bool { return functions[i].Value < functions[j].Value })
	return func(pc uint32) string {
		n := sort.Search(len(functions), func(i int) bool { return uint32(functions[i].Value)&^1 > pc })
		if n == 0 {
			return "?"
		}
		return functions[n-1].Name
	}
}

// report prints what differed, most frequent first.
func (c *tally) report(t *testing.T) {
	t.Helper()
	var keys []string
	for k := range c.where {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return c.where[keys[i]].n > c.where[keys[j]].n })
	for _, k := range keys[:min(len(keys), 12)] {
		t.Logf("%d times in %s\n%s", c.where[k].n, k, c.where[k].text)
	}
	t.Logf("%d stacks, %d differ (%.4f %%): %d cut, %d with a false frame; frames by method %v", c.stacks, c.differ, 100*float64(c.differ)/float64(c.stacks), c.cut, c.false, c.methods)
}

func TestEveryInstructionOfDemo(t *testing.T) {
	const path = "../firmware/demo/demo.elf"
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not built", path)
	}
	n := 1_000_000
	if testing.Short() {
		n = 200_000
	}
	c := check(t, path, armv7m.V7EM, n)
	c.report(t)
	// One instruction per context switch: after PendSV has written PSP the stack
	// goes on in the thread that it returns to, the reference in the one before.
	if c.stacks < n/10 || c.differ > c.stacks/5000 || c.cut > 0 {
		t.Errorf("%d of %d stacks differ, %d are cut", c.differ, c.stacks, c.cut)
	}
}

// Compiled with call frame information, and the same without it.
func TestEveryInstructionOfCompiled(t *testing.T) {
	const n = 150_000 // enough for every function
	programs := []struct {
		flags string
		arch  armv7m.Arch
	}{
		{"-mcpu=cortex-m4 -O0", armv7m.V7EM},
		{"-mcpu=cortex-m4 -Os", armv7m.V7EM},
		{"-mcpu=cortex-m4 -O2", armv7m.V7EM},
		{"-mcpu=cortex-m4 -O3", armv7m.V7EM},
		{"-mcpu=cortex-m4 -O2 -flto", armv7m.V7EM},
		{"-mcpu=cortex-m3 -Og -fno-omit-frame-pointer", armv7m.V7M},
		{"-mcpu=cortex-m0plus -O0", armv7m.V6M},
		{"-mcpu=cortex-m0plus -Os", armv7m.V6M},
		{"-mcpu=cortex-m0plus -O2", armv7m.V6M},
	}
	if testing.Short() {
		programs = programs[len(programs)-2:]
	}
	for _, c := range programs {
		path := compile(t, c.flags+" -nostartfiles -T testdata/link.ld --specs=nosys.specs --specs=nano.specs -Wl,--no-warn-rwx-segments", "testdata/startup.c", "testdata/mixed.c")
		whole := func(*Program) {}
		bare := func(p *Program) { p.DebugFrame, p.EHFrame = nil, nil }
		image := func(p *Program) { *p = imageProgram(t, path) }
		for name, change := range map[string]func(*Program){"": whole, " without CFI": bare, " as symbol reads it": image} {
			t.Run(c.flags+name, func(t *testing.T) {
				r := check(t, path, c.arch, n, change)
				r.report(t)
				for _, name := range []string{"longjmp", "in_ram", "SysTick_Handler", "PendSV_Handler", "SVC_Handler", "qsort", "memcpy", "strcmp",
					"snprintf", "ackermann", "choose", "large", "dynamic", "variable"} {
					if !r.sawLeaf(name) {
						t.Errorf("%s was never a leaf", name)
					}
				}
				// What is cut is longjmp, once it has loaded SP.
				if r.stacks < n/2 || r.differ > r.stacks/500 || r.false > 0 {
					t.Errorf("%d of %d stacks differ, %d with a false frame", r.differ, r.stacks, r.false)
				}
			})
		}
	}
}

// Threads of a kernel whose switch is hand-written code without call frame
// information that tells the truth.
func TestEveryInstructionOfThreads(t *testing.T) {
	for _, flags := range []string{"-O0", "-O2", "-Os -fno-omit-frame-pointer"} {
		t.Run(flags, func(t *testing.T) {
			path := compile(t, "-mcpu=cortex-m4 "+flags+" -nostartfiles -T testdata/link.ld --specs=nosys.specs -Wl,--no-warn-rwx-segments",
				"testdata/startup.c", "testdata/rtos.c")
			r := check(t, path, armv7m.V7EM, 150_000)
			r.report(t)
			// Between loading r4-r11 and the return nobody can say whose they are.
			if r.stacks < 100_000 || r.differ > r.stacks/500 {
				t.Errorf("%d of %d stacks differ", r.differ, r.stacks)
			}
		})
	}
}

// A program that goes over to the process stack in the middle of main.
func TestEveryInstructionOnTheProcessStack(t *testing.T) {
	for _, c := range []struct {
		flags string
		arch  armv7m.Arch
	}{
		{"-mcpu=cortex-m4 -O2", armv7m.V7EM},
		{"-mcpu=cortex-m4 -O2 -DLEAVE", armv7m.V7EM},
		{"-mcpu=cortex-m3 -Os -DLEAVE -fno-omit-frame-pointer", armv7m.V7M},
		{"-mcpu=cortex-m0plus -Os", armv7m.V6M},
		{"-mcpu=cortex-m0plus -O2 -DLEAVE", armv7m.V6M},
	} {
		path := compile(t, c.flags+" -nostartfiles -T testdata/link.ld --specs=nosys.specs -Wl,--no-warn-rwx-segments", "testdata/startup.c", "testdata/process.c")
		for name, change := range map[string]func(*Program){"": func(*Program) {}, " without CFI": func(p *Program) { p.DebugFrame, p.EHFrame = nil, nil }} {
			t.Run(c.flags+name, func(t *testing.T) {
				r := check(t, path, c.arch, 60_000, change)
				r.report(t)
				if r.stacks < 40_000 || r.differ > r.stacks/1000 || r.false > 0 {
					t.Errorf("%d of %d stacks differ, %d with a false frame", r.differ, r.stacks, r.false)
				}
			})
		}
	}
}

// imageProgram reads an ELF file as the command does.
func imageProgram(t testing.TB, path string) Program {
	t.Helper()
	image, err := symbol.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	p := Program{ReadCode: image.ReadCode, Function: func(pc uint32) (Range, bool) {
		r, ok := image.Bounds(pc)
		return Range(r), ok
	}}
	p.DebugFrame, _, _ = image.Section(".debug_frame")
	for _, r := range image.CodeRanges() {
		p.Code = append(p.Code, Range(r))
	}
	if pc, ok := image.ResetHandler(); ok {
		p.Outermost = append(p.Outermost, pc)
	}
	return p
}

// The programs of the captures are compiled by LLVM, which describes no
// epilogue (and one by another GCC). They run here as far as a chip whose
// peripherals answer noise lets them.
func TestEveryInstructionOfCaptures(t *testing.T) {
	for _, path := range captures(t) {
		name := filepath.Base(path)
		arch := armv7m.V7EM
		if strings.HasPrefix(name, "RP2040") {
			arch = armv7m.V6M
		}
		t.Run(name, func(t *testing.T) {
			r := check(t, path, arch, 150_000)
			r.report(t)
			t.Logf("%d functions were a leaf", len(r.leaves))
			if r.stacks < 5_000 || r.differ > r.stacks/1000 || r.false > 0 {
				t.Errorf("%d of %d stacks differ, %d with a false frame", r.differ, r.stacks, r.false)
			}
		})
	}
}
