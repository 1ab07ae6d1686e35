package unwind

import "github.com/mprof/mprof/snapshot"

// threadReturn is the exception return of a thread on the process stack.
const threadReturn = 0xfffffffd

// fromProcess reads what a handler stored on the process stack, below PSP. A
// sample seldom reaches there; of the exception return it is then known that it
// leads back to that stack, and whether the frame has floating-point state shows
// in what comes next.
func (w *walk) fromProcess(s save) (uint32, bool) {
	psp, ok := w.s.Regs.Value(snapshot.PSP)
	if !ok || w.ipsr == 0 {
		return 0, false
	}
	if v, ok := w.mem.load(psp+uint32(s.n), 4); ok && s.n != farBelow {
		return v, true
	}
	w.inferred = uint32(s.column) == w.m.link
	return threadReturn, w.inferred
}

// trialDepth bounds how many frames a trial goes.
const trialDepth = 16

// farthest tries n ways to go on from the present frame and tells which leads to
// most callers, to an end rather than to a cut; the first of equal ones. clear:
// it leads on, and no other leads as far to other callers.
func (w *walk) farthest(n int, enter func(trial *walk, i int) (Stop, bool)) (best int, clear bool) {
	most, way := -1, uint32(0)
	for i := range n {
		score, through := w.try(i, enter)
		switch {
		case score > most:
			best, most, way, clear = i, score, through, score > 0
		case score == most && through != way:
			clear = false
		}
	}
	return best, clear
}

// try counts twice the frames that a way leads to, and one for an end. through
// is a sum of their PCs: FNV-1a, by words.
func (w *walk) try(i int, enter func(trial *walk, i int) (Stop, bool)) (score int, through uint32) {
	trial := &w.u.trial
	if w.trying { // it is in use
		trial = new(walk)
	}
	*trial = *w
	trial.inferred, trial.trying = false, true
	through = 2166136261
	stop, ok := enter(trial, i)
	for ok && score < 2*trialDepth {
		var f Frame
		score += 2
		through = (through ^ trial.pc) * 16777619
		if stop, ok = trial.step(&f); ok && trial.mark != 0 {
			stop, ok = trial.m.cross(trial, &f, trial.mark)
		}
	}
	// What only a trial read is not part of the stack.
	w.mem.touched = trial.mem.touched[:len(w.mem.touched)]
	if !ok && score > 0 && stop.Reason == Complete {
		score++
	}
	return score, through
}
