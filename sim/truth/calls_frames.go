package truth

// begins is the beginning of the leaf's function.
func (c *context) begins() {
	a := c.recorded
	if a == nil {
		return
	}
	f := c.leaf()
	if a.hookAt == 0 && marks(a.by.hooks, f.node.function) {
		a.hookAt = len(c.frames)
		a.hookCalls++
	}
	if !marks(a.by.chosen, f.node.function) {
		return
	}
	o := a.by.opened()
	*o = opened{enter: a.by.truth.spent.running, total: a.by.total, own: a.own, hooked: a.hooked, hookCalls: a.hookCalls, depth: a.depth}
	f.open = o
	a.depth++
}

func (r *Recorder) opened() *opened {
	if n := len(r.spare); n > 0 {
		o := r.spare[n-1]
		r.spare = r.spare[:n-1]
		return o
	}
	return new(opened)
}

// ends is the end of all frames from the n-th on, the innermost first. The n-th
// returned or was left, those above it were left.
func (c *context) ends(n int, returned bool) {
	a := c.recorded
	for i := len(c.frames) - 1; i >= n; i-- {
		a.end(&c.frames[i], !returned || i > n)
	}
	if a.hookAt > n {
		a.hookAt = 0
	}
}

// endsLeaf is the end of the leaf by a tail call. What a hook jumps to is still
// the hook's.
func (c *context) endsLeaf() { c.recorded.end(c.leaf(), false) }

// end makes the record of a frame, if it has one.
func (a *recorded) end(f *frame, left bool) {
	o := f.open
	if o == nil {
		return
	}
	f.open = nil
	a.depth--
	r := a.by
	call := Call{
		Function: r.truth.names[f.node.function], Exception: a.exception, Depth: o.depth,
		Enter: o.enter, Exit: r.truth.spent.running, Whole: r.total.sub(o.total), Hooks: a.hooked.sub(o.hooked),
		HookCalls: a.hookCalls - o.hookCalls, Left: left,
	}
	call.Away = call.Whole.sub(a.own.sub(o.own))
	if a.exception == 0 {
		call.Thread = a.threadNumber()
	}
	r.spare = append(r.spare, o)
	r.done(call)
}

// threadNumber numbers threads from 1 in the order in which calls of theirs end.
func (a *recorded) threadNumber() int {
	if a.thread == 0 {
		a.by.threads++
		a.thread = a.by.threads
	}
	return a.thread
}
