package unwind

import "fmt"

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
	f := c.frames(fn, fn.Low)
	s, ok := f.at(pc)
	if ok && s.split && s.reg[k.code.m.sp].kind == anything { // the tables do not know of conditional epilogues
		return Rule{}, around, false
	}
	if !ok || !s.refutes(&rule, k.code.m) {
		return rule, around, true
	}
	better, ok := s.rule(k.code.m)
	switch {
	case ok && !f.differ:
		k.corrected++
		return better, around, true
	case !ok && s.clobbers(&rule, k.code.m): // nobody's registers: what a handler has loaded for another thread
		return Rule{}, around, false
	}
	return rule, around, true
}

func (k *checked) failure(c *code, pc uint32) error { return k.cfi.failure(c, pc) }

func (k *checked) remark() string {
	if k.cfi.err == nil {
		return ""
	}
	return fmt.Sprintf("damaged call frame information (%d functions met so far): %v", k.cfi.damaged, k.cfi.err)
}

// refutes tells whether the rule contradicts the state: its CFA is another
// address, or a register is said to be where it is not.
func (f *frameState) refutes(r *Rule, m *machine) bool {
	if r.cfa != fromRegister {
		return false
	}
	cfa := f.reg[r.reg].add(uint32(r.off))
	switch {
	case f.leaves(r):
		return true
	case f.moves(r, cfa, m):
		return true
	case f.reg[r.reg].kind == entryOf:
		return true
	case !cfa.isAddress():
		return false // not known: the rule may be right
	}
	sp := f.reg[m.sp]
	for _, s := range r.saves {
		if at := cfa.add(uint32(s.n)); s.how == atOffset && at.sameBase(sp) && at.below(sp) {
			return true
		}
	}
	return f.misplaces(r, cfa, m)
}

// moves tells whether the stack pointer of the caller is not what the rule says.
func (f *frameState) moves(r *Rule, cfa content, m *machine) bool {
	v := cfa
	switch s := r.where(uint8(m.sp)); s.how {
	case unspecified:
	case atOffset:
		v = f.stacked(cfa.add(uint32(s.n)))
	case inRegister:
		v = f.reg[uint32(s.n)%maxRegisters]
	default:
		return false
	}
	return v.kind == frameAt && v.n != 0
}

// stacked is what was stored at an address of the stack.
func (f *frameState) stacked(at content) content {
	for _, s := range f.slots[:f.used] {
		if s.at == at {
			return s.value
		}
	}
	return content{}
}

// misplaces tells whether the return address, or what goes with one in a register,
// is not where the rule says.
func (f *frameState) misplaces(r *Rule, cfa content, m *machine) bool {
	var scratch Rule
	ra, at := r.where(r.ra), f.find(&scratch, m, uint32(r.ra))
	switch ra.how {
	case atOffset:
		if v := f.stacked(cfa.add(uint32(ra.n))); v.kind != anything {
			return v != content{kind: entryOf, n: uint32(r.ra)}
		}
		return at.how == inRegister || at.how == atOffset
	case unspecified, sameValue:
		if at.how != unspecified && at.how != undefined {
			return true
		}
	}
	return f.clobbers(r, m)
}

// clobbers tells whether a register that the rule leaves to the ABI has been
// overwritten and not kept: the code switches threads, or never returns.
func (f *frameState) clobbers(r *Rule, m *machine) bool {
	scratch := Rule{}
	for column := range m.columns {
		if m.kept&(1<<column) != 0 && r.where(uint8(column)).how == unspecified && f.find(&scratch, m, column).how != unspecified {
			return true
		}
	}
	return false
}

// spareStack notes where the CFA is from the stack pointer, if the rule has it
// from another register: that one may be lost where a handler has put it away.
func (r *Rule) spareStack(c *code, fn Range, pc uint32) {
	if r.cfa != fromRegister || uint32(r.reg) == c.m.sp || fn.High == 0 {
		return
	}
	s, ok := c.frames(fn, fn.Low).at(pc)
	if !ok || s.reg[r.reg].add(uint32(r.off)) != (content{kind: frameAt}) {
		return
	}
	if sp := s.reg[c.m.sp]; sp.kind == frameAt {
		r.spare = -int32(sp.n)
	}
}
