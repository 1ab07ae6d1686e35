package unwind

// checked is the method for code with call frame information: the rule that is
// written there, held against the instructions. Tables are wrong where nobody
// looks: GCC has none for the epilogues of ARMv6-M code, LLVM has none for any
// epilogue, and hand-written libraries forget a push. So where the instructions
// between the function's entry and the PC show that the rule cannot be, theirs
// is taken.
type checked struct {
	cfi  *cfi
	code analysis
	// corrected counts the addresses where the instructions knew better, of
	// which example is the first.
	corrected int
	example   uint32
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
		if k.corrected == 0 {
			k.example = pc
		}
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
	ra := r.where(r.ra)
	switch at := f.find(uint32(r.ra)); ra.how {
	case atOffset:
		return at.how == inRegister
	case unspecified, sameValue:
		return at.how == atOffset && f.reg[r.ra].kind != anything && f.reg[r.ra] != content{entryOf, uint32(r.ra)}
	}
	return false
}
