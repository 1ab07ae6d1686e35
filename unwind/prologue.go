package unwind

// analysis is the method for code without call frame information: it runs the
// function abstractly from its entry to the PC.
type analysis struct{ m *machine }

func (a analysis) find(c *code, pc uint32) (Rule, Range, bool) {
	if a.m.step == nil {
		return Rule{}, Range{}, false
	}
	if f, ok := c.function(pc); ok && f.Contains(pc) {
		rule, ok := a.rule(c, f, f.Low, pc)
		return rule, Range{}, ok
	}
	return a.findInGap(c, pc)
}

func (a analysis) rule(c *code, f Range, entry, pc uint32) (Rule, bool) {
	s, ok := c.frames(f, entry).at(pc)
	if !ok {
		return Rule{}, false
	}
	return s.rule(a.m)
}

// maxGap is how far from a function symbol code without one may lie.
const maxGap = 256

// findInGap finds the rule of code between two functions: hand-written code
// puts branches out of line in front of its entry, or behind what the symbol's
// size covers.
func (a analysis) findInGap(c *code, pc uint32) (Rule, Range, bool) {
	gap := Range{pc &^ 1, pc | 1}
	after, before := Range{}, Range{}
	for ; gap.High-pc < maxGap && c.contains(gap.High); gap.High++ {
		if f, ok := c.function(gap.High); ok {
			after = f
			break
		}
	}
	for ; pc-gap.Low < maxGap && c.contains(gap.Low-1); gap.Low-- {
		if f, ok := c.function(gap.Low - 1); ok {
			before = f
			break
		}
	}
	if after.High != 0 && after.Low >= pc {
		if rule, ok := a.rule(c, Range{gap.Low, after.High}, after.Low, pc); ok {
			return rule, after, true
		}
	}
	if before.High != 0 && before.High <= pc {
		if rule, ok := a.rule(c, Range{before.Low, gap.High}, before.Low, pc); ok {
			return rule, before, true
		}
	}
	return Rule{}, Range{}, false
}

// resumption is the method for a handler that has loaded LR with the exception
// return of another thread: the frame is known, and LR counts if it is one.
type resumption struct{ m *machine }

func (h resumption) find(c *code, pc uint32) (Rule, Range, bool) {
	f, ok := c.function(pc)
	if !ok || h.m.boundary == nil {
		return Rule{}, Range{}, false
	}
	s, ok := c.frames(f, f.Low).at(pc)
	if !ok {
		return Rule{}, Range{}, false
	}
	s.reg[h.m.link] = content{kind: entryOf, n: h.m.link}
	rule, ok := s.rule(h.m)
	rule.saves = append(rule.saves, save{column: uint8(h.m.link), how: asMark})
	return rule, Range{}, ok
}
