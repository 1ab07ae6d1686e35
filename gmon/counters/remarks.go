package counters

import (
	"fmt"
	"math"
	"time"
)

// Remarks says what the counts lack, a sentence each, without a full stop.
func (c *Counts) Remarks() (all []string) {
	for _, s := range []string{c.outside(), c.saturation(), c.lostArcs(), c.rounding()} {
		if s != "" {
			all = append(all, s)
		}
	}
	return all
}

// Exactness says which moment the counters are of, what it cost, and whether they add up.
func (f *Fetched) Exactness() []string {
	all := []string{f.exactness()}
	if s := f.sum(); s != "" {
		all = append(all, s)
	}
	return all
}

// exactness says which moment the counters are of.
func (f *Fetched) exactness() string {
	during := f.After.Ticks - f.Before.Ticks
	ms := func(d time.Duration) string { return fmt.Sprintf("%.3g ms", float64(d)/float64(time.Millisecond)) }
	switch {
	case f.Stood && f.Reset:
		return fmt.Sprintf("all counters are of one moment: the core stood for %s to be read; the next tick cleared them, and calls between the two are in neither profile", ms(f.Halted))
	case f.Stood:
		return fmt.Sprintf("all counters are of one moment: the core stood for %s to be read", ms(f.Halted))
	case f.Reset:
		return fmt.Sprintf("the core ran on: each counter is of its own moment within %s, in which it ticked %d times; what came between reading and clearing is in no profile", ms(f.Took), during)
	}
	return fmt.Sprintf("the core ran on: each counter is of its own moment within %s, in which it ticked %d times", ms(f.Took), during)
}

// slack is how far a tick that is under way can be between its counts, at both ends.
const slack = 2

// sum compares the counters with the ticks that the target counted: each tick is in a counter,
// outside, or found its counter at the end. All modulo 2^32.
func (f *Fetched) sum() string {
	counted := uint32(f.Total()) + f.After.Outside + f.After.Saturated
	if counted-f.Before.Ticks+slack > f.After.Ticks-f.Before.Ticks+2*slack {
		return fmt.Sprintf("the counters add up to %d and the target counted %d ticks: something else writes to this memory", counted, f.After.Ticks)
	}
	return ""
}

// share of n in all, in percent.
func share(n, all uint32) float64 { return 100 * float64(n) / math.Max(float64(all), 1) }

func (c *Counts) outside() string {
	if c.After.Outside == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d ticks (%.1f %%) found the program outside of 0x%08x to 0x%08x, which is what it counts, and are in no bucket",
		c.After.Outside, c.After.Ticks, share(c.After.Outside, c.After.Ticks), c.After.Low, c.After.High)
}

func (c *Counts) saturation() string {
	n := 0
	for _, v := range c.Counters {
		if v == math.MaxUint16 {
			n++
		}
	}
	switch {
	case c.After.Saturated > 0:
		return fmt.Sprintf("%d of %d ticks (%.1f %%) found their counter at 65535 and are not in it: fetch more often, with --reset", c.After.Saturated, c.After.Ticks, share(c.After.Saturated, c.After.Ticks))
	case n > 0:
		return fmt.Sprintf("%d counters are at 65535 and will not count on: fetch more often, with --reset", n)
	}
	return ""
}

func (c *Counts) lostArcs() string {
	if c.After.ArcsLost == 0 {
		return ""
	}
	return fmt.Sprintf("%d calls found no room for another arc among %d: the call graph lacks them; profile_memory wants %d bytes", c.After.ArcsLost, c.After.ArcsSize, c.After.Wanted)
}

func (c *Counts) rounding() string {
	perTick, hz := c.After.Rate()
	ticks := 1 / c.After.Interval()
	if off := float64(perTick)*ticks/float64(hz) - 1; math.Abs(off) > worstRounding {
		return fmt.Sprintf("the target ticks at %.4g Hz and gmon.out has whole Hz, so that seconds are off by %+.1f %%", ticks, 100*off)
	}
	if perTick > 1 {
		return fmt.Sprintf("the target ticks at %.5g Hz and gmon.out has whole Hz: each tick is %d counts in it, %d a second", ticks, perTick, hz)
	}
	return ""
}
