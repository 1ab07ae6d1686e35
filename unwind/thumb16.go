package unwind

// step16 applies a 16-bit instruction to f (ARMv7-M ARM A5.2).
func (f *frameState) step16(c *code, in insn) flow {
	hw := in.hw1
	switch hw >> 12 {
	case 0, 1:
		f.shiftAdd16(hw)
	case 2, 3:
		f.immediate16(hw)
	case 4:
		return f.mixed16(c, in)
	case 5:
		switch op := hw >> 9 & 7; {
		case op == 4: // LDR (register)
			f.load(hw&7, sum(f.reg[hw>>3&7], f.reg[hw>>6&7]))
		case op >= 3: // LDRSB, LDRH, LDRB, LDRSH (register)
			f.forget(hw & 7)
		}
	case 6:
		f.access16(hw>>11&1 != 0, hw&7, f.reg[hw>>3&7].add(uint32(hw>>6&31)*4))
	case 7, 8:
		if hw>>11&1 != 0 { // LDRB, LDRH (immediate)
			f.forget(hw & 7)
		}
	case 9:
		f.access16(hw>>11&1 != 0, hw>>8&7, f.reg[regSP].add(uint32(hw&0xff)*4))
	case 10:
		if hw>>11&1 != 0 { // ADD (SP plus immediate)
			f.assign(hw>>8&7, f.reg[regSP].add(uint32(hw&0xff)*4))
		} else { // ADR
			f.assign(hw>>8&7, content{constant, (in.addr+4)&^3 + uint32(hw&0xff)*4})
		}
	case 11:
		return f.misc16(in)
	case 12:
		f.multiple16(hw)
	case 13:
		return branch16(in)
	default: // B (T2)
		return flow{kind: jumps, target: in.addr + 4 + signExtend(uint32(hw&0x7ff)<<1, 12)}
	}
	return flow{}
}

// access16 is LDR or STR (immediate).
func (f *frameState) access16(load bool, r uint16, addr content) {
	if load {
		f.load(r, addr)
	} else {
		f.store(r, addr)
	}
}

// shiftAdd16 is LSL, LSR, ASR (immediate), ADD and SUB of three registers or
// with imm3.
func (f *frameState) shiftAdd16(hw uint16) {
	rd, rn := hw&7, f.reg[hw>>3&7]
	imm := uint32(hw >> 6 & 7)
	switch hw >> 9 {
	case 12: // ADD (register)
		f.reg[rd] = sum(rn, f.reg[hw>>6&7])
	case 14: // ADD imm3; MOVS is one with 0
		f.reg[rd] = rn.add(imm)
	case 15: // SUB imm3
		f.reg[rd] = rn.add(-imm)
	default:
		shift := uint(hw >> 6 & 31)
		switch {
		case hw>>11 == 0 && shift == 0: // MOVS
			f.reg[rd] = rn
		case hw>>11 == 0 && rn.kind == constant:
			f.reg[rd] = content{constant, rn.n << shift}
		default:
			f.forget(rd)
		}
	}
}

// immediate16 is MOV, CMP, ADD, SUB with imm8.
func (f *frameState) immediate16(hw uint16) {
	r, imm := hw>>8&7, uint32(hw&0xff)
	switch hw >> 11 & 3 {
	case 0:
		f.reg[r] = content{constant, imm}
	case 2:
		f.reg[r] = f.reg[r].add(imm)
	case 3:
		f.reg[r] = f.reg[r].add(-imm)
	}
}

// mixed16 is data processing, the instructions on high registers, BX, BLX and
// LDR (literal).
func (f *frameState) mixed16(c *code, in insn) flow {
	hw := in.hw1
	switch {
	case hw>>11 == 9: // LDR (literal)
		f.reg[hw>>8&7] = c.literal((in.addr+4)&^3 + uint32(hw&0xff)*4)
	case hw>>10 == 16: // data processing
		f.process16(hw)
	case hw>>8 == 0x47: // BX, BLX
		if hw&0x80 != 0 {
			return flow{kind: returns}
		}
		return jumpTo(f.reg[hw>>3&15])
	default:
		return f.high16(hw)
	}
	return flow{}
}

// literal is the constant at addr.
func (c *code) literal(addr uint32) content {
	if v, ok := c.word(addr); ok {
		return content{constant, v}
	}
	return content{}
}

func (f *frameState) process16(hw uint16) {
	rd := hw & 7
	switch op := hw >> 6 & 15; op {
	case 8, 10, 11: // TST, CMP, CMN
	case 9: // RSB from 0
		if v := f.reg[hw>>3&7]; v.kind == constant {
			f.reg[rd] = content{constant, -v.n}
			return
		}
		f.forget(rd)
	case 15: // MVN
		if v := f.reg[hw>>3&7]; v.kind == constant {
			f.reg[rd] = content{constant, ^v.n}
			return
		}
		f.forget(rd)
	default:
		f.forget(rd)
	}
}

// high16 is ADD, CMP, MOV of any registers.
func (f *frameState) high16(hw uint16) flow {
	rd, rm := hw&7|hw>>4&8, f.reg[hw>>3&15]
	switch hw >> 8 & 3 {
	case 0:
		if rd == regPC {
			return flow{kind: ends}
		}
		f.assign(rd, sum(f.reg[rd], rm))
	case 2:
		if rd == regPC {
			return jumpTo(rm)
		}
		f.assign(rd, rm)
	}
	return flow{}
}

// jumpTo is a branch to the address that v is: one of a table's, or it leaves
// the function.
func jumpTo(v content) flow {
	if v.kind == inTable {
		return flow{kind: byTable, target: v.n, entry: wordAddresses}
	}
	return flow{kind: ends}
}

// sum is a + b where one of them is a constant: an address in the frame, or
// one in a table with an index that is not known.
func sum(a, b content) content {
	switch {
	case a.kind == constant && b.kind == anything:
		return content{intoTable, a.n}
	case b.kind == constant && a.kind == anything:
		return content{intoTable, b.n}
	case b.kind == constant:
		return a.add(b.n)
	case a.kind == constant:
		return b.add(a.n)
	}
	return content{}
}

// misc16 is group A5.2.5.
func (f *frameState) misc16(in insn) flow {
	hw := in.hw1
	switch {
	case hw&0xff80 == 0xb000: // ADD SP
		f.setSP(f.reg[regSP].add(uint32(hw&0x7f) * 4))
	case hw&0xff80 == 0xb080: // SUB SP
		f.setSP(f.reg[regSP].add(-uint32(hw&0x7f) * 4))
	case hw&0xf500 == 0xb100: // CBZ, CBNZ
		return flow{kind: maybe, target: in.addr + 4 + uint32(hw>>9&1)<<6 + uint32(hw>>3&31)<<1}
	case hw&0xfe00 == 0xb400: // PUSH
		f.push(hw&0xff | hw>>8&1<<regLR)
	case hw&0xfe00 == 0xbc00: // POP
		f.pop(hw&0xff | hw>>8&1<<regPC)
		if hw&0x100 != 0 {
			return flow{kind: ends}
		}
	case hw&0xff00 == 0xb200, hw&0xff00 == 0xba00: // SXTH..UXTB, REV..REVSH
		f.forget(hw & 7)
	}
	return flow{}
}

// push is STMDB SP!.
func (f *frameState) push(list uint16) {
	f.setSP(f.reg[regSP].add(-(4 * count(list))))
	f.storeMany(list, f.reg[regSP])
}

// pop is LDMIA SP!.
func (f *frameState) pop(list uint16) {
	sp := f.reg[regSP]
	f.loadMany(list, sp)
	f.setSP(sp.add(4 * count(list)))
}

// count is the number of registers in a list.
func count(list uint16) (n uint32) {
	for ; list != 0; list &= list - 1 {
		n++
	}
	return n
}

// multiple16 is STM and LDM with writeback.
func (f *frameState) multiple16(hw uint16) {
	rn, list := hw>>8&7, hw&0xff
	base := f.reg[rn]
	if hw>>11&1 == 0 {
		f.storeMany(list, base)
		f.reg[rn] = base.add(4 * count(list))
		return
	}
	f.loadMany(list, base)
	if list&(1<<rn) == 0 {
		f.reg[rn] = base.add(4 * count(list))
	}
}

// branch16 is B (T1), UDF and SVC.
func branch16(in insn) flow {
	switch in.hw1 >> 8 & 15 {
	case 14:
		return flow{kind: ends}
	case 15:
		return flow{}
	}
	return flow{kind: maybe, target: in.addr + 4 + signExtend(uint32(in.hw1&0xff)<<1, 9)}
}
