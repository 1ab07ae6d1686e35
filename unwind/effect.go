package unwind

// A function is run abstractly: registers hold what they held at its entry,
// addresses relative to the CFA, constants, or something unknown.

// slot is a word of the stack and what was stored there.
type slot struct{ at, value content }

// maxSlots bounds the words of a frame that are followed: all registers that a
// function saves, and some addresses. Beyond maxConstants of them those of tables
// are not.
const (
	maxSlots     = 24
	maxConstants = 18
)

// frameState is the abstract state before an instruction.
type frameState struct {
	reg     [maxRegisters]content
	slots   [maxSlots]slot // in the order in which they were stored
	used    uint8
	sp      uint8
	split   bool    // where SP is depends on the condition of an IT block
	calling bool    // the instruction is a call that has not returned
	handed  bool    // a callee was given the saved registers to change
	keep    uint32  // registers whose entry values matter to the caller
	process content // what was written to PSP; nowhere: nothing was
	main    content // where SP stood when the function went over to PSP; anything: it did not, or that is not known
}

// entryState is that of the first instruction: CFA = SP.
func entryState(m *machine) frameState {
	f := frameState{sp: uint8(m.sp), keep: m.kept | 1<<m.link}
	for r := range m.columns {
		f.reg[r] = content{kind: entryOf, n: r}
	}
	f.reg[m.sp] = content{kind: frameAt}
	f.process = content{kind: nowhere}
	return f
}

func (f *frameState) forget(r uint16) { f.assign(r&15, content{}) }

// newBase is an address in the frame at a distance that is not known. What was
// known of the base of the same site is not any more.
func (f *frameState) newBase(site uint32) content {
	base := content{kind: baseAt, id: uint16(site >> 1)}
	for r := range f.reg {
		if f.reg[r].sameBase(base) {
			f.reg[r] = content{}
		}
	}
	f.drop(func(s slot) bool { return s.at.sameBase(base) || s.value.sameBase(base) })
	return base
}

// aligned is v rounded down: an address in the frame stays one.
func (f *frameState) aligned(v content, site uint32) content {
	if v.kind == frameAt || v.kind == baseAt || v.kind == shifted {
		return f.newBase(site)
	}
	return content{}
}

// drop removes slots.
func (f *frameState) drop(gone func(slot) bool) {
	n := uint8(0)
	for _, s := range f.slots[:f.used] {
		if !gone(s) {
			f.slots[n] = s
			n++
		}
	}
	clear(f.slots[n:f.used])
	f.used = n
}

// setSP moves the stack pointer; what was stored below it is gone.
func (f *frameState) setSP(v content) {
	f.reg[f.sp] = v
	if f.used == 0 || !v.isAddress() {
		return
	}
	f.drop(func(s slot) bool {
		return s.at.sameBase(v) && s.at.below(v) || v.kind == frameAt && s.at.kind == baseAt
	})
}

// write is assign of a result that is not known to be an address: SP gets a base
// of its own then.
func (f *frameState) write(r uint16, v content, site uint32) {
	if r == uint16(f.sp) && !v.isAddress() {
		v = f.newBase(site)
	}
	f.assign(r, v)
}

// setPSP moves the process stack pointer: places relative to it are not known
// any more.
func (f *frameState) setPSP() {
	f.drop(func(s slot) bool { return s.at.kind == processAt })
	for r := range f.reg {
		if f.reg[r].kind == processAt {
			f.reg[r] = content{}
		}
	}
}

// assign writes a register.
func (f *frameState) assign(r uint16, v content) {
	if r == uint16(f.sp) {
		f.setSP(v)
		return
	}
	f.reg[r%maxRegisters] = v
}

// store writes v to the word at addr. Of constants those are kept that may be
// addresses of tables.
func (f *frameState) store(c *code, v, addr content) {
	if !addr.isAddress() {
		return
	}
	f.clobber(addr, 4)
	worth := v.kind == frameAt || v.kind == baseAt
	switch v.kind {
	case entryOf:
		worth = f.keep&(1<<v.n) != 0
	case constant:
		worth = f.used < maxConstants && c.holdsTable(v.n)
	case inTable: // clang at -O0
		worth = f.used < maxConstants && v.isTarget()
	}
	if worth && f.used < maxSlots {
		f.slots[f.used] = slot{addr, v}
		f.used++
	}
}

// holdsTable tells whether a jump table may begin at addr: not among the vectors.
func (c *code) holdsTable(addr uint32) bool {
	if addr%4 != 0 || addr < 0x40 {
		return false
	}
	_, ok := c.word(addr)
	return ok
}

// clobber forgets what was stored in size bytes from addr on.
func (f *frameState) clobber(addr content, size uint32) {
	if !addr.isAddress() {
		return
	}
	for _, s := range f.slots[:f.used] {
		if s.at.sameBase(addr) && s.at.n-addr.n+3 < size+3 {
			f.drop(func(s slot) bool { return s.at.sameBase(addr) && s.at.n-addr.n+3 < size+3 })
			return
		}
	}
}

// at is the word at addr.
func (f *frameState) at(c *code, addr content) content {
	switch {
	case addr.kind == intoTable:
		return addr.entry(wordAddresses)
	case addr.kind == constant && c.contains(addr.n):
		return c.literal(addr.n)
	case !addr.isAddress():
		return content{}
	}
	for _, s := range f.slots[:f.used] {
		if s.at == addr {
			return s.value
		}
	}
	if addr.kind == frameAt && int32(addr.n) >= 0 {
		return content{kind: above, n: addr.n}
	}
	return content{}
}

// call forgets what a call may overwrite.
func (f *frameState) call(m *machine) {
	f.handOver(m)
	for r := range m.columns {
		if (m.kept|1<<m.sp)&(1<<r) == 0 {
			f.reg[r] = content{}
		}
	}
}

// A block of all registers in the order of their numbers is handed to a callee
// that changes it: the stack unwinder of C++ begins so. Words are those behind
// the address in an argument register at which the block may begin: r0, or a
// word before it.
const (
	blockWords = 16
	blockAhead = 2
)

// handOver forgets what the callee may change. What stands in registers still
// is right.
func (f *frameState) handOver(m *machine) {
	for r := range uint32(4) {
		for ahead := range uint32(blockAhead) {
			block := f.reg[r].add(4 * ahead)
			if !block.isAddress() || f.stacked(block.add(4*m.sp)) != (content{kind: frameAt}) ||
				f.stacked(block.add(4*m.link)) != (content{kind: entryOf, n: m.link}) {
				continue
			}
			f.handed = true
			f.drop(func(s slot) bool { return s.at.sameBase(block) && s.at.n-block.n < 4*blockWords })
		}
	}
}

// meet keeps what holds in both states, and tells whether f lost anything.
func (f *frameState) meet(g *frameState) (lost bool) {
	for r := range f.reg {
		if v := meet(f.reg[r], g.reg[r]); v != f.reg[r] {
			f.reg[r], lost = v, true
		}
	}
	was := f.used
	f.drop(func(s slot) bool { return !g.has(s) })
	lost = lost || g.handed && !f.handed
	f.handed = f.handed || g.handed
	if f.main != g.main && f.main.kind != anything {
		f.main, lost = content{}, true
	}
	if f.process != g.process && f.process.kind != nowhere {
		f.process, lost = content{kind: nowhere}, true
	}
	lost = lost || g.split && !f.split
	f.split = f.split || g.split
	return lost || f.used != was
}

// forgetConstants drops constants that are others in g: where a loop moves SP by
// what it counts, they are what makes the two disagree about SP.
func (f *frameState) forgetConstants(g *frameState) (lost bool) {
	for r := range f.reg {
		if f.reg[r].kind == constant && f.reg[r] != g.reg[r] {
			f.reg[r], lost = content{}, true
		}
	}
	return lost
}

func (f *frameState) has(s slot) bool {
	for _, t := range f.slots[:f.used] {
		if s == t {
			return true
		}
	}
	return false
}

// essence is the part of the state that rules are made of.
func (f *frameState) essence(m *machine) frameState {
	e := *f
	e.process = content{}
	for r := range e.reg {
		v := e.reg[r]
		if !v.matters() || v.kind == entryOf && e.keep&(1<<v.n) == 0 || uint32(r) >= m.columns {
			e.reg[r] = content{}
		}
	}
	e.drop(func(s slot) bool { return !s.value.matters() })
	return e
}
