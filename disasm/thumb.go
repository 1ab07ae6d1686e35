package disasm

import (
	"encoding/binary"
	"strings"
	"sync"
)

// thumb is one Thumb instruction on its way to text.
type thumb struct {
	addr    uint32
	word    uint32 // the halfword; of a wide instruction the first one in the upper half
	it      itState
	symbols Symbols

	text          []byte // mnemonic, tab, operands
	comment       []byte
	value         int64 // a number among the operands: objdump repeats large ones in hexadecimal
	unpredictable bool
	bad           bool // a field has a value that no instruction has
	target        uint32
	branches      bool
}

var tables = sync.OnceValue(func() (t struct{ narrow, wide *index[*thumb] }) {
	t.narrow = newIndex(10, 6, compile(narrowRows, thumbField))
	var wide []row
	for _, rows := range [][]row{shiftRows, loopRows, wideMemoryRows, wideDataRows, wideControlRows, wideMultiplyRows, vfpRows, coprocessorRows} {
		wide = append(wide, rows...)
	}
	t.wide = newIndex(12, 20, compile(wide, thumbField))
	return t
})

func decodeThumb(dst []Instruction, addr uint32, code []byte, symbols Symbols) []Instruction {
	t := thumb{symbols: symbols}
	for len(code) >= 2 {
		t.addr, t.word = addr, uint32(binary.LittleEndian.Uint16(code))
		wide := t.word >= 0xe800 // A6.1: 0b11101, 0b11110, 0b11111
		size := 2
		if wide {
			if len(code) < 4 {
				break
			}
			t.word, size = t.word<<16|uint32(binary.LittleEndian.Uint16(code[2:])), 4
		}
		dst = append(dst, t.decode(wide))
		t.it = t.it.next(t.word, wide)
		addr, code = addr+uint32(size), code[size:]
	}
	return Data(dst, addr, code)
}

// decode makes the text of the instruction in t.word.
func (t *thumb) decode(wide bool) Instruction {
	t.text, t.comment, t.value = t.text[:0], t.comment[:0], 0
	t.unpredictable, t.bad, t.branches = false, false, false
	table, size := tables().narrow, 2
	if wide {
		table, size = tables().wide, 4
	}
	p := table.find(t.word)
	if p != nil {
		for i := range p.pieces {
			if put := p.pieces[i].put; put != nil {
				put(t)
			} else {
				t.text = append(t.text, p.pieces[i].literal...)
			}
		}
	}
	i := Instruction{Addr: t.addr, Size: size, Raw: t.word}
	if p == nil || t.bad {
		i.Mnemonic = Undefined
		i.Comment = string(appendHex([]byte("@ "+Undefined+" instruction: 0x"), t.word, 2*size))
		return i
	}
	i.Mnemonic, i.Operands, _ = strings.Cut(string(t.text), "\t")
	if t.value > 32 || t.value < -16 {
		t.remark(string(appendHex([]byte("0x"), uint32(t.value), 0)))
	}
	if t.unpredictable {
		t.remark("<UNPREDICTABLE>")
	}
	i.Comment = string(t.comment)
	i.Target, i.Branches = t.target, t.branches
	return i
}

// remark adds a comment behind those that are there.
func (t *thumb) remark(s string) {
	if len(t.comment) > 0 {
		t.comment = append(t.comment, '\t')
	}
	t.comment = append(append(t.comment, "@ "...), s...)
}

// itState is EPSR.IT (B1.3.3 of the ARMv8-M manual): bits 7 to 4 the condition of the next
// instruction, bits 3 to 0 how many follow. 0 outside of an IT block.
type itState uint8

// next is the state behind an instruction.
func (s itState) next(word uint32, wide bool) itState {
	if !wide && word&0xff00 == 0xbf00 && word&15 != 0 {
		return itState(word)
	}
	if s&7 == 0 {
		return 0
	}
	return s&0xe0 | s<<1&0x1f
}

func (s itState) last() bool { return s&15 == 8 }

// cond is the suffix of the instruction.
func (s itState) cond() string {
	if s == 0 {
		return ""
	}
	return conditions[s>>4]
}

// conditions are the names of the values of a condition field (A7.3), without al where it is implied.
var conditions = [16]string{"eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al", "<und>"}

// registers are named as the procedure call standard (AAPCS) and objdump do.
var registers = [16]string{"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "sl", "fp", "ip", "sp", "lr", "pc"}
