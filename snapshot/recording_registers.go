package snapshot

import (
	"encoding/binary"
	"math/bits"
)

// sampleKind is the kind of record that holds s: the older one wherever it can.
func sampleKind(s *Snapshot) byte {
	low := uint64(1)<<(CONTROL+1) - 1
	for i, set := range s.Regs.have {
		if set&^low != 0 || i > 0 && set != 0 {
			return recordWide
		}
	}
	return recordSample
}

// appendRegisters encodes the set as 32 bits, of which those up to CONTROL are
// in use, and the values.
func appendRegisters(b []byte, r *Registers) []byte {
	set := uint32(r.have[0])
	b = binary.LittleEndian.AppendUint32(b, set)
	for ; set != 0; set &= set - 1 {
		b = binary.LittleEndian.AppendUint32(b, r.value[bits.TrailingZeros32(set)])
	}
	return b
}

// registers decodes what appendRegisters wrote.
func (c *cursor) registers(r *Registers) {
	set := c.word()
	if bits.Len32(set) > int(CONTROL)+1 {
		c.fail()
		return
	}
	for ; set != 0; set &= set - 1 {
		r.Set(Reg(bits.TrailingZeros32(set)), c.word())
	}
}

// appendWideRegisters encodes their number (varint), then number8 and value of
// each.
func appendWideRegisters(b []byte, r *Registers) []byte {
	n := 0
	for _, set := range r.have {
		n += bits.OnesCount64(set)
	}
	b = binary.AppendUvarint(b, uint64(n))
	for reg := range Reg(NumRegs) {
		if v, ok := r.Value(reg); ok {
			b = append(b, byte(reg))
			b = binary.LittleEndian.AppendUint32(b, v)
		}
	}
	return b
}

// wideRegisters decodes what appendWideRegisters wrote. A register whose number
// is not known is passed over: a later version may have more.
func (c *cursor) wideRegisters(r *Registers) {
	n := c.uvarint()
	if n > 256 {
		c.fail()
		return
	}
	for range n {
		reg, v := Reg(c.byte()), c.word()
		if c.err == nil && int(reg) < NumRegs {
			r.Set(reg, v)
		}
	}
}
