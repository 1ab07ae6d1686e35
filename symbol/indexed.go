package symbol

import (
	"bytes"
	"encoding/binary"
)

// Values that stand in another section: strings and addresses, directly or by
// way of a table of offsets (DWARF 5, 7.26, 7.27).

// maxString bounds a name, in bytes.
const maxString = 1 << 14

// text is a string attribute, "" where it is absent or leads nowhere.
func (d *debugInfo) text(u *unit, v value) string {
	switch v.form {
	case formString:
		return stringIn(d.sections.info, v.n)
	case formStrp:
		return stringIn(d.sections.str, v.n)
	case formLineStrp:
		return stringIn(d.sections.lineStr, v.n)
	case formStrx, formStrx1, formStrx2, formStrx3, formStrx4, formGNUStrIndex:
		if off, ok := word(d.sections.strOffsets, u.strOffsets, v.n, int(u.offsetSize)); ok {
			return stringIn(d.sections.str, off)
		}
	}
	return ""
}

func stringIn(section []byte, off uint64) string {
	if off >= uint64(len(section)) {
		return ""
	}
	p := section[off:min(uint64(len(section)), off+maxString)]
	if i := bytes.IndexByte(p, 0); i >= 0 {
		p = p[:i]
	}
	return string(p)
}

// address is an address attribute.
func (d *debugInfo) address(u *unit, v value) (uint64, bool) {
	switch v.form {
	case formAddr:
		return v.n, true
	case formAddrx, formAddrx1, formAddrx2, formAddrx3, formAddrx4, formGNUAddrIndex:
		return word(d.sections.addr, u.addrBase, v.n, int(u.addrSize))
	}
	return 0, false
}

// word is element i of a table of words of size bytes at base.
func word(section []byte, base, i uint64, size int) (uint64, bool) {
	n := uint64(len(section))
	if base > n || i >= (n-base)/uint64(size) {
		return 0, false
	}
	p := section[base+i*uint64(size):]
	if size == 8 {
		return binary.LittleEndian.Uint64(p), true
	}
	return uint64(binary.LittleEndian.Uint32(p)), true
}
