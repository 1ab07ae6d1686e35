package disasm

import (
	"strconv"
	"strings"
)

// thumbField makes the printer of a field of a text. Those with a place in the word:
//
//	{r8}      the register in the four bits from bit 8 on; {R8} is UNPREDICTABLE where it is pc
//	{l3}      the low register in the three bits from bit 3 on
//	{u6.5*4}  the number in the five bits from bit 6 on, times 4
//	{b24=s}   the letter where bit 24 is set
//
// All others are in namedFields.
func thumbField(name string) func(*thumb) {
	if put := namedFields[name]; put != nil {
		return put
	}
	place := name[1:]
	switch name[0] {
	case 'r', 'R':
		at := number(place)
		strict := name[0] == 'R'
		return func(t *thumb) {
			r := t.word >> at & 15
			t.unpredictable = t.unpredictable || strict && r == 15
			t.put(registers[r])
		}
	case 'l':
		at := number(place)
		return func(t *thumb) { t.put(registers[t.word>>at&7]) }
	case 'u':
		place, factor, scaled := strings.Cut(place, "*")
		at, width, _ := strings.Cut(place, ".")
		times := uint32(1)
		if scaled {
			times = uint32(number(factor))
		}
		from, mask := number(at), uint32(1)<<number(width)-1
		return func(t *thumb) { t.number(int64(t.word >> from & mask * times)) }
	case 'b':
		bit, letter, _ := strings.Cut(place, "=")
		at := number(bit)
		return func(t *thumb) {
			if t.word>>at&1 != 0 {
				t.put(letter)
			}
		}
	}
	return nil
}

func number(s string) uint {
	n, err := strconv.ParseUint(s, 10, 8)
	if err != nil {
		panic("disasm: a field of a table: " + err.Error())
	}
	return uint(n)
}

// put adds to the text.
func (t *thumb) put(s string) { t.text = append(t.text, s...) }

// number prints a number and keeps it for the comment.
func (t *thumb) number(v int64) {
	t.value = v
	t.text = strconv.AppendInt(t.text, v, 10)
}

// field is the value of width bits from bit at on.
func (t *thumb) field(at, width uint) uint32 { return t.word >> at & (1<<width - 1) }

// branch prints the target of a branch.
func (t *thumb) branch(target uint32) {
	t.target, t.branches = target, true
	t.text = appendAddress(t.text, target, t.symbols)
}

// name is an address with its symbol.
func (t *thumb) name(addr uint32) string { return string(appendAddress(nil, addr, t.symbols)) }

// literal is the base of an address relative to the PC: Align(PC, 4), A7.4.
func (t *thumb) literal() uint32 { return (t.addr + 4) &^ 3 }

// signed is a number of width bits with its sign.
func signed(v uint32, width uint) uint32 { return uint32(int32(v<<(32-width)) >> (32 - width)) }

// list prints the registers whose bits are set.
func (t *thumb) list(bits uint32) {
	t.put("{")
	comma := ""
	for r := range 16 {
		if bits>>r&1 != 0 {
			t.put(comma)
			t.put(registers[r])
			comma = ", "
		}
	}
	t.put("}")
}

var namedFields = map[string]func(*thumb){}

// fields adds to namedFields, before any table is compiled.
func fields(more map[string]func(*thumb)) bool {
	for name, put := range more {
		if namedFields[name] != nil {
			panic("disasm: two fields {" + name + "}")
		}
		namedFields[name] = put
	}
	return true
}

var _ = fields(map[string]func(*thumb){
	"c": func(t *thumb) { t.put(t.it.cond()) },
	"C": func(t *thumb) { // sets the flags outside of an IT block only
		if t.it == 0 {
			t.put("s")
		}
		t.put(t.it.cond())
	},
	"s": func(t *thumb) { // of wide instructions
		if t.word>>20&1 != 0 {
			t.put("s")
		}
	},
	"it": func(t *thumb) { // a branch is not allowed in an IT block but at its end
		if t.it != 0 && !t.it.last() {
			t.remark("unpredictable branch in IT block")
		}
	},
	"IT": func(t *thumb) { // not allowed in an IT block
		if t.it != 0 {
			t.remark("unpredictable <IT:" + t.it.cond() + ">")
		}
	},
})
