package unwind

// checked is the method for code with call frame information: the rule that is
// written there, held against the instructions. Tables are wrong where nobody
// looks: GCC has none for the epilogues of ARMv6-M code, LLVM has none for any
// epilogue, and hand-written libraries forget a push. So where the instructions
// between the function's entry and the PC show that the rule cannot be, theirs
// is taken.
type checked struct {
	cfi       *cfi
	code      analysis
	corrected int // addresses where the instructions knew better
}

func (k *checked) find(c *code, pc uint32) (Rule, Range, bool) {
	rule, around, ok := k.cfi.find(c, pc)
	if !ok {
		return rule, around, ok
	}
	fn, ok := c.function(pc)
	if !ok || !fn.Contains(pc) {
		fn = around
	}
	x := c.explore(fn, fn.Low, pc, false)
	if !x.found || !x.state.refutes(&rule, k.code.m) {
		return rule, around, true
	}
	x = c.explore(fn, fn.Low, pc, true)
	if better, ok := x.state.rule(k.code.m); ok && !x.differ {
		k.corrected++
		return better, around, true
	}
	return rule, around, true
}

// refutes tells whether the rule contradicts the state: its CFA is another
// address, or a register is said to be where it is not.
func (f *frameState) refutes(r *Rule, m *machine) bool {
	if r.cfa != fromRegister {
		return false
	}
	switch v := f.reg[r.reg].add(uint32(r.off)); v.kind {
	case frameAt:
		if v.n != 0 {
			return true
		}
	default:
		if f.reg[r.reg].kind != entryOf {
			return false // not known: the rule may be right
		}
		return true
	}
	sp := f.reg[m.sp]
	for _, s := range r.saves {
		if s.how == atOffset && sp.kind == frameAt && s.n < int32(sp.n) {
			return true // below the stack pointer
		}
	}
	ra, at := r.where(r.ra), f.find(m, uint32(r.ra))
	switch ra.how {
	case atOffset:
		return at.how == inRegister || at.how == atOffset && at.n != ra.n
	case unspecified, sameValue:
		return at.how != unspecified && at.how != undefined
	}
	return f.clobbers(r, m)
}

// clobbers tells whether a register that the rule leaves to the ABI has been
// overwritten and not kept: the code switches threads, or never returns.
func (f *frameState) clobbers(r *Rule, m *machine) bool {
	for column := range m.columns {
		if m.kept&(1<<column) != 0 && r.where(uint8(column)).how == unspecified && f.find(m, column).how != unspecified {
			return true
		}
	}
	return false
}
