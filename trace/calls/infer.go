package calls

// Version 1 does not say in which context a call was. What can be told from depths and
// times: in a context, what ends during a call is deeper than the call and began in
// it; and while deeper calls wait for their callers, no call of less depth begins.
// Where a call does not fit into a context like that, it belongs to another
// one: that of an interrupt, where it lies within a call that returns later, or of
// another task, where they overlap.

// mostInferred bounds the contexts that are told apart.
const mostInferred = 32

// inferred is what is known of contexts without a name.
type inferred struct {
	contexts []*context
	latest   *context
	roots    []int32 // outermost calls that lie in no call of another context yet, by exit
}

// inferredReturn takes a call of a context that nobody has named.
func (b *Builder) inferredReturn(i int32) {
	it := &b.items.all[i]
	c := b.infer(it)
	if c == nil {
		b.doubts.contexts++
		b.sum(b.inferred.contexts[0], i)
		b.settle(b.inferred.contexts[0], i, b.tree.label(b.inferred.contexts[0].root, placeUnknown), it.depth)
		return
	}
	b.steal(c, it)
	b.takeRoots(c, it)
	b.enclose(c, i)
	if b.inferred.latest = c; it.depth > 0 {
		return
	}
	c.ended = it.exit
	k := b.items.take()
	it = &b.items.all[i]
	b.items.all[k] = item{entry: it.entry, exit: it.exit, busy: it.exit - it.entry, calls: it.calls, fixed: it.fixed, place: kindBreak, task: int16(c.index)}
	b.inferred.roots = b.insert(b.inferred.roots, k)
	b.settle(c, i, c.root, 0)
}

// fit says how well a call fits into a context; more is better.
type fit struct {
	class int // 0: not at all
	steps int // depths between the call and the calls that wait, 0 is best
}

// Classes of fit.
const (
	cannot = iota
	losing // where calls have lost their callers with records that were lost
	fits   // without that
	adopts // it is the caller of calls that wait
)

// infer chooses the context of a call: the first of those into which it fits best,
// or a new one; nil where there are too many.
func (b *Builder) infer(it *item) *context {
	best := b.bestFit(it, false)
	if best == nil && len(b.inferred.contexts) == mostInferred { // records got lost, and nobody said so
		best = b.bestFit(it, true)
	}
	for _, c := range b.inferred.contexts {
		if c != best && b.overlap(c, it) {
			b.doubts.overlaps++
			c.overlaps = true
			if best != nil {
				best.overlaps = true
			}
			break
		}
	}
	if best != nil || len(b.inferred.contexts) == mostInferred {
		return best
	}
	c := b.newContext(inferredID + len(b.inferred.contexts))
	b.inferred.contexts = append(b.inferred.contexts, c)
	return c
}

func (b *Builder) bestFit(it *item, lossy bool) (best *context) {
	var most fit
	for _, c := range b.inferred.contexts {
		f := b.fitOf(c, it, lossy)
		if f.class > most.class || f.class == most.class && f.class != cannot && f.steps < most.steps {
			best, most = c, f
		}
	}
	return best
}

// inferredID is that of the first of them.
const inferredID = 1 << 16

// fitOf a call in a context. Only where it may have lost records, calls that wait may have
// lost their callers.
func (b *Builder) fitOf(c *context, it *item, lossy bool) fit {
	if c.ended > it.entry {
		return fit{}
	}
	k, class, steps := len(c.open), fits, int(it.depth)
	for ; k > 0; k-- {
		o := &b.items.all[c.open[k-1]]
		if o.depth <= it.depth {
			if o.exit > it.entry {
				return fit{}
			}
			steps = int(it.depth - o.depth)
			break
		}
		inside := b.within(o, it)
		switch {
		case inside && o.depth == it.depth+1:
			if class == fits {
				class = adopts
			}
		case inside:
		case o.exit > it.entry: // it overlaps
			return fit{}
		case o.era == b.era && !lossy:
			return fit{}
		case class != adopts:
			class = losing
		}
	}
	return fit{class, steps}
}

// overlap tells whether a call overlaps one of a context without being nested.
func (b *Builder) overlap(c *context, it *item) bool {
	for k := len(c.open); k > 0; k-- {
		o := &b.items.all[c.open[k-1]]
		if o.exit <= it.entry {
			return false
		}
		if o.entry < it.entry && o.place != kindHole {
			return true
		}
	}
	return false
}

// steal moves calls into context c that seemed to belong to others and are called by call
// it, which shows it: they ran during the call, and their depth fits. Contexts that
// overlap are tasks, of which it shows nothing.
func (b *Builder) steal(c *context, it *item) {
	for _, other := range b.inferred.contexts {
		if other == c || other.overlaps && c.overlaps {
			continue
		}
		k := len(other.open)
		for k > 0 && b.within(&b.items.all[other.open[k-1]], it) && b.items.all[other.open[k-1]].depth > it.depth && b.items.all[other.open[k-1]].place != kindHole {
			k--
		}
		if k == len(other.open) || b.items.all[other.open[k]].depth != it.depth+1 {
			continue
		}
		c.open = append(c.open, other.open[k:]...)
		other.open = other.open[:k]
	}
}

// takeRoots takes the time of outermost calls of other contexts that lie within a
// call of context c, which they interrupted.
func (b *Builder) takeRoots(c *context, it *item) {
	roots := b.inferred.roots
	from := len(roots)
	for from > 0 && b.items.all[roots[from-1]].exit > it.entry {
		from--
	}
	left := roots[:from]
	for _, r := range roots[from:] {
		if k := &b.items.all[r]; k.entry >= it.entry && k.exit <= it.exit+b.tolerance() && int32(k.task) != c.index {
			b.addBreak(c, r)
		} else {
			left = append(left, r)
			if k.entry < it.entry && k.task != noTask && int32(k.task) != c.index {
				b.doubts.overlaps++
				b.contexts[k.task].overlaps, c.overlaps = true, true
			}
		}
	}
	b.inferred.roots = left
}
