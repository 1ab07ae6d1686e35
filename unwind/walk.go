package unwind

import "github.com/mprof/mprof/snapshot"

// walk is the state of one Unwind: the frame that it has come to, with the
// registers of that frame. Phase two.
type walk struct {
	u    *Unwinder
	m    *machine
	s    *snapshot.Snapshot
	mem  memory
	eval evaluator

	pc     uint32
	kind   Kind
	method Method
	site   *site
	regs   registers
	next   registers

	ipsr     uint16 // the exception that the frame runs in, 0 in thread mode
	haveIPSR bool
	floor    uint32 // stack pointer of the frame: its CFA is not below
	mainSP   uint32 // lower bound of the main stack, while on the process stack
	haveMain bool

	saved  uint32 // columns that stand in memory and are read when they are needed,
	lost   uint32 // and those that could not be read there
	slotAt [maxRegisters]uint32

	original  uint32          // columns that are those of the snapshot
	consulted snapshot.RegSet // registers of the snapshot that were needed

	mark     uint32 // exception return that ended the last step
	inferred bool   // it was not read but follows from what the handler does
	stacks   stacks // of both security states
	trying   bool   // this is a trial: see farthest

	beyond  bool // a frame was guessed
	sure    Stop // where and why, if so
	scanned int  // words that were looked at
}

// run walks from the registers of s to the end of the stack.
func (w *walk) run(dst []Frame, s *snapshot.Snapshot) ([]Frame, Stop) {
	stop, ok := w.begin(s)
	for most := len(dst) + MaxDepth; ok; {
		if len(dst) >= most {
			stop = Stop{TooDeep, w.pc}
			break
		}
		dst = w.add(dst, Frame{PC: w.pc, Kind: w.kind})
		from := w.floor
		stop, ok = w.step(&dst[len(dst)-1])
		ok = ok || w.guess(stop, from)
		if ok && w.mark != 0 && len(dst) < most {
			dst = w.add(dst, Frame{Kind: Exception, ExcNum: w.ipsr})
			stop, ok = w.m.cross(w, &dst[len(dst)-1], w.mark)
		}
	}
	if w.beyond { // a stack that was guessed is known no farther than the guess
		stop = w.sure
	}
	return dst, stop
}

// add appends a frame, found as the walk came to it.
func (w *walk) add(dst []Frame, f Frame) []Frame {
	f.Method, f.Beyond = w.method, w.beyond
	w.beyond = w.beyond || w.method == FromScan
	return append(dst, f)
}

// begin takes the registers of the snapshot.
func (w *walk) begin(s *snapshot.Snapshot) (Stop, bool) {
	w.s = s
	w.mem.reset(s)
	w.site, w.beyond, w.sure, w.scanned = nil, false, Stop{}, 0
	pc, ok := s.Regs.Value(w.m.pc)
	if s.Miss != snapshot.Taken || !ok {
		return Stop{NoSample, 0}, false
	}
	if s.State&snapshot.Lockup != 0 || pc&w.m.codeMask == lockupPC {
		return Stop{InLockup, pc}, false
	}
	w.m.load(&w.regs, s)
	w.saved, w.lost, w.mark, w.ipsr, w.floor, w.haveMain = 0, 0, 0, 0, 0, false
	w.original, w.consulted = ^uint32(0), snapshot.RegSet{}
	w.consult(w.m.pc)
	xpsr, ok := s.Regs.Value(snapshot.XPSR)
	w.haveIPSR = ok
	if ok {
		w.ipsr = uint16(xpsr & ipsrMask)
	}
	w.stacks = stacks{}
	w.beginStack()
	w.pc, w.kind, w.method = pc&w.m.codeMask, Leaf, FromRegisters
	w.site = w.u.site(w.pc)
	return Stop{}, true
}

// lockupPC is what a core in lockup fetches (ARMv7-M ARM B1.5.15).
const lockupPC = 0xfffffffe

// beginStack finds out which stack SP is: MSP in handler mode, otherwise what
// CONTROL.SPSEL says (B1.4.4; DCRSR reads CONTROL in the top byte).
func (w *walk) beginStack() {
	sp, ok := w.get(w.m.sp)
	if !ok {
		return
	}
	main, haveMain := w.s.Regs.Value(snapshot.MSP)
	psp, havePSP := w.s.Regs.Value(snapshot.PSP)
	onPSP := false
	if w.ipsr == 0 {
		control, ok := w.s.Regs.Value(snapshot.CONTROL)
		if ok {
			onPSP = control>>24&2 != 0
		} else {
			onPSP = havePSP && sp == psp && !(haveMain && sp == main)
		}
	}
	if onPSP {
		w.mainSP, w.haveMain = main, haveMain
	}
	w.floor = sp
	w.mem.onPSP = onPSP
}

// step goes from the present frame to the next, or says why there is none.
func (w *walk) step(f *Frame) (Stop, bool) {
	w.mark, w.inferred = 0, false
	rule := &w.site.rule
	if rule.cfa == unspecified {
		leaf, ok := w.leaf()
		switch {
		case w.site.outermost:
			return Stop{}, false
		case !ok:
			return Stop{NoRule, w.pc}, false
		}
		rule = leaf
	}
	if rule.cfa == noCaller {
		return w.noWay(rule), false
	}
	cfa, stop, ok := w.frameAddress(rule)
	if ok {
		f.CFA = cfa
	}
	if w.site.outermost {
		return Stop{}, false
	}
	if !ok {
		return stop, false
	}
	ra, slot, stop, ok := w.returnAddress(rule, cfa)
	if !ok {
		return stop, false
	}
	if cfa == w.floor && w.kind == Caller && (slot || ra&w.m.codeMask == w.pc) {
		return Stop{NoProgress, cfa}, false
	}
	sp, stop, ok := w.callerStack(rule, cfa)
	if !ok {
		return stop, false
	}
	w.restore(rule, cfa, sp)
	w.floor = sp
	return w.arrive(ra, rule)
}

// noWay is the end in code out of which no way leads. Where nothing calls that
// code, the stack is complete in thread mode.
func (w *walk) noWay(r *Rule) Stop {
	reason := Reason(r.off)
	switch {
	case w.site.outermost:
		return Stop{}
	case reason == Complete && w.ipsr == 0:
		return Stop{}
	case reason == Complete:
		reason = CantUnwind
	}
	return Stop{reason, w.pc}
}

// leaf is the rule for a leaf without any: the return address is in LR if LR
// leads behind a call of the function that the PC is in.
func (w *walk) leaf() (*Rule, bool) {
	if w.kind == Caller || w.site.fn.High != 0 {
		return nil, false
	}
	before, target := w.linkedCall()
	switch before {
	case indirectCall:
	case directCall:
		if target > w.pc || w.pc-target > maxBlindFunction {
			return nil, false
		}
	default:
		return nil, false
	}
	return &w.u.blind, true
}

// linkedCall tells what call LR leads behind.
func (w *walk) linkedCall() (callSite, uint32) {
	lr, ok := w.get(w.m.link)
	if !ok || lr&w.m.codeBit != w.m.codeBit {
		return noCall, 0
	}
	from := w.u.site((lr & w.m.codeMask) - 1)
	return from.before, from.target
}

// maxBlindFunction bounds how far behind its entry a function without a symbol
// is taken to reach.
const maxBlindFunction = 4096

// arrive enters the frame that a return address leads to.
func (w *walk) arrive(ra uint32, rule *Rule) (Stop, bool) {
	w.method = rule.method
	if w.m.boundary != nil && w.m.boundary(ra) && (w.ipsr != 0 || !w.haveIPSR) {
		w.consult(snapshot.XPSR)
		w.mark = ra
		return Stop{}, true
	}
	pc := ra & w.m.codeMask
	if rule.trap {
		w.mark = trapMark(pc)
		return Stop{}, true
	}
	if rule.exact {
		return w.interrupted(pc, rule.method)
	}
	if w.m.special != nil {
		if stop, ok, handled := w.m.special(w, ra); handled {
			return stop, ok
		}
	}
	for _, end := range w.m.ends {
		if pc == end {
			return Stop{}, false
		}
	}
	s := w.u.site(pc - 1)
	switch {
	case w.returnsToStart(s):
		return Stop{}, false
	case !s.inCode, s.before == noCall, ra&w.m.codeBit != w.m.codeBit, w.strange(s):
		return Stop{BadRA, ra}, false
	}
	w.callFrom(pc, s, uint32(rule.ra))
	return Stop{}, true
}

// callFrom enters the frame of a caller. The call overwrote the register that it
// put the return address into, whatever it was.
func (w *walk) callFrom(pc uint32, s *site, link uint32) {
	w.forget(link)
	w.pc, w.kind, w.site = pc, Caller, s
}

// returnsToStart tells that a return address is the first of a function: that
// which a thread would end in, given to it when it was made. A function whose
// last instruction calls one that does not return leaves such an address too,
// but then something calls the function that the frame is in.
func (w *walk) returnsToStart(s *site) bool {
	if !s.starts {
		return false
	}
	switch s.before {
	case noCall:
		return true
	case unreadable:
		return false
	}
	fn := w.site.fn
	return fn.High != 0 && s.target != fn.Low && !w.u.code.called(fn.Low)
}

// interrupted enters a frame whose PC is exact. It may have jumped to where no
// code is: then LR must at least know a call.
func (w *walk) interrupted(pc uint32, method Method) (Stop, bool) {
	if pc == lockupPC {
		return Stop{InLockup, pc}, false
	}
	w.pc, w.kind, w.method = pc, Interrupted, method
	w.site = w.u.site(pc)
	if !w.site.inCode {
		if before, _ := w.linkedCall(); before == noCall {
			return Stop{BadRA, pc}, false
		}
	}
	return Stop{}, true
}
