package unwind

// step16 applies a 16-bit instruction to f (ARMv7-M ARM A5.2).
func (f *frameState) step16(c *code, in insn) flow {
	hw := in.hw1
	switch hw >> 12 {
	case 0, 1:
		f.shiftAdd16(in)
	case 2, 3:
		f.immediate16(hw)
	case 4:
		return f.mixed16(c, in)
	case 5:
		f.indexed16(c, hw)
	case 6:
		f.access16(c, hw>>11&1 != 0, hw&7, f.reg[hw>>3&7].add(uint32(hw>>6&31)*4))
	case 7: // LDRB, STRB (immediate)
		f.part16(hw, byteForward, uint32(hw>>6&31))
	case 8: // LDRH, STRH (immediate)
		f.part16(hw, halfForward, uint32(hw>>6&31)*2)
	case 9:
		f.access16(c, hw>>11&1 != 0, hw>>8&7, f.reg[regSP].add(uint32(hw&0xff)*4))
	case 10:
		if hw>>11&1 != 0 { // ADD (SP plus immediate)
			f.assign(hw>>8&7, f.reg[regSP].add(uint32(hw&0xff)*4))
		} else { // ADR
			f.assign(hw>>8&7, content{kind: constant, n: (in.addr+4)&^3 + uint32(hw&0xff)*4})
		}
	case 11:
		return f.misc16(c, in)
	case 12:
		f.multiple16(c, hw)
	case 13:
		return branch16(in)
	default: // B (T2)
		return flow{kind: jumps, target: in.addr + 4 + signExtend(uint32(hw&0x7ff)<<1, 12)}
	}
	return flow{}
}

// access16 is LDR or STR (immediate).
func (f *frameState) access16(c *code, load bool, r uint16, addr content) {
	if load {
		f.assign(r, f.at(c, addr))
	} else {
		f.store(c, f.reg[r], addr)
	}
}

// indexed16 is loads and stores with a register offset.
func (f *frameState) indexed16(c *code, hw uint16) {
	addr := sum(f.reg[hw>>3&7], f.reg[hw>>6&7])
	rt := hw & 7
	switch op := hw >> 9 & 7; op {
	case 0: // STR
		f.store(c, f.reg[rt], addr)
	case 1, 2: // STRH, STRB
		f.clobber(addr, 1)
	case 4: // LDR
		f.assign(rt, f.at(c, addr))
	default: // LDRSB, LDRH, LDRB, LDRSH
		kinds := [8]tableKind{3: byteBothWays, 5: halfForward, 6: byteForward, 7: halfBothWays}
		f.assign(rt, addr.entry(kinds[op]))
	}
}

// part16 is a load or store of a part of a word.
func (f *frameState) part16(hw uint16, k tableKind, offset uint32) {
	addr := f.reg[hw>>3&7].add(offset)
	if hw>>11&1 != 0 {
		f.assign(hw&7, addr.entry(k))
	} else {
		f.clobber(addr, 1)
	}
}

// shiftAdd16 is LSL, LSR, ASR (immediate), ADD and SUB of three registers or
// with imm3.
func (f *frameState) shiftAdd16(in insn) {
	hw := in.hw1
	rd, rn := hw&7, f.reg[hw>>3&7]
	imm, shift := uint32(hw>>6&7), uint(hw>>6&31)
	switch op := hw >> 9; {
	case op == 12: // ADD (register)
		f.reg[rd] = sum(rn, f.reg[hw>>6&7])
	case op == 13: // SUB (register)
		f.reg[rd] = minus(rn, f.reg[hw>>6&7])
	case op == 14: // ADD imm3; MOVS is one with 0
		f.reg[rd] = rn.add(imm)
	case op == 15: // SUB imm3
		f.reg[rd] = rn.add(-imm)
	case hw>>11 == 0: // LSL
		f.shiftLeft(rd, rn, shift, in.addr)
	case hw>>11 == 1: // LSR
		f.shiftRight(rd, rn, shift)
	default:
		f.forget(rd)
	}
}

// shiftLeft is LSL: one that takes back an LSR rounds down.
func (f *frameState) shiftLeft(rd uint16, v content, n uint, site uint32) {
	if v.kind == shifted && uint(v.n) == n {
		f.assign(rd, f.aligned(v, site))
		return
	}
	f.assign(rd, v.shiftLeft(n))
}

// shiftRight is LSR; 0 stands for 32.
func (f *frameState) shiftRight(rd uint16, v content, n uint) {
	switch {
	case v.kind == constant && n != 0:
		f.assign(rd, content{kind: constant, n: v.n >> n})
	case v.kind == frameAt || v.kind == baseAt:
		f.assign(rd, content{kind: shifted, n: uint32(n)})
	default:
		f.assign(rd, content{})
	}
}

// immediate16 is MOV, CMP, ADD, SUB with imm8.
func (f *frameState) immediate16(hw uint16) {
	r, imm := hw>>8&7, uint32(hw&0xff)
	switch hw >> 11 & 3 {
	case 0:
		f.reg[r] = content{kind: constant, n: imm}
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
		addr := (in.addr+4)&^3 + uint32(hw&0xff)*4
		f.reg[hw>>8&7] = c.literal(addr)
		return flow{data: Range{addr, addr + 4}}
	case hw>>10 == 16: // data processing
		f.process16(in)
	case hw>>8 == 0x47: // BX, BLX
		if hw&0x80 != 0 {
			return flow{kind: returns}
		}
		return jumpTo(f.reg[hw>>3&15])
	default:
		return f.high16(in)
	}
	return flow{}
}

// literal is the constant at addr.
func (c *code) literal(addr uint32) content {
	if v, ok := c.word(addr); ok {
		return content{kind: constant, n: v}
	}
	return content{}
}

func (f *frameState) process16(in insn) {
	hw := in.hw1
	rd, rm := hw&7, f.reg[hw>>3&7]
	switch op := hw >> 6 & 15; {
	case op == 8 || op == 10 || op == 11: // TST, CMP, CMN
	case op == 9 && rm.kind == constant: // RSB from 0
		f.reg[rd] = content{kind: constant, n: -rm.n}
	case op == 15 && rm.kind == constant: // MVN
		f.reg[rd] = content{kind: constant, n: ^rm.n}
	case op == 0 && rm.kind == constant: // AND
		f.reg[rd] = f.masked(f.reg[rd], rm.n, in.addr)
	case op == 0 && f.reg[rd].kind == constant: // AND
		f.reg[rd] = f.masked(rm, f.reg[rd].n, in.addr)
	case op == 12 && rm.kind == constant && f.reg[rd].kind == withBits: // ORR
		f.reg[rd].n |= rm.n
	case op == 12 && rm.kind == withBits && f.reg[rd].kind == constant:
		f.reg[rd] = content{kind: withBits, n: rm.n | f.reg[rd].n}
	case op == 12 && rm == content{kind: constant, n: 1}:
		f.reg[rd] = f.reg[rd].withThumbBit()
	case op == 12 && f.reg[rd] == content{kind: constant, n: 1}:
		f.reg[rd] = rm.withThumbBit()
	case op == 14 && rm.kind == constant: // BIC
		f.reg[rd] = f.masked(f.reg[rd], ^rm.n, in.addr)
	default:
		f.forget(rd)
	}
}

// masked is v AND mask: an address rounded down if that clears low bits alone.
func (f *frameState) masked(v content, mask, site uint32) content {
	low := ^mask
	switch {
	case v.kind == constant:
		return content{kind: constant, n: v.n & mask}
	case low&(low+1) == 0 && low < 1<<16:
		return f.aligned(v, site)
	}
	return content{}
}

// high16 is ADD, CMP, MOV of any registers. PC reads as the address + 4.
func (f *frameState) high16(in insn) flow {
	hw := in.hw1
	rd, rm := hw&7|hw>>4&8, f.reg[hw>>3&15]
	if hw>>3&15 == regPC {
		rm = content{kind: constant, n: in.addr + 4}
	}
	switch hw >> 8 & 3 {
	case 0:
		if rd == regPC {
			if rm.kind == twice {
				return flow{kind: byTable, target: rm.n, from: in.addr + 4, entry: tableKind(rm.id)}
			}
			return flow{kind: ends}
		}
		f.write(rd, sum(f.reg[rd], rm), in.addr)
	case 2:
		if rd == regPC {
			return jumpTo(rm)
		}
		f.write(rd, rm, in.addr)
	}
	return flow{}
}

// minus is a - b.
func minus(a, b content) content {
	if b.kind == constant {
		return a.add(-b.n)
	}
	return content{}
}

// misc16 is group A5.2.5.
func (f *frameState) misc16(c *code, in insn) flow {
	hw := in.hw1
	switch {
	case hw&0xff80 == 0xb000: // ADD SP
		f.setSP(f.reg[regSP].add(uint32(hw&0x7f) * 4))
	case hw&0xff80 == 0xb080: // SUB SP
		f.setSP(f.reg[regSP].add(-uint32(hw&0x7f) * 4))
	case hw&0xf500 == 0xb100: // CBZ, CBNZ
		return flow{kind: maybe, target: in.addr + 4 + uint32(hw>>9&1)<<6 + uint32(hw>>3&31)<<1}
	case hw&0xfe00 == 0xb400: // PUSH
		f.push(c, hw&0xff|hw>>8&1<<regLR)
	case hw&0xfe00 == 0xbc00: // POP
		to := f.pop(c, hw&0xff|hw>>8&1<<regPC)
		if hw&0x100 != 0 {
			return jumpTo(to)
		}
	case hw&0xff00 == 0xb200, hw&0xff00 == 0xba00: // SXTH..UXTB, REV..REVSH
		f.forget(hw & 7)
	}
	return flow{}
}

// push is STMDB SP!.
func (f *frameState) push(c *code, list uint16) {
	f.setSP(f.reg[regSP].add(-(4 * count(list))))
	f.storeMany(c, list, f.reg[regSP])
}

// pop is LDMIA SP!.
func (f *frameState) pop(c *code, list uint16) (to content) {
	sp := f.reg[regSP]
	to = f.loadMany(c, list, sp)
	f.setSP(sp.add(4 * count(list)))
	return to
}

// count is the number of registers in a list.
func count(list uint16) (n uint32) {
	for ; list != 0; list &= list - 1 {
		n++
	}
	return n
}

// multiple16 is STM and LDM with writeback.
func (f *frameState) multiple16(c *code, hw uint16) {
	rn, list := hw>>8&7, hw&0xff
	base := f.reg[rn]
	if hw>>11&1 == 0 {
		f.storeMany(c, list, base)
		f.reg[rn] = base.add(4 * count(list))
		return
	}
	f.loadMany(c, list, base)
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
