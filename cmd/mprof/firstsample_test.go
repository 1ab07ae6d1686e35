package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mprof/mprof/session/sampling"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/symbol/symboltest"
	"github.com/mprof/mprof/unwind"
)

// firstSample is everything between the start of the process and the names of
// the first stack: open the ELF file, unwind, look up functions, inlined calls
// and lines. The names come innermost first, inlined ones marked by "+".
func firstSample(tb testing.TB, path string, s *snapshot.Snapshot) (names []string) {
	image, err := symbol.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	u, err := unwind.New(sampling.UnwindProgram(alone(image)))
	if err != nil {
		tb.Fatal(err)
	}
	frames, _ := u.Unwind(nil, s)
	for _, f := range frames {
		if f.Kind == unwind.Exception {
			continue
		}
		for _, l := range image.Lookup(f.LookupPC()) {
			name := l.Name
			if l.Inlined {
				name = "+" + name
			}
			if l.CallLine == 0 {
				tb.Fatalf("%s at 0x%08x has no line", l.Name, f.PC)
			}
			names = append(names, name)
		}
	}
	return names
}

// writeLarge makes the synthetic program and its sample.
func writeLarge(tb testing.TB, units int) (symboltest.Program, string, *snapshot.Snapshot) {
	p := symboltest.Large(units, 12)
	path := filepath.Join(tb.TempDir(), "large.elf")
	if err := os.WriteFile(path, p.ELF, 0o600); err != nil {
		tb.Fatal(err)
	}
	s := &snapshot.Snapshot{Windows: []snapshot.Window{{Addr: p.SP, Data: p.Stack}}}
	s.Regs.Set(snapshot.PC, p.PC)
	s.Regs.Set(snapshot.SP, p.SP)
	s.Regs.Set(snapshot.LR, 0xffffffff)
	s.Regs.Set(snapshot.XPSR, 1<<24)
	s.Regs.Set(snapshot.MSP, p.SP)
	return p, path, s
}

// The stack of a large program is named right, each function by another unit.
func TestFirstSampleOfLarge(t *testing.T) {
	p, path, s := writeLarge(t, 200)
	if got := firstSample(t, path, s); !slices.Equal(got, p.Names) {
		t.Errorf("got  %q\nwant %q", got, p.Names)
	}
}

// alone is a program of one image.
func alone(app *symbol.Image) *symbol.Program {
	of, err := symbol.NewProgram(app)
	if err != nil {
		panic(err) // one image overlaps with none
	}
	return of
}
