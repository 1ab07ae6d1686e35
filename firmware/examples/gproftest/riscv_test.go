package gproftest

import (
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/gmon/counters"
	"github.com/mprof/mprof/sim/qemu"
)

// monitorMemory is the memory of a machine by its monitor, a word at a time.
type monitorMemory struct{ m *qemu.Machine }

func (m monitorMemory) ReadMemory(_ context.Context, addr uint32, p []byte) error {
	for i := 0; i < len(p); i += 4 {
		v, err := m.m.Word(addr + uint32(i))
		if err != nil {
			return err
		}
		copy(p[i:], binary.LittleEndian.AppendUint32(nil, v))
	}
	return nil
}

func (monitorMemory) WriteMemory(context.Context, uint32, []byte) error {
	return errors.New("this test does not write")
}

// buildRISCV compiles the program with -pg, and the module without.
func buildRISCV(t *testing.T) *program {
	t.Helper()
	const gcc = "riscv64-unknown-elf-gcc"
	qemu.Require(t, gcc)
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		flags := strings.Fields("-mabi=ilp32 -mcmodel=medany -O2 -g -ffreestanding -Wall -Wextra -Werror -I../../gprof/src")
		if out, err := exec.Command(gcc, append(flags, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	const csr = "-march=rv32imc_zicsr" // GCC 12 has libraries for rv32imc
	path := filepath.Join(dir, "riscv.elf")
	objects := []string{filepath.Join(dir, "riscv.o")}
	run(csr, "-pg", "-c", "-o", objects[0], "testdata/riscv.c")
	module, err := filepath.Glob("../../gprof/src/*.c")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range module {
		object := filepath.Join(dir, filepath.Base(file)+".o")
		run(csr, "-c", "-o", object, file)
		objects = append(objects, object)
	}
	run(append([]string{"-march=rv32imc", "-nostartfiles", "-nostdlib", "-T", "testdata/riscv.ld", "-Wl,--no-warn-rwx-segments", "-o", path}, append(objects, "-lgcc")...)...)
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := &program{path: path, symbols: map[string]elf.Symbol{}}
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
	return p
}

// The module on RISC-V: calls in the numbers that the source says, and times in its proportion.
func TestOnRISCV(t *testing.T) {
	qemu.Require(t, qemu.CommandRISCV)
	p := buildRISCV(t)
	m := qemu.Start(t, qemu.Options{Board: "virt", ELF: p.path, Silent: true})
	for {
		if n, err := m.Word(p.address(t, counters.Symbol) + 11*4); err != nil {
			t.Fatal(err)
		} else if n > 3000 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if _, err := m.Monitor("stop"); err != nil {
		t.Fatal(err)
	}
	c := p.fetched(t, monitorMemory{m})
	calls, times := map[string]int{}, map[string]float64{}
	for _, a := range c.Arcs {
		calls[p.function(a.Self)] += int(a.Count)
	}
	for i, n := range c.Counters {
		times[p.function(c.After.Low+uint32(i)<<c.After.BucketShift)] += float64(n)
	}
	rounds := calls["round_of_all"]
	for f, each := range map[string]int{"takes_20": 1, "takes_40": 1, "climbs": 4} {
		if d := calls[f] - each*rounds; rounds < 100 || d > 0 || d < -each {
			t.Errorf("%s: %d calls in %d rounds", f, calls[f], rounds)
		}
	}
	if q := times["takes_40"] / times["takes_20"]; q < 1.6 || q > 2.4 || times["takes_40"] < 1500 {
		t.Errorf("takes_40: %.0f ticks, takes_20: %.0f", times["takes_40"], times["takes_20"])
	}
	if c.After.Outside != 0 || c.After.ArcsLost != 0 {
		t.Errorf("%+v", c.After)
	}
	t.Logf("%v %v", calls, times)
}
