package unwind

import "github.com/mprof/mprof/snapshot"

// The states of the Security Extension, as indices. A core without it is in one
// of them for ever, and it does not matter in which.
const (
	nonSecure = iota
	secure
)

// stacks are the stack pointers of both security states: where the walk has left
// each of the four stacks, or where the sample found it.
type stacks struct {
	known    bool // sampled is
	sampled  int  // the state that the sample was taken in
	present  int  // that of the present frame
	left     [2][2]uint32
	wasLeft  [2][2]bool
	spsel    [2]bool // CONTROL.SPSEL, as the code in the present frame would read it
	setSPSEL [2]bool
	lost     bool // the pointer of the stack in use is not known
}

// bankedSP and bankedCONTROL are the registers of a state that is not that of the
// sample.
var (
	bankedSP      = [2][2]snapshot.Reg{{snapshot.MSPNS, snapshot.PSPNS}, {snapshot.MSPS, snapshot.PSPS}}
	bankedCONTROL = [2]snapshot.Reg{snapshot.CONTROLNS, snapshot.CONTROLS}
)

// controlSPSEL is CONTROL.SPSEL: DCRSR reads CONTROL in the top byte.
const controlSPSEL = 2 << 24

// settle says in what state the present frame is; the first time, that is known
// of the sample, too.
func (t *stacks) settle(state int) {
	if !t.known {
		t.known, t.sampled, t.present = true, state, state
	}
}

func stackIndex(process bool) int {
	if process {
		return 1
	}
	return 0
}

// stackPointer is where a stack was when the present frame was left for the
// frames inside of it.
func (w *walk) stackPointer(state int, process bool) (uint32, bool) {
	t, i := &w.stacks, stackIndex(process)
	if t.wasLeft[state][i] {
		return t.left[state][i], true
	}
	if t.known && state != t.sampled {
		return w.captured(bankedSP[state][i])
	}
	return w.captured([2]snapshot.Reg{snapshot.MSP, snapshot.PSP}[i])
}

// leave notes where the present stack is, before another is entered.
func (w *walk) leave() {
	if sp, ok := w.get(w.m.sp); ok {
		t, i := &w.stacks, stackIndex(w.mem.onPSP)
		t.left[t.present][i], t.wasLeft[t.present][i] = sp, true
	}
	if t := &w.stacks; w.mem.onPSP && w.haveMain {
		t.left[t.present][0], t.wasLeft[t.present][0] = w.mainSP, true
	}
}

// enterStack makes a stack the present one.
func (w *walk) enterStack(state int, process bool, sp uint32) {
	w.haveMain = false
	if process {
		w.mainSP, w.haveMain = w.stackPointer(state, false)
	}
	w.stacks.present = state
	w.mem.onPSP = process
	w.regs.set(w.m.sp, sp)
	w.original &^= 1 << w.m.sp
	w.floor = sp
}

// threadStack tells which stack the threads of a state use.
func (w *walk) threadStack(state int) (process, known bool) {
	t := &w.stacks
	if t.setSPSEL[state] {
		return t.spsel[state], true
	}
	r := bankedCONTROL[state]
	if t.known && state == t.sampled {
		if v, ok := w.captured(snapshot.CONTROL); ok {
			return v&controlSPSEL != 0, true
		}
	}
	v, ok := w.captured(r)
	return v&controlSPSEL != 0, ok
}

// captured is a register of the snapshot.
func (w *walk) captured(r snapshot.Reg) (uint32, bool) {
	w.consult(r)
	return w.s.Regs.Value(r)
}

// hasBoth tells whether both stack pointers of a state are known.
func (w *walk) hasBoth(state int) bool {
	_, main := w.stackPointer(state, false)
	_, process := w.stackPointer(state, true)
	return main && process
}
