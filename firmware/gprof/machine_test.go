package gprof_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/sim/armv7m"
)

// machine is testdata/arm/interrupted.c, and where its parts are.
type machine struct {
	elf     []byte
	symbols map[string]elf.Symbol
}

// buildMachine compiles the program with -pg, and the module without.
func buildMachine(t testing.TB, flags ...string) *machine {
	t.Helper()
	gcc := tool(t, "arm-none-eabi-gcc", gccHint)
	dir := t.TempDir()
	flags = append(strings.Fields("-mthumb -std=gnu99 -Wall -Wextra -Werror -g -DMEMORY=3000 -Isrc"), flags...)
	run := func(args ...string) {
		t.Helper()
		if out, err := exec.Command(gcc, append(flags, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	program, out := filepath.Join(dir, "program.o"), filepath.Join(dir, "program.elf")
	run("-pg", "-c", "-o", program, "testdata/arm/interrupted.c")
	run(append([]string{"-nostartfiles", "-T", "testdata/arm/interrupted.ld", "-Wl,--no-warn-rwx-segments", "-o", out, program}, sources(t)...)...)
	m := &machine{symbols: map[string]elf.Symbol{}}
	var err error
	if m.elf, err = os.ReadFile(out); err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(bytes.NewReader(m.elf))
	if err != nil {
		t.Fatal(err)
	}
	all, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		m.symbols[s.Name] = s
	}
	return m
}

func (m *machine) at(name string) uint32 { return uint32(m.symbols[name].Value) &^ 1 }

// within says whether an address is of a function.
func (m *machine) within(pc uint32, name string) bool {
	return pc-m.at(name) < uint32(m.symbols[name].Size)
}

func pcOf(c *armv7m.Core) uint32 {
	pc, _ := c.ReadReg(15)
	return pc
}

// start runs a program up to window_begin.
func (m *machine) start(t testing.TB, mode uint32) *armv7m.Core {
	t.Helper()
	b, err := sim.New(sim.Options{ELF: m.elf})
	if err != nil {
		t.Fatal(err)
	}
	c := b.Core()
	m.runTo(t, c, "window_begin")
	c.WriteBus(m.at("mode"), 4, mode)
	return c
}

func (m *machine) runTo(t testing.TB, c *armv7m.Core, symbol string) {
	t.Helper()
	for range 2_000_000 {
		if pcOf(c) == m.at(symbol) {
			return
		}
		c.Step()
	}
	t.Fatalf("%s was not reached", symbol)
}

// counted is what the module holds when the program has finished.
func (m *machine) counted(t *testing.T, c *armv7m.Core) held {
	t.Helper()
	m.runTo(t, c, "finished")
	return m.held(t, c)
}

func (m *machine) held(t *testing.T, c *armv7m.Core) (h held) {
	t.Helper()
	read := func(addr uint32, v any) {
		t.Helper()
		p := make([]byte, binary.Size(v))
		for i := range p {
			b, ok := c.ReadBus(addr+uint32(i), 1)
			if !ok {
				t.Fatalf("no memory at 0x%08x", addr)
			}
			p[i] = byte(b)
		}
		if _, err := binary.Decode(p, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	read(m.at("mprof_gprof"), &h.block)
	if h.Version != 0x67700001 || int(h.Size) != binary.Size(h.block) || h.Buckets > 1<<16 || h.Slots > 1<<16 || h.ArcsUsed > 1<<16 {
		t.Fatalf("%+v", h.block)
	}
	h.counters, h.hash, h.arcs = make([]uint16, h.Buckets), make([]uint16, h.Slots+1), make([]arc, h.ArcsUsed)
	read(h.Counters, h.counters)
	read(h.Hash, h.hash)
	read(h.Arcs, h.arcs)
	h.check(t)
	return h
}

// named is counts of calls by the caller's address and the function's name. EXC_RETURN is one caller.
func (m *machine) named(h *held) map[string]uint32 {
	n := map[string]uint32{}
	for _, a := range h.arcs {
		from := fmt.Sprintf("0x%x", a.From)
		if a.From >= 0xffffff00 {
			from = "exception"
		}
		for _, f := range []string{"inner", "again", "outer", "IRQ0_Handler", "IRQ1_Handler"} {
			if m.within(a.Self&^1, f) && a.Count > 0 {
				n[from+" "+f] += a.Count
			}
		}
	}
	return n
}
