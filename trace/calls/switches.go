package calls

import "github.com/mprof/mprof/trace"

// noTask: nobody knows which task ran.
const noTask = -1

// tasks is what is known of which task ran when.
type tasks struct {
	now      int16 // the one that runs
	first    int16 // the one that ran before the first switch that was seen since
	firstAt  int64 // the first switch
	switched bool
	calls    uint64   // that had ended by then
	since    int64    // since when all switches were seen
	recent   []change // the latest, oldest first
	unowned  []int32  // time of interrupts before the first switch, while nobody knows whose task was interrupted
}

// change is a context switch.
type change struct {
	at   int64
	from int16
}

// mostChanges bounds those that one call in an interrupt may see.
const mostChanges = 32

// switched notes that from a time on a task runs.
func (b *Builder) switched(id uint16, at int64) {
	t := &b.tasks
	if id >= trace.FirstException || int16(id) == t.now {
		return
	}
	if !t.switched {
		t.switched, t.firstAt, t.calls = true, at, b.calls
		for _, c := range b.contexts { // they were not running from then on, but for the one that was
			if c.id < trace.FirstException && c.id != int(t.now) && b.byID[c.id] == c {
				c.isAway, c.away, c.awayCalls = true, at, b.calls
			}
		}
	}
	if t.now != noTask {
		c := b.byID[t.now]
		c.isAway, c.away, c.awayCalls = true, at, b.calls
	}
	if len(t.recent) == mostChanges {
		t.recent = append(t.recent[:0], t.recent[1:]...)
	}
	t.recent = append(t.recent, change{at, t.now})
	c := b.contextOf(id)
	b.returns(c, at)
	t.now = int16(id)
	c.seen = at
}

// returns ends the time that a task did not run.
func (b *Builder) returns(c *context, at int64) {
	if c.isAway && at > c.away {
		i := b.items.take()
		b.items.all[i] = item{entry: c.away, exit: at, busy: at - c.away, calls: b.calls - c.awayCalls, place: kindBreak}
		b.addBreak(c, i)
	}
	c.isAway = false
}

// runs notes that a call of a task returned, so that no interrupt is active. Where
// the switch to the task was not seen, the others have certainly run only when they
// were seen.
func (b *Builder) runs(c *context, entry, exit int64) {
	t := &b.tasks
	t.recent = t.recent[:0]
	if t.now != int16(c.id) {
		if t.now != noTask {
			b.doubts.switches++
			other := b.byID[t.now]
			b.returns(c, other.seen)
			other.isAway, other.away, other.awayCalls = true, exit, b.calls
			if entry > other.seen {
				other.away = entry
			}
			b.retask(max(entry, other.seen), int16(c.id))
		} else {
			b.othersRest(c, entry, exit)
		}
		t.now = int16(c.id)
	}
	c.seen = exit
	if t.first == noTask && (!t.switched || entry >= t.since && entry < t.firstAt) {
		t.first = int16(c.id)
		for _, i := range t.unowned {
			b.addBreak(c, i)
		}
		t.unowned = nil
	}
	b.share()
}

// othersRest notes that a task runs after switches may have been lost: the other ones do
// not.
func (b *Builder) othersRest(c *context, entry, exit int64) {
	since := exit
	if entry >= b.tasks.since {
		since = entry
	}
	for _, o := range b.byID[:trace.FirstException] {
		if o != nil && o != c && !o.isAway {
			o.isAway, o.away, o.awayCalls = true, since, b.calls
		}
	}
}

// blind notes that switches may have been lost from a time on, until another. What did
// not run before that may have run again.
func (b *Builder) blind(from, until int64) {
	for _, c := range b.byID[:trace.FirstException] {
		if c != nil {
			b.returns(c, from)
		}
	}
	b.dropAll(&b.tasks.unowned)
	b.tasks = tasks{now: noTask, first: noTask, since: until, unowned: b.tasks.unowned, recent: b.tasks.recent[:0]}
}

// retask corrects which task the interrupts since a time have interrupted.
func (b *Builder) retask(since int64, task int16) {
	for k := len(b.interrupts) - 1; k >= 0 && b.items.all[b.interrupts[k]].entry >= since; k-- {
		b.items.all[b.interrupts[k]].task = task
	}
}

// interrupted notes the time of call i, the outermost of an interrupt: what it
// interrupted did not run. Where tasks were switched meanwhile, it is divided among
// them.
func (b *Builder) interrupted(i int32) {
	it := b.items.all[i]
	t := &b.tasks
	end, task := it.exit, t.now
	for k := len(t.recent) - 1; k >= 0 && t.recent[k].at > it.entry && t.recent[k].at <= end; k-- {
		b.interrupts = b.insert(b.interrupts, b.interruption(t.recent[k].at, end, task))
		end, task = t.recent[k].at, t.recent[k].from
	}
	k := b.interruption(it.entry, end, task)
	b.items.all[k].calls, b.items.all[k].fixed = it.calls, it.fixed
	b.interrupts = b.insert(b.interrupts, k)
}

func (b *Builder) interruption(from, to int64, task int16) int32 {
	i := b.items.take()
	b.items.all[i] = item{entry: from, exit: to, busy: to - from, place: kindBreak, task: task}
	return i
}

// takeInterrupts gives what interrupted a call of an interrupt to it.
func (b *Builder) takeInterrupts(c *context, entry int64) {
	from := len(b.interrupts)
	for from > 0 && b.items.all[b.interrupts[from-1]].entry >= entry {
		from--
	}
	for _, i := range b.interrupts[from:] {
		b.addBreak(c, i)
	}
	b.interrupts = b.interrupts[:from]
}

// share gives the time of interrupts, none of which is active any more, to the tasks
// that they interrupted.
func (b *Builder) share() {
	for _, i := range b.interrupts {
		switch task := b.items.all[i].task; {
		case task != noTask:
			b.addBreak(b.byID[task], i)
		case b.tasks.first != noTask:
			b.addBreak(b.byID[b.tasks.first], i)
		default:
			b.tasks.unowned = b.insert(b.tasks.unowned, i)
		}
	}
	b.interrupts = b.interrupts[:0]
}
