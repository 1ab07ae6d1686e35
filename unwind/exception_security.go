package unwind

import "encoding/binary"

// fncReturn is what BLXNS leaves in LR: a Non-secure function returns with it to
// its Secure caller. Bit 0 is clear where a Secure function was entered by a jump
// from such a function: SG clears it (ARMv8-M ARM, "FNC_RETURN").
const fncReturn = 0xfeffffff

// otherState handles return addresses that lead into the other security state.
// handled is false for those that do not.
func (w *walk) otherState(ra uint32) (stop Stop, ok, handled bool) {
	switch {
	case ra == fncReturn:
		w.stacks.settle(nonSecure)
		stop, ok = w.intoState(secure, popSecureCall)
	case ra == fncReturn&^1:
		w.stacks.settle(secure)
		stop, ok = popSecureCall(w)
	case ra&1 == 0 && w.calledThroughGateway(ra):
		w.stacks.settle(secure)
		s := w.u.site(ra - 1)
		called := func(w *walk) (Stop, bool) { w.callFrom(ra, s, w.m.link); return Stop{}, true }
		if stop, ok = w.intoState(nonSecure, called); !ok { // the caller is known all the same
			w.leave()
			w.loseStack()
			stop, ok = called(w)
		}
	default:
		return Stop{}, false, false
	}
	return stop, ok, true
}

// intoState goes on with the stack of the other state. Handlers use its main
// stack, threads that which its CONTROL.SPSEL says; where that is not known, that
// which leads farther.
func (w *walk) intoState(state int, next func(*walk) (Stop, bool)) (Stop, bool) {
	process, known := false, w.ipsr != 0
	if !known {
		process, known = w.threadStack(state)
	}
	enter := func(w *walk, i int) (Stop, bool) {
		w.leave()
		sp, ok := w.stackPointer(state, process != (i == 1))
		if !ok {
			return Stop{OtherState, w.pc}, false
		}
		w.enterStack(state, process != (i == 1), sp)
		return next(w)
	}
	if known || w.trying {
		return enter(w, 0)
	}
	if !w.hasBoth(state) {
		return Stop{OtherState, w.pc}, false
	}
	best, clear := w.farthest(2, enter)
	if !clear {
		return Stop{OtherState, w.pc}, false
	}
	return enter(w, best)
}

// loseStack enters the other state without its stack pointer.
func (w *walk) loseStack() {
	w.forget(w.m.sp)
	w.stacks.present, w.stacks.lost = 1-w.stacks.present, true
	w.mem.onPSP, w.haveMain = false, false
}

// sfpa is CONTROL_S.SFPA as BLXNS keeps it.
const sfpa = 1 << 20

// popSecureCall reads what BLXNS pushed onto the Secure stack: the return address,
// and of RETPSR the exception number and SFPA (ARMv8-M ARM, FunctionReturn).
func popSecureCall(w *walk) (Stop, bool) {
	sp, ok := w.get(w.m.sp)
	if !ok {
		return w.missing(w.m.sp), false
	}
	if sp%8 != 0 {
		return Stop{NoProgress, sp}, false
	}
	ra, ok := w.mem.word(sp)
	if !ok {
		return Stop{NotCaptured, sp}, false
	}
	psr, ok := w.mem.word(sp + 4)
	if !ok {
		return Stop{NotCaptured, sp + 4}, false
	}
	// In a handler Non-secure code sees exception number 1.
	ipsr := uint16(psr & ipsrMask)
	s := w.u.site(ra&w.m.codeMask - 1)
	switch {
	case psr&^(sfpa|ipsrMask) != 0, w.haveIPSR && (ipsr == 0) != (w.ipsr == 0):
		return Stop{BadFrame, sp}, false
	case ra&w.m.codeBit == 0, !s.inCode, s.before != indirectCall:
		return Stop{BadRA, ra}, false
	}
	w.regs.set(w.m.sp, sp+8)
	w.floor = sp + 8
	if w.haveIPSR {
		w.ipsr = ipsr
	}
	w.method = FromExceptionFrame
	w.callFrom(ra&w.m.codeMask, s, w.m.link)
	return Stop{}, true
}

// calledThroughGateway tells whether a return address without Thumb bit leads
// behind a call, and the function that it was found in can be called by
// Non-secure code: SG clears the bit.
func (w *walk) calledThroughGateway(ra uint32) bool {
	s := w.u.site(ra - 1)
	return s.inCode && (s.before == directCall || s.before == indirectCall) && w.site.fn.High != 0 && w.u.code.gateway(w.site.fn.Low)
}

// The instruction SG, and the size of a veneer: SG and B.W.
const (
	sg         = 0xe97fe97f
	veneerSize = 8
)

// gateways are the entries for Non-secure code.
type gateways map[uint32]struct{}

// gateway tells whether Non-secure code can call entry: SG stands there, or is
// followed by a jump there. The code is read once: O(bytes of code).
func (c *code) gateway(entry uint32) bool {
	if c.gates == nil {
		t := gateways{}
		for _, r := range c.p.Code {
			t.addGates(c, r)
		}
		c.gates = t
	}
	_, ok := c.gates[entry]
	return ok
}

func (t gateways) addGates(c *code, r Range) {
	if c.m.branch == nil || c.p.ReadCode == nil {
		return
	}
	const chunk = 1 << 12
	p := make([]byte, chunk+veneerSize)
	for at := r.Low &^ 1; at < r.High && at >= r.Low&^1; at += chunk {
		n := min(uint32(len(p)), r.High-at)
		if !c.p.ReadCode(at, p[:n]) {
			continue
		}
		for i := uint32(0); i+veneerSize <= n; i += 2 {
			if binary.LittleEndian.Uint32(p[i:]) != sg {
				continue
			}
			t[at+i] = struct{}{}
			w := binary.LittleEndian.Uint32(p[i+4:])
			if to, ok := c.m.branch(at+i+4, uint64(w)); ok {
				t[to] = struct{}{}
			}
		}
	}
}
