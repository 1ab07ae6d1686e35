package truth

import (
	"cmp"
	"slices"
)

// Path is a chain of calls, leaf first, down to the outermost function of a
// thread. An exception is a frame "<exception N>" between its handler and the
// function that it interrupted.
type Path struct {
	Frames []string
	Cycles uint64 // running in the leaf of exactly this path
	Asleep uint64 // of these, asleep
}

// RunningCycles is the time accounted for: all cycles since Attach outside
// Debug state, asleep or not.
func (t *Truth) RunningCycles() uint64 {
	return sum(t, func(n *node) uint64 { return n.running })
}

// AsleepCycles is the part of RunningCycles spent asleep.
func (t *Truth) AsleepCycles() uint64 {
	return sum(t, func(n *node) uint64 { return n.asleep })
}

// HaltedCycles is the time in Debug state since power-on.
func (t *Truth) HaltedCycles() uint64 {
	if t.clock == nil {
		return 0
	}
	return t.clock.HaltedCycles()
}

func sum(t *Truth, cycles func(*node) uint64) (total uint64) {
	t.charge()
	t.root.walk(func(n *node) { total += cycles(n) })
	return total
}

// Self is the running cycles of every function that ran, by name: those asleep
// in it are included, those in Debug state are not. The values add up to
// RunningCycles.
func (t *Truth) Self() map[string]uint64 {
	return t.byFunction(func(n *node) uint64 { return n.running })
}

// Asleep is the part of Self spent asleep, of functions that slept.
func (t *Truth) Asleep() map[string]uint64 {
	return t.byFunction(func(n *node) uint64 { return n.asleep })
}

func (t *Truth) byFunction(cycles func(*node) uint64) map[string]uint64 {
	t.charge()
	m := map[string]uint64{}
	t.root.walk(func(n *node) {
		if c := cycles(n); c > 0 {
			m[t.names[n.function]] += c
		}
	})
	return m
}

// Total is the running cycles with a function anywhere on the stack, counted
// once however often it is there; what an exception interrupted is on the
// stack of its handler. Exception boundaries are among the names.
func (t *Truth) Total() map[string]uint64 {
	t.charge()
	m := map[string]uint64{}
	onPath := map[string]int{}
	var add func(n *node) uint64
	add = func(n *node) uint64 {
		name := t.names[n.function]
		onPath[name]++
		cycles := n.running
		for c := n.first; c != nil; c = c.next {
			cycles += add(c)
		}
		if onPath[name]--; onPath[name] == 0 && cycles > 0 {
			m[name] += cycles
		}
		return cycles
	}
	for c := t.root.first; c != nil; c = c.next {
		add(c)
	}
	return m
}

// Paths lists the call paths on which time was spent, the costliest first. The
// cycles add up to RunningCycles.
func (t *Truth) Paths() []Path {
	t.charge()
	var all []Path
	t.root.walk(func(n *node) {
		if n.running == 0 {
			return
		}
		p := Path{Cycles: n.running, Asleep: n.asleep}
		for m := n; m != t.root; m = m.parent {
			p.Frames = append(p.Frames, t.names[m.function])
		}
		all = append(all, p)
	})
	slices.SortFunc(all, func(a, b Path) int {
		return cmp.Or(cmp.Compare(b.Cycles, a.Cycles), slices.Compare(a.Frames, b.Frames))
	})
	return all
}
