package symbol_test

import (
	"debug/elf"
	"path/filepath"
	"testing"

	"github.com/mprof/mprof/symbol"
)

// Exidx is the section of that name, readable through ReadCode together with
// .ARM.extab.
func TestExidx(t *testing.T) {
	paths, _ := filepath.Glob(captures + "*.elf")
	seen := 0
	for _, path := range append(paths, "testdata/program4.elf", "../firmware/demo/demo.elf") {
		f, err := elf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		im, err := symbol.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := im.Exidx()
		s := f.Section(".ARM.exidx")
		if ok != (s != nil) {
			t.Errorf("%s: Exidx %v, section %v", path, ok, s != nil)
		}
		for _, s := range []*elf.Section{s, f.Section(".ARM.extab")} {
			if s != nil && !im.ReadCode(uint32(s.Addr), make([]byte, s.Size)) {
				t.Errorf("%s: %s is not readable", path, s.Name)
			}
		}
		if s != nil {
			seen++
			if want := (symbol.Range{Low: uint32(s.Addr), High: uint32(s.Addr + s.Size)}); got != want {
				t.Errorf("%s: %x, section %x", path, got, want)
			}
		}
		f.Close()
	}
	if seen == 0 {
		t.Error("no program had an index table")
	}
}
