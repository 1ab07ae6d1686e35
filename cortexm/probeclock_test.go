package cortexm

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// The number of wraps between two stamps is the one that fits the host's clock.
func TestProbeClockWraps(t *testing.T) {
	const hz = 120_000_000 // wraps after 35.8 s
	k := probeClock{hz: hz}
	k.start(1<<32-hz, 5*time.Second)
	for _, passed := range []time.Duration{10 * time.Millisecond, 2 * time.Second, 34 * time.Second, 36 * time.Second, time.Minute, 10 * time.Minute} {
		host := k.at + passed
		before := k.ticks
		ticks := uint64(passed.Seconds() * hz)
		k.advance(k.last+uint32(ticks), host+3*time.Millisecond)
		if got := k.ticks - before; got != ticks {
			t.Errorf("after %v: %d ticks, want %d", passed, got, ticks)
		}
		k.at = host
	}
}

// The quickest way to the probe ties its clock to the host's; what held a request
// up does not show, and drift is followed.
func TestProbeClockFollowsTheQuickest(t *testing.T) {
	for _, ppm := range []float64{0, 100, -100} {
		const hz = 1_000_000
		k := probeClock{hz: hz, uncertainty: 50 * time.Microsecond}
		delays := rand.New(rand.NewPCG(3, 0))
		most := time.Duration(0)
		for i := range 20000 {
			truth := time.Duration(i) * 10 * time.Millisecond
			stamp := uint32(uint64(truth.Seconds() * (1 + ppm/1e6) * hz))
			held := time.Duration(0)
			if i%4 != 0 {
				held = time.Duration(delays.Int64N(int64(2 * time.Millisecond)))
			}
			got := k.moment(stamp, truth-held, truth+time.Millisecond)
			if d := max(got-truth, truth-got); i > 100 {
				most = max(most, d)
			}
		}
		if most > 30*time.Microsecond || k.hz == 0 {
			t.Errorf("%+.0f ppm: %v off, %s", ppm, most, k.why)
		}
	}
}

// A clock that is wrong by more than a few percent is found out by the host's,
// one that jumps is not followed for ever.
func TestProbeClockIsDistrusted(t *testing.T) {
	for _, c := range []struct {
		name  string
		stamp func(at time.Duration) uint32
		want  string
	}{
		{"right", func(at time.Duration) uint32 { return uint32(at.Seconds() * 1e6) }, ""},
		{"1 % fast", func(at time.Duration) uint32 { return uint32(at.Seconds() * 1.01e6) }, ""},
		{"8 % slow", func(at time.Duration) uint32 { return uint32(at.Seconds() * 0.92e6) }, "it counted"},
		{"10 % fast", func(at time.Duration) uint32 { return uint32(at.Seconds() * 1.1e6) }, "it "},
		{"stands", func(time.Duration) uint32 { return 77 }, "it counted"},
		{"noise", func(at time.Duration) uint32 { return uint32(at) * 2654435761 }, "it "},
	} {
		k := probeClock{hz: 1_000_000, uncertainty: 50 * time.Microsecond}
		for at := time.Second; at < 20*time.Second && k.hz != 0; at += 10 * time.Millisecond {
			got := k.moment(c.stamp(at), at-20*time.Microsecond, at+500*time.Microsecond)
			if got < at-20*time.Microsecond || got > at+500*time.Microsecond {
				t.Fatalf("%s: %v outside what the host can vouch for at %v", c.name, got, at)
			}
		}
		if (k.why == "") != (c.want == "") || !strings.Contains(k.why, c.want) {
			t.Errorf("%s: %q, want %q", c.name, k.why, c.want)
		}
	}
}
