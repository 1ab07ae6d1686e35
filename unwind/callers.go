package unwind

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// callTarget is a direct call or jump: where it leads and where it is.
type callTarget struct{ to, at uint32 }

// callTargets are all of the program, by where they lead.
type callTargets []callTarget

// called tells whether some instruction calls or jumps to entry directly. A
// function that nothing leads to is entered through a pointer: a thread's or a
// handler's first.
func (c *code) called(entry uint32) bool {
	_, found := c.callTargets().first(entry)
	return found
}

// callTargets reads the code once: O(n log n) of its bytes.
func (c *code) callTargets() callTargets {
	if c.calls == nil {
		t := callTargets{}
		c.scan(func(at uint32, w uint64) {
			if to, ok := c.m.branch(at, w); ok {
				t = append(t, callTarget{to, at})
			}
		})
		slices.SortFunc(t, func(a, b callTarget) int {
			if n := cmp.Compare(a.to, b.to); n != 0 {
				return n
			}
			return cmp.Compare(a.at, b.at)
		})
		c.calls = t
	}
	return c.calls
}

func (t callTargets) first(entry uint32) (int, bool) {
	return slices.BinarySearchFunc(t, entry, func(x callTarget, entry uint32) int { return cmp.Compare(x.to, entry) })
}

// maxCallers bounds the calls among which the one under way is looked for.
const maxCallers = 256

// callSizes are those of the instructions of a call.
var callSizes = [...]uint32{4, 2, 8}

// callers lists the addresses behind the direct calls of a function; none if
// there are too many.
func (c *code) callers(entry uint32) (behind []uint32) {
	t := c.callTargets()
	for i, _ := t.first(entry); i < len(t) && t[i].to == entry; i++ {
		for _, size := range callSizes {
			if site, target := c.m.calls(c, t[i].at+size); site == directCall && target == entry {
				behind = append(behind, t[i].at+size)
				break
			}
		}
		if len(behind) > maxCallers {
			return nil
		}
	}
	return behind
}

// scan shows the eight bytes from every halfword of the code on, those beyond its
// end as 0.
func (c *code) scan(show func(at uint32, w uint64)) {
	if c.m.branch == nil || c.p.ReadCode == nil {
		return
	}
	const chunk, more = 1 << 12, 7 // of an instruction that begins in the last halfword
	p := make([]byte, chunk+more)
	for _, r := range c.p.Code {
		for at := r.Low &^ 1; at < r.High && at >= r.Low&^1; at += chunk {
			n := min(chunk+more, r.High-at)
			if !c.p.ReadCode(at, p[:n]) {
				continue
			}
			clear(p[n:])
			for i := uint32(0); i < min(n, chunk); i += 2 {
				show(at+i, binary.LittleEndian.Uint64(p[i:i+8:i+8]))
			}
		}
	}
}

// maxLost bounds how many functions in a row are followed that do not keep their
// return addresses.
const maxLost = 3

// left is a frame whose caller is looked for, and the one inside it.
type left struct {
	rule   *Rule
	cfa    uint32
	inside *left
}

// value is what a column was in the caller.
func (l *left) value(w *walk, column uint32) (uint32, bool) {
	s := l.rule.where(uint8(column))
	switch s.how {
	case unspecified, sameValue:
	case atOffset:
		return w.mem.word(l.cfa + uint32(s.n))
	case inRegister:
		column = uint32(s.n)
	default:
		return 0, false
	}
	if l.inside == nil {
		return w.get(column)
	}
	return l.inside.value(w, column)
}

// fromCallers finds the return address of a function that does not keep it: the
// call of that function whose own frame leads on to a call of its function.
// There must be exactly one.
func (w *walk) fromCallers(r *Rule, cfa uint32) (ra uint32, ok bool) {
	ra, n := w.oneOf(w.site.callers, &left{rule: r, cfa: cfa}, 1)
	return ra | w.m.codeBit, n == 1
}

// oneOf counts the calls that may have led to a frame.
func (w *walk) oneOf(callers []uint32, l *left, depth int) (ra uint32, n int) {
	for _, behind := range callers {
		if w.leadsBack(l, w.u.site(behind-1), len(callers) == 1, depth) {
			ra = behind
			n++
		}
	}
	return ra, n
}

// leadsBack tells whether the frame of a call, whose callee was l, holds a return
// address behind a call of the function of that frame. only: it is the only one
// that comes into question, and a call through a pointer will do.
func (w *walk) leadsBack(l *left, s *site, only bool, depth int) bool {
	r := &s.rule
	if r.cfa != fromRegister || s.fn.High == 0 {
		return false
	}
	cfa, off, ok := l.cfa, r.off, true
	switch {
	case uint32(r.reg) == w.m.sp:
	case r.spare != noSpare:
		off = r.spare
	default:
		cfa, ok = l.value(w, uint32(r.reg))
	}
	if cfa += uint32(off); !ok || cfa < l.cfa {
		return false
	}
	at := r.where(r.ra)
	if at.how != atOffset {
		if !r.keepsLink() || depth == maxLost {
			return false
		}
		_, n := w.oneOf(s.callers, &left{r, cfa, l}, depth+1)
		return n == 1
	}
	ra, ok := w.mem.word(cfa + uint32(at.n))
	if !ok || ra&w.m.codeBit != w.m.codeBit {
		return false
	}
	switch from := w.u.site((ra & w.m.codeMask) - 1); from.before {
	case directCall:
		return from.target == s.fn.Low
	case indirectCall:
		return only
	}
	return false
}
