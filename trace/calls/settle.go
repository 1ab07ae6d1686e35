package calls

import (
	"math/bits"
	"time"

	"github.com/mprof/mprof/profile"
)

// kept is a call that is on the timeline.
type kept struct {
	seq           uint64
	time, elapsed int64
	net           int64
	node          int32
	context       int32 // index
	atLeast       bool
}

// kept is call it of context c, whose path is a node; 0: not known yet.
func (it *item) kept(c *context, node int32) kept {
	return kept{seq: it.seq, time: it.entry, elapsed: it.elapsed, net: it.net, node: node, context: c.index, atLeast: it.atLeast}
}

// count takes a call into the statistics of its function, whatever its callers are.
func (b *Builder) count(c *context, it *item) {
	s := &b.places.stats[b.places.all[it.place].stat]
	k := it.kept(c, 0)
	s.add(&k, it.self)
	if b.watcher != nil {
		b.watcher.Returned(int(c.index), s.function, time.Duration(it.entry), time.Duration(it.elapsed), it.depth)
	}
}

// settle counts call i and those in it, now that their path is known: below node
// above, which stands for depth. The item is used up.
func (b *Builder) settle(c *context, i int32, above int32, depth uint16) {
	it := b.items.all[i]
	if it.depth > depth { // the calls between got lost
		above = b.tree.down(above, placeLost)
	}
	node := b.tree.down(above, it.place)
	n := &b.tree.nodes[node]
	n.calls++
	n.self = saturate(n.self, it.self)
	n.net = saturate(n.net, it.net)
	k := it.kept(c, node)
	if s := &b.places.stats[b.places.all[it.place].stat]; s.longest.seq == it.seq {
		s.longest = k
	}
	if it.seq+uint64(b.options.Keep) >= b.calls {
		b.keep(&k)
	}
	b.items.drop(i)
	b.waiting--
	if it.first == 0 {
		c.pieces.Add(profile.Sample{Time: time.Duration(it.entry), Weight: time.Duration(it.self), Count: 1, Stack: profile.StackIndex(node)})
		return
	}
	b.split(c, &it, node)
}

// split lays the own time of a call out between what happened in it, each piece in
// proportion, so that the pieces add up to it; and settles what happened in it.
func (b *Builder) split(c *context, it *item, node int32) {
	whole, at := int64(0), it.entry
	for k := it.first; k != 0; {
		child := &b.items.all[k]
		whole += max(0, child.entry-at) + child.exit - child.entry - child.busy
		at = max(at, child.exit)
		k = child.next
	}
	whole += max(0, it.exit-at)
	p := pieces{to: &c.pieces, node: node, self: it.self, whole: whole}
	at = it.entry
	for k := it.first; k != 0; {
		child := b.items.all[k]
		p.add(at, max(0, child.entry-at))
		p.add(child.entry, child.exit-child.entry-child.busy)
		at = max(at, child.exit)
		switch child.place {
		case kindBreak:
			b.items.drop(k)
			b.waiting--
		case kindHole:
			b.settleHole(k, node, child.depth > it.depth+1)
		default:
			b.settle(c, k, node, it.depth+1)
		}
		k = child.next
	}
	p.end(at)
}

// settleHole puts the calls of a hole, which have been counted, below the call that
// was around them.
func (b *Builder) settleHole(k, above int32, lost bool) {
	if lost {
		above = b.tree.down(above, placeLost)
	}
	b.tree.merge(b.items.all[k].node, above)
	b.items.drop(k)
}

// pieces lays out the own time of a call.
type pieces struct {
	to          *profile.Pieces
	node        int32
	self, whole int64 // the time; and how long all the gaps are that it fills
	seen, put   int64
}

// add fills a gap.
func (p *pieces) add(at, gap int64) {
	if gap <= 0 {
		return
	}
	p.seen = min(p.seen+gap, p.whole)
	upTo := min(p.seen, p.self)
	if p.whole != p.self {
		high, low := bits.Mul64(uint64(p.self), uint64(p.seen))
		part, _ := bits.Div64(high, low, uint64(p.whole))
		upTo = int64(part)
	}
	if w := upTo - p.put; w > 0 {
		p.put = upTo
		p.to.Add(profile.Sample{Time: time.Duration(at), Weight: time.Duration(w), Stack: profile.StackIndex(p.node)})
	}
}

// end is the last gap, which takes the rest; in it the call returns.
func (p *pieces) end(at int64) {
	p.to.Add(profile.Sample{Time: time.Duration(at), Weight: time.Duration(p.self - p.put), Count: 1, Stack: profile.StackIndex(p.node)})
}

// keep puts a call on the timeline, from which older ones than the newest Keep go
// from time to time.
func (b *Builder) keep(k *kept) {
	if b.kept = append(b.kept, *k); len(b.kept) > 2*b.options.Keep+1024 {
		b.forget()
	}
}

func (b *Builder) forget() {
	all := b.kept
	b.kept = b.kept[:0]
	for _, k := range all {
		if k.seq+uint64(b.options.Keep) >= b.calls {
			b.kept = append(b.kept, k)
		}
	}
}
