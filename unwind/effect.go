package unwind

// A function without call frame information is run abstractly: registers hold
// what they held at its entry, addresses relative to the CFA, constants, or
// something unknown.

// content is an abstract value. n is the register whose entry value it is, an
// offset from the CFA, or a constant.
type content struct {
	kind contentKind
	n    uint32
}

type contentKind uint8

const (
	anything  contentKind = iota
	entryOf               // what register n held when the function was entered
	frameAt               // CFA + n
	constant              // n
	intoTable             // an address in the table at n, which one is not known
	inTable               // a word of the table at n, which one is not known
	processAt             // PSP + n
)

// frameState is the abstract state before an instruction. slot says where the
// entry value of a register was stored, if stored has its bit: at CFA + slot, or
// at PSP + slot if process has it too (a handler that switches threads).
type frameState struct {
	sp      uint32
	reg     [maxRegisters]content
	slot    [maxRegisters]int32
	stored  uint32
	process uint32
	calling bool // the instruction is a call that has not returned
}

// entryState is that of the first instruction: CFA = SP.
func entryState(m *machine) frameState {
	f := frameState{sp: m.sp}
	for r := range m.columns {
		f.reg[r] = content{entryOf, r}
	}
	f.reg[m.sp] = content{kind: frameAt}
	return f
}

func (f *frameState) forget(r uint16) { f.assign(r&15, content{}) }

// add is a + n where that is known.
func (c content) add(n uint32) content {
	switch {
	case n == 0:
	case c.kind == frameAt || c.kind == constant || c.kind == processAt:
		c.n += n
	default:
		return content{}
	}
	return c
}

// setSP moves the stack pointer; what was stored below it is gone.
func (f *frameState) setSP(v content) {
	f.reg[f.sp] = v
	if v.kind != frameAt {
		return
	}
	for r := range f.slot {
		if f.stored&^f.process&(1<<r) != 0 && f.slot[r] < int32(v.n) {
			f.stored &^= 1 << r
		}
	}
}

// setPSP moves the process stack pointer: places relative to it are not known
// any more.
func (f *frameState) setPSP() {
	f.stored &^= f.process
	f.process = 0
	for r := range f.reg {
		if f.reg[r].kind == processAt {
			f.reg[r] = content{}
		}
	}
}

// assign writes a register.
func (f *frameState) assign(r uint16, v content) {
	if uint32(r) == f.sp {
		f.setSP(v)
		return
	}
	f.reg[r%maxRegisters] = v
}

// store writes register r to the word at addr.
func (f *frameState) store(r uint16, addr content) {
	if i, ok := f.holder(addr); ok {
		f.stored &^= 1 << i
		f.process &^= 1 << i
	}
	v := f.reg[r%maxRegisters]
	if v.kind != entryOf {
		return
	}
	bit := uint32(1) << v.n
	switch {
	case addr.kind == frameAt && (f.stored&bit == 0 || f.process&bit != 0):
		f.process &^= bit
	case addr.kind == processAt && f.stored&bit == 0:
		f.process |= bit
	default:
		return
	}
	f.slot[v.n] = int32(addr.n)
	f.stored |= bit
}

// holder finds the register whose entry value is stored at addr.
func (f *frameState) holder(addr content) (uint32, bool) {
	for i := range f.slot {
		bit := uint32(1) << i
		if f.stored&bit == 0 || f.slot[i] != int32(addr.n) {
			continue
		}
		if addr.kind == frameAt && f.process&bit == 0 || addr.kind == processAt && f.process&bit != 0 {
			return uint32(i), true
		}
	}
	return 0, false
}

// load reads the word at addr into register r.
func (f *frameState) load(r uint16, addr content) {
	f.assign(r, f.at(addr))
}

func (f *frameState) at(addr content) content {
	if addr.kind == intoTable {
		return content{inTable, addr.n}
	}
	if i, ok := f.holder(addr); ok {
		return content{entryOf, i}
	}
	return content{}
}

// call forgets what a call may overwrite.
func (f *frameState) call(m *machine) {
	for r := range m.columns {
		if (m.kept|1<<m.sp)&(1<<r) == 0 {
			f.reg[r] = content{}
		}
	}
}

// rule reads the rule off the state: CFA from SP, or from any register that
// points into the frame. Where a value seems to be in its register still but is
// elsewhere too, that other place is taken: on another way to here the register
// may have been overwritten, as the link register is by any call.
func (f *frameState) rule(m *machine) (Rule, bool) {
	base, ok := f.frameBase(m)
	if !ok {
		return Rule{}, false
	}
	rule := Rule{cfa: fromRegister, reg: uint8(base), off: -int32(f.reg[base].n), ra: uint8(m.link), method: FromPrologue}
	for r := range m.columns {
		switch {
		case r == m.link:
			s := f.find(m, r)
			if s.how == undefined {
				return Rule{}, false
			}
			rule.add(s)
		case m.kept&(1<<r) != 0 && (f.stored&(1<<r) != 0 || f.reg[r] != content{entryOf, r}):
			rule.add(f.find(m, r))
		}
	}
	if base == m.sp && rule.off == 0 && rule.where(rule.ra).how == unspecified {
		rule.method = FromLR
	}
	return rule, true
}

// frameBase finds a register that points into the frame and that a call does
// not change: SP before others.
func (f *frameState) frameBase(m *machine) (uint32, bool) {
	if f.reg[m.sp].kind == frameAt {
		return m.sp, true
	}
	for r := range m.columns {
		if m.kept&(1<<r) != 0 && f.reg[r].kind == frameAt {
			return r, true
		}
	}
	return 0, false
}

// find says where the entry value of a register is now: in the frame, in
// another register, where it was, or on the process stack, which may not have
// been captured there.
func (f *frameState) find(m *machine, r uint32) save {
	bit := uint32(1) << r
	if f.stored&^f.process&bit != 0 {
		return save{uint8(r), atOffset, f.slot[r]}
	}
	for i := range m.columns {
		if i != r && f.reg[i] == (content{entryOf, r}) && f.survives(m, i) {
			return save{uint8(r), inRegister, int32(i)}
		}
	}
	intact := f.reg[r] == content{entryOf, r}
	switch {
	case f.stored&bit != 0 && !(intact && f.survives(m, r)):
		return save{uint8(r), onProcess, f.slot[r]}
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
