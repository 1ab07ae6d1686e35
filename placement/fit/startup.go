package fit

import "slices"

// findStartup marks what the reset handler calls on its way to main, with all
// that those functions call in turn: RAM is not filled yet. Where there is no call
// of main, the last call is taken to be it.
func (a *analysis) findStartup() {
	var reached []int
	for i := range a.report.Units {
		if a.report.Units[i].State == Startup {
			reached = append(reached, a.beforeMain(i)...)
		}
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

// beforeMain are the units that unit i calls before it calls main.
func (a *analysis) beforeMain(i int) (units []int) {
	calls := a.report.Units[i].calls
	last := len(calls) - 1
	if m, ok := a.byName["main"]; ok {
		if k := slices.IndexFunc(calls, func(c call) bool { return a.target(c.to) == m }); k >= 0 {
			last = k
		}
	}
	for k, c := range calls {
		if to := a.target(c.to); k != last && c.at < calls[last].at && to >= 0 {
			units = append(units, to)
		}
	}
	return units
}
