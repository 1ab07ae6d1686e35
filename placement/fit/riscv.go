package fit

import "encoding/binary"

// decodeRISCV knows the branches of RV32IC (RISC-V Unprivileged ISA, "RV32I Base
// Integer Instruction Set" and "C Extension"). A call that the linker has relaxed to
// one JAL becomes AUIPC and JALR again where its target is out of reach: grows.
func decodeRISCV(addr uint32, code []byte) instruction {
	hw := uint32(binary.LittleEndian.Uint16(code))
	if hw&3 != 3 {
		return riscvCompressed(addr, hw)
	}
	if len(code) < 4 {
		return instruction{size: 2, cycles: 1}
	}
	w := binary.LittleEndian.Uint32(code)
	in := instruction{size: 4, cycles: 1}
	in.branch.at = addr
	switch rd := w >> 7 & 31; w & 0x7f {
	case 0x6f: // JAL
		imm := w>>31<<20 | w>>12&0xff<<12 | w>>20&1<<11 | w>>21&0x3ff<<1
		in.leaves, in.cycles = true, cyclesTaken
		in.branch.direct, in.branch.call, in.branch.to, in.branch.grows = true, rd != 0, addr+uint32(int32(imm<<11)>>11), 4
	case 0x67: // JALR
		in.leaves, in.cycles, in.branch.call = true, cyclesTaken, rd != 0
	case 0x63: // BEQ ... BGEU
		imm := w>>31<<12 | w>>7&1<<11 | w>>25&0x3f<<5 | w>>8&15<<1
		in.leaves, in.branch.direct, in.branch.conditional = true, true, true
		in.branch.to = addr + uint32(int32(imm<<19)>>19)
	case 0x17: // AUIPC
		in.farCall(addr, w, code[4:])
	case 0x03:
		in.cycles = 2
	case 0x33:
		if w>>25 == 1 && w>>14&1 != 0 { // DIV, REM
			in.cycles = 32
		}
	}
	return in
}

// farCall joins AUIPC and the JALR behind it on the same register. It has its
// full size already.
func (in *instruction) farCall(addr, w uint32, next []byte) {
	if len(next) < 4 {
		return
	}
	jalr := binary.LittleEndian.Uint32(next)
	if jalr&0x707f != 0x67 || jalr>>15&31 != w>>7&31 {
		return
	}
	in.size, in.cycles, in.leaves = 8, 1+cyclesTaken, true
	in.branch.direct, in.branch.call = true, jalr>>7&31 != 0
	in.branch.to = addr + w&0xfffff000 + uint32(int32(jalr)>>20)
}

func riscvCompressed(addr, hw uint32) instruction {
	in := instruction{size: 2, cycles: 1}
	in.branch.at = addr
	switch op, funct3 := hw&3, hw>>13; {
	case op == 1 && (funct3 == 1 || funct3 == 5): // C.JAL, C.J
		imm := hw>>12&1<<11 | hw>>11&1<<4 | hw>>9&3<<8 | hw>>8&1<<10 | hw>>7&1<<6 | hw>>6&1<<7 | hw>>3&7<<1 | hw>>2&1<<5
		in.leaves, in.cycles = true, cyclesTaken
		in.branch.direct, in.branch.call, in.branch.to, in.branch.grows = true, funct3 == 1, addr+uint32(int32(imm<<20)>>20), 6
	case op == 1 && funct3 >= 6: // C.BEQZ, C.BNEZ
		imm := hw>>12&1<<8 | hw>>10&3<<3 | hw>>5&3<<6 | hw>>3&3<<1 | hw>>2&1<<5
		in.leaves, in.branch.direct, in.branch.conditional = true, true, true
		in.branch.to = addr + uint32(int32(imm<<23)>>23)
	case op == 2 && funct3 == 4 && hw>>2&31 == 0 && hw>>7&31 != 0: // C.JR, C.JALR
		in.leaves, in.cycles, in.branch.call = true, cyclesTaken, hw>>12&1 != 0
	case funct3 == 2 && op != 1: // C.LW, C.LWSP
		in.cycles = 2
	}
	return in
}
