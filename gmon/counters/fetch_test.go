package counters

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/gmon"
)

// counted is the truth in the form of what is fetched.
func (f *fake) counted() (all []gmon.Bucket) {
	for _, addr := range slices.Sorted(maps.Keys(f.hits)) {
		all = append(all, gmon.Bucket{Addr: addr, Size: 4, Count: min(f.hits[addr], math.MaxUint16)})
	}
	return all
}

func ticked(n int, f *fake) *fake {
	for range n {
		f.tick()
	}
	return f
}

// TestFetchHalted: what is fetched from a core that stands is what it has counted.
func TestFetchHalted(t *testing.T) {
	for seed := range uint64(20) {
		f := ticked(3000, newFake(700+uint32(seed), seed))
		f.every = 40
		want := f.counted()
		got, err := f.target().Fetch(t.Context(), FetchOptions{Halt: true})
		if err != nil {
			t.Fatal(err)
		}
		d := got.Data()
		if diff := cmp.Diff(want, d.Buckets); diff != "" {
			t.Fatalf("seed %d: buckets (-counted +fetched):\n%s", seed, diff)
		}
		var calls uint64
		for i, a := range d.Arcs {
			calls += a.Count
			if a.From&1 != 0 || a.Self&1 != 0 || i > 0 && (a.From < d.Arcs[i-1].From || a.From == d.Arcs[i-1].From && a.Self <= d.Arcs[i-1].Self) {
				t.Fatalf("seed %d: arc %d is %+v", seed, i, a)
			}
		}
		if lost := f.get(wArcsLost); calls+uint64(lost) != 3000-uint64(f.get(wOutside)) {
			t.Errorf("seed %d: %d calls in arcs and %d lost, of %d", seed, calls, lost, 3000-f.get(wOutside))
		}
		if d.Rate != 1000 || !got.Stood || got.Halted <= 0 || got.After.Ticks != 3000 {
			t.Errorf("seed %d: rate %d, stood %v for %v, %d ticks", seed, d.Rate, got.Stood, got.Halted, got.After.Ticks)
		}
		if e := got.Exactness(); len(e) != 1 || !strings.Contains(e[0], "one moment") {
			t.Errorf("seed %d: %q", seed, e)
		}
	}
}

// TestFetchRunning: each counter is what it was at some moment of the reading, and two readings are apart
// by what was counted in between.
func TestFetchRunning(t *testing.T) {
	for seed := range uint64(20) {
		f := ticked(2000, newFake(900, seed))
		f.every = 8
		before := maps.Clone(f.hits)
		first, err := f.target().Fetch(t.Context(), FetchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		after := maps.Clone(f.hits)
		for i, n := range first.Counters {
			addr := codeLow + uint32(4*i)
			if uint64(n) < before[addr] || uint64(n) > after[addr] {
				t.Fatalf("seed %d: counter of 0x%08x is %d, and was %d to %d", seed, addr, n, before[addr], after[addr])
			}
		}
		ticked(500, f)
		second, err := f.target().Fetch(t.Context(), FetchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		d, ok := second.Since(first.Counts)
		if !ok || d.Total() != second.Total()-first.Total() || d.After.Ticks != second.After.Ticks-first.After.Ticks {
			t.Fatalf("seed %d: %d of %d in between, %v", seed, d.Total(), second.Total()-first.Total(), ok)
		}
		for _, got := range []Fetched{first, second} {
			if e := got.Exactness(); len(e) != 1 || !strings.Contains(e[0], "ran on") {
				t.Errorf("seed %d: %q", seed, e)
			}
		}
	}
}

// TestFetchAndReset: with the core stopped, each tick is in exactly one of the profiles.
func TestFetchAndReset(t *testing.T) {
	f := ticked(1500, newFake(800, 7))
	f.every = 30
	sum, ticks := uint64(0), 1500
	for range 5 {
		got, err := f.target().Fetch(t.Context(), FetchOptions{Halt: true, Reset: true})
		if err != nil || !got.Reset {
			t.Fatalf("reset %v, %v", got.Reset, err)
		}
		if n := got.Total() + uint64(got.After.Outside); n != uint64(got.After.Ticks) {
			t.Errorf("%d counted in %d ticks", n, got.After.Ticks)
		}
		sum += uint64(got.After.Ticks)
		ticks += 400
		ticked(400, f)
	}
	if rest := uint64(f.get(wTicks)); sum+rest < uint64(ticks) {
		t.Errorf("%d ticks in profiles and %d to come, of %d at least", sum, rest, ticks)
	}
	if f.get(wEpoch) != 6 {
		t.Errorf("epoch %d after five resets", f.get(wEpoch))
	}
}

// TestReset clears and reads nothing.
func TestReset(t *testing.T) {
	f := ticked(100, newFake(100, 1))
	f.every = 1 << 20
	before, after, err := f.target().Reset(t.Context())
	if err != nil || before.Ticks != 100 || after.Ticks > 5 || after.Epoch != before.Epoch+1 {
		t.Errorf("%d ticks, then %d in epoch %d: %v", before.Ticks, after.Ticks, after.Epoch, err)
	}
}

// TestResetUnheard: a request that nobody obeys is taken back, and what was read is kept.
func TestResetUnheard(t *testing.T) {
	f := ticked(100, newFake(100, 1))
	f.every, f.deaf = 16, true
	got, err := f.target().Fetch(t.Context(), FetchOptions{Reset: true})
	var unheard *ResetError
	if !errors.As(err, &unheard) || got.Counts == nil || got.Reset {
		t.Fatalf("reset %v: %v", got.Reset, err)
	}
	if diff := cmp.Diff([]uint32{1, 0}, f.requests); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// TestClearedMeanwhile: counters that begin anew while they are read are read again.
func TestClearedMeanwhile(t *testing.T) {
	f := ticked(1000, newFake(400, 3))
	f.every, f.clearAt = 100, 4
	got, err := f.target().Fetch(t.Context(), FetchOptions{})
	if err != nil || got.After.Epoch != 2 || len(got.Exactness()) != 1 || got.Total() > 50 {
		t.Errorf("epoch %d, %d counted, %q: %v", got.After.Epoch, got.Total(), got.Exactness(), err)
	}
	if _, ok := got.Since(&Counts{After: Block{Epoch: 1}}); ok {
		t.Error("a difference over a reset")
	}
	f.every = 4
	busy := &clearing{f}
	var changing *ChangingError
	if _, err := Read(t.Context(), busy, Place{Addr: blockAt}); !errors.As(err, &changing) {
		t.Errorf("counters that are cleared all the time: %v", err)
	}
}
