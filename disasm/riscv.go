package disasm

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// riscv is one instruction of RISC-V on its way to text, and what the ones before it left.
type riscv struct {
	Decoder
	addr, word uint32

	// upper is what LUI and AUIPC put into registers, until an instruction adds to it: the
	// address that the two of them make is named in a comment.
	upper [32]upperPart

	text     []byte
	comment  string
	bad      bool // a field has a value that no instruction has
	target   uint32
	branches bool
}

type upperPart struct {
	known bool
	value uint32
	end   uint32 // behind the instruction
}

// follow is names of a jump. Where it goes to is known for sure right behind the LUI or AUIPC.
func (r *riscv) follow(base, distance uint32) {
	sure := r.upper[base].known && r.upper[base].end == r.addr
	addr := r.names(base, distance)
	if sure {
		r.target, r.branches = addr, true
	}
}

var riscvTables = sync.OnceValue(func() (t struct{ compressed, full *index[*riscv] }) {
	t.compressed = newIndex(10, 6, compile(compressedRows, riscvField))
	t.full = newIndex(12, 3, compile(slices.Concat(baseRows, atomicRows(), bitRows, floatRows()), riscvField))
	return t
})

func decodeRISCV(dst []Instruction, addr uint32, code []byte, d Decoder) []Instruction {
	r := riscv{Decoder: d}
	for len(code) >= 2 {
		r.addr, r.word = addr, uint32(binary.LittleEndian.Uint16(code))
		size := 2
		if r.word&3 == 3 { // 1.5 of the unprivileged manual; longer ones are not assigned
			if len(code) < 4 {
				break
			}
			r.word, size = binary.LittleEndian.Uint32(code), 4
		}
		dst = append(dst, r.decode(size))
		addr, code = addr+uint32(size), code[size:]
	}
	return Data(dst, addr, code)
}

// decode makes the text of the instruction in r.word.
func (r *riscv) decode(size int) Instruction {
	r.text, r.comment, r.bad, r.branches = r.text[:0], "", false, false
	table := riscvTables().full
	if size == 2 {
		table = riscvTables().compressed
	}
	p := table.find(r.word)
	if p != nil {
		for i := range p.pieces {
			if put := p.pieces[i].put; put != nil {
				put(r)
			} else {
				r.text = append(r.text, p.pieces[i].literal...)
			}
		}
	}
	i := Instruction{Addr: r.addr, Size: size, Raw: r.word}
	if p == nil || r.bad {
		i.Mnemonic = []string{2: ".2byte", 4: ".4byte"}[size]
		i.Operands = string(appendHex([]byte("0x"), r.word, 0))
		return i
	}
	i.Mnemonic, i.Operands, _ = strings.Cut(string(r.text), "\t")
	i.Comment, i.Target, i.Branches = r.comment, r.target, r.branches
	return i
}

// put adds to the text.
func (r *riscv) put(s string) { r.text = append(r.text, s...) }

func (r *riscv) number(v uint32) { r.text = strconv.AppendInt(r.text, int64(int32(v)), 10) }

func (r *riscv) hex(v uint32) { r.text = appendHex(append(r.text, "0x"...), v, 0) }

// field is the value of width bits from bit at on.
func (r *riscv) field(at, width uint) uint32 { return r.word >> at & (1<<width - 1) }

// branch prints the target of a branch.
func (r *riscv) branch(distance uint32) {
	r.target, r.branches = r.addr+distance, true
	r.text = appendAddress(r.text, r.target, r.Symbols)
}

// names notes in the comment which address a register and a distance make, where that is known.
func (r *riscv) names(base, distance uint32) (addr uint32) {
	switch u := &r.upper[base]; {
	case base == 0:
		addr = distance
	case u.known:
		addr = u.value + distance
		*u = upperPart{}
	case base == 3 && r.GlobalPointer != 0: // gp
		addr = r.GlobalPointer + distance
	case base == 4: // tp, as objdump takes it
		addr = distance
	default:
		return 0
	}
	r.comment = "# " + string(appendAddress(nil, addr, r.Symbols))
	return addr
}

// integers are named as the calling convention names them.
var integers = [32]string{"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5",
	"a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"}

var floats = [32]string{"ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0", "fa1", "fa2", "fa3", "fa4", "fa5",
	"fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"}
