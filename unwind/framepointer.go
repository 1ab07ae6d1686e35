package unwind

import "strings"

// framePointer says where a frame pointer points that makes a chain, as data of
// a machine.
type framePointer struct {
	reg   uint32 // its column
	cfa   int32  // from it to the CFA
	saved int32  // where the caller's frame pointer stands, from the CFA
	ra    int32  // where the return address stands, from the CFA
}

// chained is the method for code whose frame pointers make a chain. A function
// has one only between its prologue and its epilogue, and not every function has
// one: the instructions say where, and decide where it is not.
type chained struct {
	m     *machine
	alone bool // no other method is allowed
}

func openChained(u *Unwinder) finder {
	alone := u.code.p.Methods == FramePointers
	if u.machine.chain == nil || u.code.p.FramePointers == nil && !alone {
		return nil
	}
	return chained{u.machine, alone}
}

func (k chained) find(c *code, pc uint32) (Rule, Range, bool) {
	chain, producer := c.framePointers(pc)
	switch {
	case chain:
	case k.alone && compiled(producer):
		return Rule{cfa: noCaller, off: int32(NoChain), method: FromFramePointer}, Range{}, true
	case k.alone:
		return analysis{k.m}.find(c, pc)
	default:
		return Rule{}, Range{}, false
	}
	fn, ok := c.function(pc)
	if !ok || !fn.Contains(pc) {
		return Rule{}, Range{}, false
	}
	if s, ok := c.frames(fn, fn.Low).at(pc); ok {
		rule, ok := s.rule(k.m)
		if ok && k.setUp(&s) {
			rule.cfa, rule.reg, rule.off = fromRegister, uint8(k.m.chain.reg), k.m.chain.cfa
			rule.method = FromFramePointer
		}
		return rule, Range{}, ok
	}
	if pc&1 == 0 || !k.prologue(c, fn) {
		return Rule{}, Range{}, false // where in the function this is, nobody can say
	}
	return k.rule(), Range{}, true
}

// framePointers asks who compiled the code at pc.
func (c *code) framePointers(pc uint32) (chain bool, producer string) {
	if c.p.FramePointers == nil {
		return false, ""
	}
	return c.p.FramePointers(pc & c.m.codeMask)
}

// compiled tells a compiler from an assembler and from nobody.
func compiled(producer string) bool {
	return producer != "" && !strings.HasPrefix(producer, "GNU AS")
}

// setUp tells whether the frame pointer points to where both links of the chain
// stand.
func (k chained) setUp(f *frameState) bool {
	p := k.m.chain
	stands := func(r uint32, at int32) bool {
		return f.stacked(content{kind: frameAt, n: uint32(at)}) == content{kind: entryOf, n: r}
	}
	return f.reg[p.reg] == content{kind: frameAt, n: uint32(-p.cfa)} && stands(p.reg, p.saved) && stands(k.m.link, p.ra)
}

// maxPrologue bounds the instructions in which a function sets up its frame.
const maxPrologue = 16

// prologue tells whether a function begins by setting up its frame pointer.
func (k chained) prologue(c *code, fn Range) bool {
	if k.m.step == nil {
		return false
	}
	f := entryState(k.m)
	at := fn.Low & k.m.codeMask
	for range maxPrologue {
		to, ok := k.m.step(c, &f, at)
		if !ok || to.kind != goesOn || to.conditional > 0 {
			return false
		}
		at += to.size
		if k.setUp(&f) {
			return true
		}
	}
	return false
}

// rule is that of a frame in the chain. What the function did with other
// registers is not known.
func (k chained) rule() Rule {
	p := k.m.chain
	rule := Rule{cfa: fromRegister, reg: uint8(p.reg), off: p.cfa, ra: uint8(k.m.link), method: FromFramePointer}
	for r := range k.m.columns {
		switch {
		case r == p.reg:
			rule.add(save{uint8(r), atOffset, p.saved})
		case r == k.m.link:
			rule.add(save{uint8(r), atOffset, p.ra})
		case k.m.kept&(1<<r) != 0:
			rule.add(save{column: uint8(r), how: undefined})
		}
	}
	return rule
}
