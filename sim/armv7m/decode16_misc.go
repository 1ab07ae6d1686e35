package armv7m

import "math/bits"

// decodeMisc16 decodes the miscellaneous 16-bit instructions (DDI 0403E
// A5.2.5).
func (c *Core) decodeMisc16(hw, pc uint32, inIT bool) op {
	v7 := c.arch != V6M
	switch sel := hw >> 8 & 15; sel {
	case 0:
		o := op16(execADD, 1)
		if hw>>7&1 != 0 {
			o.do = execSUB
		}
		o.d, o.n, o.imm = sp, sp, hw&0x7f*4
		return o
	case 1, 3, 9, 11:
		if v7 && !inIT {
			return decodeCompareBranch(hw, pc)
		}
	case 2:
		o := op16([...]func(*Core, *op){execSXTH, execSXTB, execUXTH, execUXTB}[hw>>6&3], 1)
		o.d, o.m = uint8(hw&7), uint8(hw>>3&7)
		return o
	case 4, 5:
		return multiple(execSTM, sp, hw&0xff|hw&0x100<<6, multipleDB|multipleWriteback, 2)
	case 12, 13:
		o := multiple(execLDM, sp, hw&0xff|hw&0x100<<7, multipleWriteback, 2)
		return o
	case 6:
		return c.decodeCPS(hw, inIT)
	case 10:
		f := [...]func(*Core, *op){execREV, execREV16, nil, execREVSH}[hw>>6&3]
		if f != nil {
			o := op16(f, 1)
			o.d, o.m = uint8(hw&7), uint8(hw>>3&7)
			return o
		}
	case 14:
		o := op16(execBKPT, 1)
		o.flow = flowTrap
		return o
	case 15:
		return c.decodeHint16(hw, inIT)
	}
	return undefinedOp
}

func decodeCompareBranch(hw, pc uint32) op {
	o := op16(execCBZ, 1)
	if hw>>11&1 != 0 {
		o.do = execCBNZ
	}
	o.n = uint8(hw & 7)
	o.imm, o.flow = pc+4+hw>>9&1<<6+hw>>3&31<<1, flowEither
	return o
}

func (c *Core) decodeCPS(hw uint32, inIT bool) op {
	which := hw & 3
	if hw>>5&7 != 3 || inIT || hw&4 != 0 {
		return undefinedOp
	}
	if which == 0 || c.arch == V6M && which != 2 {
		return undefinedOp
	}
	o := op16(execCPS, 1)
	o.imm, o.d = which, uint8(hw>>4&1)
	return o
}

// decodeHint16: IT and hints (A5.2.6). Unallocated hints are NOPs.
func (c *Core) decodeHint16(hw uint32, inIT bool) op {
	if hw&15 != 0 {
		cond := hw >> 4 & 15
		if c.arch == V6M || inIT || cond == 15 || cond == 14 && bits.OnesCount32(hw&15) != 1 {
			return undefinedOp
		}
		o := op16(execIT, 1)
		o.imm = hw & 0xff
		return o
	}
	return op16(hint(hw>>4&15), 1)
}

// hint is what a hint of that number does (A5.2.6, A5.3.4).
func hint(n uint32) func(*Core, *op) {
	switch n {
	case 2:
		return execWFE
	case 3:
		return execWFI
	case 4:
		return execSEV
	}
	return execNOP
}
