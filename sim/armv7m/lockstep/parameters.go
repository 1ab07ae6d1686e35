package lockstep

import (
	"bytes"
	"debug/elf"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// Compiler is the C compiler that builds what the boards execute.
const Compiler = "arm-none-eabi-gcc"

//go:embed testdata/runtime
var runtimeFiles embed.FS

var runtimes sync.Map // of []byte, by processor and extension

// runtimeImage is the vectors and handlers for a board, from address 0.
func runtimeImage(b Board) ([]byte, error) {
	if image, ok := runtimes.Load(b.String()); ok {
		return image.([]byte), nil
	}
	image, err := assembleRuntime(b)
	if err == nil {
		runtimes.Store(b.String(), image)
	}
	return image, err
}

func assembleRuntime(b Board) ([]byte, error) {
	dir, err := os.MkdirTemp("", "lockstep")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"runtime.S", "flat.ld"} {
		data, err := runtimeFiles.ReadFile("testdata/runtime/" + name)
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return nil, err
		}
	}
	cmd := exec.Command(Compiler, "-mcpu="+b.CPU, "-mthumb", b.FloatABI(), "-nostdlib", "-T", "flat.ld", "runtime.S", "-o", "runtime.elf")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("lockstep: %s: %w: %s", Compiler, err, out)
	}
	p, err := LoadELF(filepath.Join(dir, "runtime.elf"), "last")
	if err != nil {
		return nil, err
	}
	if len(p.Flash) > parameterBase {
		return nil, fmt.Errorf("lockstep: run-time code of %d bytes reaches the parameters at 0x%08x", len(p.Flash), parameterBase)
	}
	return append(p.Flash, make([]byte, len(p.Flash)&1)...), nil
}

// LoadELF reads the loadable segments of an executable for address 0; done names
// the symbol at which the program is over.
func LoadELF(path, done string) (Program, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Program{}, err
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return Program{}, fmt.Errorf("lockstep: %s: %w", path, err)
	}
	var p Program
	for _, s := range f.Progs {
		if s.Type != elf.PT_LOAD || s.Filesz == 0 {
			continue
		}
		if end := s.Paddr + s.Filesz; end > uint64(len(p.Flash)) {
			if end > 4<<20 {
				return Program{}, fmt.Errorf("lockstep: %s: segment ends at 0x%08x", path, end)
			}
			p.Flash = append(p.Flash, make([]byte, end-uint64(len(p.Flash)))...)
		}
		if _, err := s.ReadAt(p.Flash[s.Paddr:s.Paddr+s.Filesz], 0); err != nil {
			return Program{}, fmt.Errorf("lockstep: %s: segment 0x%08x: %w", path, s.Paddr, err)
		}
	}
	syms, err := f.Symbols()
	if err != nil {
		return Program{}, fmt.Errorf("lockstep: %s: %w", path, err)
	}
	for _, s := range syms {
		if s.Name == done {
			p.Done = uint32(s.Value) &^ 1
			return p, nil
		}
	}
	return Program{}, fmt.Errorf("lockstep: %s: no symbol %s", path, done)
}

// parameterBase is where runtime.S finds what it is told; the numbers of words
// are its P_ constants.
const parameterBase = 0x400

// parameters fills in the tables of the run-time code: where the random code
// is, which faults are enabled, priorities, the words to be copied to RAM.
func (g *generator) parameters() {
	put := func(word, v uint32) { g.putWord(parameterBase+4*word, v) }
	put(0, bodyStart|1)
	put(1, bodyStart)
	put(2, g.pos())
	put(3, g.rng.Uint32N(8)<<16) // SHCSR: MemManage, BusFault, UsageFault enabled
	ccr := uint32(0x200)         // STKALIGN
	if g.rng.IntN(2) == 0 {
		ccr |= 0x10 // DIV_0_TRP
	}
	if g.rng.IntN(4) == 0 {
		ccr |= 0x08 // UNALIGN_TRP
	}
	put(4, ccr)
	put(5, g.rng.Uint32()&0x00e0e0e0) // SHPR1
	put(6, g.priorities(0xe000ed1c))
	put(7, g.priorities(0xe000ed20))
	for i := range uint32(4) {
		put(8+i, g.priorities(ipr))
	}
	put(12, g.rng.Uint32()&0xffff)
	g.access(put)
	put(16, dataWords)
	for i := range uint32(dataWords) {
		v := g.value()
		if g.b.Arch.Has(FPv4) && g.rng.IntN(2) == 0 {
			v = g.float()
		}
		put(17+i, v)
	}
}

// access draws CPACR, FPCCR and FPDSCR: the floating-point extension open to
// all, mostly, and its state preserved in every way.
func (g *generator) access(put func(word, v uint32)) {
	if !g.b.Arch.Has(FPv4) {
		return
	}
	open, preserve := uint32(0xf<<20), uint32(3<<30)
	if g.rng.IntN(48) == 0 {
		open = 5 << 20 // with privilege only
	}
	if g.rng.IntN(4) == 0 {
		preserve = g.rng.Uint32() & (3 << 30)
	}
	put(13, open)
	put(14, preserve)
	put(15, g.rng.Uint32()&0x07c00000)
}
