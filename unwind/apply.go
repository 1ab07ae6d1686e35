package unwind

import (
	"errors"

	"github.com/mprof/mprof/snapshot"
)

// frameAddress computes the CFA, and checks that it lies above the stack
// pointer of its frame.
func (w *walk) frameAddress(r *Rule) (uint32, Stop, bool) {
	var cfa uint32
	switch r.cfa {
	case fromRegister:
		base, off, ok := w.frameBase(r)
		if !ok {
			return 0, w.missing(uint32(r.reg)), false
		}
		cfa = base + uint32(off)
	case fromMain:
		return w.mainFrame(r.off)
	default:
		v, err := w.evaluate(r.exprs[r.off])
		if err != nil {
			return 0, w.failed(err), false
		}
		cfa = v
	}
	if cfa%w.m.align != 0 {
		return 0, Stop{NoProgress, cfa}, false
	}
	if w.leavesPSP(r, cfa) {
		w.mem.onPSP = false
		w.floor, w.haveMain = w.mainSP, false
		return cfa, Stop{}, true
	}
	if cfa < w.floor {
		return 0, Stop{NoProgress, cfa}, false
	}
	return cfa, Stop{}, true
}

// frameBase is the register that the CFA is found from, and its distance: SP
// where the other is lost.
func (w *walk) frameBase(r *Rule) (base uint32, off int32, ok bool) {
	if base, ok = w.get(uint32(r.reg)); ok || r.spare == noSpare {
		return base, r.off, ok
	}
	base, ok = w.get(w.m.sp)
	return base, r.spare, ok
}

// leavesPSP tells whether the frame was made on the main stack although the
// process stack is in use: its function switched stacks after it had set up a
// frame pointer.
func (w *walk) leavesPSP(r *Rule, cfa uint32) bool {
	if !w.mem.onPSP || !w.haveMain || uint32(r.reg) == w.m.sp || cfa < w.mainSP {
		return false
	}
	return cfa < w.floor || w.floor < w.mainSP
}

// returnAddress reads the return address. slot tells that it was in memory.
func (w *walk) returnAddress(r *Rule, cfa uint32) (ra uint32, slot bool, stop Stop, ok bool) {
	s := r.where(r.ra)
	if s.how == undefined {
		return 0, false, Stop{}, false
	}
	ra, ok = w.value(r, s, cfa)
	slot = s.how == atOffset || s.how == atExpression
	if ok {
		return ra, slot, Stop{}, true
	}
	switch {
	case s.how == atOffset && cfa+uint32(s.n) < w.floor:
		return 0, slot, Stop{NoRule, w.pc}, false
	case slot:
		return 0, slot, Stop{NotCaptured, w.mem.missing}, false
	case s.how == asMark:
		return 0, slot, Stop{NoRule, w.pc}, false
	case w.kind == Caller && r.keepsLink():
		if ra, ok = w.fromCallers(r, cfa); ok {
			return ra, slot, Stop{}, true
		}
		if w.site.entered && w.ipsr == 0 {
			return 0, slot, Stop{}, false // it never returns, and nothing calls it
		}
		return 0, slot, w.missing(uint32(r.ra)), false
	case s.how == inRegister:
		return 0, slot, w.missing(uint32(s.n)), false
	}
	return 0, slot, w.missing(uint32(r.ra)), false
}

// callerStack is the stack pointer of the caller: the CFA, unless the rule names another
// place, as GCC's does for handlers that round SP down.
func (w *walk) callerStack(r *Rule, cfa uint32) (uint32, Stop, bool) {
	s := r.where(uint8(w.m.sp))
	if s.how == unspecified || s.how == sameValue || s.how == undefined {
		return cfa, Stop{}, true
	}
	sp, ok := w.value(r, s, cfa)
	switch {
	case !ok && s.how == inRegister:
		return 0, w.missing(uint32(s.n)), false
	case !ok:
		return 0, Stop{NotCaptured, w.mem.missing}, false
	case sp < cfa || sp%w.m.align != 0:
		return 0, Stop{NoProgress, sp}, false
	}
	return sp, Stop{}, true
}

// restore computes the registers of the caller, whose stack pointer is sp.
func (w *walk) restore(r *Rule, cfa, sp uint32) {
	n := &w.next
	n.value = w.regs.value
	n.have = w.regs.have & w.m.kept
	slotAt := w.slotAt
	saved, lost, original := w.saved&w.m.kept, w.lost&w.m.kept, w.original&w.m.kept
	n.set(w.m.sp, sp)
	for _, s := range r.saves {
		column, bit := uint32(s.column), uint32(1)<<s.column
		if column == w.m.sp {
			continue
		}
		if s.how == unspecified || s.how == sameValue {
			n.have |= w.regs.have & bit
			saved, lost, original = saved|w.saved&bit, lost|w.lost&bit, original|w.original&bit
			continue
		}
		n.have &^= bit
		saved, lost, original = saved&^bit, lost&^bit, original&^bit
		switch at := cfa + uint32(s.n); {
		case s.how == undefined:
		case s.how == atOffset && at < w.floor: // below SP: overwritten by now, or a wrong rule
			lost |= bit
			slotAt[column] = at
		case s.how == atOffset:
			saved |= bit
			slotAt[column] = at
		default:
			if v, ok := w.value(r, s, cfa); ok {
				n.set(column, v)
			}
		}
	}
	w.regs, w.slotAt, w.saved, w.lost, w.original = *n, slotAt, saved, lost, original
}

// get is the value of a column in the present frame, read from where a callee
// saved it if nobody needed it before.
func (w *walk) get(column uint32) (uint32, bool) {
	if column >= maxRegisters {
		return 0, false
	}
	bit := uint32(1) << column
	switch {
	case w.original&bit != 0 && int(column) < len(w.m.capture):
		w.consult(w.m.capture[column])
	case w.saved&bit != 0:
		w.saved &^= bit
		if v, ok := w.mem.word(w.slotAt[column]); ok {
			w.regs.set(column, v)
		} else {
			w.lost |= bit
		}
	}
	return w.regs.get(column)
}

// consult notes that a register of the snapshot is needed.
func (w *walk) consult(r snapshot.Reg) { w.consulted.Add(r) }

// save says where a column stands in memory.
func (w *walk) save(column, addr uint32) {
	w.forget(column)
	w.saved |= 1 << column
	w.slotAt[column] = addr
}

// forget drops what is known of a column.
func (w *walk) forget(column uint32) {
	bit := uint32(1) << column
	w.regs.have &^= bit
	w.saved, w.lost, w.original = w.saved&^bit, w.lost&^bit, w.original&^bit
}

// value computes what a column was in the caller.
func (w *walk) value(r *Rule, s save, cfa uint32) (uint32, bool) {
	switch s.how {
	case unspecified, sameValue:
		return w.get(uint32(s.column))
	case inRegister:
		return w.get(uint32(s.n))
	case valOffset:
		return cfa + uint32(s.n), true
	case atOffset:
		at := cfa + uint32(s.n)
		if at < w.floor { // below SP: overwritten by now, or a wrong rule
			w.mem.missing = at
			return 0, false
		}
		return w.mem.word(at)
	case onProcess:
		return w.fromProcess(s)
	case asMark:
		v, ok := w.get(uint32(s.column))
		return v, ok && w.m.boundary(v)
	case atExpression, valExpression:
		v, err := w.evaluate(r.exprs[s.n], cfa)
		if err != nil || s.how == valExpression {
			return v, err == nil
		}
		return w.mem.word(v)
	}
	return 0, false
}

// missing says why a register is not known.
func (w *walk) missing(column uint32) Stop {
	if w.lost&(1<<column) != 0 {
		return Stop{NotCaptured, w.slotAt[column]}
	}
	if w.stacks.lost && column == w.m.sp {
		return Stop{OtherState, w.pc}
	}
	return Stop{NoRegister, w.pc}
}

// failed says what an expression lacked.
func (w *walk) failed(err error) Stop {
	switch {
	case errors.Is(err, errMemory):
		return Stop{NotCaptured, w.mem.missing}
	case errors.Is(err, errRegister):
		return Stop{NoRegister, w.pc}
	}
	return Stop{NoRule, w.pc}
}
