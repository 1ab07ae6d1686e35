package unwind

// rule reads the rule off the state: CFA from SP, from any register that
// points into the frame, or from a word of the frame that holds it. Where a
// value seems to be in its register still but is elsewhere too, that other place
// is taken: on another way to here the register may have been overwritten, as
// the link register is by any call.
func (f *frameState) rule(m *machine) (Rule, bool) {
	rule := Rule{ra: uint8(m.link), method: FromPrologue}
	if !f.frameAddress(&rule, m) {
		return Rule{}, false
	}
	for r := range m.columns {
		switch {
		case r == m.link:
			s := f.find(&rule, m, r)
			switch {
			case s.how != undefined:
				rule.add(s)
			case !f.calling:
				return Rule{}, false
			} // the function does not keep it: its callers may tell
		case m.kept&(1<<r) != 0 && (f.reg[r] != content{kind: entryOf, n: r} || f.stored(r)):
			rule.add(f.find(&rule, m, r))
		}
	}
	if rule.cfa == fromRegister && uint32(rule.reg) == m.sp && rule.off == 0 && rule.where(rule.ra).how == unspecified {
		rule.method = FromLR
	}
	return rule, true
}

// frameAddress finds the CFA.
func (f *frameState) frameAddress(rule *Rule, m *machine) bool {
	if base, ok := f.frameBase(m); ok {
		rule.cfa, rule.reg, rule.off = fromRegister, uint8(base), -int32(f.reg[base].n)
		return true
	}
	if f.main.kind == frameAt {
		rule.cfa, rule.off = fromMain, -int32(f.main.n)
		return true
	}
	for _, s := range f.slots[:f.used] {
		if s.at.kind != baseAt || s.value.kind != frameAt {
			continue
		}
		if e := f.addressOf(m, s.at); e != nil {
			e = append(e, opDeref, opConsts)
			e = appendSLEB(e, -int32(s.value.n))
			rule.cfa, rule.off = valExpression, rule.expression(append(e, opPlus))
			return true
		}
	}
	return false
}

// frameBase finds a register that points into the frame: SP before others.
func (f *frameState) frameBase(m *machine) (uint32, bool) {
	if f.reg[m.sp].kind == frameAt {
		return m.sp, true
	}
	for r := range m.columns {
		if f.survives(m, r) && f.reg[r].kind == frameAt {
			return r, true
		}
	}
	return 0, false
}

// addressOf is the expression of an address of which only the distance from a
// register is known.
func (f *frameState) addressOf(m *machine, at content) []byte {
	for r := range m.columns {
		if (r == m.sp || f.survives(m, r)) && f.reg[r].sameBase(at) {
			return appendSLEB([]byte{opBreg0 + byte(r)}, int32(at.n-f.reg[r].n))
		}
	}
	return nil
}

// stored tells whether the entry value of a register is somewhere on a stack.
func (f *frameState) stored(r uint32) bool {
	for _, s := range f.slots[:f.used] {
		if s.value == (content{kind: entryOf, n: r}) {
			return true
		}
	}
	return false
}

// find says where the entry value of a register is now: in the frame, in
// another register, where it was, or on the process stack, which may not have
// been captured there.
func (f *frameState) find(rule *Rule, m *machine, r uint32) save {
	was := content{kind: entryOf, n: r}
	var process *slot
	for i := range f.slots[:f.used] {
		s := &f.slots[i]
		switch {
		case s.value != was:
		case s.at.kind == frameAt:
			return save{uint8(r), atOffset, int32(s.at.n)}
		case s.at.kind == baseAt:
			if e := f.addressOf(m, s.at); e != nil {
				return save{uint8(r), atExpression, rule.expression(e)}
			}
		case process == nil:
			process = s
		}
	}
	for i := range m.columns {
		if i != r && f.reg[i] == was && f.survives(m, i) {
			return save{uint8(r), inRegister, int32(i)}
		}
	}
	intact := f.reg[r] == was
	switch {
	case process != nil && !(intact && f.survives(m, r)):
		if process.at.id == unknownDistance {
			return save{uint8(r), onProcess, farBelow}
		}
		return save{uint8(r), onProcess, int32(process.at.n)}
	case intact:
		return save{column: uint8(r)}
	}
	return save{uint8(r), undefined, 0}
}

// survives tells whether a register still holds what the state says: those that
// a call may overwrite do not where one is under way.
func (f *frameState) survives(m *machine, r uint32) bool {
	return !f.calling || m.kept&(1<<r) != 0
}
