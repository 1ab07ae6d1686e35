package unwind

import (
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
)

// loadProgram reads an ELF file the way the symbol package would, but with
// nothing of it, so that the two can disagree.
func loadProgram(t testing.TB, path string) Program {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var p Program
	var held []heldSection
	for _, s := range f.Sections {
		if s.Type == elf.SHT_NOBITS || s.Size == 0 {
			continue
		}
		data := func() []byte {
			d, err := s.Data()
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		switch {
		case s.Name == ".debug_frame":
			p.DebugFrame = data()
		case s.Name == ".eh_frame":
			p.EHFrame, p.EHFrameAt = data(), uint32(s.Addr)
		case s.Name == ".ARM.exidx":
			p.Exidx = Range{uint32(s.Addr), uint32(s.Addr + s.Size)}
			held = append(held, heldSection{uint32(s.Addr), data()})
		}
		if s.Flags&elf.SHF_ALLOC != 0 && s.Type == elf.SHT_PROGBITS && s.Flags&elf.SHF_WRITE == 0 || s.Flags&elf.SHF_EXECINSTR != 0 {
			held = append(held, heldSection{uint32(s.Addr), data()})
		}
		if s.Flags&elf.SHF_EXECINSTR != 0 {
			p.Code = append(p.Code, Range{uint32(s.Addr), uint32(s.Addr + s.Size)})
		}
	}
	slices.SortFunc(p.Code, func(a, b Range) int { return int(int64(a.Low) - int64(b.Low)) })
	p.ReadCode = func(addr uint32, b []byte) bool {
		for _, h := range held {
			if off := addr - h.addr; addr >= h.addr && uint64(off)+uint64(len(b)) <= uint64(len(h.data)) {
				copy(b, h.data[off:])
				return true
			}
		}
		return false
	}
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	functions := functionRanges(symbols, p.Code)
	p.Function = func(pc uint32) (Range, bool) {
		n := sort.Search(len(functions), func(i int) bool { return functions[i].Low > pc })
		if n == 0 || !functions[n-1].Contains(pc) {
			return Range{}, false
		}
		return functions[n-1], true
	}
	for _, s := range symbols {
		if s.Name == "Reset_Handler" || s.Name == "Reset" {
			p.Outermost = append(p.Outermost, uint32(s.Value))
		}
	}
	return p
}

type heldSection struct {
	addr uint32
	data []byte
}

// functionRanges bounds STT_FUNC symbols; one without a size reaches to the
// next or to the end of its section.
func functionRanges(symbols []elf.Symbol, code []Range) []Range {
	var out []Range
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Section == elf.SHN_UNDEF || s.Section >= elf.SHN_LORESERVE {
			continue
		}
		low := uint32(s.Value) &^ 1
		out = append(out, Range{low, low + uint32(s.Size)})
	}
	slices.SortFunc(out, func(a, b Range) int {
		if a.Low != b.Low {
			return int(int64(a.Low) - int64(b.Low))
		}
		return int(int64(b.High) - int64(a.High))
	})
	out = slices.CompactFunc(out, func(a, b Range) bool { return a.Low == b.Low })
	for i := range out {
		if out[i].High > out[i].Low {
			continue
		}
		for _, c := range code {
			if c.Contains(out[i].Low) {
				out[i].High = c.High
			}
		}
		if i+1 < len(out) {
			out[i].High = min(out[i].High, out[i+1].Low)
		}
	}
	return out
}

// tool finds a program that a test needs.
func tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is not installed", name)
	}
	t.Skipf("%s is not installed", name)
	return ""
}

// captures lists the ELF files of the captures from real chips.
func captures(t testing.TB) []string {
	t.Helper()
	paths, _ := filepath.Glob("../../shared/data/unwind/*.elf")
	if len(paths) == 0 {
		t.Skip("../shared/data/unwind is not here: captures of real chips are not checked")
	}
	return paths
}

// compile builds sources with arm-none-eabi-gcc and returns the ELF.
func compile(t testing.TB, flags string, sources ...string) string {
	t.Helper()
	gcc := tool(t, "arm-none-eabi-gcc")
	out := filepath.Join(t.TempDir(), "program.elf")
	args := append(strings.Fields(flags), "-g", "-mthumb", "-o", out)
	args = append(args, sources...)
	if msg, err := exec.Command(gcc, args...).CombinedOutput(); err != nil {
		t.Fatalf("arm-none-eabi-gcc %v: %v\n%s", args, err, msg)
	}
	return out
}

// thumb lays out halfwords.
func thumb(halfwords ...uint16) []byte {
	var p []byte
	for _, h := range halfwords {
		p = binary.LittleEndian.AppendUint16(p, h)
	}
	return p
}
