package unwind

// step32 applies a 32-bit instruction to f (ARMv7-M ARM A5.3).
func (f *frameState) step32(c *code, in insn) flow {
	hw1, hw2 := in.hw1, in.hw2
	switch {
	case hw1 == 0xe97f && hw2 == hw1: // SG (ARMv8-M)
	case hw1&0xfe40 == 0xe800: // LDM, STM
		return f.multiple32(c, hw1, hw2)
	case hw1&0xfe40 == 0xe840: // LDRD, STRD, exclusives, table branches
		return f.dual32(c, in)
	case hw1&0xfe00 == 0xea00:
		f.shifted32(in)
	case hw1&0xec00 == 0xec00:
		return f.coprocessor(in)
	case hw1&0xf800 == 0xf000 && hw2&0x8000 != 0:
		return f.control32(c, in)
	case hw1&0xfa00 == 0xf000:
		f.modified32(in)
	case hw1&0xfa00 == 0xf200:
		f.plain32(in)
	case hw1&0xfe00 == 0xf800:
		return f.single32(c, in)
	case hw1&0xff80 == 0xfb80: // long multiply, divide
		f.forget(hw2 >> 8)
		if hw1>>4&7 != 1 && hw1>>4&7 != 3 {
			f.forget(hw2 >> 12)
		}
	default: // data processing (register), multiply
		f.forget(hw2 >> 8)
	}
	return flow{}
}

// multiple32 is group A5.3.5.
func (f *frameState) multiple32(c *code, hw1, hw2 uint16) flow {
	rn := hw1 & 15
	size := 4 * count(hw2)
	base := f.reg[rn]
	low, after := base, base.add(size)
	if hw1>>7&3 == 2 { // decrement before
		low, after = base.add(-size), base.add(-size)
	}
	back := hw1&0x20 != 0
	if hw1&0x10 == 0 {
		if back && rn == regSP {
			f.setSP(after)
		}
		f.storeMany(c, hw2, low)
		if back {
			f.assign(rn, after)
		}
		return flow{}
	}
	to := f.loadMany(c, hw2, low)
	if back {
		f.assign(rn, after)
	}
	if hw2&(1<<regPC) != 0 {
		return jumpTo(to)
	}
	return flow{}
}

// dual32 is group A5.3.6.
func (f *frameState) dual32(c *code, in insn) flow {
	hw1, hw2 := in.hw1, in.hw2
	rn, rt, rt2 := hw1&15, hw2>>12, hw2>>8&15
	back, before, load := hw1&0x20 != 0, hw1&0x100 != 0, hw1&0x10 != 0
	if !back && !before { // exclusives and tables
		switch {
		case hw1 == 0xe8d0|rn && hw2&0xffe0 == 0xf000:
			return flow{kind: byTable, target: in.addr + 4, from: in.addr + 4, entry: tableKind(hw2 >> 4 & 1)}
		case load: // LDREX, LDREXB, LDREXH
			f.forget(rt)
		case hw1&0x80 == 0: // STREX
			f.forget(rt2)
		default: // STREXB, STREXH
			f.forget(hw2 & 15)
		}
		return flow{}
	}
	offset := uint32(hw2&0xff) * 4
	if hw1&0x80 == 0 {
		offset = -offset
	}
	addr, after := address(f.reg[rn], offset, before)
	if back && rn == regSP && !load {
		f.setSP(after)
	}
	to := flow{}
	if load {
		if rn == regPC {
			at := (in.addr+4)&^3 + offset
			addr, to.data = content{kind: constant, n: at}, Range{at, at + 8}
		}
		v, v2 := f.at(c, addr), f.at(c, addr.add(4))
		f.assign(rt, v)
		f.assign(rt2, v2)
	} else {
		f.store(c, f.reg[rt], addr)
		f.store(c, f.reg[rt2], addr.add(4))
	}
	if back {
		f.assign(rn, after)
	}
	return to
}

// address is what an access goes to and what its base is afterwards, with
// writeback.
func address(base content, offset uint32, before bool) (addr, after content) {
	after = base.add(offset)
	if before {
		return after, after
	}
	return base, after
}

// shifted32 is data processing with a shifted register (A5.3.11).
func (f *frameState) shifted32(in insn) {
	hw1, hw2 := in.hw1, in.hw2
	rn, rd, rm := hw1&15, hw2>>8&15, hw2&15
	shift := uint(hw2>>12&7<<2 | hw2>>6&3)
	v := f.reg[rm]
	if hw2>>4&3 == 0 {
		v = v.shiftLeft(shift)
	} else {
		v = content{}
	}
	switch op := hw1 >> 5 & 15; {
	case rd == regPC: // TST, TEQ, CMN, CMP
	case op == 2 && rn == 15 && hw2>>4&3 == 0: // MOV, LSL
		if rd == regSP {
			f.write(rd, v, in.addr)
		} else {
			f.shiftLeft(rd, f.reg[rm], shift, in.addr)
		}
	case op == 2 && rn == 15 && hw2>>4&3 == 1 && shift != 0: // LSR
		f.shiftRight(rd, f.reg[rm], shift)
	case op == 0 && v.kind == constant: // AND
		f.write(rd, f.masked(f.reg[rn], v.n, in.addr), in.addr)
	case op == 1 && v.kind == constant: // BIC
		f.write(rd, f.masked(f.reg[rn], ^v.n, in.addr), in.addr)
	case op == 8: // ADD
		f.write(rd, sum(f.reg[rn], v), in.addr)
	case op == 13: // SUB
		f.write(rd, minus(f.reg[rn], v), in.addr)
	default:
		f.write(rd, content{}, in.addr)
	}
}

// modified32 is data processing with a modified immediate (A5.3.1).
func (f *frameState) modified32(in insn) {
	hw1, hw2 := in.hw1, in.hw2
	rn, rd := hw1&15, hw2>>8&15
	imm := expandImm(hw1, hw2)
	v := content{}
	switch op := hw1 >> 5 & 15; {
	case rd == regPC:
		return
	case op == 0: // AND
		v = f.masked(f.reg[rn], imm, in.addr)
	case op == 1: // BIC
		v = f.masked(f.reg[rn], ^imm, in.addr)
	case op == 2 && rn == 15: // MOV
		v = content{kind: constant, n: imm}
	case op == 2 && f.reg[rn].kind == withBits: // ORR
		v = content{kind: withBits, n: f.reg[rn].n | imm}
	case op == 2 && imm == 1: // ORR: a computed goto
		v = f.reg[rn].withThumbBit()
	case op == 2 && f.reg[rn].kind == constant: // ORR
		v = content{kind: constant, n: f.reg[rn].n | imm}
	case op == 3 && rn == 15: // MVN
		v = content{kind: constant, n: ^imm}
	case op == 8: // ADD
		v = f.reg[rn].add(imm)
	case op == 13: // SUB
		v = f.reg[rn].add(-imm)
	case op == 14 && f.reg[rn].kind == constant: // RSB
		v = content{kind: constant, n: imm - f.reg[rn].n}
	}
	f.write(rd, v, in.addr)
}

// plain32 is data processing with a plain immediate (A5.3.3).
func (f *frameState) plain32(in insn) {
	hw1, hw2 := in.hw1, in.hw2
	rn, rd := hw1&15, hw2>>8&15
	imm := uint32(hw1>>10&1)<<11 | uint32(hw2>>12&7)<<8 | uint32(hw2&0xff)
	base := f.reg[rn]
	if rn == regPC { // ADR
		base = content{kind: constant, n: (in.addr + 4) &^ 3}
	}
	v := content{}
	switch hw1 >> 4 & 31 {
	case 0: // ADDW
		v = base.add(imm)
	case 10: // SUBW
		v = base.add(-imm)
	case 4: // MOVW
		v = content{kind: constant, n: uint32(rn)<<12 | imm}
	case 12: // MOVT
		if low := f.reg[rd]; low.kind == constant {
			v = content{kind: constant, n: low.n&0xffff | (uint32(rn)<<12|imm)<<16}
		}
	case 22: // BFC, BFI: the lowest bits cleared
		if lsb := hw2>>12&7<<2 | hw2>>6&3; rn == regPC && lsb == 0 {
			v = f.masked(f.reg[rd], ^uint32(0)<<(hw2&31)<<1, in.addr)
		}
	}
	f.write(rd, v, in.addr)
}

// control32 is branches and miscellaneous control (A5.3.4).
func (f *frameState) control32(c *code, in insn) flow {
	hw1, hw2 := in.hw1, in.hw2
	switch {
	case hw2&0x5000 == 0x5000: // BL
		target := branchT4(in.addr, hw1, hw2)
		if kind, ok := c.caseHelper(target); ok {
			return flow{kind: byTable, target: in.addr + 4, from: in.addr + 4, entry: kind}
		}
		return flow{kind: returns, target: target}
	case hw2&0x5000 == 0x1000: // B (T4)
		return flow{kind: jumps, target: branchT4(in.addr, hw1, hw2)}
	case hw2&0x5000 == 0x4000: // BLX to ARM code: undefined here
		return flow{kind: ends}
	case hw1&0x0380 != 0x0380: // B (T3)
		return flow{kind: maybe, target: branchT3(in.addr, hw1, hw2)}
	case hw1&0xffe0 == 0xf3e0: // MRS
		f.forget(hw2 >> 8)
		switch hw2 & 0xff {
		case sysPSP:
			f.assign(hw2>>8&15, content{kind: processAt})
		case sysCONTROL:
			f.assign(hw2>>8&15, content{kind: withBits})
		}
	case hw1&0xffe0 == 0xf380: // MSR
		f.writeSpecial(hw2&0xff, f.reg[hw1&15])
	case hw1&0xfff0 == 0xf7f0: // UDF
		return flow{kind: ends}
	}
	return flow{}
}

// single32 is loads and stores of one register (A5.3.7 to A5.3.10).
func (f *frameState) single32(c *code, in insn) flow {
	hw1, hw2 := in.hw1, in.hw2
	rn, rt := hw1&15, hw2>>12
	load, word := hw1&0x10 != 0, hw1&0x60 == 0x40
	base := f.reg[rn]
	if load && rn == regPC { // literal
		return f.loadLiteral32(c, in)
	}
	addr, after, back := content{}, base, false
	switch {
	case hw1&0x80 != 0: // imm12
		addr = base.add(uint32(hw2 & 0xfff))
	case hw2&0x800 != 0: // imm8 with P, U, W
		offset := uint32(hw2 & 0xff)
		if hw2&0x200 == 0 {
			offset = -offset
		}
		addr, after = address(base, offset, hw2&0x400 != 0)
		back = hw2&0x100 != 0
	default: // register, LSL imm2
		addr = sum(base, content{})
	}
	if !load {
		if back && rn == regSP {
			f.setSP(after)
		}
		if word {
			f.store(c, f.reg[rt], addr)
		} else {
			f.clobber(addr, 1)
		}
	}
	v := content{}
	if load && word {
		v = f.at(c, addr)
	}
	if load && rt != regPC {
		f.assign(rt, v)
	}
	if back {
		f.assign(rn, after)
	}
	if load && word && rt == regPC {
		return jumpTo(v)
	}
	return flow{}
}

func (f *frameState) loadLiteral32(c *code, in insn) flow {
	rt := in.hw2 >> 12
	word := in.hw1&0x60 == 0x40
	offset := uint32(in.hw2 & 0xfff)
	if in.hw1&0x80 == 0 {
		offset = -offset
	}
	addr := (in.addr+4)&^3 + offset
	data := Range{addr, addr + 4}
	switch {
	case rt == regPC && word:
		return flow{kind: ends, data: data}
	case rt == regPC: // PLD, PLI
	case word:
		f.assign(rt, c.literal(addr))
	default:
		f.assign(rt, content{})
	}
	return flow{data: data}
}

// coprocessor is A5.3.18 with the floating-point extension's loads, stores and
// moves (A6.5 to A6.7): VPUSH and VPOP move SP, moves to core registers write
// them.
func (f *frameState) coprocessor(in insn) flow {
	hw1, hw2 := in.hw1, in.hw2
	rt, load := hw2>>12, hw1&0x10 != 0
	switch {
	case hw1&0xfe00 == 0xec00 && hw1&0x1e0 == 0x40: // MRRC, MCRR, VMOV of two registers
		if load {
			f.forget(rt)
			f.forget(hw1)
		}
	case hw1&0xfe00 == 0xec00:
		return f.coprocessorMemory(in)
	case hw1&0xff10 == 0xee10 && hw2&0x10 != 0: // MRC, VMOV, VMRS
		if rt != regPC {
			f.forget(rt)
		}
	}
	return flow{}
}

// coprocessorMemory is LDC, STC, VLDM, VSTM, VLDR, VSTR.
func (f *frameState) coprocessorMemory(in insn) flow {
	rn, size := in.hw1&15, uint32(in.hw2&0xff)*4
	before, up, back, load := in.hw1&0x100 != 0, in.hw1&0x80 != 0, in.hw1&0x20 != 0, in.hw1&0x10 != 0
	offset := size
	if !up {
		offset = -size
	}
	if rn == regPC {
		addr := (in.addr+4)&^3 + offset
		return flow{data: Range{addr, addr + 8}}
	}
	addr, after := address(f.reg[rn], offset, before)
	if before && !back { // VLDR, VSTR of one word or two
		size = 4 << (in.hw2 >> 8 & 1)
	}
	if !load {
		f.clobber(addr, size)
	}
	if back {
		f.assign(rn, after)
	}
	return flow{}
}
