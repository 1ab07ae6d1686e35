package cortexm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mprof/mprof/probe"
)

// probeClock is the clock of the probe's timestamps (CMSIS-DAP, "Test Domain
// Timer"), as far as it can be believed. It wraps at 2^32 ticks: DAPLink's after
// half a minute.
type probeClock struct {
	hz  uint32 // 0: there is none, or it is not believed
	why string // one that the probe says it has is not believed

	running     bool
	restarts    int
	last        uint32        // stamp
	ticks       uint64        // since the first stamp, with the wraps
	first, at   time.Duration // host time of the first and the last stamp
	offset      time.Duration // host time of the first stamp, by the quickest way there
	uncertainty time.Duration // of host times
}

const (
	clockTolerance = 0.03                   // of the rate, beyond what the host's times are uncertain by
	clockProof     = time.Second            // that a rate is judged by
	clockDrift     = 200e-6                 // of two crystals against each other
	clockJump      = 200 * time.Millisecond // is none of two clocks that drift, nor of a host that was held up
	clockRestarts  = 8                      // jumps that a clock may make: a probe that was plugged in again
	clockMinimum   = uint32(1000)           // Hz: a slower one tells nothing of a halt
	clockSpan      = 1 << 32                // ticks until it wraps
)

// distrust ends the use of the clock.
func (k *probeClock) distrust(format string, args ...any) {
	k.hz, k.why = 0, "the probe's clock is not used: "+fmt.Sprintf(format, args...)
}

// duration is that of ticks.
func (k *probeClock) duration(ticks uint64) time.Duration {
	return time.Duration(float64(ticks) / float64(k.hz) * float64(time.Second))
}

// advance counts the ticks up to a stamp that was made near a host time: the
// number of wraps since the stamp before is the likeliest.
func (k *probeClock) advance(stamp uint32, host time.Duration) {
	passed := uint64(stamp - k.last)
	wanted := max(0, host-k.at).Seconds() * float64(k.hz)
	if more := wanted - float64(passed); more > clockSpan/2 {
		passed += uint64(more/clockSpan+0.5) * clockSpan
	}
	k.ticks, k.last, k.at = k.ticks+passed, stamp, host
}

// moment is the host's time of a stamp that was made between low and high, the
// first and the last moment that the host can vouch for. The way from the host to
// the probe is never quicker than low says, and seldom much slower: the stamps
// that came the quickest way tie the two clocks together.
func (k *probeClock) moment(stamp uint32, low, high time.Duration) time.Duration {
	if !k.running {
		k.start(stamp, low)
		return low
	}
	since := low - k.at
	k.advance(stamp, low)
	at := k.duration(k.ticks)
	offset := max(low-at, k.offset-time.Duration(clockDrift*float64(since)))
	offset = min(offset, max(low, high)-at)
	if moved := offset - k.offset; moved > clockJump || moved < -clockJump {
		if k.restarts++; k.restarts > clockRestarts {
			k.distrust("it jumps")
		}
		k.start(stamp, low)
		return low
	}
	k.offset = offset
	k.judge(low)
	return offset + at
}

func (k *probeClock) start(stamp uint32, host time.Duration) {
	k.running, k.last, k.ticks, k.first, k.at, k.offset = true, stamp, 0, host, host, host
}

// judge compares the rate with the host's clock.
func (k *probeClock) judge(host time.Duration) {
	passed := host - k.first
	if passed < clockProof {
		return
	}
	k.compare(k.duration(k.ticks), passed, clockTolerance)
}

// compare distrusts a clock that counted so much while so much passed.
func (k *probeClock) compare(counted, passed time.Duration, tolerance float64) {
	off := max(counted-passed, passed-counted)
	if float64(off) > tolerance*float64(passed)+float64(2*k.uncertainty) {
		k.distrust("it counted %v in %v", counted, passed)
	}
}

// clockRuns are the stamps that are asked for before the first sample, on both
// ends of the calibration: the quickest counts.
const clockRuns = 6

// attachTolerance is that of the short time that the calibration takes.
const attachTolerance = 0.05

// glance reads the clock once: the stamp of a read of DPIDR, and the time on the
// host half-way between request and response of the quickest of a few.
func (c *Core) glance(ctx context.Context, clock Clock) (stamp uint32, at, roundTrip time.Duration, err error) {
	t := &transfer{reqs: []probe.Req{{Op: probe.ReadDPIDR | probe.Timestamp}}, reads: []mark{{}}}
	s, err := newSequence(limitsOf(c.p), []*transfer{t})
	if err != nil {
		return 0, 0, 0, err
	}
	for i := range clockRuns {
		if err := clock.Sleep(ctx, calibrationPause); err != nil {
			return 0, 0, 0, err
		}
		sent := clock.Now()
		if err := s.run(ctx, c.p); err != nil {
			return 0, 0, 0, fmt.Errorf("cortexm: read the probe's clock: %w", err)
		}
		if t.err != nil {
			return 0, 0, 0, fmt.Errorf("cortexm: read the probe's clock: %w", t.err)
		}
		if took := clock.Now() - sent; i == 0 || took < roundTrip {
			stamp, at, roundTrip = t.answer.Stamps[0], sent+took/2, took
		}
	}
	return stamp, at, roundTrip, nil
}

// watchClock runs f, which takes some time, and says what the probe's clock is
// worth by it. A probe that says it has a clock and sends no stamps has none.
func (c *Core) watchClock(ctx context.Context, clock Clock, f func() error) error {
	k := &c.clock
	*k = probeClock{hz: c.p.Info().TimestampHz}
	if k.hz == 0 {
		return f()
	}
	if k.hz < clockMinimum {
		k.distrust("it has %d Hz", k.hz)
		return f()
	}
	stamp, from, away, err := c.glance(ctx, clock)
	if err == nil {
		if err := f(); err != nil {
			return err
		}
		k.start(stamp, from)
		var to, back time.Duration
		if stamp, to, back, err = c.glance(ctx, clock); err == nil {
			k.uncertainty = (away + back) / 2
			k.advance(stamp, to)
			k.compare(k.duration(k.ticks), to-from, attachTolerance)
			k.start(stamp, to)
			return nil
		}
	}
	if errors.Is(err, probe.ErrResponse) {
		k.distrust("it sends no timestamps")
		return f()
	}
	return err
}
