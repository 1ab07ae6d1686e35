package check

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mprof/mprof/probe"
)

// okCycles are the SWCLK cycles of an acknowledged transfer (ADIv5.2 section
// B4.2): 8 request, 1 turnaround, 3 acknowledge, 32 data, 1 parity, 1 turnaround.
const okCycles = 46

// slowClocks tell the clock from what the firmware adds: there the cycles take
// nearly all of the time. fastClocks find the highest.
var (
	slowClocks = []uint32{250_000, 1_000_000}
	fastClocks = []uint32{2_000_000, 4_000_000, 10_000_000, 20_000_000}
)

// clockTime is about how long one clock is looked at.
const clockTime = 150 * time.Millisecond

// swclk times many transfers at several clocks: t = 46/SWCLK + what the firmware
// adds. It leaves the highest clock at which nothing goes wrong in b.highest.
func swclk(b *bench, ctx context.Context) (f Finding, err error) {
	clocks := append(append(slices.Clone(slowClocks), fastClocks...), b.asked)
	slices.Sort(clocks)
	times, fastest := map[uint32]time.Duration{}, time.Second
	for _, hz := range slices.Compact(clocks) {
		t, err := b.transferTime(ctx, hz)
		if errors.Is(err, probe.ErrDisconnected) || ctx.Err() != nil {
			return f, err
		}
		if err != nil {
			f.fact("at %s: %v", megahertz(float64(hz)), err)
			if err := b.backTo(ctx, b.asked); err != nil {
				return f, err
			}
			if hz > b.asked {
				break
			}
			continue
		}
		times[hz] = t
		if hz > b.asked && t < fastest*9/10 {
			b.highest = hz
		}
		fastest = min(fastest, t)
	}
	if err := b.p.SetClock(ctx, b.asked); err != nil {
		return f, err
	}
	low, high, here := times[slowClocks[0]], times[slowClocks[1]], times[b.asked]
	if low == 0 || high == 0 || here == 0 {
		return f, errors.New("too few clocks work")
	}
	b.costs.Transfer = here
	return f, judgeClock(&f, b.asked, times)
}

// judgeClock finds what the firmware adds, and the clocks that it makes.
func judgeClock(f *Finding, asked uint32, times map[uint32]time.Duration) error {
	f0, f1 := float64(slowClocks[0]), float64(slowClocks[1])
	t0, t1 := times[slowClocks[0]].Seconds(), times[slowClocks[1]].Seconds()
	scale := (t0 - t1) / (okCycles/f0 - okCycles/f1) // 1: the slow clocks are as asked
	adds := max(0, t1-scale*okCycles/f1)
	if scale < 0.5 {
		f.fact("%s a transfer at every clock: it does not follow what is asked for", micros(times[asked]))
		f.value("transfer_us", float64(times[asked])/1e3)
		f.judge(false, "", "mprof plans with the measured time, so --speed changes nothing")
		return nil
	}
	var keys []uint32
	for hz := range times {
		keys = append(keys, hz)
	}
	slices.Sort(keys)
	real := map[uint32]float64{}
	for _, hz := range keys {
		real[hz] = okCycles / max(times[hz].Seconds()-adds, 1e-9)
		f.fact("asked for %s: %s a transfer, SWCLK about %.2g MHz", megahertz(float64(hz)), micros(times[hz]), real[hz]/1e6)
		f.value(fmt.Sprintf("swclk_hz_of_%d", hz), math.Round(real[hz]))
	}
	f.fact("the firmware adds about %s to each transfer", micros(time.Duration(adds*1e9)))
	f.value("transfer_us", float64(times[asked])/1e3)
	f.value("overhead_us", adds*1e6)
	f.short("%s, of it %s the firmware's", micros(times[asked]), micros(time.Duration(adds*1e9)))
	f.judge(math.Abs(real[asked]/float64(asked)-1) < 0.2, "mprof plans with the measured time of a transfer",
		fmt.Sprintf("a --speed beyond %.2gM changes nothing; mprof plans with the measured time", real[asked]/1e6))
	return nil
}

// transferTime is the time of one transfer at a clock, and an error where reads
// go wrong.
func (b *bench) transferTime(ctx context.Context, hz uint32) (time.Duration, error) {
	if err := b.p.SetClock(ctx, hz); err != nil {
		return 0, err
	}
	if err := b.longResponse(ctx, b.p.PacketLimit()); err != nil {
		return 0, err
	}
	b.p.Invalidate()
	if v, err := b.p.ReadWord(ctx, addrCPUID); err != nil || v != b.core.CPUID() {
		return 0, errors.Join(fmt.Errorf("CPUID reads 0x%08x", v), err)
	}
	few, _, err := b.timedMatch(ctx, 0)
	if err != nil {
		return 0, err
	}
	some, _, err := b.timedMatch(ctx, 200)
	if err != nil {
		return 0, err
	}
	each := max(some-few, time.Microsecond) / 200
	retries := uint16(min(60_000, max(200, clockTime/max(each, time.Microsecond))))
	many, r, err := b.timedMatch(ctx, retries)
	if err != nil {
		return 0, err
	}
	var a probe.Answer
	if _, err := probe.ParseTransfer(r[0], neverDPIDR, &a); a.Ack != probe.OK|probe.Mismatch {
		return 0, fmt.Errorf("reading DPIDR: %w", err)
	}
	return (many - few) / time.Duration(retries), nil
}

// timedMatch times a match that fails after so many retries.
func (b *bench) timedMatch(ctx context.Context, retries uint16) (time.Duration, [][]byte, error) {
	if err := b.p.SetMatchRetry(ctx, retries); err != nil {
		return 0, nil, err
	}
	return b.timed(ctx, 2, probe.AppendTransfer(nil, neverDPIDR))
}

// backTo returns to a clock after one at which the wire failed.
func (b *bench) backTo(ctx context.Context, hz uint32) error {
	if err := b.p.SetClock(ctx, hz); err != nil {
		return err
	}
	return b.p.Recover(ctx)
}
