package counters

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/mprof/mprof/gmon"
)

// Counts is what the target had counted when it was read.
type Counts struct {
	Before, After Block // the block, read before and after the rest
	Counters      []uint16
	Arcs          []Arc // as they stand in the pool
}

// Arc is struct gprof_arc: Count calls that return to From, of the function around Self.
type Arc struct{ From, Self, Count, Next uint32 }

// maxTries is how often counters are read that are cleared meanwhile.
const maxTries = 3

// Read reads block, counters and arcs. The target may run: each counter is then what it was at
// some moment of the reading. A word is read at once, so that none is torn. Errors: those of
// ReadBlock, *ChangingError.
func Read(ctx context.Context, mem Memory, at Place) (*Counts, error) {
	for range maxTries {
		c, err := readOnce(ctx, mem, at)
		if err != nil {
			return nil, err
		}
		if c.Before.same(c.After) {
			return c, nil
		}
	}
	return nil, &ChangingError{maxTries}
}

func readOnce(ctx context.Context, mem Memory, at Place) (*Counts, error) {
	b, err := ReadBlock(ctx, mem, at)
	if err != nil {
		return nil, err
	}
	c := &Counts{Before: b, Counters: make([]uint16, b.Buckets)}
	raw := make([]byte, 2*len(c.Counters))
	if err := mem.ReadMemory(ctx, b.Counters, raw); err != nil {
		return nil, fmt.Errorf("gmon: read %d counters: %w", b.Buckets, err)
	}
	for i := range c.Counters {
		c.Counters[i] = binary.LittleEndian.Uint16(raw[2*i:])
	}
	raw = make([]byte, arcSize*b.ArcsUsed)
	if len(raw) > 0 {
		if err := mem.ReadMemory(ctx, b.Arcs, raw); err != nil {
			return nil, fmt.Errorf("gmon: read %d arcs: %w", b.ArcsUsed, err)
		}
	}
	if c.Arcs, err = parseArcs(raw, b, at); err != nil {
		return nil, err
	}
	if c.After, err = ReadBlock(ctx, mem, at); err != nil {
		return nil, err
	}
	return c, nil
}

// parseArcs reads the used part of the pool. Lists of the hash table that run in a circle would hold
// the target itself for ever: the pool is not what it was.
func parseArcs(raw []byte, b Block, at Place) ([]Arc, error) {
	arcs := make([]Arc, len(raw)/arcSize)
	for i := range arcs {
		if _, err := binary.Decode(raw[i*arcSize:], binary.LittleEndian, &arcs[i]); err != nil {
			return nil, err
		}
		if next := arcs[i].Next; next > b.ArcsSize {
			return nil, &DamagedError{at.Addr, fmt.Sprintf("arc %d is followed by arc %d of %d", i, next-1, b.ArcsSize)}
		}
	}
	if i, found := circle(arcs); found {
		return nil, &DamagedError{at.Addr, fmt.Sprintf("the list through arc %d runs in a circle", i)}
	}
	return arcs, nil
}

// circle finds an arc that follows itself over others. Each is visited once.
func circle(arcs []Arc) (at int, found bool) {
	seen := make([]int, len(arcs)) // the walk that came by, from 1
	for start := range arcs {
		for i := start; i < len(arcs); i = int(arcs[i].Next) - 1 {
			if seen[i] != 0 {
				if seen[i] == start+1 {
					return i, true
				}
				break
			}
			seen[i] = start + 1
			if arcs[i].Next == 0 {
				break
			}
		}
	}
	return 0, false
}

// Since is what was counted between two readings, without clearing. ok is false where the target
// cleared or began anew in between: all that c has is then later than earlier.
func (c *Counts) Since(earlier *Counts) (d *Counts, ok bool) {
	if earlier == nil || !c.After.same(earlier.After) || len(c.Arcs) < len(earlier.Arcs) {
		return c, false
	}
	d = &Counts{Before: c.Before, After: c.After, Counters: slices.Clone(c.Counters), Arcs: slices.Clone(c.Arcs)}
	for i, n := range earlier.Counters {
		if d.Counters[i] < n {
			return c, false
		}
		d.Counters[i] -= n
	}
	for i, a := range earlier.Arcs {
		if a.From != d.Arcs[i].From && a.From != 0 || a.Self != d.Arcs[i].Self && a.Self != 0 {
			return c, false
		}
		d.Arcs[i].Count -= a.Count
	}
	for _, pair := range [][2]*Block{{&d.Before, &earlier.Before}, {&d.After, &earlier.After}} {
		pair[0].Ticks -= pair[1].Ticks
		pair[0].Outside -= pair[1].Outside
		pair[0].Saturated -= pair[1].Saturated
		pair[0].ArcsLost -= pair[1].ArcsLost
	}
	return d, true
}

// Total is the sum of the counters.
func (c *Counts) Total() (n uint64) {
	for _, v := range c.Counters {
		n += uint64(v)
	}
	return n
}

// callBytes is what the shortest call instruction takes (Thumb BLX Rm, c.jalr): the return
// address less this lies in the call, also where the call is the last of its function.
const callBytes = 2

// call is an address in the call instruction that returns to an address.
func call(returnTo uint32) uint32 { return max(returnTo&^1, callBytes) - callBytes }

// Data is what a gmon.out holds of it. Where the timer's rate is no whole number of Hz, each tick is several counts.
func (c *Counts) Data() *gmon.Data {
	b := &c.After
	perTick, rate := b.Rate()
	d := &gmon.Data{Rate: rate, PerSample: perTick}
	for i, n := range c.Counters {
		if n > 0 {
			d.Buckets = append(d.Buckets, gmon.Bucket{Addr: b.Low + uint32(i)<<b.BucketShift, Size: 1 << b.BucketShift, Count: uint64(n) * uint64(perTick)})
		}
	}
	type ends struct{ from, self uint32 }
	counts := map[ends]uint64{}
	for _, a := range c.Arcs {
		if a.Count > 0 {
			counts[ends{call(a.From), a.Self &^ 1}] += uint64(a.Count)
		}
	}
	for e, n := range counts {
		d.Arcs = append(d.Arcs, gmon.Arc{From: e.from, Self: e.self, Count: n})
	}
	slices.SortFunc(d.Arcs, func(a, b gmon.Arc) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Self, b.Self))
	})
	return d
}
