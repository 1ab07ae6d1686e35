package unwind

import "encoding/binary"

const rvGP = 3

// global is the value of gp in all of the program: the linker makes tables of
// constants relative to it. The start-up code sets it, by AUIPC or LUI and an ADDI
// behind it; the first place that does is taken. O(bytes of code), once.
func (c *code) global() content {
	if c.gp == nil {
		v := content{kind: entryOf, n: rvGP}
		for _, r := range c.p.Code {
			if n, ok := c.globalIn(r); ok {
				v = content{kind: constant, n: n}
				break
			}
		}
		c.gp = &v
	}
	return *c.gp
}

func (c *code) globalIn(r Range) (uint32, bool) {
	if c.p.ReadCode == nil {
		return 0, false
	}
	const chunk, size = 1 << 12, 8
	p := make([]byte, chunk+size)
	for at := r.Low &^ 1; at < r.High && at >= r.Low&^1; at += chunk {
		n := min(uint32(len(p)), r.High-at)
		if !c.p.ReadCode(at, p[:n]) {
			continue
		}
		for i := uint32(0); i+size <= n; i += 2 {
			w := binary.LittleEndian.Uint32(p[i:])
			if opcode := w & 0xfff; opcode != 0x197 && opcode != 0x1b7 { // AUIPC gp, LUI gp
				continue
			}
			high := decodeRV32(at+i, w)
			low := decodeRV(at+i+4, binary.LittleEndian.Uint32(p[i+4:]))
			if low.kind == rvAddImm && low.rd == rvGP && low.rs1 == rvGP {
				return high.imm + low.imm, true
			}
		}
	}
	return 0, false
}
