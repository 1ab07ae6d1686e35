package unwind

import "github.com/mprof/mprof/snapshot"

// Exception numbers of a trap: mcause with its top bit in bit 15.
const (
	// TrapInterrupt is set where the trap was an interrupt.
	TrapInterrupt = 1 << 15
	// TrapUnknown is a trap whose cause was not captured: mcause is that of the
	// innermost one.
	TrapUnknown = TrapInterrupt - 1
)

// traps is the method for the handlers of a machine whose traps leave no mark in
// a return address: they return by an instruction of their own to where a
// register (of RISC-V: mepc) points.
type traps struct {
	u    *Unwinder
	code code // the program, for a machine whose handlers keep all that can matter

	handles map[Range]bool // by function
}

func openTraps(u *Unwinder) finder {
	if u.machine.trap == nil {
		return nil
	}
	m := *u.machine
	m.kept |= m.handlers
	return &traps{u, code{p: u.code.p, m: &m}, map[Range]bool{}}
}

// find takes the rule of call frame information or of the instructions, and
// turns it into that of a trap: every register that was not stored is what it
// was, and the caller is where mepc leads, or where it was stored.
func (t *traps) find(c *code, pc uint32) (Rule, Range, bool) {
	m := t.code.m
	fn, ok := c.function(pc)
	if !ok || !fn.Contains(pc) || !t.entered(c, fn) {
		return Rule{}, Range{}, false
	}
	state, found := t.code.frames(fn, fn.Low).at(pc)
	rule, _, written := t.u.cfi.find(c, pc)
	if written && found && state.refutes(&rule, m) {
		written = false
	}
	if !written {
		if found {
			rule, ok = state.rule(m)
		}
		if !found || !ok {
			return Rule{}, Range{}, true // its caller is not in the link register
		}
	}
	rule.trap, rule.exact, rule.ra = true, true, rvMEPC
	all := make([]save, 0, m.columns)
	for column := range m.columns {
		s := rule.where(uint8(column))
		if s.how == unspecified && found && (!written || column == rvMEPC) {
			s = state.find(&rule, m, column)
		}
		if s.how == unspecified || column == rvMEPC && s.how != atOffset {
			s = save{column: uint8(column), how: sameValue}
		}
		if column != m.sp {
			all = append(all, s)
		}
	}
	rule.saves = all
	return rule, Range{}, true
}

// entered tells whether the function in fn is entered by a trap.
func (t *traps) entered(c *code, fn Range) bool {
	yes, known := t.handles[fn]
	if !known {
		yes = t.code.m.trap(c, fn)
		t.handles[fn] = yes
	}
	return yes
}

// trapMark is the mark of a trap that interrupted the instruction at pc. No
// instruction of RISC-V is at an odd address.
func trapMark(pc uint32) uint32 { return pc | 1 }

// crossTrap goes from a trap's handler to what it interrupted. mcause and mepc
// belong to the innermost trap; of those around it only what they stored is
// known.
func (w *walk) crossTrap(b *Frame, mark uint32) (Stop, bool) {
	b.ExcNum, b.CFA = TrapUnknown, w.floor
	if mcause, ok := w.s.Regs.Value(snapshot.MCAUSE); ok && !w.consulted.Has(snapshot.MCAUSE) {
		b.ExcNum = uint16(mcause>>31<<15 | min(mcause&^(1<<31), TrapUnknown))
	}
	w.consult(snapshot.MCAUSE)
	w.forget(rvMEPC)
	return w.interrupted(mark&^1, FromExceptionFrame)
}

// rvReturnsFromTrap tells whether the function in fn handles traps: it ends in
// MRET, and does not only go down to another privilege by it, for which it would
// write mepc without ever having read it.
func rvReturnsFromTrap(c *code, fn Range) bool {
	reads, writes, returns := false, false, false
	if fn.High-fn.Low > maxFunction {
		return false
	}
	for at := fn.Low &^ 1; at < fn.High; {
		op, ok := c.fetchRV(at)
		if !ok {
			break
		}
		at += op.size
		switch {
		case op.kind == rvTrapReturn:
			returns = true
		case op.kind == rvCSR && op.imm == csrMEPC:
			reads, writes = reads || op.rd != 0, writes || op.writes
		}
	}
	return returns && (reads || !writes)
}
