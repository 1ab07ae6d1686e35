package calls

import (
	"math"
	"math/bits"
	"time"

	"github.com/mprof/mprof/trace"
)

// clock turns the 32-bit times of a target into ns on one timeline. Within an
// epoch, the time between two resets, ticks of the target count on; a reset
// begins a new epoch behind the last time of the one before.
type clock struct {
	whole, part uint64 // ns per tick, and what is behind the point in 1/2^64 ns
	hz          float64
	wrap        int64 // ns of 2^32 ticks
	back        int32 // ticks that a record may be earlier than the one before it

	running bool
	last    uint64 // ticks of the latest exit; 2^32 and more, so that entries before it are no less than 0
	base    int64  // ns to add to the time of a tick in this epoch
	now     int64  // ns of the latest exit

	arrived time.Duration // host's time of the bytes that follow
	heard   bool
	at      time.Duration // arrived, of the latest record
	atKnown bool
	jumped  uint64 // wraps that only the host's clock has seen
}

const slowestHz = 1000

// epochStart is where the timeline begins: what was entered before the first record
// lies before it by 2^32 ticks at most.
const epochStart = int64(1) << 60

// latest is where the timeline ends, 73 years later: what comes then stands there.
const latest = int64(3) << 60

// setUnit sets the length of a tick: shift is that of the timer's frequency. A record may be
// back ticks earlier than the one before.
// It tells whether the unit makes sense: 2^32 ticks of more than 50 days do not.
func (c *clock) setUnit(hz uint32, shift uint8, back int32) bool {
	if shift > 31 || hz>>shift < slowestHz {
		return false
	}
	scale := uint64(time.Second) << shift
	c.whole = scale / uint64(hz)
	c.part, _ = bits.Div64(scale%uint64(hz), 0, uint64(hz))
	c.hz = float64(hz) / float64(uint64(1)<<shift)
	c.wrap = c.span(1 << 32)
	c.back = back
	return true
}

// span is the length of so many ticks, to the nearest ns. The error is less than
// 1/1000 ns below 2^53 ticks.
func (c *clock) span(ticks uint64) int64 {
	high, low := bits.Mul64(ticks, c.part)
	_, carry := bits.Add64(low, 1<<63, 0)
	return int64(ticks*c.whole + high + carry)
}

// restart begins a new epoch: what the target's clock shows next has nothing to do with
// what it showed before.
func (c *clock) restart() { c.running = false }

// exit is the time in ns, and that in ticks, of a record that ended at raw and took
// so long.
func (c *clock) exit(raw, duration uint32) (int64, uint64) {
	if !c.running {
		c.begin(raw, duration)
		return c.now, c.last
	}
	step := raw - uint32(c.last)
	if back := int32(step); back < 0 && back >= -c.back && !c.silent() {
		ticks := c.last - uint64(-int64(back))
		return c.base + c.span(ticks), ticks
	}
	ticks := c.last + uint64(step)
	if c.atKnown && c.heard && c.arrived > c.at {
		ahead := int64(c.arrived-c.at) - (c.base + c.span(ticks) - c.now)
		if wraps := (ahead + c.wrap/2) / c.wrap; ahead > 0 && wraps > 0 && wraps < 1<<20 {
			ticks += uint64(wraps) << 32
			c.jumped += uint64(wraps)
		}
	}
	if c.now = c.base + c.span(ticks); c.now > latest || c.now < 0 {
		c.base -= c.now - latest
		c.now = latest
	}
	c.last = ticks
	c.at, c.atKnown = c.arrived, c.heard
	return c.now, ticks
}

// silent: the host heard nothing for so long that a step back is none.
func (c *clock) silent() bool {
	return c.atKnown && c.heard && int64(c.arrived-c.at) > c.wrap/2
}

// begin starts an epoch with its first record, where the host's clock says, and not
// before what was before has ended.
func (c *clock) begin(raw, duration uint32) {
	at := epochStart
	if c.now != 0 {
		at = c.now + c.span(uint64(duration))
		if c.atKnown && c.heard {
			at = max(at, c.now+int64(c.arrived-c.at))
		}
		at = min(at, latest)
	}
	c.running, c.last = true, uint64(raw)+1<<32
	c.base = at - c.span(c.last)
	c.now = at
	c.at, c.atKnown = c.arrived, c.heard
}

// entry is the time in ns of something that began so many ticks before.
func (c *clock) entry(exit uint64, duration uint32) int64 {
	return c.base + c.span(exit-uint64(duration))
}

// cost of so many 1/256 cycles of a timer, in 1/256 ns.
func cost(cycles uint32, m *trace.Metadata) int64 {
	if m.TimerHz == 0 {
		return 0
	}
	return int64(math.Round(float64(cycles) * 1e9 / float64(m.TimerHz)))
}
