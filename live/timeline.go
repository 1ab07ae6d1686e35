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

// flame is what the latest sample has on its stack: the spans that have not ended.
type flame struct {
	rows    []openSpan // outermost first
	end     time.Duration
	samples uint64
	node    int32
}

type openSpan struct {
	node, function int32
	start          time.Duration
	samples        uint64 // before it
}

// sample takes a stretch of time in which samples had one path, outermost node first. break
// tells that what was before has ended with it.
func (t *timeline) sample(path []int32, n *nodes, start, end time.Duration, count uint64, apart bool) {
	f := &t.flame
	keep := 0
	if !apart {
		for keep < len(path) && keep < len(f.rows) && f.rows[keep].node == path[keep] {
			keep++
		}
	}
	t.closeFrom(keep)
	for _, node := range path[keep:] {
		f.rows = append(f.rows, openSpan{node: node, function: n.all[node].function, start: start, samples: f.samples})
	}
	f.end = end
	f.samples += count
}

// closeFrom ends the rows from a depth on.
func (t *timeline) closeFrom(depth int) {
	f := &t.flame
	for d := len(f.rows) - 1; d >= depth; d-- {
		t.add(f.span(d))
	}
	f.rows = f.rows[:min(depth, len(f.rows))]
}

func (f *flame) span(depth int) span {
	o := &f.rows[depth]
	return span{start: o.start, length: max(0, f.end-o.start), function: o.function, count: uint32(min(f.samples-o.samples, mostPerSpan)), depth: uint16(min(depth, mostRows))}
}
