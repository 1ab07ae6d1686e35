package unwind

import "github.com/mprof/mprof/snapshot"

// Columns of RISC-V that have a part of their own (RISC-V ELF psABI, "Integer
// register convention" and "DWARF register numbers"). x0 is no register that
// could be lost or found, so its column is that of mepc: where a trap came from.
const (
	rvMEPC = 0
	rvRA   = 1
	rvSP   = 2
	rvT0   = 5 // the link register of save and restore routines
	rvT1   = 6 // and by how much they move the stack pointer at their end
	rvFP   = 8
	// rvKept are gp, tp and s0-s11, which survive a call.
	rvKept = 1<<rvMEPC | 1<<3 | 1<<4 | 1<<rvFP | 1<<9 | 0x3ff<<18

	rv32Columns = 32
)

// rv32 is a RISC-V hart with 32-bit registers, compressed instructions or not.
// Frames are multiples of 16 bytes, those of
// RV32E and of assembly multiples of 4.
var rv32 = machine{
	columns:  rv32Columns,
	sp:       rvSP,
	link:     rvRA,
	kept:     rvKept,
	handlers: 1<<rvRA | 1<<rvT0 | 1<<rvT1,
	align:    4,
	codeMask: ^uint32(1),
	capture:  rvCapture(),
	pc:       snapshot.PC,
	chain:    &framePointer{reg: rvFP, cfa: 0, saved: -8, ra: -4},
	ends:     []uint32{0},
	calls:    rvCallBefore,
	branch:   rvBranch,
	cross:    (*walk).crossTrap,
	trap:     rvReturnsFromTrap,
	helper:   rvHelper,
	step:     stepRV,
}

func rvCapture() []snapshot.Reg {
	regs := []snapshot.Reg{snapshot.MEPC}
	for i := range snapshot.Reg(31) {
		regs = append(regs, snapshot.X0+1+i)
	}
	return regs
}

// rvCallBefore looks for JAL or JALR with a link register in front of a return
// address, C.JAL or C.JALR. For AUIPC and JALR in a row the target is known, too.
func rvCallBefore(c *code, ra uint32) (callSite, uint32) {
	last, ok := c.half(ra - 2)
	if !ok {
		return unreadable, 0
	}
	if w, ok := c.word(ra - 4); ok {
		switch op := decodeRV32(ra-4, w); {
		case op.kind == rvJump && op.links():
			return directCall, op.target
		case op.kind == rvJumpReg && op.links():
			if high, ok := c.word(ra - 8); ok {
				if up := decodeRV32(ra-8, high); up.kind == rvConst && up.rd == op.rs1 && high&0x7f == 0x17 {
					return directCall, up.imm + op.imm
				}
			}
			return indirectCall, 0
		}
	}
	switch op := decodeRVC(ra-2, last); {
	case op.kind == rvJump && op.links():
		return directCall, op.target
	case op.kind == rvJumpReg && op.links():
		return indirectCall, 0
	}
	return noCall, 0
}

// links tells a call: the return address goes into ra or, for the routines that
// save registers, t0.
func (op rvOp) links() bool { return op.rd == rvRA || op.rd == rvT0 }

// rvBranch decodes JAL, C.J, C.JAL, and AUIPC with JALR.
func rvBranch(addr uint32, w uint64) (uint32, bool) {
	op := decodeRV(addr, uint32(w))
	switch {
	case op.kind == rvJump:
		return op.target, true
	case op.kind == rvConst && uint32(w)&0x7f == 0x17:
		if next := decodeRV32(addr+4, uint32(w>>32)); next.kind == rvJumpReg && next.rs1 == op.rd {
			return op.imm + next.imm, true
		}
	}
	return 0, false
}
