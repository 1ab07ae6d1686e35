package unwind

// insn is one Thumb instruction: hw2 is its second halfword if it has one
// (ARMv7-M ARM A5.1).
type insn struct {
	addr     uint32
	hw1, hw2 uint16
	size     uint32
}

// wideThumb tells that a halfword begins a 32-bit instruction: bits 15:11 are
// 0b11101, 0b11110 or 0b11111.
func wideThumb(hw uint16) bool { return hw>>11 > 0x1c }

// fetch decodes the size of the instruction at addr.
func (c *code) fetch(addr uint32) (insn, bool) {
	hw, ok := c.half(addr)
	if !ok {
		return insn{}, false
	}
	in := insn{addr: addr, hw1: hw, size: 2}
	if wideThumb(hw) {
		in.size = 4
		in.hw2, ok = c.half(addr + 2)
	}
	return in, ok
}

// thumbCallBefore looks for BL (encoding T1), BLX or BLXNS (T1) in front of a
// return address.
func thumbCallBefore(c *code, ra uint32) (callSite, uint32) {
	last, ok := c.half(ra - 2)
	if !ok {
		return unreadable, 0
	}
	if first, ok := c.half(ra - 4); ok {
		if first&0xf800 == 0xf000 && last&0xd000 == 0xd000 {
			return directCall, branchT4(ra-4, first, last)
		}
	}
	if last&0xff83 == 0x4780 || last&0xff87 == 0x4784 {
		return indirectCall, 0
	}
	return noCall, 0
}

// thumbBranch decodes BL (T1) and B (T4).
func thumbBranch(addr uint32, w uint64) (uint32, bool) {
	hw1, hw2 := uint16(w), uint16(w>>16)
	if hw1&0xf800 != 0xf000 || hw2&0x9000 != 0x9000 {
		return 0, false
	}
	return branchT4(addr, hw1, hw2), true
}

// branchT4 is the target of BL (T1) and B (T4): imm32 =
// SignExtend(S:I1:I2:imm10:imm11:0), I1 = NOT(J1 EOR S), I2 = NOT(J2 EOR S).
func branchT4(addr uint32, hw1, hw2 uint16) uint32 {
	s := uint32(hw1>>10) & 1
	i1 := ^(uint32(hw2>>13) ^ s) & 1
	i2 := ^(uint32(hw2>>11) ^ s) & 1
	imm := s<<24 | i1<<23 | i2<<22 | uint32(hw1&0x3ff)<<12 | uint32(hw2&0x7ff)<<1
	return addr + 4 + signExtend(imm, 25)
}

// branchT3 is the target of a conditional B (T3): imm32 =
// SignExtend(S:J2:J1:imm6:imm11:0).
func branchT3(addr uint32, hw1, hw2 uint16) uint32 {
	imm := uint32(hw1>>10&1)<<20 | uint32(hw2>>11&1)<<19 | uint32(hw2>>13&1)<<18 | uint32(hw1&0x3f)<<12 | uint32(hw2&0x7ff)<<1
	return addr + 4 + signExtend(imm, 21)
}

func signExtend(v uint32, bits uint) uint32 {
	shift := 32 - bits
	return uint32(int32(v<<shift) >> shift)
}

// expandImm is ThumbExpandImm (A5.3.2) of i:imm3:a:bcdefgh.
func expandImm(hw1, hw2 uint16) uint32 {
	imm12 := uint32(hw1>>10&1)<<11 | uint32(hw2>>12&7)<<8 | uint32(hw2&0xff)
	b := imm12 & 0xff
	if imm12>>10 == 0 {
		switch imm12 >> 8 & 3 {
		case 0:
			return b
		case 1:
			return b<<16 | b
		case 2:
			return b<<24 | b<<8
		}
		return b<<24 | b<<16 | b<<8 | b
	}
	v := 0x80 | imm12&0x7f
	n := imm12 >> 7
	return v>>n | v<<(32-n)
}

// Registers that have a part of their own (AAPCS32 §6.1.1).
const (
	regSP = 13
	regLR = 14
	regPC = 15
)

// stepThumb applies the instruction at addr.
func stepThumb(c *code, f *frameState, addr uint32) (to flow, ok bool) {
	in, ok := c.fetch(addr)
	if !ok {
		return flow{}, false
	}
	if in.size == 2 {
		to = f.step16(c, in)
	} else {
		to = f.step32(c, in)
	}
	to.size = in.size
	if in.hw1&0xff00 == 0xbf00 && in.hw1&15 != 0 {
		to.conditional, to.otherwise = itBlock(in.hw1)
	}
	return to, true
}

// itBlock is the number of instructions in an IT block, whose end the lowest set
// bit of the mask marks, and which of them are executed where the first is not:
// the bit of the mask is not that of the condition (ARMv7-M ARM A7.3.2).
func itBlock(hw uint16) (n int, otherwise uint8) {
	n = 4
	for mask := hw; mask&1 == 0; mask >>= 1 {
		n--
	}
	for i := 1; i < n; i++ {
		if hw>>(4-i)&1 != hw>>4&1 {
			otherwise |= 1 << i
		}
	}
	return n, otherwise
}

// storeMany is STM: base is the address of the lowest register.
func (f *frameState) storeMany(c *code, list uint16, base content) {
	for r := uint16(0); r < 16; r++ {
		if list&(1<<r) != 0 {
			f.store(c, f.reg[r], base)
			base = base.add(4)
		}
	}
}

// loadMany is LDM; to is what PC gets. All words are read before SP moves.
func (f *frameState) loadMany(c *code, list uint16, base content) (to content) {
	for r := uint16(0); r < 16; r++ {
		if list&(1<<r) == 0 {
			continue
		}
		switch v := f.at(c, base); r {
		case regSP:
			f.setSP(v)
		case regPC:
			to = v
		default:
			f.reg[r] = v
		}
		base = base.add(4)
	}
	return to
}

// caseHelper recognises the functions of libgcc (__gnu_thumb1_case_uqi and its
// kin) that ARMv6-M code calls where ARMv7-M has TBB: they add to LR an entry
// of the table that follows the call. What they load tells the kind of table.
func (c *code) caseHelper(entry uint32) (tableKind, bool) {
	if push, ok := c.half(entry); !ok || push&0xfffc != 0xb400 {
		return 0, false
	}
	var kind tableKind
	loads := false
	for at := entry + 2; at < entry+24; at += 2 {
		hw, ok := c.half(at)
		switch {
		case !ok || hw == 0x4770: // BX LR
			return 0, false
		case hw&0xff87 == 0x4486: // ADD LR, Rm
			return kind, loads
		case hw>>12 == 5: // load or store with register offset
			kind, loads = map[uint16]tableKind{3: byteBothWays, 5: halfForward, 6: byteForward, 7: halfBothWays}[hw>>9&7], true
		}
	}
	return 0, false
}
