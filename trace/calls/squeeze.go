package calls

import "github.com/mprof/mprof/profile"

// squeeze counts the calls that wait for their callers, so that they need no
// memory of their own: calls of one depth that follow each other become one hole. The
// paths below it are known from there on; when the call around it returns, they
// become part of its own.
func (b *Builder) squeeze() {
	// The latest calls may show yet where they belong.
	for _, before := range []uint64{b.calls - min(b.calls, uint64(b.most.waiting/4)), b.calls} {
		if b.waiting > b.most.waiting/2 {
			for _, c := range b.contexts {
				b.squeezeContext(c, before)
			}
		}
	}
	if b.tree.wasted() {
		b.compact()
	}
}

// squeezeContext does so with the calls whose number is less than before.
func (b *Builder) squeezeContext(c *context, before uint64) {
	open := c.open
	c.open = c.open[:0]
	hole := int32(0)
	for _, o := range open {
		it := b.items.all[o]
		if it.seq >= before {
			c.open = append(c.open, o)
			hole = 0
			continue
		}
		if hole == 0 || b.items.all[hole].depth != it.depth || b.items.all[hole].era != it.era {
			if hole = o; it.place != kindHole {
				hole = b.items.take()
				b.items.all[hole] = item{entry: it.entry, place: kindHole, node: b.tree.root(placeHole), depth: it.depth, era: it.era}
			}
			c.open = append(c.open, hole)
			if hole == o {
				continue
			}
		}
		h := &b.items.all[hole]
		h.exit = max(h.exit, it.exit)
		h.busy = saturate(h.busy, it.busy)
		h.net = saturate(h.net, it.net)
		h.calls += it.calls
		h.fixed += it.fixed
		if it.place == kindHole {
			b.tree.merge(it.node, h.node)
			b.items.drop(o)
		} else {
			b.settle(c, o, h.node, it.depth)
		}
	}
	holes := 0
	for holes < len(c.open) && b.items.all[c.open[holes]].place == kindHole {
		holes++
	}
	if holes > mostHoles {
		for _, o := range c.open[:holes-mostHoles] {
			b.doubts.mixed++
			b.settleBelow(c, o, placeUnknown)
		}
		c.open = append(c.open[:0], c.open[holes-mostHoles:]...)
	}
}

// addBreak puts time that a context did not run to what waits for a call around it.
// The times of a context come in order, but for those that a switch divides.
func (b *Builder) addBreak(c *context, i int32) {
	c.breaks = b.insert(c.breaks, i)
}

// insert keeps a list in the order of its ends, and no longer than it may be: the older
// half is summed up in pairs.
func (b *Builder) insert(list []int32, i int32) []int32 {
	list = append(list, i)
	for k := len(list) - 1; k > 0 && b.items.all[list[k-1]].exit > b.items.all[i].exit; k-- {
		list[k], list[k-1] = list[k-1], list[k]
	}
	if len(list) <= b.most.breaks {
		return list
	}
	out := list[:0]
	for k := 0; k < b.most.breaks/2; k += 2 {
		one, other := &b.items.all[list[k]], &b.items.all[list[k+1]]
		one.entry, one.exit = min(one.entry, other.entry), max(one.exit, other.exit)
		one.busy = min(saturate(one.busy, other.busy), one.exit-one.entry)
		one.calls += other.calls
		one.fixed += other.fixed
		if one.task != other.task {
			one.task = noTask
		}
		b.items.drop(list[k+1])
		out = append(out, list[k])
	}
	return append(out, list[b.most.breaks/2:]...)
}

// cutBreaks is where in the list of a context's breaks those begin that lie behind a
// time. One that lies around it is divided; of one that stands for several, in proportion.
func (b *Builder) cutBreaks(c *context, entry int64) int {
	from := len(c.breaks)
	for from > 0 && b.items.all[c.breaks[from-1]].entry >= entry {
		from--
	}
	if from == 0 || b.items.all[c.breaks[from-1]].exit <= entry {
		return from
	}
	behind := b.items.take()
	k := &b.items.all[c.breaks[from-1]]
	part := *k
	if k.busy < k.exit-k.entry {
		b.doubts.split++
	}
	share := float64(k.exit-entry) / float64(k.exit-k.entry)
	part.entry = entry
	part.busy = min(int64(float64(k.busy)*share), part.exit-part.entry)
	part.calls, part.fixed = uint64(float64(k.calls)*share), int64(float64(k.fixed)*share)
	if k.busy == k.exit-k.entry {
		part.busy = part.exit - part.entry
	}
	b.items.all[behind] = part
	k.exit = entry
	k.busy, k.calls, k.fixed = min(k.busy-part.busy, k.exit-k.entry), k.calls-part.calls, k.fixed-part.fixed
	c.breaks = append(c.breaks, 0)
	copy(c.breaks[from+1:], c.breaks[from:])
	c.breaks[from] = behind
	return from
}

// compact forgets nodes that have become parts of others.
func (b *Builder) compact() {
	moved := b.tree.compact()
	for _, c := range b.contexts {
		c.root = moved[c.root]
		c.pieces.Rename(renamed(moved))
	}
	for i := range b.items.all {
		if it := &b.items.all[i]; it.node != 0 {
			it.node = moved[it.node]
		}
	}
	for i := range b.kept {
		b.kept[i].node = moved[b.kept[i].node]
	}
	for i := range b.places.stats {
		s := &b.places.stats[i]
		s.longest.node = moved[s.longest.node]
	}
}

// renamed is the new number of a node of a profile's piece.
func renamed(moved []int32) func(profile.StackIndex) profile.StackIndex {
	return func(n profile.StackIndex) profile.StackIndex { return profile.StackIndex(moved[n]) }
}
