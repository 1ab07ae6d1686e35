package calls

import (
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/trace"
)

// Visitor is shown what a profile would hold if the run ended now: see Builder.Look.
type Visitor interface {
	// Context is number i of those that are known so far, in the order in which they
	// were seen. Names of tasks may change when the target says them.
	Context(i int, name string)
	// Function is a function that was called (see Builder.Function), and its statistics
	// without Total and Open; LongestAt is on the builder's clock.
	Function(f profile.FunctionIndex, t *profile.FunctionTimes)
	// Down is the number that the visitor gives to a path: a function below a
	// parent, -1 for none, in a category; or a label, then f is None.
	Down(parent int32, f profile.FunctionIndex, label string, in profile.Category) int32
	// Add adds to a path what ended there: calls that returned, the time that they took
	// themselves, and with all that they called.
	Add(context int, path int32, calls uint64, self, net time.Duration)
}

// Counts are what is known of a run that goes on.
type Counts struct {
	First, Last time.Duration // the first entry and the latest exit, on the builder's clock
	Calls       uint64        // that returned
	Lost        uint64        // for certain: as Trace.LostCalls
	Resets      uint64
	HighWater   uint64 // of the target's buffer, bytes
	Buffer      uint64 // its size, 0: not known
	Remarks     []string
}

// Counts says them.
func (b *Builder) Counts() Counts {
	return Counts{
		First: time.Duration(b.first), Last: time.Duration(b.last), Calls: b.calls, Lost: b.status.missing + b.status.missingNow() + b.unread,
		Resets: b.resets, HighWater: max(b.status.highWater, uint64(b.status.now.HighWater)), Buffer: uint64(b.metadata.BufferBytes), Remarks: b.remarks(),
	}
}

// Function is one that was called, and the address by which it is told from others of its
// name.
func (b *Builder) Function(f profile.FunctionIndex) (profile.Function, uint32) { return b.paths.Row(f) }

// OpenLabel is the label above calls whose callers have not returned.
var OpenLabel = placeLabels[placeOpen]

// Look shows the run as Finish would make a profile of it now: calls that wait for their callers
// stand below a label. The builder stays as it is. It takes as long as there are paths, and
// calls that wait.
func (b *Builder) Look(v Visitor) {
	for i := range b.places.stats {
		if s := &b.places.stats[i]; s.calls > 0 {
			if s.told.Calls != s.calls {
				s.told = s.statistics(0, 0)
			}
			v.Function(s.function, &s.told)
		}
	}
	l := looker{b: b, v: v}
	for i, c := range b.contexts {
		v.Context(i, b.name(c))
		l.context(c)
	}
}

// looker walks one context.
type looker struct {
	b   *Builder
	v   Visitor
	c   *context
	in  profile.Category
	top int32 // its path
}

func (l *looker) context(c *context) {
	b := l.b
	l.c, l.in, l.top = c, profile.Thread, profile.None
	if b.tree.nodes[c.root].child == 0 && len(c.open) == 0 {
		return
	}
	if b.exception(c) {
		l.in = profile.Interrupt
		l.top = l.v.Down(profile.None, profile.None, b.paths.LabelOf(uint16(c.id-trace.FirstException)), l.in)
	}
	l.node(c.root, l.top)
	for _, o := range c.open {
		label := int32(placeUnknown)
		if b.items.all[o].era == b.era && len(b.early) == 0 { // nobody has read those between
			label = placeOpen
		}
		at := l.label(l.top, label)
		if b.items.all[o].place == kindHole {
			l.node(b.items.all[o].node, at)
		} else {
			l.item(o, at, b.items.all[o].depth)
		}
	}
}

func (l *looker) label(above, place int32) int32 {
	return l.v.Down(above, profile.None, placeLabels[place], profile.Unknown)
}

func (l *looker) function(above, place int32) int32 {
	f := l.b.places.stats[l.b.places.all[place].stat].function
	in := l.in
	if row, _ := l.b.Function(f); row.Label {
		in = profile.Unknown
	}
	return l.v.Down(above, f, "", in)
}

// node shows what is below a node of the tree.
func (l *looker) node(n, above int32) {
	nodes := l.b.tree.nodes
	for c := nodes[n].child; c != 0; c = nodes[c].next {
		x := &nodes[c]
		if x.place < 0 {
			l.node(c, l.label(above, x.place))
			continue
		}
		at := l.function(above, x.place)
		l.v.Add(int(l.c.index), at, x.calls, time.Duration(x.self), time.Duration(x.net))
		l.node(c, at)
	}
}

// item shows a call that waits for its caller, and those in it, as settle would
// put them into the tree.
func (l *looker) item(i, above int32, depth uint16) {
	it := &l.b.items.all[i]
	if it.depth > depth {
		above = l.label(above, placeLost)
	}
	at := l.function(above, it.place)
	l.v.Add(int(l.c.index), at, 1, time.Duration(it.self), time.Duration(it.net))
	for k := it.first; k != 0; {
		child := &l.b.items.all[k]
		switch {
		case child.place == kindHole && child.depth > it.depth+1:
			l.node(child.node, l.label(at, placeLost))
		case child.place == kindHole:
			l.node(child.node, at)
		case child.place != kindBreak:
			l.item(k, at, it.depth+1)
		}
		k = child.next
	}
}
