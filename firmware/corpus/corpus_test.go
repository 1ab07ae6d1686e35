package corpus

import (
	"debug/elf"
	"testing"
)

// Names are unique and say all that the flags are.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range All() {
		if seen[p.String()] {
			t.Errorf("%v is there twice", p)
		}
		seen[p.String()] = true
	}
	for _, v := range variants {
		if name := v.source + "/" + "gcc-O2-m4-lto-fp-nano-tables"; parse(v.source, "gcc-O2-m4-lto-fp-nano-tables").String() != name {
			t.Errorf("%s is read as %v", name, parse(v.source, "gcc-O2-m4-lto-fp-nano-tables"))
		}
	}
	if len(seen) < 70 {
		t.Errorf("only %d programs", len(seen))
	}
}

// Every kind is among those that are always checked.
func TestSome(t *testing.T) {
	met := map[string]bool{}
	for _, p := range Some(false) {
		met[p.Source], met[p.Compiler], met[p.Opt], met[p.CPU] = true, true, true, true
	}
	for _, p := range All() {
		for _, kind := range []string{p.Source, p.Compiler, p.Opt, p.CPU} {
			if !met[kind] {
				t.Errorf("no program has %s", kind)
			}
		}
	}
	if n := len(Some(true)); n != len(variants) {
		t.Errorf("%d programs of %d sources", n, len(variants))
	}
}

func TestBuild(t *testing.T) {
	programs := All()
	if testing.Short() {
		programs = Some(true)
	}
	for _, p := range programs {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			f, err := elf.Open(p.ELF(t))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if again := p.ELF(t); again != p.ELF(t) {
				t.Errorf("%s was built again", again)
			}
			symbols, err := f.Symbols()
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range symbols {
				if s.Name == Done && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
					return
				}
			}
			t.Errorf("%s is not a function of it", Done)
		})
	}
}
