package unwind

// rvOp is what an instruction does as far as stacks are concerned.
type rvOp struct {
	addr         uint32
	kind         rvKind
	rd, rs1, rs2 uint8
	imm          uint32 // sign-extended; of rvConst the value, of rvCSR the number
	target       uint32 // of a branch or jump
	size         uint32
	writes       bool // rvCSR: the CSR is written,
	copies       bool // with what rs1 holds
}

type rvKind uint8

const (
	rvNothing    rvKind = iota // of no interest: floating point, fences
	rvOther                    // rd = something
	rvConst                    // rd = imm
	rvAddImm                   // rd = rs1 + imm
	rvAdd                      // rd = rs1 + rs2
	rvSub                      // rd = rs1 - rs2
	rvIndex                    // rd = (rs1 << n) + rs2
	rvLoad                     // rd = word at rs1 + imm
	rvStore                    // word at rs1 + imm = rs2
	rvStorePart                // something at rs1 + imm = something
	rvBranchIf                 // to target, or on
	rvJump                     // rd = next; to target
	rvJumpReg                  // rd = next; to rs1 + imm
	rvCSR                      // rd = CSR imm, which may be written
	rvTrapReturn               // MRET, SRET, MNRET
	rvStop                     // EBREAK, what cannot be executed, what is not decoded
)

const csrMEPC = 0x341

// decodeRV decodes the instruction whose first bytes are w.
func decodeRV(addr, w uint32) rvOp {
	if w&3 == 3 {
		return decodeRV32(addr, w)
	}
	return decodeRVC(addr, uint16(w))
}

// decodeRV32 decodes a 32-bit instruction (RISC-V Unprivileged ISA, "RV32/64G
// Instruction Set Listings").
func decodeRV32(addr, w uint32) rvOp {
	op := rvOp{addr: addr, rd: uint8(w >> 7 & 31), rs1: uint8(w >> 15 & 31), rs2: uint8(w >> 20 & 31), imm: uint32(int32(w) >> 20), size: 4}
	funct3 := w >> 12 & 7
	switch w & 0x7f {
	case 0x37: // LUI
		op.kind, op.imm = rvConst, w&0xfffff000
	case 0x17: // AUIPC
		op.kind, op.imm = rvConst, addr+w&0xfffff000
	case 0x6f: // JAL
		imm := w>>31<<20 | w>>12&0xff<<12 | w>>20&1<<11 | w>>21&0x3ff<<1
		op.kind, op.target = rvJump, addr+signExtend(imm, 21)
	case 0x67: // JALR
		op.kind = rvJumpReg
	case 0x63: // BEQ ... BGEU
		imm := w>>31<<12 | w>>7&1<<11 | w>>25&0x3f<<5 | w>>8&15<<1
		op.kind, op.target = rvBranchIf, addr+signExtend(imm, 13)
	case 0x03:
		op.kind = rvOther
		if funct3 == 2 { // LW
			op.kind = rvLoad
		}
	case 0x23:
		op.kind, op.imm = rvStorePart, signExtend(w>>25<<5|w>>7&31, 12)
		if funct3 == 2 { // SW
			op.kind = rvStore
		}
	case 0x13:
		op.kind = rvOther
		if funct3 == 0 { // ADDI
			op.kind = rvAddImm
		}
	case 0x33:
		op.kind = integerOp(w>>25, funct3)
	case 0x73:
		op.system(w, funct3)
	case 0x53: // FCMP, FCVT to integer, FMV.X.W and FCLASS write an integer register
		if f := w >> 27; f == 0x14 || f == 0x18 || f == 0x1c {
			op.kind = rvOther
		}
	case 0x0f, 0x07, 0x27, 0x43, 0x47, 0x4b, 0x4f: // fences, floating point
	default:
		op.kind = rvOther
		if w&0x1f == 0x1f || w&3 != 3 { // longer than 32 bits, or none
			op.kind = rvStop
		}
	}
	return op
}

// integerOp is ADD, SUB and SHnADD (Zba) of the instructions on two registers.
func integerOp(funct7, funct3 uint32) rvKind {
	switch {
	case funct7 == 0 && funct3 == 0:
		return rvAdd
	case funct7 == 0x20 && funct3 == 0:
		return rvSub
	case funct7 == 0x10 && (funct3 == 2 || funct3 == 4 || funct3 == 6):
		return rvIndex
	}
	return rvOther
}

// system decodes ECALL, EBREAK, the returns from traps and the CSR instructions.
func (op *rvOp) system(w, funct3 uint32) {
	switch {
	case funct3 == 4:
		op.kind = rvOther
	case funct3 != 0:
		op.kind, op.imm = rvCSR, w>>20
		op.writes, op.copies = funct3&3 == 1 || op.rs1 != 0, funct3 == 1
	case w == 0x30200073 || w == 0x10200073 || w == 0x70200073:
		op.kind = rvTrapReturn
	case w == 0x00100073:
		op.kind = rvStop
	}
}
