package report_test

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/report"
	"github.com/mprof/mprof/symbol"
)

func openELF(t *testing.T, path string) *symbol.Program {
	t.Helper()
	im, err := symbol.OpenAny(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := symbol.NewProgram(im)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// addressRow is a row of pprof -top -addresses: flat, cum, address.
var addressRow = regexp.MustCompile(`^ *(\d+) +\S+% +\S+% +(\d+) +\S+% +([0-9a-f]{16}) `)

// The annotated machine code of all functions has the samples that pprof has for each address.
func TestCodeEqualsPprof(t *testing.T) {
	file, p := sampled(t)
	self, total := map[uint64]int{}, map[uint64]int{}
	for line := range strings.Lines(pprof(t, file, "-top", "-addresses", "-noinlines")) {
		if m := addressRow.FindStringSubmatch(line); m != nil {
			addr, _ := strconv.ParseUint(m[3], 16, 64)
			flat, _ := strconv.Atoi(m[1])
			cum, _ := strconv.Atoi(m[2])
			self[addr] += flat
			total[addr] += cum
		}
	}
	if len(self) < 300 {
		t.Fatalf("pprof has %d addresses", len(self))
	}
	r, err := report.New(p, openELF(t, "../firmware/demo/demo.elf"))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.AddCode("."); err != nil {
		t.Fatal(err)
	}
	type count struct{ self, total int }
	ours, end := map[uint32]count{}, map[uint32]uint32{} // by instruction: entries of one function overlap (__subsf3 and __addsf3)
	for _, l := range r.Code {
		selves := 0
		for _, i := range l.Instructions {
			c := ours[i.Addr]
			ours[i.Addr] = count{c.self + i.Self.Samples, c.total + i.Total.Samples}
			end[i.Addr] = i.Addr + uint32(len(strings.ReplaceAll(i.Raw, " ", "")))/2
			selves += i.Self.Samples
		}
		if selves != l.Self.Samples {
			t.Errorf("%s: its instructions have %d samples, it has %d", l.Symbol, selves, l.Self.Samples)
		}
	}
	both, found := 0, 0
	for addr, c := range ours {
		var s, n int
		for at := addr; at < end[addr]; at++ {
			s, n = s+self[uint64(at)], n+total[uint64(at)]
			delete(total, uint64(at))
		}
		if c.total > 0 {
			found++
		}
		// Where a call of itself ends a stack and stands below it, too, pprof counts the stack for two addresses.
		if twice := n - c.total; s != c.self || twice < 0 || twice > c.self {
			t.Errorf("0x%x: %d and %d samples, pprof has %d and %d", addr, c.self, c.total, s, n)
		} else {
			both += twice
		}
	}
	for addr, n := range total {
		if n > 0 && addr != 0 {
			t.Errorf("pprof has %d samples at 0x%x", n, addr)
		}
	}
	if found < 300 || both > 10 {
		t.Errorf("%d instructions with samples of %d, %d of calls of themselves", found, len(ours), both)
	}
}

// A function that is inlined everywhere has no code of its own; without the ELF file there is none at all.
func TestCodeRefuses(t *testing.T) {
	rows := profile.NewRows()
	f := rows.Function(profile.Function{Name: "inlined", File: "a.c", Line: 1}, 0)
	outer := rows.Function(profile.Function{Name: "outer", File: "a.c", Line: 9}, 0)
	s := rows.Symbol(profile.Symbol{Name: "outer", Low: 0x10, High: 0x20})
	at := rows.Stack(profile.None, rows.Frame(profile.Frame{Function: outer, Symbol: s, Addr: 0x12}))
	at = rows.Stack(at, rows.Frame(profile.Frame{Function: f, Symbol: s, Addr: 0x12, Depth: 1}))
	p := rows.Finish()
	p.Threads = []profile.ThreadTrack{{Name: "Core 0", Samples: []profile.Sample{{Count: 1, Weight: 1, Stack: at}}}}
	without, err := report.New(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := without.AddCode("outer"); !errors.Is(err, report.ErrNoCode) {
		t.Error(err)
	}
	with, err := report.New(p, openELF(t, "../firmware/demo/demo.elf"))
	if err != nil {
		t.Fatal(err)
	}
	var inlined *report.InlinedError
	if err := with.AddCode("inlined"); !errors.As(err, &inlined) || inlined.Name != "inlined" {
		t.Error(err)
	}
	if err := with.AddCode("outer"); !errors.Is(err, report.ErrNoCode) { // 0x10 is in no code of this file
		t.Error(err)
	}
}
