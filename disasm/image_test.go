package disasm_test

import (
	"debug/elf"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mprof/mprof/disasm"
	"github.com/mprof/mprof/firmware/corpus"
)

// image is what objdump uses of an ELF file.
type image struct {
	file    *elf.File
	symbols disasm.Symbols
	pointer uint32 // of RISC-V
	marks   []mark // mapping symbols, by address
}

type mark struct {
	addr uint32
	data bool
}

func open(t testing.TB, path string) *image {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	all, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	im := &image{file: f, pointer: globalPointer(all)}
	var symbols []disasm.Symbol
	for _, s := range all {
		kind := elf.ST_TYPE(s.Info)
		if len(s.Name) > 1 && s.Name[0] == '$' && int(s.Section) < len(f.Sections) && f.Sections[s.Section].Flags&elf.SHF_ALLOC != 0 {
			im.marks = append(im.marks, mark{uint32(s.Value), s.Name[1] == 'd'})
		}
		if kind == elf.STT_SECTION || kind == elf.STT_FILE || s.Section == elf.SHN_UNDEF {
			continue
		}
		addr := uint32(s.Value)
		if f.Machine == elf.EM_ARM && kind == elf.STT_FUNC {
			addr &^= 1
		}
		symbols = append(symbols, disasm.Symbol{Name: s.Name, Addr: addr, Size: uint32(s.Size), Function: kind == elf.STT_FUNC,
			Object: kind == elf.STT_OBJECT, Global: elf.ST_BIND(s.Info) == elf.STB_GLOBAL})
	}
	slices.SortStableFunc(im.marks, func(a, b mark) int { return int(int64(a.addr) - int64(b.addr)) })
	im.symbols = disasm.Table(symbols)
	return im
}

// decode disassembles the code of the file, section by section, as the mapping symbols say.
func (im *image) decode(t testing.TB, arch disasm.Arch) (all []disasm.Instruction) {
	t.Helper()
	for _, s := range im.file.Sections {
		if s.Flags&elf.SHF_EXECINSTR == 0 || s.Type != elf.SHT_PROGBITS {
			continue
		}
		content, err := s.Data()
		if err != nil {
			t.Fatal(err)
		}
		low, high := uint32(s.Addr), uint32(s.Addr+s.Size)
		at, data := low, arch == disasm.Thumb // nothing is said: objdump guesses
		flush := func(to uint32) {
			part := content[at-low : to-low]
			if data {
				all = disasm.Data(all, at, part)
			} else {
				all = disasm.Decoder{Arch: arch, Symbols: im.symbols, GlobalPointer: im.pointer}.Decode(all, at, part)
			}
			at = to
		}
		for _, m := range im.marks {
			if m.addr >= low && m.addr < high {
				if m.addr > at && (data || m.data) { // objdump cuts data at every symbol
					flush(m.addr)
				}
				data = m.data
			}
		}
		flush(high)
	}
	return all
}

// equal compares a file with objdump, line by line.
func equal(t *testing.T, arch disasm.Arch, tool, path string) {
	t.Helper()
	theirs := slices.DeleteFunc(objdump(t, tool, path), func(l line) bool {
		return l.text == "" // a variable in a section of code: a dump of bytes
	})
	ours := open(t, path).decode(t, arch)
	at := map[uint32]disasm.Instruction{}
	for _, i := range ours {
		at[i.Addr] = i
	}
	wrong := 0
	for _, l := range theirs {
		if got := disasm.Text(at[l.addr]); got != strings.TrimRight(l.text, "\t") {
			if _, ok := accepted(at[l.addr], l); ok {
				continue
			}
			if wrong++; wrong <= 10 {
				t.Errorf("%x: %s: %q, objdump says %q", l.addr, l.hex, got, l.text)
			}
		}
	}
	if wrong > 0 || len(theirs) < 100 {
		t.Errorf("%s: %d of %d lines differ, we have %d", filepath.Base(path), wrong, len(theirs), len(ours))
	}
	t.Logf("%d lines", len(theirs))
}

// The built-in firmware and the program with known shares.
func TestThumbFirmware(t *testing.T) {
	for _, path := range []string{"../firmware/demo/demo.elf", "../firmware/shares/shares.elf", "../firmware/examples/logger/logger.elf"} {
		t.Run(filepath.Base(path), func(t *testing.T) { equal(t, disasm.Thumb, "arm-none-eabi-objdump", path) })
	}
}

// Programs of every kind, by two compilers.
func TestThumbCorpus(t *testing.T) {
	programs := corpus.All()
	if testing.Short() {
		programs = corpus.Some(true)
	}
	for _, p := range programs {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			equal(t, disasm.Thumb, "arm-none-eabi-objdump", p.ELF(t))
		})
	}
}
