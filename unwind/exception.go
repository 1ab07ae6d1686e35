package unwind

import "github.com/mprof/mprof/snapshot"

// excReturn describes an exception return address (ARMv7-M ARM B1.5.8, table
// B1-8; ARMv8-M ARM R_XMXG for a core without the Security Extension, whose
// bit 6 and bit 0 are 0).
type excReturn struct {
	words  uint32 // of the stacked frame
	psp    bool   // it is on the process stack
	thread bool   // it interrupted thread mode
}

const (
	basicWords    = 8  // R0-R3, R12, LR, ReturnAddress, xPSR (B1.5.6)
	extendedWords = 26 // and S0-S15, FPSCR, one reserved
	ipsrMask      = 0x1ff
	alignBit      = 1 << 9 // of the stacked xPSR: a padding word was left above
)

// excReturnOf knows the values that a processor makes and no others: a stack
// holds many words that begin with 0xFFFFFF.
func excReturnOf(v uint32) (excReturn, bool) {
	var e excReturn
	switch v {
	case 0xfffffff1, 0xfffffff9, 0xfffffffd, 0xffffffb0, 0xffffffb8, 0xffffffbc:
		e.words = basicWords
	case 0xffffffe1, 0xffffffe9, 0xffffffed, 0xffffffa0, 0xffffffa8, 0xffffffac:
		e.words = extendedWords
	default:
		return e, false
	}
	e.thread = v&8 != 0
	e.psp = v&4 != 0
	return e, true
}

// cross goes from a handler to what it interrupted: b is the boundary frame
// between the two, w.regs the handler's caller-to-be, whose return address is
// the exception return v.
func (w *walk) cross(b *Frame, v uint32) (Stop, bool) {
	e, _ := excReturnOf(v)
	if w.inferred {
		e.words = w.likelyWords(v)
	}
	at := w.regs.value[w.m.sp]
	if e.psp {
		w.consult(snapshot.PSP)
		psp, ok := w.s.Regs.Value(snapshot.PSP)
		if !ok {
			return Stop{NoRegister, v}, false
		}
		w.mainSP, w.haveMain = at, true
		at = psp
	}
	if at%w.m.align != 0 {
		return Stop{NoProgress, at}, false
	}
	w.mem.onPSP = e.psp
	xpsr, ok := w.unstack(at)
	if !ok {
		return Stop{NotCaptured, w.mem.missing}, false
	}
	pc, ok := w.mem.word(at + 24)
	if !ok {
		return Stop{NotCaptured, at + 24}, false
	}
	ipsr := uint16(xpsr & ipsrMask)
	if e.thread != (ipsr == 0) {
		return Stop{BadRA, pc}, false
	}
	sp := at + 4*e.words
	if xpsr&alignBit != 0 {
		sp += 4
	}
	if sp < at {
		return Stop{NoProgress, at}, false
	}
	b.CFA = sp
	w.regs.set(w.m.sp, sp)
	w.ipsr, w.haveIPSR, w.floor = ipsr, true, sp
	return w.interrupted(pc&^1, FromExceptionFrame)
}

// unstack says where R0-R3, R12 and LR stand in the frame at addr. Only the
// xPSR, which it returns, must be there.
func (w *walk) unstack(at uint32) (xpsr uint32, ok bool) {
	for i, column := range [...]uint32{0, 1, 2, 3, 12, 14} {
		w.save(column, at+uint32(4*i))
	}
	return w.mem.word(at + 28)
}

// threadReturn is the exception return of a thread on the process stack.
const threadReturn = 0xfffffffd

// fromProcess reads what a handler stored on the process stack, below PSP. A
// sample seldom reaches there; of the exception return it is then known that it
// leads back to that stack.
func (w *walk) fromProcess(s save) (uint32, bool) {
	psp, ok := w.s.Regs.Value(snapshot.PSP)
	if !ok || w.ipsr == 0 {
		return 0, false
	}
	if v, ok := w.mem.load(psp+uint32(s.n), 4); ok {
		return v, true
	}
	w.inferred = uint32(s.column) == w.m.link
	return threadReturn, w.inferred
}

// likelyWords is the size of the frame for an inferred exception return: that
// which leads on to a caller, or at least to an end; basic if both do or none.
func (w *walk) likelyWords(v uint32) uint32 {
	if w.leadsOn(v&^extendedBit) > w.leadsOn(v|extendedBit) {
		return extendedWords
	}
	return basicWords
}

// extendedBit of an exception return is 0 where the frame is an extended one.
const extendedBit = 1 << 4

// leadsOn tries an exception return: 2 if the interrupted frame has a caller,
// 1 if it is the outermost.
func (w *walk) leadsOn(v uint32) int {
	trial := *w
	trial.inferred = false
	var f Frame
	stop, ok := trial.cross(&f, v)
	if ok {
		stop, ok = trial.step(&f)
	}
	w.mem.touched, w.consulted = trial.mem.touched, trial.consulted
	switch {
	case ok:
		return 2
	case stop.Reason == Complete:
		return 1
	}
	return 0
}
