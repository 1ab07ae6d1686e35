package profile

import "time"

// bins adds up samples of one stack that lie close together in time, so that a
// run of any length has a bounded number of rows. No count and no weight is lost,
// only where in its bin a sample was. Bins are 1 ms wide, and twice as wide
// whenever there are too many rows.
type bins struct {
	width time.Duration // 0: no sample yet
	open  time.Duration // when the bin that is filled begins
	cells []Sample      // of that bin, in the order of their first samples
	slot  []int32       // by stack: its cell, from 1
	rows  []Sample      // of the bins before
	exact bool          // begin with bins of 1 ns, and rows stand where they begin: see Pieces
}

const (
	firstBin = time.Millisecond
	mostRows = 1 << 16
)

// add takes samples in the order of their times.
func (b *bins) add(s Sample) {
	if b.width == 0 {
		if b.width = firstBin; b.exact {
			b.width = 1
		}
		b.open = s.Time - s.Time%b.width
	}
	if s.Time >= b.open+b.width {
		b.close()
		b.open = s.Time - s.Time%b.width
	}
	b.put(s)
}

// put adds to the open bin.
func (b *bins) put(s Sample) {
	for int(s.Stack) >= len(b.slot) {
		b.slot = append(b.slot, 0)
	}
	i := b.slot[s.Stack]
	if i == 0 {
		b.cells = append(b.cells, s)
		b.slot[s.Stack] = int32(len(b.cells))
		return
	}
	c := &b.cells[i-1]
	c.Weight += s.Weight
	c.Count += s.Count
}

// close lays the cells of the open bin out one after the other, each as wide as
// its weight: a viewer draws a sample from the one before it, and a piece of a trace
// from where it begins.
func (b *bins) close() {
	b.flush()
	if len(b.rows) > mostRows {
		b.widen()
	}
}

func (b *bins) flush() {
	at, end := b.open, b.open+b.width-1
	for _, c := range b.cells {
		b.slot[c.Stack] = 0
		if b.exact {
			c.Time = min(max(at, c.Time), end)
			at = c.Time + c.Weight
		} else {
			at += c.Weight
			c.Time = min(at, end)
		}
		b.rows = append(b.rows, c)
	}
	b.cells = b.cells[:0]
}

// widen doubles the bins until half of the rows are left, or they are as wide as
// they can be.
func (b *bins) widen() {
	for len(b.rows) > mostRows/2 && b.width < 1<<60 {
		b.width *= 2
		rows := b.rows
		b.rows = rows[:0] // never longer than what has been read
		for i, s := range rows {
			if open := s.Time - s.Time%b.width; i == 0 || open != b.open {
				b.flush()
				b.open = open
			}
			b.put(s)
		}
		b.flush()
	}
}

// finish returns the rows. The bins are used up.
func (b *bins) finish() []Sample {
	if b.width == 0 {
		return nil
	}
	b.close()
	return b.rows
}
