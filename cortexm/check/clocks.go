package check

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mprof/mprof/probe"
)

// delay lets the probe wait and times it by the host's clock.
func delay(b *bench, ctx context.Context) (f Finding, err error) {
	const long = 50_000 // us
	none, _, err := b.timed(ctx, 3, probe.AppendDelay(nil, 0))
	if err != nil {
		return f, err
	}
	took, r, err := b.timed(ctx, 1, probe.AppendDelay(nil, long))
	if err != nil {
		return f, err
	}
	if _, err := probe.ParseDelay(r[0]); err != nil {
		return f, err
	}
	waited := max(0, took-none)
	f.fact("asked for %d us, waited %s by the host's clock", long, micros(waited))
	f.value("delay_us", float64(waited)/1e3)
	off := math.Abs(float64(waited)/1e3/long - 1)
	f.judge(off < 0.1, "a stack whose size is learned late is waited for inside the probe", "delays inside a packet are off by as much, and so is the time that they halt")
	return f, nil
}

// stamp reads the probe's clock, and the host's before and after.
func (b *bench) stamp(ctx context.Context) (ticks uint32, before, after time.Duration, err error) {
	before = b.clock.Now()
	a, err := b.transfer(ctx, probe.Req{Op: probe.ReadDPIDR | probe.Timestamp})
	after = b.clock.Now()
	if err != nil {
		return 0, 0, 0, err
	}
	if len(a.Stamps) != 1 {
		return 0, 0, 0, fmt.Errorf("no timestamp in the response: %w", probe.ErrResponse)
	}
	return a.Stamps[0], before, after, nil
}

// stampTime is how long the two clocks are compared, twice.
const stampTime = 500 * time.Millisecond

// timestamps compares the probe's clock with the host's.
func timestamps(b *bench, ctx context.Context) (f Finding, err error) {
	announced := float64(b.p.Info().TimestampHz)
	if announced == 0 {
		f.fact("the probe has no clock")
		f.short("none")
		f.judge(true, "samples have the host's time, and halts are counted from what the probe did", "")
		return f, nil
	}
	var ticks [3]uint32
	var at [3]time.Duration
	var unsure time.Duration
	for i := range ticks {
		if i > 0 {
			if err := b.clock.Sleep(ctx, stampTime); err != nil {
				return f, err
			}
		}
		var before, after time.Duration
		if ticks[i], before, after, err = b.stamp(ctx); err != nil {
			return f, err
		}
		at[i] = (before + after) / 2
		unsure = max(unsure, (after-before)/2)
	}
	rate := func(i, j int) float64 { return float64(ticks[j]-ticks[i]) / (at[j] - at[i]).Seconds() }
	ppm := (rate(0, 2)/announced - 1) * 1e6
	margin := 2 * float64(unsure) / float64(at[2]-at[0]) * 1e6
	drift := (rate(1, 2)/rate(0, 1) - 1) * 1e6
	f.fact("says %.0f Hz, makes %.0f Hz: %+.0f ppm (give or take %.0f) against the host's clock", announced, rate(0, 2), ppm, margin)
	f.fact("from one half second to the next it changes by %+.0f ppm (give or take %.0f)", drift, 4*margin)
	f.value("timestamp_hz", rate(0, 2))
	f.value("timestamp_ppm", ppm)
	f.short("%+.0f ppm (%.0f)", ppm, margin)
	f.judge(math.Abs(ppm) < 1000+margin, "halts are measured by the probe", "halts that the probe measures are off by as much")
	return f, nil
}

// gap is the time that passes between two packets that were sent together:
// by the probe's clock from the first transfer of each, else by the host's.
func gap(b *bench, ctx context.Context) (f Finding, err error) {
	f.value("round_trip_us", float64(b.costs.RoundTrip)/1e3)
	f.fact("a small packet and its answer: %s", micros(b.costs.RoundTrip))
	n := b.p.Info().PacketCount
	f.Consequence = fmt.Sprintf("each packet more than the first holds the core about %s", micros(b.costs.Packet))
	if n < 2 {
		f.Verdict = CannotTell
		f.fact("the probe takes one packet at a time")
		return f, nil
	}
	f.fact("one more small packet in flight: %s by the host's clock", micros(b.costs.Packet))
	f.value("packet_us", float64(b.costs.Packet)/1e3)
	f.short("%s, round trip %s", micros(b.costs.Packet), micros(b.costs.RoundTrip))
	f.Verdict = OK
	if b.p.Info().TimestampHz == 0 {
		return f, nil
	}
	mean, least, err := b.gapByStamps(ctx, n)
	if err != nil {
		return f, err
	}
	f.fact("between two full packets in flight, by the probe's clock: %s in the mean, %s at least", micros(mean), micros(least))
	f.value("gap_us", float64(mean)/1e3)
	f.Consequence = fmt.Sprintf("each packet more than the first holds the core about %s beyond its transfers", micros(mean))
	return f, nil
}

// gapByStamps sends n packets together, each full of reads behind one with a
// timestamp, and takes their transfers off the time between.
func (b *bench) gapByStamps(ctx context.Context, n int) (mean, least time.Duration, err error) {
	reads := readDPIDR((b.p.PacketLimit() - 3 - 4) / 4)
	reads[0].Op |= probe.Timestamp
	var requests [][]byte
	for range n {
		requests = append(requests, probe.AppendTransfer(nil, reads))
	}
	hz, work := float64(b.p.Info().TimestampHz), time.Duration(len(reads))*b.costs.Transfer
	count := 0
	for range flightRounds {
		responses, err := b.p.Exchange(ctx, requests, nil)
		if err != nil {
			return 0, 0, err
		}
		var last uint32
		for i, r := range responses {
			var a probe.Answer
			if _, err := probe.ParseTransfer(r, reads, &a); err != nil || len(a.Stamps) != 1 {
				return 0, 0, fmt.Errorf("packet %d: %d timestamps: %w", i, len(a.Stamps), err)
			}
			if i > 0 {
				d := max(0, time.Duration(float64(a.Stamps[0]-last)/hz*1e9)-work)
				if mean += d; count == 0 || d < least {
					least = d
				}
				count++
			}
			last = a.Stamps[0]
		}
	}
	return mean / time.Duration(count), least, nil
}
