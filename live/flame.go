package live

import (
	"time"

	"github.com/mprof/mprof/profile"
)

// flame makes spans of samples: a row per depth of the stack, in which neighbours of one path are
// one span.
type flame struct {
	emit    func(span)
	rows    []openSpan // what the latest sample has on its stack, outermost first
	node    int32      // where it ended
	end     time.Duration
	slack   time.Duration // what may lie between it and the next one
	samples uint64
	path    []int32
}

// openSpan is one that has not ended.
type openSpan struct {
	node, function int32
	start          time.Duration
	samples        uint64 // before it
}

// take adds a sample that ended in a node: it stands for the time before it.
func (f *flame) take(s *profile.Sample, node int32, n *nodes) {
	start := max(f.end, s.Time-s.Weight)
	apart := start-f.end > max(s.Weight, f.slack)
	if node != f.node || apart || len(f.rows) == 0 {
		f.path = n.path(f.path[:0], node)
		keep := 0
		for !apart && keep < len(f.path) && keep < len(f.rows) && f.rows[keep].node == f.path[keep] {
			keep++
		}
		f.close(keep)
		for _, at := range f.path[keep:] {
			f.rows = append(f.rows, openSpan{node: at, function: n.all[at].function, start: start, samples: f.samples})
		}
		f.node = node
	}
	f.end, f.slack = max(start, s.Time), 2*s.Halted
	f.samples += uint64(s.Count)
}

// close ends the rows from a depth on.
func (f *flame) close(depth int) {
	for d := len(f.rows) - 1; d >= depth; d-- {
		if d < mostRows {
			f.emit(f.span(d))
		}
	}
	f.rows = f.rows[:min(depth, len(f.rows))]
}

// span is a row as if it ended now.
func (f *flame) span(depth int) span {
	o := &f.rows[depth]
	return span{start: o.start, length: max(0, f.end-o.start), function: o.function, count: uint32(min(f.samples-o.samples, mostPerSpan)), depth: uint16(depth)}
}
