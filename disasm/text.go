package disasm

import (
	"strconv"
	"strings"
)

// Text is the line that objdump prints of an instruction behind its address and its bytes:
// mnemonic, tab, operands, comment.
func Text(i Instruction) string {
	switch {
	case i.Mnemonic == Undefined:
		return "\t\t" + i.Comment
	case i.Comment == "" && i.Operands == "":
		return i.Mnemonic
	case i.Comment == "":
		return i.Mnemonic + "\t" + i.Operands
	case i.Comment[0] == '#':
		return i.Mnemonic + "\t" + i.Operands + " " + i.Comment
	case i.Operands == "" && strings.HasPrefix(i.Mnemonic, "nop"): // of ARMv6-M
		return i.Mnemonic + "\t\t\t" + i.Comment
	}
	return i.Mnemonic + "\t" + i.Operands + "\t" + i.Comment
}

// appendAddress prints an address and its symbol: "8000244 <main+0x10>".
func appendAddress(b []byte, addr uint32, symbols Symbols) []byte {
	name, offset, ok := symbols(addr)
	if !ok {
		return appendHex(append(b, "0x"...), addr, 0)
	}
	b = append(append(appendHex(b, addr, 0), " <"...), name...)
	switch {
	case offset > 0:
		b = appendHex(append(b, "+0x"...), uint32(offset), 0)
	case offset < 0:
		b = appendHex(append(b, "-0x"...), uint32(-offset), 0)
	}
	return append(b, '>')
}

// appendHex prints v in at least so many digits.
func appendHex(b []byte, v uint32, digits int) []byte {
	n := 1
	for v>>(4*n) != 0 && n < 8 {
		n++
	}
	for ; n < digits; digits-- {
		b = append(b, '0')
	}
	return strconv.AppendUint(b, uint64(v), 16)
}
