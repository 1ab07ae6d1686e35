package profile

import (
	"cmp"
	"slices"
	"time"
)

// Pieces is the time that one context of a trace spent in functions themselves. Time
// of a Sample is where the piece begins. Pieces are exact until there are more than
// 65,536 of them; from there on those of one stack that are close together are
// one, and a row begins where the first of them did, or the row before it
// ends. No weight and no count is lost.
type Pieces struct {
	bins bins
	late []Sample // earlier than the bin that is filled
}

// Add takes a piece. Those that come in the order of their times are the fastest.
func (p *Pieces) Add(s Sample) {
	if p.bins.width == 0 {
		p.bins.exact = true
	} else if s.Time < p.bins.open {
		if p.late = append(p.late, s); len(p.late) > mostRows/2 {
			p.merge()
		}
		return
	}
	p.bins.add(s)
}

// merge puts the late ones into their places.
func (p *Pieces) merge() {
	if len(p.late) == 0 {
		return
	}
	p.bins.flush()
	p.bins.rows = append(p.bins.rows, p.late...)
	p.late = p.late[:0]
	p.order()
	if len(p.bins.rows) > mostRows {
		p.bins.widen()
	}
}

func (p *Pieces) order() {
	slices.SortStableFunc(p.bins.rows, func(a, b Sample) int { return cmp.Compare(a.Time, b.Time) })
}

// Rename replaces the stacks of all pieces by what f says of them.
func (p *Pieces) Rename(f func(StackIndex) StackIndex) {
	p.bins.flush()
	p.bins.slot = nil
	for _, rows := range [][]Sample{p.bins.rows, p.late} {
		for i := range rows {
			rows[i].Stack = f(rows[i].Stack)
		}
	}
}

// Finish returns the pieces in the order of their times, since a time. They are used
// up.
func (p *Pieces) Finish(since time.Duration) []Sample {
	if p.bins.width == 0 {
		return nil
	}
	p.merge()
	p.bins.close()
	p.order()
	for i := range p.bins.rows {
		p.bins.rows[i].Time -= since
	}
	return p.bins.rows
}
