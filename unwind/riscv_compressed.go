package unwind

// decodeRVC decodes a 16-bit instruction (RISC-V Unprivileged ISA, "RVC
// Instruction Set Listings", for RV32; Zcb's loads and arithmetic). Of Zcmp and
// Zcmt, which stand in the place of C.FSDSP, nothing is decoded.
func decodeRVC(addr uint32, hw uint16) rvOp {
	w := uint32(hw)
	op := rvOp{addr: addr, rd: uint8(w >> 7 & 31), rs1: uint8(w >> 7 & 31), rs2: uint8(w >> 2 & 31), size: 2}
	switch w & 3 {
	case 0:
		op.quadrant0(w)
	case 1:
		op.quadrant1(addr, w)
	case 2:
		op.quadrant2(w)
	default:
		op.kind = rvStop
	}
	return op
}

func (op *rvOp) quadrant0(w uint32) {
	op.rd, op.rs1, op.rs2 = uint8(8+w>>2&7), uint8(8+w>>7&7), uint8(8+w>>2&7)
	word := w>>10&7<<3 | w>>6&1<<2 | w>>5&1<<6
	switch w >> 13 {
	case 0: // C.ADDI4SPN
		op.kind, op.rs1, op.imm = rvAddImm, rvSP, w>>11&3<<4|w>>7&15<<6|w>>6&1<<2|w>>5&1<<3
		if op.imm == 0 {
			op.kind = rvStop
		}
	case 2: // C.LW
		op.kind, op.imm = rvLoad, word
	case 4: // Zcb: loads of less than a word write rd', stores nothing
		if w>>11&1 == 0 {
			op.kind = rvOther
		}
	case 6: // C.SW
		op.kind, op.imm = rvStore, word
	}
}

func (op *rvOp) quadrant1(addr, w uint32) {
	imm6 := signExtend(w>>12&1<<5|w>>2&31, 6)
	jump := addr + signExtend(w>>12&1<<11|w>>11&1<<4|w>>9&3<<8|w>>8&1<<10|w>>7&1<<6|w>>6&1<<7|w>>3&7<<1|w>>2&1<<5, 12)
	switch w >> 13 {
	case 0: // C.ADDI
		op.kind, op.imm = rvAddImm, imm6
	case 1: // C.JAL
		op.kind, op.rd, op.target = rvJump, rvRA, jump
	case 2: // C.LI
		op.kind, op.imm = rvConst, imm6
	case 3:
		switch {
		case imm6 == 0: // Zcmop
		case op.rd == rvSP: // C.ADDI16SP
			op.kind, op.imm = rvAddImm, signExtend(w>>12&1<<9|w>>6&1<<4|w>>5&1<<6|w>>3&3<<7|w>>2&1<<5, 10)
		default: // C.LUI
			op.kind, op.imm = rvConst, imm6<<12
		}
	case 4:
		op.kind, op.rd = rvOther, uint8(8+w>>7&7)
		if w>>10&7 == 3 && w>>5&3 == 0 { // C.SUB
			op.kind, op.rs1, op.rs2 = rvSub, op.rd, uint8(8+w>>2&7)
		}
	case 5: // C.J
		op.kind, op.rd, op.target = rvJump, 0, jump
	default: // C.BEQZ, C.BNEZ
		op.kind, op.target = rvBranchIf, addr+signExtend(w>>12&1<<8|w>>10&3<<3|w>>5&3<<6|w>>3&3<<1|w>>2&1<<5, 9)
	}
}

func (op *rvOp) quadrant2(w uint32) {
	switch w >> 13 {
	case 0: // C.SLLI
		op.kind = rvOther
	case 2: // C.LWSP
		op.kind, op.rs1, op.imm = rvLoad, rvSP, w>>12&1<<5|w>>4&7<<2|w>>2&3<<6
	case 4:
		op.moveOrJump(w>>12&1 != 0)
	case 5:
		switch w >> 10 {
		case 0x28, 0x2b, 0x2e, 0x2f: // C.FSDSP, or Zcmp and Zcmt
			op.kind = rvStop
		}
	case 6: // C.SWSP
		op.kind, op.rs1, op.imm = rvStore, rvSP, w>>9&15<<2|w>>7&3<<6
	}
}

// moveOrJump is C.JR, C.MV, C.EBREAK, C.JALR and C.ADD.
func (op *rvOp) moveOrJump(add bool) {
	switch {
	case op.rs2 == 0 && op.rd == 0:
		op.kind = rvStop
	case op.rs2 == 0 && add:
		op.kind, op.rd = rvJumpReg, rvRA
	case op.rs2 == 0:
		op.kind, op.rd = rvJumpReg, 0
	case add:
		op.kind = rvAdd
	default:
		op.kind, op.rs1 = rvAddImm, op.rs2
	}
}
