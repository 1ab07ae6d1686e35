// Package listing disassembles pieces of a program. In: an image, a range of its addresses. Out: the instructions and
// data there, with the names that the image has for addresses.
package listing

import (
	"debug/elf"
	"fmt"
	"sync"

	"github.com/mprof/mprof/disasm"
	"github.com/mprof/mprof/symbol"
)

// MaxSize bounds one listing, bytes of code.
const MaxSize = 1 << 20

// Lister disassembles an image. Its methods may be called from several goroutines.
type Lister struct {
	image   *symbol.Image
	arch    disasm.Arch
	decoder func() disasm.Decoder
}

// New makes a lister of an image, whose symbols it reads when they are needed first.
func New(im *symbol.Image) *Lister {
	l := &Lister{image: im, arch: disasm.Thumb}
	if im.Machine() == elf.EM_RISCV {
		l.arch = disasm.RV32
	}
	l.decoder = sync.OnceValue(func() disasm.Decoder { return decoder(im, l.arch) })
	return l
}

// decoder knows the names of an image, and where gp of RISC-V points to.
func decoder(im *symbol.Image, arch disasm.Arch) disasm.Decoder {
	d := disasm.Decoder{Arch: arch}
	var all []disasm.Symbol
	for _, e := range im.Entries() {
		all = append(all, disasm.Symbol{Name: e.Name, Addr: e.Addr, Size: e.Size, Function: e.Function, Object: e.Object, Global: e.Global})
		if e.Name == "__global_pointer$" && arch == disasm.RV32 {
			d.GlobalPointer = e.Addr
		}
	}
	d.Symbols = disasm.Table(all)
	return d
}

// Arch is whose code it is.
func (l *Lister) Arch() disasm.Arch { return l.arch }

// List disassembles r, whose first bytes are the begin of an instruction or of data. The error names what the file does
// not hold.
func (l *Lister) List(r symbol.Range) ([]disasm.Instruction, error) {
	if r.High < r.Low || r.High-r.Low > MaxSize {
		return nil, fmt.Errorf("listing: 0x%08x-0x%08x: at most %d bytes are disassembled at once", r.Low, r.High, MaxSize)
	}
	code := make([]byte, r.High-r.Low)
	if !l.image.ReadCode(r.Low, code) {
		return nil, fmt.Errorf("listing: 0x%08x-0x%08x: %s has no content there", r.Low, r.High, l.image.Path())
	}
	var all []disasm.Instruction
	for _, s := range l.image.Spans(r) {
		part := code[s.Low-r.Low : s.High-r.Low]
		if s.Data {
			all = disasm.Data(all, s.Low, part)
		} else {
			all = l.decoder().Decode(all, s.Low, part)
		}
	}
	return all, nil
}
