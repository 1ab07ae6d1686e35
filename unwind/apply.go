package unwind

import "errors"

// frameAddress computes the CFA, and checks that it lies above the stack
// pointer of its frame.
func (w *walk) frameAddress(r *Rule) (uint32, Stop, bool) {
	var cfa uint32
	switch r.cfa {
	case fromRegister:
		base, ok := w.regs.get(uint32(r.reg))
		if !ok {
			return 0, w.missing(uint32(r.reg)), false
		}
		cfa = base + uint32(r.off)
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
		w.mem.enter(false, w.mainSP)
		w.floor, w.haveMain = w.mainSP, false
		return cfa, Stop{}, true
	}
	if cfa < w.floor {
		return 0, Stop{NoProgress, cfa}, false
	}
	return cfa, Stop{}, true
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
	case w.kind == Caller && r.keepsLink() && w.site.entered && w.ipsr == 0:
		return 0, slot, Stop{}, false // it never returns, and nothing calls it
	case s.how == inRegister:
		return 0, slot, w.missing(uint32(s.n)), false
	}
	return 0, slot, w.missing(uint32(r.ra)), false
}

// restore computes the registers of the caller.
func (w *walk) restore(r *Rule, cfa uint32) {
	n := &w.next
	n.value = w.regs.value
	n.have = w.regs.have & w.m.kept
	lost := w.lost & w.m.kept
	n.set(w.m.sp, cfa)
	for _, s := range r.saves {
		column := uint32(s.column)
		n.have &^= 1 << column
		lost &^= 1 << column
		if s.how == undefined {
			continue
		}
		v, ok := w.value(r, s, cfa)
		if ok {
			n.set(column, v)
		} else if s.how == atOffset {
			lost |= 1 << column
			w.lostAt[column] = w.mem.missing
		}
	}
	w.regs, w.lost = *n, lost
}

// value computes what a column was in the caller.
func (w *walk) value(r *Rule, s save, cfa uint32) (uint32, bool) {
	switch s.how {
	case unspecified, sameValue:
		return w.regs.get(uint32(s.column))
	case inRegister:
		return w.regs.get(uint32(s.n))
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
		v, ok := w.regs.get(uint32(s.column))
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

// lose notes that a column would have been at addr.
func (w *walk) lose(column, addr uint32) {
	w.regs.have &^= 1 << column
	w.lost |= 1 << column
	w.lostAt[column] = addr
}

// missing says why a register is not known.
func (w *walk) missing(column uint32) Stop {
	if w.lost&(1<<column) != 0 {
		return Stop{NotCaptured, w.lostAt[column]}
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
