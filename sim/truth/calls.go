package truth

// Cost is what was executed in some time.
type Cost struct{ Cycles, Instructions uint64 }

func (c Cost) sub(d Cost) Cost {
	return Cost{c.Cycles - d.Cycles, c.Instructions - d.Instructions}
}

// Call is one call of a function: from the end of the instruction that called it
// to the end of the one that returned, in cycles outside Debug state.
type Call struct {
	Function    string
	Thread      int // from 1, in the order in which the first call of each ended; 0 in a handler
	Exception   int // whose handler it ran in; 0 in a thread
	Depth       int // how many calls on record are around it in the same thread or handler
	Enter, Exit uint64

	Whole     Cost   // all of it: Exit - Enter cycles
	Hooks     Cost   // of it in hooks and what they called, of the function and its callees
	Away      Cost   // of it in exceptions, with their entry, and in other threads
	HookCalls uint64 // how often hooks were called in it
	Left      bool   // it did not return: a jump left it
}

// Net is the call and its callees without hooks, exceptions and other threads.
// The instructions that call the hooks, and their arguments, are in it.
func (c *Call) Net() Cost { return c.Whole.sub(c.Hooks).sub(c.Away) }

// Counter is what a Clock has to show besides time for calls to be recorded:
// instructions executed and cycles of exception entries, since power-on.
type Counter interface {
	Clock
	Instructions() uint64
	EntryCycles() uint64
}

// Recorder makes a record of each call of chosen functions. A tail call ends the
// call of the function that makes it and begins that of the other. Calls that a
// reset ended, or whose thread does not come back, are not recorded.
type Recorder struct {
	truth          *Truth
	counter        Counter
	chosen, hooks  []bool // by function number
	done           func(Call)
	total          Cost   // until the last charge
	entries, began uint64 // EntryCycles, and Instructions, then
	threads        int
	spare          []*opened
}

// Record has done called at the end of every call of the named functions; "*" is
// all but the hooks. Hooks are the functions whose time is taken apart. Attach
// has to be given a Counter; what began before is not recorded. It returns the
// names that no function has.
func (t *Truth) Record(functions, hooks []string, done func(Call)) (unknown []string) {
	r := &Recorder{truth: t, done: done}
	r.hooks, _ = t.named(hooks)
	r.chosen, unknown = t.named(functions)
	for i, h := range r.hooks {
		r.chosen[i] = r.chosen[i] && !h
	}
	t.recorder = r
	return unknown
}

// named marks functions by their names.
func (t *Truth) named(names []string) (marked []bool, unknown []string) {
	marked = make([]bool, len(t.functions.lows))
	for _, name := range names {
		found := name == "*"
		for i := range marked {
			if i > 0 && (name == "*" || t.names[i] == name) {
				marked[i], found = true, true
			}
		}
		if !found {
			unknown = append(unknown, name)
		}
	}
	return marked, unknown
}

func marks(marked []bool, function int32) bool {
	return int(function) < len(marked) && marked[function]
}

// recorded is the account of a context.
type recorded struct {
	by        *Recorder
	thread    int
	exception int
	own       Cost // executed in this context, entries of exceptions left out
	hooked    Cost // of it in hooks
	hookCalls uint64
	hookAt    int // frames below and with the hook that runs; 0: none does
	depth     int
}

// opened is a call that has not ended.
type opened struct {
	enter              uint64
	total, own, hooked Cost
	hookCalls          uint64
	depth              int
}

// start begins the account of a context and of its outermost function.
func (r *Recorder) start(c *context) {
	c.recorded = &recorded{by: r}
	c.begins()
}

// inHandler says that a context is that of a handler.
func (c *context) inHandler(exc int) {
	if c.recorded != nil {
		c.recorded.exception = exc
	}
}

// charge accounts for time that has passed in a context; nil: in none.
func (r *Recorder) charge(c *context, cycles uint64) {
	if r.counter == nil {
		r.counter, _ = r.truth.clock.(Counter)
		if r.counter == nil {
			return
		}
	}
	instructions, entries := r.counter.Instructions(), r.counter.EntryCycles()
	spent := Cost{cycles, instructions - r.began}
	entry := min(entries-r.entries, cycles)
	r.total.Cycles += spent.Cycles
	r.total.Instructions += spent.Instructions
	r.began, r.entries = instructions, entries
	if c == nil || c.recorded == nil {
		return
	}
	a := c.recorded
	spent.Cycles -= entry
	a.own.Cycles += spent.Cycles
	a.own.Instructions += spent.Instructions
	if a.hookAt > 0 {
		a.hooked.Cycles += spent.Cycles
		a.hooked.Instructions += spent.Instructions
	}
}
