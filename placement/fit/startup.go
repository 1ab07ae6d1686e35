package fit

import "slices"

// findStartup marks what the reset handler calls on its way to main, with all
// that those functions call in turn: RAM is not filled yet.
func (a *analysis) findStartup() {
	var first, reached []int
	for i := range a.report.Units {
		if a.report.Units[i].State == Startup {
			first = append(first, i)
		}
	}
	for _, i := range first {
		reached = append(reached, a.beforeMain(i)...)
	}
	for len(reached) > 0 {
		u := &a.report.Units[reached[0]]
		reached = reached[1:]
		if u.State == Startup || u.State == InRAM {
			continue
		}
		u.State = Startup
		for _, c := range u.calls {
			if to := a.target(c.to); to >= 0 {
				reached = append(reached, to)
			}
		}
	}
}

// beforeMain are the units that unit i calls before it calls main. Where it does not
// call main, the last call is taken for it, or for the next stage, as of a reset handler
// that only sets SP and goes on in C: that runs before RAM is filled, too.
func (a *analysis) beforeMain(i int) (units []int) {
	calls := a.report.Units[i].calls
	last := len(calls) - 1
	if m, ok := a.byName["main"]; ok {
		k := slices.IndexFunc(calls, func(c call) bool { return a.target(c.to) == m })
		if k >= 0 {
			last = k
		} else if last >= 0 {
			units = a.nextStage(a.target(calls[last].to), m)
		}
	}
	for k, c := range calls {
		if to := a.target(c.to); k != last && c.at < calls[last].at && to >= 0 {
			units = append(units, to)
		}
	}
	return units
}

// nextStage marks unit i, which the reset handler ends in, where it leads to main, or
// where nothing does: then main was inlined, there most likely.
func (a *analysis) nextStage(i, main int) (units []int) {
	if i < 0 || i == main || a.report.Units[i].State != Movable {
		return nil
	}
	leads := a.leadsTo(i, main, map[int]bool{})
	if !leads && a.called(main) {
		return nil
	}
	a.report.Units[i].State = Startup
	if leads {
		return a.beforeMain(i)
	}
	return nil
}

// leadsTo tells whether direct calls lead from unit i to another one.
func (a *analysis) leadsTo(i, to int, seen map[int]bool) bool {
	seen[i] = true
	for _, c := range a.report.Units[i].calls {
		next := a.target(c.to)
		if next == to || next >= 0 && !seen[next] && a.leadsTo(next, to, seen) {
			return true
		}
	}
	return false
}

// called tells whether any direct call leads to unit i.
func (a *analysis) called(i int) bool {
	return slices.ContainsFunc(a.report.Units, func(u Unit) bool {
		return slices.ContainsFunc(u.calls, func(c call) bool { return a.target(c.to) == i })
	})
}
