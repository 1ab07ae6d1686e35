package symbol_test

import (
	"bytes"
	"compress/zlib"
	"debug/elf"
	"encoding/binary"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/mprof/mprof/symbol"
)

// withSection replaces the content of a section, which goes behind the file.
func withSection(t *testing.T, name string, flags uint32, content []byte) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/program5.elf")
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range f.Sections {
		if s.Name == name {
			h := data[int(binary.LittleEndian.Uint32(data[32:]))+40*i:]
			binary.LittleEndian.PutUint32(h[8:], flags)
			binary.LittleEndian.PutUint32(h[16:], uint32(len(data)))
			binary.LittleEndian.PutUint32(h[20:], uint32(len(content)))
			return append(data, content...)
		}
	}
	t.Fatalf("no section %s", name)
	return nil
}

// compressed is the content of a SHF_COMPRESSED section (gABI, Elf32_Chdr)
// that claims size bytes and holds n zeros.
func compressed(size uint32, n int) []byte {
	var out bytes.Buffer
	for _, v := range []uint32{1, size, 1} { // ELFCOMPRESS_ZLIB
		binary.Write(&out, binary.LittleEndian, v)
	}
	w := zlib.NewWriter(&out)
	w.Write(make([]byte, n))
	w.Close()
	return out.Bytes()
}

// Compressed sections that claim much take little memory, and cost what they
// hold, not the rest of the program.
func TestCompressionBombs(t *testing.T) {
	const compressedFlag = 0x800
	zeros := compressed(64<<20, 64<<20)
	for _, c := range []struct {
		what, section string
		flags         uint32
		content       []byte
		remark        string
	}{
		{"claims 4 GB", ".debug_info", compressedFlag, compressed(1<<32-1, 100), "damaged DWARF, functions come from the symbol table: .debug_info: its content is more than 64 times"},
		{"is 64 MB", ".debug_info", compressedFlag, zeros, "more than 64 times"},
		{"ends early", ".debug_str", compressedFlag, compressed(5000, 100), "damaged DWARF: .debug_str: unexpected EOF"},
		{"no header", ".debug_line", compressedFlag, []byte{1, 2, 3}, ""},
		{"symbols", ".symtab", compressedFlag, zeros, "no symbol table"},
		{"names of symbols", ".strtab", compressedFlag, zeros, "no symbol table"},
		{"names of sections", ".shstrtab", compressedFlag, zeros, ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			data := withSection(t, c.section, c.flags, c.content)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			im, err := symbol.New(bytes.NewReader(data), int64(len(data)), "bomb.elf")
			if err == nil {
				im.Lookup(im.Entry() + 4)
				if remarks := strings.Join(im.Remarks(), "\n"); !strings.Contains(remarks, c.remark) {
					t.Errorf("remarks %q, want %q", remarks, c.remark)
				}
				if f, ok := im.Function(im.Entry() + 4); c.remark != "no symbol table" && (!ok || f.Name != "Reset_Handler") {
					t.Errorf("function %+v", f)
				}
			} else if c.remark != "" || !strings.Contains(err.Error(), "is damaged") {
				t.Error(err)
			}
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
				t.Errorf("%d MB for a file of %d kB", took>>20, len(data)>>10)
			}
		})
	}
}

// A file that is written over while it is open says so, and what was read
// before stays.
func TestFileWrittenOver(t *testing.T) {
	path := t.TempDir() + "/app.elf"
	data, err := os.ReadFile("testdata/program5.elf")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	im, err := symbol.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data[:1000], 0o600); err != nil {
		t.Fatal(err)
	}
	if f, ok := im.Function(im.Entry()); !ok || f.Name != "Reset_Handler" || f.Line != 0 {
		t.Errorf("function %+v", f)
	}
	if remarks := strings.Join(im.Remarks(), "\n"); !strings.Contains(remarks, "was written over since it was opened") {
		t.Errorf("remarks %q", remarks)
	}
}
