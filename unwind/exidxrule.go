package unwind

import "fmt"

// virtualStack runs unwinding instructions on values that are not known yet: vsp
// is a register of the frame, or a word in memory, plus an offset.
type virtualStack struct {
	base  vspBase
	off   int32
	slots [16]vspSlot // where the registers were popped from
	pops  uint32      // those that were
	loads int
}

// vspBase is a register, or with expr what that DWARF expression gives.
type vspBase struct {
	reg  uint8
	expr string
}

type vspSlot struct {
	base vspBase
	off  int32
}

// maxLoads bounds how often vsp may come from memory: once is what compilers
// do at most.
const maxLoads = 4

// run executes ops up to the end or ehFinish. An instruction that cannot be
// followed ends it with an error and the place in ops.
func (v *virtualStack) run(ops []byte, sp uint32) (at int, err error) {
	v.base = vspBase{reg: uint8(sp)}
	for at < len(ops) {
		op, ok := nextOp(ops[at:])
		if !ok {
			return at, errTruncated
		}
		switch op.kind {
		case ehAdd, ehPopVFP, ehPopAuth:
			v.off += int32(op.n)
		case ehPop:
			err = v.pop(op.n, sp)
		case ehSetVSP:
			err = v.set(op.n)
		case ehFinish:
			return at, nil
		case ehRefuse:
			err = errRefused
		case ehSpare:
			err = fmt.Errorf("%w: 0x%02x", errSpare, ops[at])
		}
		if err != nil {
			return at, err
		}
		at += op.size
	}
	return at, nil
}

// pop loads the registers of a mask, the lowest from the lowest address. vsp
// itself changes when all are loaded (§10.3, remark c).
func (v *virtualStack) pop(mask, sp uint32) (err error) {
	to := *v
	for r := uint32(0); r < 16; r++ {
		if mask&(1<<r) == 0 {
			continue
		}
		v.slots[r] = vspSlot{v.base, to.off}
		to.off += 4
	}
	v.pops |= mask
	if mask&(1<<sp) != 0 {
		return v.load(v.slots[sp])
	}
	v.off = to.off
	return nil
}

// set makes a register the virtual stack pointer: what it holds in the frame,
// or what was popped into it.
func (v *virtualStack) set(r uint32) error {
	if v.pops&(1<<r) != 0 {
		return v.load(v.slots[r])
	}
	v.base, v.off = vspBase{reg: uint8(r)}, 0
	return nil
}

func (v *virtualStack) load(s vspSlot) error {
	if v.loads++; v.loads > maxLoads {
		return errBases
	}
	v.base, v.off = vspBase{expr: s.address() + string([]byte{opDeref})}, 0
	return nil
}

// address is the DWARF expression of a slot.
func (s vspSlot) address() string {
	if s.base.expr == "" {
		return string(appendSLEB([]byte{opBreg0 + s.base.reg}, s.off))
	}
	return s.base.expr + string(append(appendSLEB([]byte{opConsts}, s.off), opPlus))
}

// appendSLEB appends a signed LEB128 number (DWARF 4 §7.6).
func appendSLEB(p []byte, v int32) []byte {
	for {
		b := byte(v & 0x7f)
		v >>= 7
		if v == 0 && b&0x40 == 0 || v == -1 && b&0x40 != 0 {
			return append(p, b)
		}
		p = append(p, b|0x80)
	}
}

// rule reads the rule off: the last vsp is the CFA. The return address is what
// was popped into the program counter, or else into LR, or LR itself (§10.3:
// finish).
func (v *virtualStack) rule(m *machine) Rule {
	rule := Rule{cfa: fromRegister, reg: v.base.reg, off: v.off, ra: uint8(m.link), method: FromEXIDX}
	if v.base.expr != "" {
		rule.cfa = valExpression
		rule.off = rule.expression([]byte(vspSlot{v.base, v.off}.address()))
	}
	for r := uint32(0); r <= m.link; r++ {
		from := r
		if r == m.link && v.pops&(1<<regPC) != 0 {
			from = regPC
		}
		if v.pops&(1<<from) == 0 || r == m.sp {
			continue
		}
		s := save{column: uint8(r), how: atOffset, n: v.slots[from].off - v.off}
		if v.slots[from].base != v.base {
			s.how, s.n = atExpression, rule.expression([]byte(v.slots[from].address()))
		}
		rule.saves = append(rule.saves, s)
	}
	return rule
}
