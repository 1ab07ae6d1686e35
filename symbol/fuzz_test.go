package symbol_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/mprof/mprof/symbol"
)

// use asks an image everything; nothing may panic, and what is returned is in
// bounds.
func use(t testing.TB, data []byte, step uint32) {
	im, err := symbol.New(bytes.NewReader(data), int64(len(data)), "fuzz.elf")
	if err != nil {
		return
	}
	ranges := im.CodeRanges()
	for i, r := range ranges {
		if r.High <= r.Low || i > 0 && r.Low <= ranges[i-1].High {
			t.Fatalf("code ranges %+v", ranges)
		}
		for n, pc := 0, r.Low; pc < r.High && n < 400; n, pc = n+1, pc+step {
			at := im.Lookup(pc)
			if im.Lookup(pc | 1); len(at) == 0 {
				continue
			}
			if f := at[len(at)-1]; f.Low > pc || f.High <= pc || f.Inlined {
				t.Fatalf("0x%08x: physical function %+v", pc, f)
			}
			if b, ok := im.Bounds(pc); ok && !b.Contains(pc&^1) {
				t.Fatalf("0x%08x: bounds %+v", pc, b)
			}
		}
		if r.High == 1<<32-1 {
			break
		}
	}
	for exc := range uint16(64) {
		im.Handler(exc)
	}
	im.InitialSP()
	im.BuildID()
	im.CPU()
	im.Remarks()
	im.ReadCode(im.Entry(), make([]byte, 64))
	for _, name := range []string{".text", ".debug_frame", ".eh_frame"} {
		im.Section(name)
	}
}

func seeds(f *testing.F) (programs [][]byte) {
	names, _ := filepath.Glob("testdata/*.elf")
	for _, name := range names {
		p, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		programs = append(programs, p)
	}
	if len(programs) != 2 {
		f.Fatalf("programs in testdata: %q", names)
	}
	return programs
}

func FuzzELF(f *testing.F) {
	for _, p := range seeds(f) {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, data []byte) { use(t, data, 6) })
}

// FuzzPatched writes bytes over a good program: patches are groups of a
// 3-byte offset and one byte. That reaches DWARF, which random files do not.
func FuzzPatched(f *testing.F) {
	programs := seeds(f)
	f.Add(0, []byte{0, 0x30, 0x92, 0xff})
	f.Add(1, []byte{0, 0x20, 0x00, 0x80, 0, 0x21, 0x01, 0x00})
	f.Fuzz(func(t *testing.T, which int, patches []byte) {
		data := bytes.Clone(programs[uint(which)%uint(len(programs))])
		for ; len(patches) >= 4; patches = patches[4:] {
			off := binary.BigEndian.Uint32(patches) >> 8
			data[int(off)%len(data)] = patches[3]
		}
		use(t, data, 6)
	})
}

// TestFlippedBytes is FuzzPatched in order: one byte of the debug sections at
// a time.
func TestFlippedBytes(t *testing.T) {
	for _, name := range []string{"program4.elf", "program5.elf"} {
		good, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		step := 11
		if testing.Short() {
			step = 101
		}
		for i := 0; i < len(good); i += step {
			for _, b := range []byte{0, 0x7f, 0xff, good[i] ^ 1} {
				data := bytes.Clone(good)
				data[i] = b
				use(t, data, 34)
			}
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		open(b, "program5.elf")
	}
}

func BenchmarkLookup(b *testing.B) {
	elf := "../../shared/data/unwind/RP2040_full_unwind.elf"
	if _, err := os.Stat(elf); err != nil {
		b.Skip("the captures of real chips (../shared/data/unwind) are not here")
	}
	var n int
	for b.Loop() {
		im, err := symbol.Open(elf)
		if err != nil {
			b.Fatal(err)
		}
		pcs := textPCs(im)
		for _, pc := range pcs {
			im.Lookup(pc)
		}
		n = len(pcs)
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "lookups/s")
}
