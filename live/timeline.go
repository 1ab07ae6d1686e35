package live

import (
	"math"
	"time"
)

// timeline keeps when what ran: the newest spans as they were, and all of them in levels,
// each coarser than the one before. A level has bins of a width: spans that are shorter than that
// and begin in one bin, in one row of one track, are one there. So a window of
// any length is drawn from the level whose bins are as wide as its pixels, and however
// long a run is, the memory is bounded: the older, the coarser.
type timeline struct {
	exact  ring
	levels []level
	flame  flame
}

const (
	exactSpans  = 1 << 18
	levelSpans  = 1 << 16
	firstWidth  = 1 << 16 * time.Nanosecond
	widerShift  = 2  // each level has bins 4 times as wide
	numLevels   = 13 // the last has bins of 18 minutes
	mostRows    = 128
	mostTracks  = 1024
	mostPerSpan = math.MaxUint32
)

// level is what there is with bins of one width.
type level struct {
	width time.Duration
	ring  ring
	open  [][]cell // by track and depth: the bin that is filled
}

// cell is a bin that is filled.
type cell struct {
	span
	bin  time.Duration
	most time.Duration // how long the function ran that took most of it
}

func newTimeline() *timeline {
	t := &timeline{exact: ring{most: exactSpans}, levels: make([]level, numLevels)}
	for i := range t.levels {
		t.levels[i] = level{width: firstWidth << (widerShift * i), ring: ring{most: levelSpans}}
	}
	t.flame.emit = t.add
	return t
}

// add takes a span that has ended.
func (t *timeline) add(s span) {
	if s.depth >= mostRows || s.track >= mostTracks {
		return
	}
	t.exact.add(s)
	t.addTo(0, s, s.length)
}

// addTo puts a span into a level and those above; most is how long its function ran in it. A
// long span ends the bin before it, so that those of a row never overlap.
func (t *timeline) addTo(i int, s span, most time.Duration) {
	for ; i < len(t.levels); i++ {
		l := &t.levels[i]
		c, bin := l.cell(s.track, s.depth), s.start/l.width
		if c.count > 0 && (s.length >= l.width || c.bin != bin) {
			full := *c
			*c = cell{}
			l.ring.add(full.span)
			t.addTo(i+1, full.span, full.most)
		}
		if s.length < l.width {
			if c.count > 0 {
				c.join(s, most)
			} else {
				*c = cell{span: s, bin: bin, most: most}
			}
			return
		}
		l.ring.add(s)
	}
}

// join makes one of a cell and a span behind it.
func (c *cell) join(s span, most time.Duration) {
	c.start = min(c.start, s.start)
	c.length += s.length
	c.count = uint32(min(uint64(c.count)+uint64(s.count), mostPerSpan))
	switch {
	case s.function == c.function:
		c.most += most
	case most > c.most:
		c.function, c.most = s.function, most
	}
}

func (l *level) cell(track, depth uint16) *cell {
	for int(track) >= len(l.open) {
		l.open = append(l.open, nil)
	}
	rows := l.open[track]
	for int(depth) >= len(rows) {
		rows = append(rows, cell{})
	}
	l.open[track] = rows
	return &rows[depth]
}
