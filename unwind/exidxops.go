package unwind

import "errors"

// ehOp is one unwinding instruction of the ARM exception-handling ABI (EHABI32,
// IHI 0038, §10.3 table 4): what it does to the virtual stack pointer and the
// virtual registers.
type ehOp struct {
	kind ehKind
	n    uint32 // bytes to add to vsp, a register, or which registers: bit r of a mask
	size int    // bytes of the instruction
}

type ehKind uint8

const (
	ehAdd     ehKind = iota // vsp += n (n may be negative)
	ehPop                   // pop the core registers of mask n
	ehSetVSP                // vsp = r[n]
	ehFinish                // the end
	ehRefuse                // the function refuses to be unwound
	ehPopVFP                // pop registers that no frame of ours needs: vsp += n
	ehPopAuth               // pop the authentication code of the return address: vsp += n
	ehUseAuth               // the code was made with vsp as modifier: nothing to do
	ehSpare                 // has no meaning
)

var (
	errSpare   = errors.New("unwinding instruction without meaning")
	errRefused = errors.New("the function refuses to be unwound")
	errBases   = errors.New("too many values of vsp that come from memory")
)

// nextOp decodes the instruction at the start of p, which is not empty. ok is
// false where p ends inside it.
func nextOp(p []byte) (op ehOp, ok bool) {
	b := p[0]
	op.size = 1
	switch {
	case b < 0x40: // 00xxxxxx
		op.n = uint32(b)<<2 + 4
		return op, true
	case b < 0x80: // 01xxxxxx
		op.n = -(uint32(b&0x3f)<<2 + 4)
		return op, true
	case b&0xf0 == 0x90: // 1001nnnn
		op.kind, op.n = ehSetVSP, uint32(b&15)
		if b == 0x9d || b == 0x9f { // reserved: register moves of ARM and of iWMMXt
			op.kind = ehSpare
		}
		return op, true
	case b&0xf0 == 0xa0: // 1010Lnnn
		op.kind, op.n = ehPop, 1<<(b&7+5)-1<<4
		if b&8 != 0 {
			op.n |= 1 << 14
		}
		return op, true
	case b == 0xb0:
		op.kind = ehFinish
		return op, true
	case b == 0xb4:
		op.kind, op.n = ehPopAuth, 4
		return op, true
	case b == 0xb5:
		op.kind = ehUseAuth
		return op, true
	case b == 0xb2:
		return popULEB(p)
	case b&0xf8 == 0xb8: // D8 up, FSTMFDX: a word more than the registers
		op.kind, op.n = ehPopVFP, uint32(b&7+1)*8+4
		return op, true
	case b >= 0xc0 && b <= 0xc5: // wR10 up
		op.kind, op.n = ehPopVFP, uint32(b&7+1)*8
		return op, true
	case b&0xf8 == 0xd0: // D8 up, VPUSH
		op.kind, op.n = ehPopVFP, uint32(b&7+1)*8
		return op, true
	case b&0xf0 == 0x80, b == 0xb1, b == 0xb3, b >= 0xc6 && b <= 0xc9:
		return twoBytes(p)
	}
	op.kind = ehSpare
	return op, true
}

// twoBytes decodes the instructions of two bytes.
func twoBytes(p []byte) (op ehOp, ok bool) {
	if len(p) < 2 {
		return op, false
	}
	op.size = 2
	b, low := p[0], uint32(p[1])
	first, count := low>>4, low&15+1 // of a range of registers
	switch {
	case b&0xf0 == 0x80: // 1000iiii iiiiiiii: r4 up to r15
		op.kind, op.n = ehPop, (uint32(b&15)<<8|low)<<4
		if op.n == 0 {
			op.kind = ehRefuse
		}
	case b == 0xb1 && low != 0 && low < 16: // r0 to r3
		op.kind, op.n = ehPop, low
	case b == 0xb3 && first+count <= 16: // D, FSTMFDX
		op.kind, op.n = ehPopVFP, count*8+4
	case b == 0xc6 && first+count <= 16: // wR
		op.kind, op.n = ehPopVFP, count*8
	case b == 0xc7 && low != 0 && low < 16: // wCGR0 to wCGR3
		op.kind, op.n = ehPopVFP, ones(low)*4
	case b == 0xc8 && first+count <= 16, b == 0xc9 && first+count <= 16: // D16 up, D, VPUSH
		op.kind, op.n = ehPopVFP, count*8
	default:
		op.kind = ehSpare
	}
	return op, true
}

// popULEB decodes vsp += 0x204 + (ULEB128 << 2).
func popULEB(p []byte) (op ehOp, ok bool) {
	v := uint64(0)
	for i, b := range p[1:] {
		if i > 4 {
			break
		}
		v |= uint64(b&0x7f) << (7 * i)
		if b&0x80 != 0 {
			continue
		}
		op.size = i + 2
		if v = v<<2 + 0x204; v > 1<<31 {
			op.kind = ehSpare
		}
		op.n = uint32(v)
		return op, true
	}
	return op, false
}

func ones(v uint32) (n uint32) {
	for ; v != 0; v &= v - 1 {
		n++
	}
	return n
}
