package live

import "time"

// counted is what ended in a node itself, in one track.
type counted struct {
	track, node int32
	count       uint64
	time        time.Duration
}

// counts are kept by track and node.
type counts struct {
	all   []counted
	rev   []uint64 // when each changed last
	index map[uint64]int32
}

func newCounts() counts { return counts{index: map[uint64]int32{}} }

// slot is where the counts of a node in a track are.
func (c *counts) slot(track, node int32) int32 {
	key := uint64(uint32(track))<<32 | uint64(uint32(node))
	at, ok := c.index[key]
	if !ok {
		at = int32(len(c.all))
		c.index[key] = at
		c.all, c.rev = append(c.all, counted{track: track, node: node}), append(c.rev, 0)
	}
	return at
}

func (c *counts) since(rev uint64) CountColumns {
	n := 0
	for _, r := range c.rev {
		if r > rev {
			n++
		}
	}
	out := CountColumns{Track: make([]int, 0, n), Node: make([]int, 0, n), Count: make([]uint64, 0, n), Time: make([]float64, 0, n)}
	for i, r := range c.rev {
		if r > rev {
			x := &c.all[i]
			out.Track, out.Node = append(out.Track, int(x.track)), append(out.Node, int(x.node))
			out.Count, out.Time = append(out.Count, x.count), append(out.Time, x.time.Seconds())
		}
	}
	return out
}
