package calls

import (
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/trace"
)

const (
	mostIDs   = trace.FirstException + 512 // IPSR has 9 bits
	mostHoles = 1 << 8                     // groups of calls of one depth, with losses between them
)

// limits bound the memory of a builder.
type limits struct {
	waiting int // items in calls that wait for their callers
	breaks  int // of a context: times that wait for a call around them
	paths   int // nodes of the tree
}

var usualLimits = limits{waiting: 1 << 16, breaks: 1 << 13, paths: 1 << 18}

// context is a task or an exception, whose calls nest.
type context struct {
	id     int
	index  int32
	root   int32   // its node
	open   []int32 // calls that wait for their callers, by exit; the depths never fall
	breaks []int32 // times that it did not run and that no call has around it yet, by exit
	pieces profile.Pieces

	away      int64  // since when another task runs
	isAway    bool   //
	awayCalls uint64 // that had ended then
	seen      int64  // when it was last seen to run

	ended    int64 // exit of its latest call of depth 0
	overlaps bool  // its calls overlap those of other contexts
}

func (b *Builder) newContext(id int) *context {
	c := &context{id: id, index: int32(len(b.contexts)), root: b.tree.root(placeRoot)}
	b.contexts = append(b.contexts, c)
	return c
}

// contextOf finds a context by its number.
func (b *Builder) contextOf(id uint16) *context {
	if int(id) >= mostIDs {
		if b.rest == nil {
			b.rest = b.newContext(int(id))
		}
		return b.rest
	}
	if b.byID[id] == nil {
		c := b.newContext(int(id))
		b.byID[id] = c
		if id < trace.FirstException && b.tasks.switched {
			c.isAway, c.away, c.awayCalls = true, b.tasks.firstAt, b.tasks.calls
		}
	}
	return b.byID[id]
}

// enclose puts into call i what happened in it: the calls of its context that wait
// and are deeper, and what interrupted it. Calls that are deeper and not in it have
// lost their callers: in a context, a call of the same depth was around them, and has
// returned before. Then the call waits for its own caller, or is complete.
func (b *Builder) enclose(c *context, i int32) {
	it := &b.items.all[i]
	cut := len(c.open)
	for cut > 0 {
		o := &b.items.all[c.open[cut-1]]
		if o.depth <= it.depth {
			if o.exit > it.entry {
				b.doubts.overlaps++
			}
			break
		}
		if cut--; it.atLeast && o.era == b.era {
			it.entry = min(it.entry, o.entry)
		}
	}
	inside := b.gathered[:0]
	for _, o := range c.open[cut:] {
		if b.within(&b.items.all[o], it) {
			inside = append(inside, o)
		} else {
			b.orphan(c, o, it)
		}
	}
	c.open = c.open[:cut]
	b.fill(c, i, inside)
	b.gathered = inside[:0]
	b.sum(c, i)
	if it.depth > 0 {
		c.open = append(c.open, i)
	}
}

// within tells whether a deeper call that returned before it is in call it. Where records got lost
// between them, it may have begun at the same time and be over before.
func (b *Builder) within(o, it *item) bool {
	if o.exit > it.exit+b.tolerance() {
		return false
	}
	return o.entry > it.entry || o.entry == it.entry && o.era == b.era
}

// tolerance is by how much the end of a call may seem to be later than that of its
// caller: in version 1, entry and duration are cut to microseconds, each.
func (b *Builder) tolerance() int64 {
	if b.version == 1 {
		return 1000
	}
	return 0
}

// orphan settles a call, or several, whose caller was lost. it is the call that
// shows it.
func (b *Builder) orphan(c *context, o int32, it *item) {
	if h := &b.items.all[o]; h.place == kindHole && h.exit > it.entry {
		b.doubts.mixed++
	}
	b.settleBelow(c, o, placeLost)
}

// settleBelow settles a call, or several, below a label.
func (b *Builder) settleBelow(c *context, o int32, label int32) {
	at := b.tree.label(c.root, label)
	if b.items.all[o].place == kindHole {
		b.tree.merge(b.items.all[o].node, at)
		b.items.drop(o)
		return
	}
	b.settle(c, o, at, b.items.all[o].depth)
}

// fill links what happened in call i, in the order of time.
func (b *Builder) fill(c *context, i int32, inside []int32) {
	from := b.cutBreaks(c, b.items.all[i].entry)
	breaks := c.breaks[from:]
	for len(inside) > 0 || len(breaks) > 0 {
		if len(breaks) == 0 || len(inside) > 0 && b.items.all[inside[0]].entry <= b.items.all[breaks[0]].entry {
			b.items.link(i, inside[0])
			inside = inside[1:]
		} else {
			b.items.link(i, breaks[0])
			b.waiting++
			breaks = breaks[1:]
		}
	}
	c.breaks = c.breaks[:from]
}

// sum computes the times of call i from what happened in it. Its own time is
// that between entry and exit less the time of all that, less what
// tracing cost: in it itself, and in it for each call in it.
func (b *Builder) sum(c *context, i int32) {
	it := &b.items.all[i]
	p := &b.places.all[it.place]
	length := it.exit - it.entry
	it.busy = length
	left, fixed := length, b.inner+p.carry
	var net int64
	for k := it.first; k != 0; {
		child := &b.items.all[k]
		left -= child.busy
		fixed += child.fixed
		it.calls += child.calls
		net = saturate(net, child.net)
		k = child.next
	}
	p.carry = fixed & 0xFF
	left -= fixed >> 8
	if left < 0 {
		b.doubts.negative++
		b.doubts.negativeTime = saturate(b.doubts.negativeTime, -left)
		left = 0
	}
	left = min(left, mostTime-b.spent)
	b.spent += left
	it.self, it.net = left, saturate(net, left)
	spent := b.inner + b.pair*int64(min(it.calls-1, 1<<34))
	it.elapsed = max(length-spent>>8, it.net)
	b.count(c, it)
}

// mostTime bounds sums of times.
const mostTime = int64(1) << 62
