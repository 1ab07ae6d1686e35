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
	x := c.explore(f, entry, pc, false)
	if !x.found {
		return Rule{}, false
	}
	return x.state.rule(a.m)
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
