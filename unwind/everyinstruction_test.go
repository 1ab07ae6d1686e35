package unwind

import (
	"debug/elf"
	"fmt"
	"os"
	"sort"
	"testing"

	"github.com/mprof/mprof/sim/armv7m"
	"github.com/mprof/mprof/snapshot"
)

// tally counts stacks and keeps an example of each place where they differ.
type tally struct {
	stacks, differ, cut, false int // false: a frame that is none
	where                      map[string]*difference
}

type difference struct {
	n    int
	text string
}

// check runs a program instruction by instruction and compares the stack that
// is unwound with the one that was watched.
func check(t *testing.T, path string, arch armv7m.Arch, instructions int) *tally {
	t.Helper()
	u, err := New(loadProgram(t, path))
	if err != nil {
		t.Fatal(err)
	}
	s := simulate(t, path, arch)
	names := functionNames(t, path)
	c := &tally{where: map[string]*difference{}}
	var got, want []Frame
	last := ^uint32(0)
	for i := 0; i < instructions; i++ {
		s.Step()
		snap := s.freeze()
		pc, _ := snap.Regs.Value(snapshot.PC)
		if pc == last { // asleep, or a loop that does nothing
			continue
		}
		last = pc
		psp, _ := snap.Regs.Value(snapshot.PSP)
		var stop Stop
		got, stop = u.Unwind(got[:0], snap)
		want = s.frames(want[:0], pc, psp, s.word)
		c.compare(got, want, stop, names)
	}
	return c
}

func (c *tally) compare(got, want []Frame, stop Stop, names func(uint32) string) {
	c.stacks++
	same := len(got) == len(want)
	wrong := len(got) > len(want)
	for i := range min(len(got), len(want)) {
		if got[i].PC != want[i].PC || got[i].Kind != want[i].Kind || got[i].ExcNum != want[i].ExcNum {
			same, wrong = false, true
			break
		}
	}
	if same && stop.Reason == Complete {
		return
	}
	c.differ++
	if wrong {
		c.false++
	} else {
		c.cut++
	}
	key := fmt.Sprintf("%s: %v", names(want[0].PC), stop.Reason)
	d := c.where[key]
	if d == nil {
		d = &difference{text: fmt.Sprintf("got %s\nwant %s\nstop %v 0x%08x", stackText(got, names), stackText(want, names), stop.Reason, stop.Addr)}
		c.where[key] = d
	}
	d.n++
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
	t.Logf("%d stacks, %d differ (%.4f %%): %d cut, %d with a false frame", c.stacks, c.differ, 100*float64(c.differ)/float64(c.stacks), c.cut, c.false)
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
	if c.stacks < n/10 || float64(c.differ) > 0.005*float64(c.stacks) {
		t.Errorf("%d of %d stacks differ", c.differ, c.stacks)
	}
}
