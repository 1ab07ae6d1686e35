package symbol_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/symbol"
)

func open(t testing.TB, name string) *symbol.Image {
	t.Helper()
	im, err := symbol.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return im
}

// What is wrong with a file is said in one sentence that names it.
func TestOpenErrors(t *testing.T) {
	good, err := os.ReadFile("testdata/program5.elf")
	if err != nil {
		t.Fatal(err)
	}
	patch := func(off int, b ...byte) []byte {
		p := bytes.Clone(good)
		copy(p[off:], b)
		return p
	}
	shoff := binary.LittleEndian.Uint32(good[32:])
	for _, c := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"empty", nil, "is empty"},
		{"hex", []byte(":020000040800F2\r\n:10000000"), "looks like an Intel HEX file"},
		{"srec", []byte("S00F000068656C6C6F202020"), "looks like a Motorola S-record file"},
		{"uf2", []byte("UF2\n\x57\x51\x5d\x9e...."), "looks like a UF2 image"},
		{"bin", []byte{0, 0x50, 0, 0x20, 0x5d, 2, 0, 8, 0, 0, 0, 0}, "looks like a raw flash image"},
		{"text", []byte("int main(void)\n"), "is a text file"},
		{"archive", []byte("!<arch>\nlibc.o/"), "is a static library"},
		{"other", []byte{0x80, 1, 2, 3, 4}, "is not an ELF (it starts with 80 01 02 03)"},
		{"header only", good[:40], "is truncated: an ELF header has 52 bytes, the file only 40"},
		{"no sections", good[:shoff], "is truncated: its section header table"},
		{"half", good[:len(good)/2], "is truncated"},
		{"x86-64", patch(18, 62, 0), "is an ELF for x86-64; mprof profiles 32-bit ARM (Cortex-M) and RISC-V programs"},
		{"riscv", patch(18, 243, 0), "is an ELF for RISC-V"},
		{"strange machine", patch(18, 0x39, 0x30), "another machine (e_machine 12345)"},
		{"64 bit", patch(4, 2), "is a 64-bit ELF"},
		{"big endian", patch(5, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 40), "is a big-endian ELF"},
		{"relocatable", patch(16, 1, 0), "is a relocatable object (.o)"},
		{"core", patch(16, 4, 0), "is a core dump"},
		{"no segments", patch(44, 0, 0), "has no loadable segment"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "app.elf")
			if err := os.WriteFile(path, c.content, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := symbol.Open(path)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	if _, err := symbol.Open("testdata/absent.elf"); !errors.Is(err, fs.ErrNotExist) || strings.Count(err.Error(), "file") != 1 {
		t.Errorf("absent: %v", err)
	}
	if _, err := symbol.Open("testdata"); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("directory: %v", err)
	}
}

// Any proper prefix of the file is refused: its section headers are last.
func TestPrefixIsTruncated(t *testing.T) {
	good, err := os.ReadFile("testdata/program5.elf")
	if err != nil {
		t.Fatal(err)
	}
	for n := 4; n < len(good); n += 13 {
		if _, err := symbol.New(bytes.NewReader(good[:n]), int64(n), "app.elf"); err == nil || !strings.Contains(err.Error(), "truncated") {
			t.Fatalf("%d of %d bytes: %v", n, len(good), err)
		}
	}
}

func TestImage(t *testing.T) {
	im := open(t, "program5.elf")
	if got := im.CodeRanges(); len(got) != 2 || !got[0].Contains(0x08000100) || !got[1].Contains(0x20000100) {
		t.Errorf("code ranges %+v", got)
	}
	if len(im.BuildID()) != 20 {
		t.Errorf("build id %x", im.BuildID())
	}
	reset, ok := im.ResetHandler()
	if !ok || reset != im.Entry() {
		t.Errorf("reset handler 0x%08x, entry 0x%08x", reset, im.Entry())
	}
	if f, ok := im.Function(reset); !ok || f.Name != "Reset_Handler" || f.Low != reset || filepath.Base(f.File) != "inlined.c" || f.Line != 75 {
		t.Errorf("function at reset: %+v", f)
	}
	if sp, ok := im.InitialSP(); !ok || sp != 0x20005000 {
		t.Errorf("initial SP 0x%08x", sp)
	}
	if at, ok := im.Vectors(); !ok || at != 0x08000000 {
		t.Errorf("vectors at 0x%08x", at)
	}
	got := map[uint16]string{}
	for _, exc := range []uint16{0, 2, 3, 8, 11, 14, 15, 16, 17, 18, 19, 511, 65535} {
		got[exc] = im.Handler(exc)
	}
	want := map[uint16]string{0: "unknown", 2: "NMI", 3: "HardFault", 8: "reserved exception 8", 11: "SVCall", 14: "PendSV", 15: "SysTick",
		16: "IRQ 0 (Default_Handler)", 17: "IRQ 1 (TIM2_IRQHandler)", 18: "IRQ 2 (Default_Handler)", 19: "IRQ 3", 511: "IRQ 495", 65535: "IRQ 65519"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s := im.Segments()[0]; s.Vaddr != 0x08000000 || s.Write || len(s.Data) == 0 {
		t.Errorf("first segment %+v", s)
	}
	if r := im.Remarks(); len(r) != 0 {
		t.Errorf("remarks %q", r)
	}
}

func TestReadCode(t *testing.T) {
	im := open(t, "program5.elf")
	var word [4]byte
	if !im.ReadCode(0x08000000, word[:]) || binary.LittleEndian.Uint32(word[:]) != 0x20005000 {
		t.Errorf("first vector: %x", word)
	}
	text, addr, _ := im.Section(".text")
	all := make([]byte, len(text))
	if !im.ReadCode(addr, all) || !bytes.Equal(all, text) {
		t.Error(".text differs from its segment")
	}
	for _, addr := range []uint32{0, 0x07fffffe, 0x20000000, 0x30000000, 0xfffffffe} {
		if im.ReadCode(addr, word[:]) {
			t.Errorf("read 0x%08x, which the file does not hold", addr)
		}
	}
}

// A stripped file still works by what is left, and says what is missing.
func TestStripped(t *testing.T) {
	objcopy := need(t, "arm-none-eabi-objcopy")
	full := open(t, "program5.elf")
	pc := full.Entry() + 8
	for _, c := range []struct {
		flag, remark, name string
		dwarf              bool
	}{
		{"--strip-debug", "no DWARF line information: functions come from the symbol table", "Reset_Handler", false},
		{"--strip-all", "stripped ELF: it has neither a symbol table nor debug information", "", false},
		{"--remove-section=.debug_line", "no DWARF line information (.debug_line is missing)", "Reset_Handler", false},
		{"--remove-section=.debug_info", "no .debug_info", "Reset_Handler", false},
	} {
		t.Run(c.flag, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "stripped.elf")
			run(t, objcopy, c.flag, "testdata/program5.elf", path)
			im, err := symbol.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			if im.HasDWARF() != c.dwarf {
				t.Errorf("HasDWARF is %v", im.HasDWARF())
			}
			at := im.Lookup(pc)
			switch {
			case c.name == "" && len(at) != 0, c.name != "" && (len(at) == 0 || at[len(at)-1].Name != c.name):
				t.Errorf("lookup: %+v", at)
			}
			if !strings.Contains(strings.Join(im.Remarks(), "\n"), c.remark) {
				t.Errorf("remarks %q", im.Remarks())
			}
			if !bytes.Equal(im.BuildID(), full.BuildID()) {
				t.Errorf("build id %s", hex.EncodeToString(im.BuildID()))
			}
		})
	}
}

// Damaged DWARF costs lines and inlined calls, never the functions of the
// symbol table, and is said.
func TestDamagedDWARF(t *testing.T) {
	good, err := os.ReadFile("testdata/program5.elf")
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(bytes.NewReader(good))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".debug_abbrev", ".debug_info", ".debug_line", ".debug_rnglists"} {
		data := bytes.Clone(good)
		s := f.Section(name)
		for i := range s.Size {
			data[s.Offset+i] ^= 0x55
		}
		im, err := symbol.New(bytes.NewReader(data), int64(len(data)), "damaged.elf")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, r := range im.CodeRanges() {
			for pc := r.Low; pc < r.High; pc += 2 {
				im.Lookup(pc)
			}
		}
		if f, ok := im.Function(im.Entry()); !ok || f.Name != "Reset_Handler" {
			t.Errorf("%s: function at the entry: %+v", name, f)
		}
		if !strings.Contains(strings.Join(im.Remarks(), "\n"), "damaged DWARF") {
			t.Errorf("%s: remarks %q", name, im.Remarks())
		}
	}
}

// Without section headers (sstrip) the executable segments are the code.
func TestNoSectionHeaders(t *testing.T) {
	good, err := os.ReadFile("testdata/program5.elf")
	if err != nil {
		t.Fatal(err)
	}
	bare := bytes.Clone(good)
	copy(bare[32:], []byte{0, 0, 0, 0}) // e_shoff
	copy(bare[46:], make([]byte, 6))    // e_shentsize, e_shnum, e_shstrndx
	im, err := symbol.New(bytes.NewReader(bare), int64(len(bare)), "bare.elf")
	if err != nil {
		t.Fatal(err)
	}
	full := open(t, "program5.elf")
	if r := im.CodeRanges(); len(r) == 0 || !r[0].Contains(full.Entry()) {
		t.Errorf("code ranges %+v", r)
	}
	if !bytes.Equal(im.BuildID(), full.BuildID()) {
		t.Errorf("build id %x", im.BuildID())
	}
	if at, ok := im.Vectors(); !ok || at != 0x08000000 {
		t.Errorf("vectors at 0x%08x", at)
	}
	if at := im.Lookup(im.Entry()); at != nil {
		t.Errorf("functions from nothing: %+v", at)
	}
}

// Functions that run from RAM, and the long calls to them.
func TestFunctionInRAM(t *testing.T) {
	im := open(t, "program5.elf")
	if f, ok := im.Function(0x20000104); !ok || f.Name != "in_ram" || f.Low != 0x20000100 || f.Line == 0 {
		t.Errorf("%+v", f)
	}
	if f, ok := im.Function(0x20000000); ok {
		t.Errorf("data is a function: %+v", f)
	}
}

// Other profiles of the ARM architecture have the same e_machine.
func TestApplicationProcessor(t *testing.T) {
	program := filepath.Join(t.TempDir(), "linux.elf")
	run(t, need(t, "arm-none-eabi-gcc"), "-mcpu=cortex-a9", "-nostdlib", "-ffreestanding", "-Wl,--entry=Reset_Handler", "-o", program, "testdata/inlined.c", "-lgcc")
	if _, err := symbol.Open(program); err == nil || !strings.Contains(err.Error(), "is built for an ARM A-profile core") {
		t.Error(err)
	}
}

// Split DWARF leaves functions and lines in the ELF, inlined calls not.
func TestSplitDWARF(t *testing.T) {
	im, err := symbol.Open(build(t, "-O2 -gdwarf-5 -gsplit-dwarf -dumpdir "+t.TempDir()+"/", "inlined.c"))
	if err != nil {
		t.Fatal(err)
	}
	at := im.Lookup(im.Entry() + 4)
	if len(at) != 1 || at[0].Name != "Reset_Handler" || at[0].CallLine == 0 {
		t.Errorf("%+v", at)
	}
}

// Code alone, without any symbol, keeps the names that DWARF has.
func TestDWARFWithoutSymbols(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nosymtab.elf")
	run(t, need(t, "arm-none-eabi-objcopy"), "--strip-all", "--keep-section=.debug_*", "testdata/program5.elf", path)
	if im, err := symbol.Open(path); err == nil && im.HasDWARF() {
		if f, ok := im.Function(im.Entry()); !ok || f.Name != "Reset_Handler" {
			t.Errorf("%+v", f)
		}
	}
}

func TestSource(t *testing.T) {
	im := open(t, "program5.elf")
	f, _ := im.Function(im.Entry())
	if s, ok := im.Source(f.File); !ok || !strings.Contains(s, "Reset_Handler") {
		t.Errorf("%s: not found", f.File)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("root:x:0:0"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "nowhere.c", secret, "testdata", "program5.elf", "\x00.c"} {
		if _, ok := im.Source(name); ok {
			t.Errorf("%q was read", name)
		}
	}
}

// TestObject finds global variables, and neither functions nor what is not there.
func TestObject(t *testing.T) {
	im, err := symbol.New(bytes.NewReader(demo.ELF), int64(len(demo.ELF)), "demo.elf")
	if err != nil {
		t.Fatal(err)
	}
	if r, ok := im.Object("__malloc_free_list"); !ok || r != (symbol.Range{Low: 0x200077F4, High: 0x200077F8}) {
		t.Errorf("__malloc_free_list: %+v, %v", r, ok)
	}
	for _, name := range []string{"main", "nothing_of_this_name", ""} {
		if r, ok := im.Object(name); ok {
			t.Errorf("%q is an object at 0x%08x", name, r.Low)
		}
	}
}
