package gproftest

import (
	"context"
	"debug/elf"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/mprof/mprof/firmware/examples/examplestest"
	"github.com/mprof/mprof/gmon/counters"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/sim/armv7m"
)

// program is the example and its functions.
type program struct {
	path      string
	file      []byte
	symbols   map[string]elf.Symbol
	functions []elf.Symbol // by address, without aliases
	profiled  map[string]bool
}

// build builds the example; profiled are the functions of its own file, which -pg was for.
func build(t testing.TB, b examplestest.Build) *program {
	t.Helper()
	b.Example = "gprof"
	p := &program{path: b.ELF(t), symbols: map[string]elf.Symbol{}, profiled: map[string]bool{}}
	var err error
	if p.file, err = os.ReadFile(p.path); err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(p.path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		p.symbols[s.Name] = s
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Size > 0 {
			p.functions = append(p.functions, s)
		}
	}
	o, err := elf.Open(p.path + ".objects/gprof/gprof.c.o")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if all, err = o.Symbols(); err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			p.profiled[s.Name] = true
		}
	}
	return p
}

func (p *program) address(t testing.TB, name string) uint32 {
	t.Helper()
	s, ok := p.symbols[name]
	if !ok {
		t.Fatalf("no symbol %s", name)
	}
	return uint32(s.Value) &^ 1
}

// function is the name of what lies at an address, "" for nothing.
func (p *program) function(at uint32) string {
	for _, s := range p.functions {
		if low := uint32(s.Value) &^ 1; at >= low && at < low+uint32(s.Size) {
			return s.Name
		}
	}
	return ""
}

// board runs a program up to the moment at which profiling begins. Calls are counted from
// then on.
func (p *program) board(t testing.TB, hz int) *sim.Board {
	t.Helper()
	b, err := sim.New(sim.Options{ELF: p.file, CoreHz: uint32(hz)})
	if err != nil {
		t.Fatal(err)
	}
	stepTo(t, b.Core(), p.address(t, "gprof_timer_start"), 0)
	b.Truth().CountArcs()
	return b
}

// stepTo executes up to an instruction of the main program: no handler is active.
func stepTo(t testing.TB, c *armv7m.Core, address uint32, length uint32) {
	t.Helper()
	for range 4_000_000 {
		if pc, _ := c.ReadReg(15); pc >= address && pc <= address+length {
			if xpsr, _ := c.ReadReg(16); xpsr&0x1ff == 0 {
				return
			}
		}
		c.Step()
	}
	t.Fatalf("0x%08x was not reached", address)
}

// restful steps into the loop of takes_40: all functions that are open have called mcount.
func (p *program) restful(t testing.TB, c *armv7m.Core) {
	t.Helper()
	at := p.address(t, "takes_40")
	stepTo(t, c, at+uint32(p.symbols["takes_40"].Size)-8, 2)
}

// coreMemory is the memory of a simulated core, between two instructions.
type coreMemory struct{ core *armv7m.Core }

func (m coreMemory) ReadMemory(_ context.Context, addr uint32, p []byte) error {
	for i := range p {
		v, ok := m.core.ReadBus(addr+uint32(i), 1)
		if !ok {
			return fmt.Errorf("no memory at 0x%08x", addr)
		}
		p[i] = byte(v)
	}
	return nil
}

func (m coreMemory) WriteMemory(_ context.Context, addr uint32, p []byte) error {
	for i := range p {
		if !m.core.WriteBus(addr+uint32(i), 1, uint32(p[i])) {
			return fmt.Errorf("no memory at 0x%08x", addr)
		}
	}
	return nil
}

// fetched reads what a target holds, as mprof gmon fetch does.
func (p *program) fetched(t testing.TB, m counters.Memory) *counters.Counts {
	t.Helper()
	c, err := counters.Read(t.Context(), m, counters.Place{Addr: p.address(t, counters.Symbol)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// share is of hundred.
func share(n, all uint64) string {
	return strings.TrimSpace(fmt.Sprintf("%.2f %%", 100*float64(n)/float64(max(all, 1))))
}
