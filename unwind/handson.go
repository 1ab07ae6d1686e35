package unwind

// handsOn tells whether a function can hand its return address on to another:
// by a jump out of it, or by running on over its end. One that does neither is
// the only one whose frame a call of it can have made. Where its instructions
// cannot be followed, it may.
func (c *code) handsOn(entry uint32) bool {
	if known, ok := c.handing[entry]; ok {
		return known
	}
	fn, ok := c.function(entry)
	known := true
	if ok && fn.Low == entry && c.m.step != nil && fn.High-fn.Low <= maxFunction && c.contains(entry) {
		x := newExplorer(c, fn, entry)
		first := entryState(c.m)
		x.explore(&first)
		known = x.handsOn || x.lost
	}
	if c.handing == nil {
		c.handing = map[uint32]bool{}
	}
	c.handing[entry] = known
	return known
}

// strange tells that the call before a return address cannot have made the
// present frame: it calls another function, which leaves to nobody else. That is
// so where somebody has written over the return address, as libgcc does that
// unwinds C++ frames in the very registers that _Unwind_RaiseException saved.
func (w *walk) strange(s *site) bool {
	fn := w.site.fn
	if s.before != directCall || s.target == fn.Low || fn.High == 0 || fn.Contains(s.target) {
		return false
	}
	if callee, ok := w.u.code.function(s.target); ok && callee.Contains(w.site.key) { // one with entries inside
		return false
	}
	return !w.u.code.handsOn(s.target)
}
