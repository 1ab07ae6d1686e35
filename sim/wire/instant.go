package wire

import (
	"math/bits"
	"time"
)

// Instant is a point on the board's clock, or a span of it, in picoseconds. A
// bit at 12 MHz is no whole number of nanoseconds; 2^63 ps are 106 days.
type Instant int64

const picosPerSecond = 1_000_000_000_000

// Span converts a duration.
func Span(d time.Duration) Instant { return Instant(d) * 1000 }

// Duration is the instant in nanoseconds, rounded down.
func (t Instant) Duration() time.Duration { return time.Duration(t / 1000) }

// Cycles is how long n cycles of a clock of hz take, rounded down to a
// picosecond. hz 0 takes no time.
func Cycles(n uint64, hz uint32) Instant {
	if hz == 0 {
		return 0
	}
	hi, lo := bits.Mul64(n, picosPerSecond)
	if hi >= uint64(hz) {
		return 1<<63 - 1
	}
	q, _ := bits.Div64(hi, lo, uint64(hz))
	return Instant(min(q, 1<<63-1))
}

// Count is how many whole cycles of a clock of hz fit before the instant.
func (t Instant) Count(hz uint32) uint64 {
	if t <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(t), uint64(hz))
	q, _ := bits.Div64(hi, lo, picosPerSecond) // hi < 10^12: t < 2^63 and hz < 2^32
	return q
}
