package live

import "time"

// span is one call, one stretch of samples with one function in one row, or several that are
// drawn as one.
type span struct {
	start, length time.Duration // several: when the first begins, how long they are together
	function      int32         // that took most of it, as far as it is known
	count         uint32        // calls or samples
	track, depth  uint16
}

func (s *span) end() time.Duration { return s.start + s.length }

// ring keeps the newest spans, in the order in which they came.
type ring struct {
	blocks []*block
	most   int
	lost   time.Duration // when the last of those ended that are gone; 0: none are
	gone   bool
}

const blockSpans = 256

// block is a part of a ring, which readers skip where it lies outside of their window.
type block struct {
	n        int
	from, to time.Duration
	spans    [blockSpans]span
}

func (r *ring) add(s span) {
	var b *block
	if n := len(r.blocks); n > 0 {
		b = r.blocks[n-1]
	}
	if b == nil || b.n == blockSpans {
		b = r.grow()
	}
	if b.n == 0 {
		b.from, b.to = s.start, s.end()
	}
	b.from, b.to = min(b.from, s.start), max(b.to, s.end())
	b.spans[b.n] = s
	b.n++
}

// grow appends a block; when there are too many, it is the oldest one's memory.
func (r *ring) grow() *block {
	b := &block{}
	if len(r.blocks)*blockSpans >= r.most {
		b = r.blocks[0]
		r.lost, r.gone = max(r.lost, b.to), true
		copy(r.blocks, r.blocks[1:])
		r.blocks = r.blocks[:len(r.blocks)-1]
		b.n = 0
	}
	r.blocks = append(r.blocks, b)
	return b
}

// covers tells whether all is there since a time.
func (r *ring) covers(from time.Duration) bool { return !r.gone || r.lost <= from }

// count is how many spans a window has at most.
func (r *ring) count(from, to time.Duration) (n int) {
	for _, b := range r.blocks {
		if b.from < to && b.to > from {
			n += b.n
		}
	}
	return n
}

// collect appends the spans of a window.
func (r *ring) collect(out []span, from, to time.Duration) []span {
	for _, b := range r.blocks {
		if b.from >= to || b.to < from {
			continue
		}
		for _, s := range b.spans[:b.n] {
			if s.start < to && s.end() >= from {
				out = append(out, s)
			}
		}
	}
	return out
}
