package armv7m

// decodeDual: LDRD, STRD, exclusives, table branches (A5.3.6).
func decodeDual(w, pc uint32) op {
	if bit(w, 24) || bit(w, 21) {
		return decodeDoubleword(w, pc)
	}
	n, t, d, m := fieldN(w), fieldT(w), fieldD(w), fieldM(w)
	o := op32(nil, 2)
	o.n, o.d, o.kind = n, t, 4
	load := bit(w, 20)
	if !bit(w, 23) {
		o.imm = w & 0xff * 4
		if load {
			o.do = execLDREX
			return undefinedIf(o, badReg(t) || n == 15)
		}
		o.do, o.a = execSTREX, d
		return undefinedIf(o, badReg(t, d) || n == 15 || d == n || d == t)
	}
	switch sub := w >> 4 & 15; {
	case sub < 2 && load:
		o.do, o.m, o.kind = execTableBranch, m, uint8(sub)
		o.cost, o.flow = 2+costRefill, flowAway
		if n == 15 {
			o.n, o.imm = slotZero, pc+4
		}
		return undefinedIf(o, n == 13 || badReg(m))
	case sub == 4 || sub == 5:
		o.kind = uint8(1 << (sub & 1))
		if load {
			o.do = execLDREX
			return undefinedIf(o, badReg(t) || n == 15)
		}
		o.do, o.a = execSTREX, m
		return undefinedIf(o, badReg(t, m) || n == 15 || m == n || m == t)
	}
	return undefinedOp32
}

func undefinedIf(o op, bad bool) op {
	if bad {
		return undefinedOp32
	}
	return o
}

// decodeDoubleword: LDRD and STRD.
func decodeDoubleword(w, pc uint32) op {
	n, t, t2 := fieldN(w), fieldT(w), fieldD(w)
	load, back := bit(w, 20), bit(w, 21)
	o := op32(execSTRD, 3)
	o.n, o.d, o.a = n, t, t2
	bad := badReg(t, t2) || back && (n == t || n == t2)
	if load {
		o.do = execLDRD
		bad = bad || t == t2
	}
	o.imm = w & 0xff * 4
	if !bit(w, 23) {
		o.imm = -o.imm
	}
	if n == 15 {
		if !load || back {
			return undefinedOp32
		}
		o.n, o.imm = slotZero, o.imm+(pc+4)&^3
	}
	o.kind = indexing(w, 24, 21)
	return undefinedIf(o, bad)
}

// How the base register of a load or store is used.
const (
	indexPost = 1 << 0 // the address is the base alone
	indexBack = 1 << 1 // the base becomes base plus offset
)

func indexing(w uint32, p, wb uint) uint8 {
	var kind uint8
	if !bit(w, p) {
		kind |= indexPost
	}
	if bit(w, wb) {
		kind |= indexBack
	}
	return kind
}
