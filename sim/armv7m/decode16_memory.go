package armv7m

import "math/bits"

// decodeLiteral16 is LDR relative to PC (DDI 0403E A7.7.44 T1).
func (c *Core) decodeLiteral16(hw, pc uint32) op {
	return c.literal(uint8(hw>>8&7), (pc+4)&^3+hw&0xff<<2, 2)
}

// literal is LDR of a word at a known address. What is in ROM is known, too.
func (c *Core) literal(d uint8, addr uint32, size uint8) op {
	o := op{do: execLDR, size: size, cost: 2, d: d, n: slotZero, m: slotZero, imm: addr}
	if r := c.regionAt(addr); r != nil && r.rom && addr&3 == 0 && d != 15 {
		if v, ok := c.readMemory(addr, 4); ok {
			o.do, o.imm = execMOV, v
		}
	}
	return o
}

// decodeTransfer16: load and store single data (A5.2.4).
func decodeTransfer16(hw uint32) op {
	o := op16(nil, 2)
	o.d, o.n = uint8(hw&7), uint8(hw>>3&7)
	imm := hw >> 6 & 31
	load := hw>>11&1 != 0
	switch hw >> 12 {
	case 5:
		o.do = [...]func(*Core, *op){execSTR, execSTRH, execSTRB, execLDRSB, execLDR, execLDRH, execLDRB, execLDRSH}[hw>>9&7]
		o.m = uint8(hw >> 6 & 7)
		return o
	case 6:
		o.do, o.imm = execSTR, imm*4
		if load {
			o.do = execLDR
		}
	case 7:
		o.do, o.imm = execSTRB, imm
		if load {
			o.do = execLDRB
		}
	case 8:
		o.do, o.imm = execSTRH, imm*2
		if load {
			o.do = execLDRH
		}
	case 9:
		o.do, o.imm = execSTR, hw&0xff*4
		o.d, o.n = uint8(hw>>8&7), sp
		if load {
			o.do = execLDR
		}
	}
	if !load {
		o.cost = 1
	}
	return o
}

// decodeAddress: ADR, and ADD of a constant to SP.
func decodeAddress(hw, pc uint32) op {
	o := op16(execADD, 1)
	o.d, o.imm = uint8(hw>>8&7), hw&0xff*4
	if hw>>11&1 != 0 {
		o.n = sp
		return o
	}
	o.imm += (pc + 4) &^ 3
	return o
}

// decodeMultiple16: STM and LDM T1.
func decodeMultiple16(hw uint32) op {
	n, list := uint8(hw>>8&7), hw&0xff
	if hw>>11&1 == 0 {
		return multiple(execSTM, n, list, multipleWriteback, 2)
	}
	var kind uint8 = multipleWriteback
	if list>>n&1 != 0 {
		kind = 0
	}
	return multiple(execLDM, n, list, kind, 2)
}

// multiple is any LDM, STM, PUSH or POP.
func multiple(do func(*Core, *op), n uint8, list uint32, kind, size uint8) op {
	count := uint8(bits.OnesCount32(list))
	if count == 0 {
		o := undefinedOp
		o.size = size
		return o
	}
	o := op{do: do, size: size, cost: 1 + count, n: n, m: slotZero, imm: list, aux: 4 * count, kind: kind}
	if list>>15 != 0 {
		o.cost += costRefill
		o.flow = flowAway
	}
	return o
}
