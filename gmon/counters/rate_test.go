package counters

import (
	"math"
	"strings"
	"testing"
)

// TestRates: seconds in gmon.out are right whatever the interval, though its rate is a whole number, and whole rates stay as they are.
func TestRates(t *testing.T) {
	for _, c := range []struct {
		hz, period  uint32
		perTick, is uint32
	}{
		{1_000_000, 1000, 1, 1000},
		{1_000_000, 997, 1, 1003}, // 1003.009
		{16_000_000, 1552, 1, 10309},
		{1_000_000, 3500, 3, 857}, // 857.14
		{1_000_000, 1_500_000, 3, 2},
		{1, 60, 60, 1},
		{3_000_000_000, 1, 1, 3_000_000_000},
	} {
		b := &Block{TimerHz: c.hz, TimerPeriod: c.period}
		if perTick, rate := b.Rate(); perTick != c.perTick || rate != c.is {
			t.Errorf("%d / %d s: %d counts a tick, %d a second; want %d, %d", c.period, c.hz, perTick, rate, c.perTick, c.is)
		}
	}
	for us := uint32(1); us < 900_000; us += 7 {
		b := &Block{TimerHz: 1_000_000, TimerPeriod: us}
		if perTick, rate := b.Rate(); math.Abs(float64(perTick)/float64(rate)/b.Interval()-1) > 1.001*worstRounding {
			t.Fatalf("%d us: %d counts a tick, %d a second", us, perTick, rate)
		}
	}
}

// TestRateOfData: counts by their rate are the time that the ticks took, and the remarks say what a count is.
func TestRateOfData(t *testing.T) {
	f := ticked(3000, newFake(700, 1))
	f.set(wPeriod, 23*fakeInterval) // 43.478 Hz
	got, err := f.target().Fetch(t.Context(), FetchOptions{Halt: true})
	if err != nil {
		t.Fatal(err)
	}
	d := got.Data()
	total := uint64(0)
	for _, b := range d.Buckets {
		total += b.Count
	}
	if total != uint64(d.PerSample)*got.Total() || d.PerSample < 2 {
		t.Errorf("%d counts of %d ticks, %d each", total, got.Total(), d.PerSample)
	}
	if seconds, want := float64(total)/float64(d.Rate), float64(got.Total())*0.023; math.Abs(seconds/want-1) > 1.001*worstRounding {
		t.Errorf("%.3f s, the target ticked for %.3f s", seconds, want)
	}
	if text := strings.Join(got.Remarks(), "\n"); !strings.Contains(text, "each tick is 2 counts in it, 87 a second") {
		t.Error(text)
	}
}
