package fit

import (
	"debug/elf"
	"strings"

	"github.com/mprof/mprof/symbol"
)

// call is a branch from one function to another that has its target in its
// encoding. Calls by address (through a pointer, or with -mlong-calls) need
// nothing when one of the two moves.
type call struct {
	at    uint32 // address of the first of them
	to    uint32 // address
	sites int    // how many there are
	grows int64  // bytes that they need more where the target is out of reach
}

// branch is one instruction that goes elsewhere.
type branch struct {
	at, to      uint32
	direct      bool // to is known
	conditional bool
	call        bool // comes back
	grows       int64
}

// instruction is what the decoders say: Thumb, or RISC-V with 32 bits.
type instruction struct {
	size   uint32
	cycles float64 // without waiting
	branch branch
	leaves bool // branch is one
}

// decoder decodes the instruction at addr, whose bytes are code.
type decoder func(addr uint32, code []byte) instruction

// findCalls decodes the code of all units.
func (a *analysis) findCalls() {
	for i := range a.report.Units {
		u := &a.report.Units[i]
		seen := map[uint32]int{}
		for _, p := range u.Parts {
			a.decode(p.Range, func(addr uint32, in instruction) {
				b := in.branch
				if !in.leaves || !b.direct || a.at.at(b.to) == i {
					return
				}
				k, ok := seen[b.to]
				if !ok {
					k = len(u.calls)
					seen[b.to] = k
					u.calls = append(u.calls, call{at: addr, to: b.to})
				}
				u.calls[k].sites++
				u.calls[k].grows += b.grows
			})
		}
	}
}

// decode hands out the instructions of a range, without the data among them.
func (a *analysis) decode(r symbol.Range, each func(addr uint32, in instruction)) {
	decode := decodeThumb
	if a.image.Machine() == elf.EM_RISCV {
		decode = decodeRISCV
	}
	for _, part := range a.image.Instructions(r) {
		code := make([]byte, part.High-part.Low)
		if !a.image.ReadCode(part.Low, code) {
			continue
		}
		for at := uint32(0); at+2 <= uint32(len(code)); {
			in := decode(part.Low+at, code[at:])
			each(part.Low+at, in)
			at += in.size
		}
	}
}

// target is the unit that a direct branch leads to: through a veneer that the
// linker has made already, too. -1: none that is known.
func (a *analysis) target(addr uint32) int {
	i := a.at.at(addr)
	if i < 0 {
		return -1
	}
	for _, p := range a.report.Units[i].Parts {
		if name, ok := strings.CutSuffix(p.Names[0], "_veneer"); ok && p.Contains(addr) {
			if to, ok := a.byName[strings.TrimPrefix(name, "__")]; ok {
				return to
			}
		}
	}
	return i
}
