package cortexm

import (
	"maps"
	"slices"
)

// A plan takes the host some ten milliseconds. Where time is real it is made aside,
// of a copy of what was learned, and used from the sample on that finds it done; on
// the board's clock, where a run must repeat, at once.

// aside is a plan that is being made.
type aside struct {
	before int        // the stack that it is for
	done   chan *plan // nil: it could not be made
}

// planAside begins a plan, one at a time.
func (s *Sampler) planAside(before int) {
	if s.aside != nil {
		return
	}
	s.aside = &aside{before: before, done: make(chan *plan, 1)}
	go func(pl planner, h *wants, done chan<- *plan) {
		p, err := pl.makeWithin(h, before)
		if err != nil {
			p = nil
		}
		done <- p
	}(s.planner, s.wants.copy(), s.aside.done)
}

// adopt takes a plan that is done.
func (s *Sampler) adopt() {
	if s.aside == nil {
		return
	}
	select {
	case p := <-s.aside.done:
		s.use(s.aside.before, p)
		s.aside = nil
	default:
	}
}

// copy is for reading while h learns on.
func (h *wants) copy() *wants {
	c := *h
	c.weight, c.sets, c.text = maps.Clone(h.weight), nil, nil
	c.after = slices.Clone(h.after)
	for i := range c.after {
		c.after[i].weight = maps.Clone(h.after[i].weight)
	}
	return &c
}
