package unwind

// maxScanned bounds the words of one sample that are looked at for callers: they
// are words that a sampler copies while the core stands still.
const maxScanned = 64

// guess is the last resort where no method knows the caller: the link register,
// or the first word on the stack, that leads behind a call into the code, of the
// present function if that can be told. What it finds may be left over from an
// earlier call, so it and everything beyond it is marked. stop is why the walk
// ended, from the stack pointer that the present frame had.
func (w *walk) guess(stop Stop, from uint32) bool {
	switch stop.Reason {
	case NoRule, BadRA:
	case NoRegister, NoProgress: // what a guess has lost or made up
		if !w.beyond {
			return false
		}
	default:
		return false
	}
	if !w.u.code.p.Guess || w.site == nil {
		return false
	}
	if !w.beyond {
		w.sure = stop
	}
	w.mark, w.inferred = 0, false
	if stop.Reason == NoRule && w.kind != Caller {
		if v, ok := w.get(w.m.link); ok && w.plausible(v) {
			w.believe(v, from)
			w.forget(w.m.sp) // the frame's size is not known
			return true
		}
	}
	for at := from; from%w.m.align == 0 && w.scanned < maxScanned; at += 4 {
		w.scanned++
		v, ok := w.mem.word(at)
		switch {
		case !ok:
			return false
		case w.returnsFromException(v, at+4):
			w.believe(v, at+4)
			w.mark = v
			return true
		case w.plausible(v):
			w.believe(v, at+4)
			return true
		}
	}
	return false
}

// plausible tells whether v is a return address that a call of the present
// function leaves.
func (w *walk) plausible(v uint32) bool {
	c := &w.u.code
	ra := v & w.m.codeMask
	if v&w.m.codeBit != w.m.codeBit || !c.contains(ra-1) {
		return false
	}
	before, target := w.m.calls(c, ra)
	fn := w.site.fn
	switch {
	case before == indirectCall:
		return true
	case before != directCall:
		return false
	case fn.High == 0:
		return target <= w.pc && w.pc-target <= maxBlindFunction
	}
	return target == fn.Low&w.m.codeMask || c.jumpsTo(target, fn.Low&w.m.codeMask)
}

// tailCall is a function and another that it may jump to.
type tailCall struct{ from, to uint32 }

// maxTailCalls bounds what is remembered of them.
const maxTailCalls = 1 << 14

// jumpsTo tells whether the function at entry ends in a jump to another: a tail
// call, or a veneer of the linker. The return address is then that of the call
// before it.
func (c *code) jumpsTo(entry, to uint32) bool {
	key := tailCall{entry, to}
	found, known := c.tailCalls[key]
	if known {
		return found
	}
	if c.tailCalls == nil || len(c.tailCalls) == maxTailCalls {
		c.tailCalls = map[tailCall]bool{}
	}
	found = c.findJump(entry, to)
	c.tailCalls[key] = found
	return found
}

func (c *code) findJump(entry, to uint32) bool {
	fn, ok := c.function(entry)
	if !ok || c.m.step == nil {
		return false
	}
	f := entryState(c.m)
	for at := entry; at < min(fn.High, entry+maxBlindFunction); {
		next, ok := c.m.step(c, &f, at)
		switch {
		case !ok || next.size == 0:
			return false
		case (next.kind == jumps || next.kind == maybe) && next.target == to:
			return true
		case next.kind == ends && c.goesTo(next)&c.m.codeMask == to:
			return true
		}
		at += next.size
	}
	return false
}

// goesTo is where an instruction leads that leaves its function for a constant,
// or for one that it reads; 0 where that is not known.
func (c *code) goesTo(f flow) uint32 {
	if f.to.kind == constant {
		return f.to.n
	}
	if f.data.High-f.data.Low != 4 {
		return 0
	}
	v, _ := c.word(f.data.Low)
	return v
}

// returnsFromException tells whether v is what an exception entry left for the
// handler that the frame is in, with a frame at sp or on the process stack that
// leads on.
func (w *walk) returnsFromException(v, sp uint32) bool {
	if w.m.boundary == nil || !w.m.boundary(v) || w.ipsr == 0 || !w.haveIPSR {
		return false
	}
	score, _ := w.try(0, func(trial *walk, _ int) (Stop, bool) {
		trial.regs.set(w.m.sp, sp)
		trial.original &^= 1 << w.m.sp
		var f Frame
		return trial.m.cross(trial, &f, v)
	})
	return score > 0
}

// believe enters the frame that v leads to. Of its registers only the stack
// pointer is known.
func (w *walk) believe(v, sp uint32) {
	w.regs.have, w.saved, w.lost, w.original = 0, 0, 0, 0
	w.regs.set(w.m.sp, sp)
	w.floor, w.haveMain = sp, false
	w.method = FromScan
	if w.m.boundary != nil && w.m.boundary(v) {
		return
	}
	w.pc, w.kind = v&w.m.codeMask, Caller
	w.site = w.u.site(w.pc - 1)
}
