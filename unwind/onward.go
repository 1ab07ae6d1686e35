package unwind

// onward is the method for code whose frame is not known from its entry: the way
// out of it may tell nevertheless. Where all ways from the PC on return, and
// agree from where, that is the caller: in longjmp once it has the new stack
// pointer, and in handlers once they have the exception return of another thread.
type onward struct{ m *machine }

func (o onward) find(c *code, pc uint32) (Rule, Range, bool) {
	fn, ok := c.function(pc)
	if !ok || o.m.step == nil || pc&1 != 0 || fn.High <= fn.Low || fn.High-fn.Low > maxOnward || o.conditional(c, pc) {
		return Rule{}, Range{}, false
	}
	x := newExplorer(c, fn, pc)
	x.quick, x.visits = true, min(x.visits, searchVisits)
	var out *frameState
	agree := true
	x.out = func(to content, s *frameState) {
		e := frameState{}
		for r := range o.m.columns {
			if o.m.kept&(1<<r) != 0 || r == o.m.sp {
				e.reg[r] = s.reg[r]
			}
		}
		e.reg[o.m.link] = to
		if out == nil {
			out = &e
		}
		// Before PSP is written it is another thread's than the registers.
		agree = agree && *out == e && s.process.kind == nowhere
	}
	first := entryState(o.m)
	x.explore(&first)
	if x.lost || !agree || out == nil || out.reg[o.m.sp].kind != frameAt {
		return Rule{}, Range{}, false
	}
	rule, ok := out.behind(o.m)
	return rule, Range{}, ok
}

// maxOnward bounds the bytes of a function whose ways out are looked for.
const maxOnward = 1 << 15

// maxConditional is how many bytes before a conditional instruction that which
// makes it so may be.
const maxConditional = 2 + 3*maxInstruction

// maxInstruction is the size of the longest instruction that can be conditional.
const maxInstruction = 4

// conditional tells whether the instruction at pc may be one that is not executed.
func (o onward) conditional(c *code, pc uint32) bool {
	for at := pc - 2; pc-at <= maxConditional; at -= 2 {
		var scratch frameState
		to, ok := o.m.step(c, &scratch, at)
		if !ok {
			return false
		}
		next := at + to.size
		for range to.conditional {
			to, _ := o.m.step(c, &scratch, next)
			if next += to.size; pc < next {
				return true
			}
		}
	}
	return false
}

// behind is the rule at the entry of code that f is the end of: its link column
// is the return address.
func (f *frameState) behind(m *machine) (Rule, bool) {
	size := int32(f.reg[m.sp].n)
	rule := Rule{cfa: fromRegister, reg: uint8(m.sp), off: size, ra: uint8(m.link), method: FromPrologue}
	for r := range m.columns {
		if r != m.link && m.kept&(1<<r) == 0 {
			continue
		}
		s := save{column: uint8(r)}
		switch v := f.reg[r]; {
		case v.kind == above:
			s.how, s.n = atOffset, int32(v.n)-size
		case v == content{kind: entryOf, n: r}:
		case v.kind == entryOf:
			s.how, s.n = inRegister, int32(v.n)
		case r == m.link:
			return Rule{}, false
		default:
			s.how = undefined
		}
		rule.add(s)
	}
	return rule, true
}
