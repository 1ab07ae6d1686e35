package armv7m

import "math/bits"

// decodeMultiple32: LDM and STM (DDI 0403E A5.3.5).
func decodeMultiple32(w uint32) op {
	n, list, load, back := fieldN(w), w&0xffff, bit(w, 20), bit(w, 21)
	mode := w >> 23 & 3
	count := bits.OnesCount32(list)
	switch {
	case mode == 0 || mode == 3 || n == 15 || count < 2 || list&(1<<13) != 0,
		back && list>>n&1 != 0,
		load && list>>14 == 3,
		!load && list>>15 != 0:
		return undefinedOp32
	}
	var kind uint8
	if mode == 2 {
		kind |= multipleDB
	}
	if back {
		kind |= multipleWriteback
	}
	if load {
		return multiple(execLDM, n, list, kind, 4)
	}
	return multiple(execSTM, n, list, kind, 4)
}

// transfer32 chooses by signed, load and size (A5.3.7 to A5.3.10).
func transfer32(w uint32) func(*Core, *op) {
	switch w>>24&1<<3 | w>>20&1<<2 | w>>21&3 {
	case 0:
		return execSTRB
	case 1:
		return execSTRH
	case 2:
		return execSTR
	case 4:
		return execLDRB
	case 5:
		return execLDRH
	case 6:
		return execLDR
	case 12:
		return execLDRSB
	case 13:
		return execLDRSH
	}
	return nil
}

// decodeTransfer32: load and store single data, memory hints.
func (c *Core) decodeTransfer32(w, pc uint32) op {
	n, t := fieldN(w), fieldT(w)
	do := transfer32(w)
	load, word := bit(w, 20), w>>21&3 == 2
	if do == nil || !load && (t == 15 || n == 15) {
		return undefinedOp32
	}
	if load && t == 15 && !word {
		return decodePreload(w)
	}
	o := op32(do, 2)
	o.n, o.d = n, t
	switch {
	case t == 13 && !word:
		return undefinedOp32
	case n == 15:
		o = c.literal32(w, pc, o)
	case bit(w, 23):
		o.imm = w & 0xfff
	case bit(w, 11):
		var ok bool
		if o, ok = decodeIndexed(w, o); !ok {
			return undefinedOp32
		}
	case w>>6&63 == 0:
		o.m, o.sh = fieldM(w), uint8(w>>4&3)
		if badReg(o.m) {
			return undefinedOp32
		}
	default:
		return undefinedOp32
	}
	if !load && o.m == slotZero {
		o.cost = 1
	}
	return loadTo(o, t, load)
}

// literal32 is a load relative to PC.
func (c *Core) literal32(w, pc uint32, o op) op {
	addr := (pc + 4) &^ 3
	if bit(w, 23) {
		addr += w & 0xfff
	} else {
		addr -= w & 0xfff
	}
	if w>>21&3 == 2 {
		return c.literal(o.d, addr, 4)
	}
	o.n, o.imm = slotZero, addr
	return o
}

// decodeIndexed: an 8-bit offset with P, U and W; all but W set is the
// unprivileged form. Not ok is UNDEFINED, or UNPREDICTABLE and taken as that.
func decodeIndexed(w uint32, o op) (_ op, ok bool) {
	o.imm = w & 0xff
	if w>>8&7 == 6 { // LDRT, STRT and the like
		o.then, o.do = o.do, execUnprivileged
		o.kind = uint8(1 << (w >> 21 & 3))
		if o.aux = uint8(w >> 20 & 1); bit(w, 24) {
			o.aux |= 2
		}
		return o, !badReg(o.d)
	}
	if !bit(w, 10) && !bit(w, 8) {
		return o, false
	}
	if !bit(w, 9) {
		o.imm = -o.imm
	}
	if bit(w, 8) {
		if o.n == o.d {
			return o, false
		}
		o.then, o.do = o.do, execIndexed
		o.a, o.n = o.n, slotShift
		o.kind = indexing(w, 10, 8)
		o.alignSP = o.a == 13 && o.imm&3 != 0
	}
	return o, true
}

// loadTo looks after PC and SP as the destination of a load.
func loadTo(o op, t uint8, load bool) op {
	if !load {
		return o
	}
	switch t {
	case 13:
		o.alignSP = true
	case 15:
		if o.size == 4 && o.then != nil {
			o.do = execIndexedPC
		} else {
			o.do = execLDRPC
		}
		o.cost += costRefill
		o.flow = flowAway
	}
	return o
}

// decodePreload: PLD, PLI and unallocated hints, which do nothing (A5.3.8,
// A5.3.9). The indexed forms with writeback do not exist.
func decodePreload(w uint32) op {
	if fieldN(w) != 15 && !bit(w, 23) {
		switch {
		case bit(w, 11):
			if w>>8&7 != 4 {
				return undefinedOp32
			}
		case w>>6&63 != 0 || badReg(fieldM(w)):
			return undefinedOp32
		}
	}
	return op32(execNOP, 1)
}
