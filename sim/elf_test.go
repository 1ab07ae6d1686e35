package sim_test

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/sim"
)

// patched is spin.elf with bytes at an offset replaced.
func patched(t *testing.T, at int, b ...byte) []byte {
	f := bytes.Clone(elfFile(t, "spin.elf"))
	copy(f[at:], b)
	return f
}

func TestBadELF(t *testing.T) {
	whole := elfFile(t, "spin.elf")
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		self = nil
	}
	for _, c := range []struct {
		name string
		elf  []byte
		want string
	}{
		{"none", nil, "no firmware"},
		{"empty", []byte{}, "not an ELF"},
		{"text", []byte("hello, world: this is no ELF"), "not an ELF"},
		{"header only", whole[:40], "damaged ELF"},
		{"cut in the segments", whole[:0x1010], "ELF"},
		{"another machine", patched(t, 18, 0xf3, 0), "RISCV"},
		{"big endian", patched(t, 5, 2), "ELF"},
		{"no segments", patched(t, 44, 0, 0), "nothing"},
		{"this test", self, "not for ARM"},
	} {
		if c.name == "this test" && c.elf == nil {
			continue
		}
		_, err := sim.New(sim.Options{ELF: c.elf})
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		if s := err.Error(); !strings.HasPrefix(s, "sim: ") || c.want != "nothing" && !strings.Contains(s, c.want) {
			t.Errorf("%s: %q, want %q in it", c.name, s, c.want)
		}
	}
}

func TestUnknownModel(t *testing.T) {
	_, err := sim.New(sim.Options{ELF: elfFile(t, "spin.elf"), Model: "j-link"})
	if err == nil || !strings.Contains(err.Error(), "daplink-hid") {
		t.Errorf("%v", err)
	}
}

// The architecture is that of the build attributes: the CPUID says so.
func TestArchitecture(t *testing.T) {
	for name, part := range map[string]uint32{"spin.elf": 0xc24, "spin-m0.elf": 0xc60, "sleep.elf": 0xc23} {
		b := newBoard(t, sim.Options{ELF: elfFile(t, name)})
		if v, ok := b.Core().ReadBus(0xe000ed00, 4); !ok || v>>4&0xfff != part {
			t.Errorf("%s: CPUID 0x%08x", name, v)
		}
		if r := b.Remarks(); len(r) != 0 {
			t.Errorf("%s: %q", name, r)
		}
	}
}

// Segments are loaded where p_paddr says; RAM reaches over the stack pointer of
// the vector table and no further than it must.
func TestMemory(t *testing.T) {
	b := newBoard(t, sim.Options{})
	f, err := elf.NewFile(bytes.NewReader(elfFile(t, "spin.elf")))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := f.Section(".text").Data()
	for i := 0; i+4 <= len(text); i += 4 {
		if v, ok := b.Core().ReadBus(0x080000b4+uint32(i), 4); uint64(0x080000b4) == f.Section(".text").Addr && (!ok || v != binary.LittleEndian.Uint32(text[i:])) {
			t.Fatalf("word %d of .text: 0x%08x", i, v)
		}
	}
	for addr, want := range map[uint32]bool{
		0x08000000: true, 0x20000000: true, 0x20004ffc: true, 0x2000fffc: true, 0x20010000: false,
		0x40021000: true, 0x5ffffffc: true, 0x60000000: false, 0x10000000: false,
	} {
		if _, ok := b.Core().ReadBus(addr, 4); ok != want {
			t.Errorf("0x%08x readable: %v", addr, ok)
		}
	}
	b.Sleep(context.Background(), 10*time.Millisecond)
	symbols, _ := f.Symbols()
	for _, s := range symbols {
		v, _ := b.Core().ReadBus(uint32(s.Value)&^3, 4)
		switch s.Name {
		case "initialised":
			if v != 0x12345678 {
				t.Errorf("initialised = 0x%08x: .data was not copied from its load address", v)
			}
		case "ticks":
			if v != 9 && v != 10 {
				t.Errorf("%d ticks of 1 ms in 10 ms", v)
			}
		}
	}
}

// The truth has the program's functions, and its time adds up.
func TestTruth(t *testing.T) {
	b := newBoard(t, sim.Options{})
	b.Sleep(context.Background(), 100*time.Millisecond)
	self := b.Truth().Self()
	var sum uint64
	for _, n := range self {
		sum += n
	}
	if sum != b.Truth().RunningCycles() || sum+100 < b.Core().Cycles() {
		t.Errorf("%d cycles by function of %d: %v", sum, b.Core().Cycles(), self)
	}
	if self["inner"] < sum*9/10 || self["outer"] == 0 || self["systick_handler"] == 0 || self["main"] == 0 {
		t.Errorf("self cycles %v", self)
	}
}

// At the moment of a halt the truth's stack starts with the function of the PC.
func TestOnHalt(t *testing.T) {
	h := newHost(t, sim.Options{})
	h.connect(10_000_000)
	halts := 0
	h.board.OnHalt(func(at time.Duration) {
		halts++
		pc, _ := h.board.Core().ReadReg(15)
		stack := h.board.Truth().Stack(pc)
		if len(stack) < 2 || at == 0 {
			t.Errorf("halt at %v, PC 0x%08x: stack %v", at, pc, stack)
		}
	})
	for range 10 {
		h.board.Sleep(context.Background(), 997*time.Microsecond)
		h.do(sampleBatch)
	}
	if halts != 10 {
		t.Errorf("%d halts", halts)
	}
}

// Objects, shared libraries and hosted programs are refused with a sentence;
// what a linker makes for other layouts runs.
func TestLayouts(t *testing.T) {
	gcc, err := exec.LookPath("arm-none-eabi-gcc")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("arm-none-eabi-gcc is not installed: scripts/setup.sh test installs it")
	}
	dir := t.TempDir()
	build := func(name string, args ...string) []byte {
		out := dir + "/" + name
		cmd := exec.Command(gcc, append([]string{"-mthumb", "-O1", "-nostdlib", "-ffreestanding", "-o", out}, args...)...)
		if msg, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, msg)
		}
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	script, err := os.ReadFile("testdata/board.ld")
	if err != nil {
		t.Fatal(err)
	}
	at := func(flash, ram string) string {
		path := dir + "/" + flash + ram + ".ld"
		s := strings.NewReplacer("0x08000000", flash, "0x20000000", ram).Replace(string(script))
		if err := os.WriteFile(path, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, b := range map[string][]byte{
		"flash at 0":           build("a", "-mcpu=cortex-m3", "-T", at("0x00000000", "0x20000000"), "testdata/spin.c"),
		"all in RAM":           build("b", "-mcpu=cortex-m4", "-T", at("0x20000000", "0x20008000"), "testdata/spin.c"),
		"RAM in the code area": build("c", "-mcpu=cortex-m4", "-T", at("0x00000000", "0x10000000"), "testdata/spin.c"),
		"external RAM":         build("d", "-mcpu=cortex-m7", "-mfloat-abi=soft", "-T", at("0x60000000", "0x80000000"), "testdata/spin.c"),
		"two vectors":          build("g", "-mcpu=cortex-m0", "-T", at("0x08000000", "0x20000000"), "testdata/minimal.c"),
		"symbols stripped":     build("e", "-mcpu=cortex-m4", "-s", "-T", at("0x08000000", "0x20000000"), "testdata/spin.c"),
		"ARMv8-M":              build("f", "-mcpu=cortex-m33", "-mfloat-abi=soft", "-T", at("0x10000000", "0x38000000"), "testdata/spin.c"),
	} {
		board, err := sim.New(sim.Options{ELF: b})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		board.Sleep(context.Background(), 5*time.Millisecond)
		if s := board.CoreState(); s.LockedUp || board.Core().Instructions() < 10_000 {
			t.Errorf("%s: %+v after %d instructions", name, s, board.Core().Instructions())
		}
		if remarks := board.Remarks(); (len(remarks) > 0) != (name == "ARMv8-M") {
			t.Errorf("%s: remarks %q", name, remarks)
		}
	}
	for name, b := range map[string][]byte{
		"object":   build("o", "-mcpu=cortex-m4", "-c", "testdata/spin.c"),
		"Cortex-A": build("p", "-mcpu=cortex-a9", "-T", at("0x08000000", "0x20000000"), "testdata/spin.c"),
	} {
		if _, err := sim.New(sim.Options{ELF: b}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// The built-in firmware runs for seconds.
func TestDemo(t *testing.T) {
	b := newBoard(t, sim.Options{ELF: demo.ELF})
	long := 10 * time.Second
	if testing.Short() {
		long = time.Second
	}
	b.Sleep(context.Background(), long)
	if s := b.CoreState(); s.LockedUp || s.Halted {
		t.Errorf("%+v", s)
	}
	if b.Core().SleepCycles() == 0 || len(b.Truth().Self()) < 10 {
		t.Errorf("asleep %d cycles, %d functions", b.Core().SleepCycles(), len(b.Truth().Self()))
	}
	if self := b.Truth().Self(); self["<unknown>"] > b.Core().Cycles()/1000 {
		t.Errorf("%d cycles in unknown code", self["<unknown>"])
	}
}

// No file makes New panic or take more memory than a microcontroller can have.
func FuzzELF(f *testing.F) {
	whole, err := os.ReadFile("testdata/spin.elf")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:0x1020])
	f.Fuzz(func(t *testing.T, b []byte) {
		board, err := sim.New(sim.Options{ELF: b})
		if err != nil {
			return
		}
		board.Sleep(context.Background(), 10*time.Microsecond)
	})
}
