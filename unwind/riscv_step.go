package unwind

// fetchRV decodes the instruction at addr.
func (c *code) fetchRV(addr uint32) (rvOp, bool) {
	hw, ok := c.half(addr)
	if !ok {
		return rvOp{}, false
	}
	if hw&3 != 3 {
		return decodeRVC(addr, hw), true
	}
	high, ok := c.half(addr + 2)
	return decodeRV32(addr, uint32(hw)|uint32(high)<<16), ok
}

// stepRV applies the instruction at addr.
func stepRV(c *code, f *frameState, addr uint32) (flow, bool) {
	op, ok := c.fetchRV(addr)
	if !ok || op.kind == rvStop {
		return flow{}, false
	}
	to := flow{}
	switch op.kind {
	case rvBranchIf:
		to.kind, to.target = maybe, op.target
	case rvTrapReturn:
		to.kind = ends
	case rvJump:
		to = f.jumpRV(c, op, op.target)
	case rvJumpReg:
		to = f.jumpRegRV(c, op)
	default:
		f.applyRV(c, op)
	}
	to.size = op.size
	return to, true
}

// readRV is what a register holds; x0 is 0.
func (f *frameState) readRV(r uint8) content {
	if r == 0 {
		return content{kind: constant}
	}
	return f.reg[r]
}

// writeRV writes the result of op; x0 takes nothing.
func (f *frameState) writeRV(op rvOp, v content) {
	if op.rd != 0 {
		f.write(uint16(op.rd), v, op.addr)
	}
}

// applyRV applies an instruction that goes on to the next.
func (f *frameState) applyRV(c *code, op rvOp) {
	a, b := f.readRV(op.rs1), f.readRV(op.rs2)
	if a == (content{kind: entryOf, n: rvGP}) {
		a = c.global()
	}
	switch op.kind {
	case rvOther:
		f.writeRV(op, content{})
	case rvConst:
		f.writeRV(op, content{kind: constant, n: op.imm})
	case rvAddImm:
		f.writeRV(op, a.add(op.imm))
	case rvAdd:
		f.writeRV(op, sum(a, b))
	case rvSub:
		v := content{}
		if b.kind == constant {
			v = a.add(-b.n)
		}
		f.writeRV(op, v)
	case rvIndex:
		f.writeRV(op, sum(content{}, b))
	case rvLoad:
		f.writeRV(op, f.at(c, a.add(op.imm)))
	case rvStore:
		f.store(c, b, a.add(op.imm))
	case rvStorePart:
		f.clobber(a.add(op.imm), 1)
	case rvCSR:
		f.csrRV(op)
	}
}

// csrRV reads or writes mepc, whose column is that of x0. Other CSRs hold nothing
// that is known.
func (f *frameState) csrRV(op rvOp) {
	if op.imm != csrMEPC {
		f.writeRV(op, content{})
		return
	}
	was := f.reg[rvMEPC]
	if op.writes {
		v := content{}
		if op.copies && f.readRV(op.rs1).kind == entryOf {
			v = f.reg[op.rs1]
		}
		f.reg[rvMEPC] = v
	}
	f.writeRV(op, was)
}

// jumpRV is a jump to a known address. The routines that save registers for a
// prologue return to t0; what they do is done.
func (f *frameState) jumpRV(c *code, op rvOp, target uint32) flow {
	switch op.rd {
	case 0:
		return flow{kind: jumps, target: target}
	case rvT0:
		if !f.routineRV(c, target, nil) {
			f.setSP(f.newBase(op.addr))
		}
		return flow{}
	}
	return flow{kind: returns, target: target}
}

// jumpRegRV is JALR.
func (f *frameState) jumpRegRV(c *code, op rvOp) flow {
	to := f.readRV(op.rs1)
	if op.imm != 0 {
		to = to.add(op.imm)
	}
	switch {
	case to.kind == constant:
		return f.jumpRV(c, op, to.n&^1)
	case op.rd == rvT0:
		f.setSP(f.newBase(op.addr))
		return flow{}
	case op.rd != 0:
		return flow{kind: returns}
	}
	return jumpTo(to)
}
