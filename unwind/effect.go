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
	anything contentKind = iota
	entryOf              // what register n held when the function was entered
	frameAt              // CFA + n
	constant             // n
)

// frameState is the abstract state before an instruction. slot says where in
// the frame the entry value of a register was stored: CFA + slot, if stored
// has its bit.
type frameState struct {
	reg    [16]content
	slot   [16]int32
	stored uint16
}

// Registers of the calling standard (AAPCS32 §6.1.1).
const (
	regIP = 12
	regSP = 13
	regLR = 14
	regPC = 15

	clobbered = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<regIP | 1<<regLR // by a call
)

// entryState is that of the first instruction: CFA = SP.
func entryState() frameState {
	var f frameState
	for r := range f.reg {
		f.reg[r] = content{entryOf, uint32(r)}
	}
	f.reg[regSP] = content{kind: frameAt}
	f.reg[regPC] = content{}
	return f
}

func (f *frameState) forget(r uint16) { f.reg[r&15] = content{} }

// add is a + n where that is known.
func (c content) add(n uint32) content {
	if c.kind == frameAt || c.kind == constant {
		c.n += n
		return c
	}
	return content{}
}

// setSP moves the stack pointer; what was stored below it is gone.
func (f *frameState) setSP(v content) {
	f.reg[regSP] = v
	if v.kind != frameAt {
		return
	}
	for r := range f.slot {
		if f.stored&(1<<r) != 0 && f.slot[r] < int32(v.n) {
			f.stored &^= 1 << r
		}
	}
}

// assign writes a register.
func (f *frameState) assign(r uint16, v content) {
	if r == regSP {
		f.setSP(v)
		return
	}
	f.reg[r&15] = v
}

// store writes register r to the word at addr.
func (f *frameState) store(r uint16, addr content) {
	if addr.kind != frameAt {
		return
	}
	at := int32(addr.n)
	for i := range f.slot {
		if f.stored&(1<<i) != 0 && f.slot[i] == at {
			f.stored &^= 1 << i
		}
	}
	if v := f.reg[r&15]; v.kind == entryOf && f.stored&(1<<v.n) == 0 {
		f.slot[v.n] = at
		f.stored |= 1 << v.n
	}
}

// load reads the word at addr into register r.
func (f *frameState) load(r uint16, addr content) {
	f.assign(r, f.at(addr))
}

func (f *frameState) at(addr content) content {
	if addr.kind == frameAt {
		for i := range f.slot {
			if f.stored&(1<<i) != 0 && f.slot[i] == int32(addr.n) {
				return content{entryOf, uint32(i)}
			}
		}
	}
	return content{}
}

// storeMany is STM: base is the address of the lowest register.
func (f *frameState) storeMany(list uint16, base content) {
	for r := uint16(0); r < 16; r++ {
		if list&(1<<r) != 0 {
			f.store(r, base)
			base = base.add(4)
		}
	}
}

// loadMany is LDM. All words are read before SP moves.
func (f *frameState) loadMany(list uint16, base content) {
	for r := uint16(0); r < 15; r++ {
		if list&(1<<r) != 0 {
			v := f.at(base)
			if r == regSP {
				f.setSP(v)
			} else {
				f.reg[r] = v
			}
			base = base.add(4)
		}
	}
}

// call forgets what a call overwrites.
func (f *frameState) call() {
	for r := uint16(0); r < 16; r++ {
		if clobbered&(1<<r) != 0 {
			f.forget(r)
		}
	}
}

// rule reads the rule off the state: CFA from SP, or from any register that
// points into the frame. A stored value is taken from its slot even if the
// register seems untouched: on another way to here it may have been.
func (f *frameState) rule(m *machine) (Rule, bool) {
	base, ok := f.frameBase()
	if !ok {
		return Rule{}, false
	}
	rule := Rule{cfa: fromRegister, reg: uint8(base), off: -int32(f.reg[base].n), ra: uint8(m.link), method: FromPrologue}
	for r := uint16(4); r <= regLR; r++ {
		untouched := f.stored&(1<<r) == 0 && f.reg[r] == content{entryOf, uint32(r)}
		if r == regIP || r == regSP || untouched {
			continue
		}
		s := f.find(r)
		if s.how == undefined && r == regLR {
			return Rule{}, false
		}
		rule.saves = append(rule.saves, s)
	}
	if base == regSP && rule.off == 0 && rule.where(rule.ra).how == unspecified {
		rule.method = FromLR
	}
	return rule, true
}

// frameBase finds a register that points into the frame and that a call does
// not change: SP before others.
func (f *frameState) frameBase() (uint16, bool) {
	if f.reg[regSP].kind == frameAt {
		return regSP, true
	}
	for r := uint16(4); r < regIP; r++ {
		if f.reg[r].kind == frameAt {
			return r, true
		}
	}
	return 0, false
}

// find says where the entry value of a register is now.
func (f *frameState) find(r uint16) save {
	if f.stored&(1<<r) != 0 {
		return save{uint8(r), atOffset, f.slot[r]}
	}
	for i := range f.reg {
		if f.reg[i] == (content{entryOf, uint32(r)}) {
			return save{uint8(r), inRegister, int32(i)}
		}
	}
	return save{uint8(r), undefined, 0}
}
