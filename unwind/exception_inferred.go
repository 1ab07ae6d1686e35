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

// farthest tries n ways to go on from the present frame and tells which fits the
// program best; the first of equal ones. clear: it leads on, and none that fits as
// well leads to other callers.
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

// Scores of a trial. A wrong stack pointer can lead on: to stale return addresses,
// or to those of frames farther outside, past callers. Then some call leads to
// another function than that which it is said to have called.
const (
	leadsIn = 1                        // there is a frame
	leadsOn = 2 + unfit*(trialDepth+1) // with a caller, or one that needs none
	comes   = 2                        // and others, to an end or as far as a trial goes
	unfit   = 4                        // less for each call that does not fit
	fits    = 1                        // more where the first call does
)

// try goes one way and says how well it fits. through is a sum of the PCs that it
// leads to: FNV-1a, by words.
func (w *walk) try(i int, enter func(trial *walk, i int) (Stop, bool)) (score int, through uint32) {
	trial := &w.u.trial
	if w.trying { // it is in use
		trial = new(walk)
	}
	*trial = *w
	trial.inferred, trial.trying = false, true
	through = 2166136261
	stop, ok := enter(trial, i)
	frames, less := 0, 0
	for ; ok && frames < trialDepth; frames++ {
		var f Frame
		fn := trial.site.fn
		through = (through ^ trial.pc) * 16777619
		stop, ok = trial.step(&f)
		switch {
		case ok && trial.mark != 0:
			stop, ok = trial.cross(&f, trial.mark)
		case !ok || fn.High == 0 || trial.site.before != directCall:
		case trial.site.target != fn.Low:
			less += unfit
		case frames == 0:
			less -= fits
		}
	}
	// What only a trial read is not part of the stack.
	w.mem.touched = trial.mem.touched[:len(w.mem.touched)]
	done := frames == trialDepth || !ok && frames > 0 && stop.Reason == Complete
	if !ok && done && !trial.site.outermost && trial.kind != Leaf && w.u.code.called(trial.site.fn.Low) {
		less += unfit
	}
	switch {
	case frames == 0:
		return 0, through
	case frames == 1 && !done:
		return leadsIn, through
	case done:
		return leadsOn + comes - less, through
	}
	return leadsOn - less, through
}
