package fit

import (
	"encoding/binary"
	"math/bits"
)

// decodeThumb knows what leaves an instruction's successor (ARMv7-M ARM, A7.7.12, A7.7.18,
// A7.7.19, A7.7.20), and how long the others take (Cortex-M4 TRM, 3.3.1).
func decodeThumb(addr uint32, code []byte) instruction {
	hw := uint32(binary.LittleEndian.Uint16(code))
	if hw>>11 < 0x1d {
		return thumb16(addr, hw)
	}
	if len(code) < 4 {
		return instruction{size: 2, cycles: 1}
	}
	return thumb32(addr, hw, uint32(binary.LittleEndian.Uint16(code[2:])))
}

// What a branch that is taken costs, on average, with its refill.
const (
	cyclesTaken    = 3
	cyclesNotTaken = 1
)

func thumb16(addr, hw uint32) instruction {
	in := instruction{size: 2, cycles: 1}
	in.branch.at = addr
	to := func(offset int32) {
		in.leaves, in.branch.direct, in.branch.to = true, true, addr+4+uint32(offset)
	}
	switch {
	case hw>>11 == 0x1c: // B T2
		to(int32(hw<<21) >> 20)
		in.cycles = cyclesTaken
	case hw>>12 == 0xd && hw>>8&15 < 14: // B T1
		to(int32(hw<<24) >> 23)
		in.branch.conditional = true
	case hw&0xf500 == 0xb100: // CBZ, CBNZ
		to(int32(hw>>9&1<<6 | hw>>3&31<<1))
		in.branch.conditional = true
	case hw&0xff00 == 0x4700: // BX, BLX
		in.leaves, in.branch.call, in.cycles = true, hw&0x80 != 0, cyclesTaken
	case hw&0xff87 == 0x4687: // MOV PC
		in.leaves, in.cycles = true, cyclesTaken
	case hw&0xfe00 == 0xbc00: // POP
		in.cycles = float64(1 + bits.OnesCount32(hw&0x1ff))
		if hw&0x100 != 0 {
			in.leaves, in.cycles = true, in.cycles+2
		}
	case hw&0xfe00 == 0xb400: // PUSH
		in.cycles = float64(1 + bits.OnesCount32(hw&0x1ff))
	case hw>>12 == 0xc: // LDM, STM
		in.cycles = float64(1 + bits.OnesCount32(hw&0xff))
	case hw>>11 == 9, hw>>12 == 5, hw>>13 == 3 && hw>>11&1 != 0, hw>>12 == 8 && hw>>11&1 != 0, hw>>12 == 9 && hw>>11&1 != 0: // loads
		in.cycles = 2
	}
	return in
}

func thumb32(addr, hw1, hw2 uint32) instruction {
	in := instruction{size: 4, cycles: 1}
	in.branch.at = addr
	s, j1, j2 := hw1>>10&1, hw2>>13&1, hw2>>11&1
	far := func() uint32 { // BL, B T4
		imm := s<<24 | (1^j1^s)<<23 | (1^j2^s)<<22 | hw1&0x3ff<<12 | hw2&0x7ff<<1
		return addr + 4 + uint32(int32(imm<<7)>>7)
	}
	control := hw1&0xf800 == 0xf000
	switch {
	case control && hw2&0xd000 == 0xd000: // BL
		in.leaves, in.cycles = true, cyclesTaken
		in.branch.direct, in.branch.call, in.branch.to = true, true, far()
	case control && hw2&0xd000 == 0x9000: // B T4
		in.leaves, in.cycles = true, cyclesTaken
		in.branch.direct, in.branch.to = true, far()
	case control && hw2&0xd000 == 0x8000 && hw1>>7&7 != 7: // B T3
		imm := s<<20 | j2<<19 | j1<<18 | hw1&0x3f<<12 | hw2&0x7ff<<1
		in.leaves, in.branch.direct, in.branch.conditional = true, true, true
		in.branch.to = addr + 4 + uint32(int32(imm<<11)>>11)
	case hw1&0xfff0 == 0xe8d0 && hw2&0xffe0 == 0xf000: // TBB, TBH
		in.leaves, in.cycles = true, 4
	case hw1&0xfe40 == 0xe800: // LDM, STM
		in.cycles = float64(1 + bits.OnesCount32(hw2))
		if hw1&0x10 != 0 && hw2&0x8000 != 0 {
			in.leaves, in.cycles = true, in.cycles+2
		}
	case hw1&0xfe40 == 0xe840: // LDRD, STRD, exclusives
		in.cycles = 3
	case hw1&0xfe10 == 0xf810: // loads
		in.cycles = 2
		if hw1&0x60 == 0x40 && hw2>>12 == 15 {
			in.leaves, in.cycles = true, 4
		}
	case hw1&0xffd0 == 0xfb90: // SDIV, UDIV: 2 to 12
		in.cycles = 6
	}
	return in
}
