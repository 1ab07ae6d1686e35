package counters

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"
)

// clearing begins anew at each reading.
type clearing struct{ *fake }

func (c *clearing) ReadMemory(ctx context.Context, addr uint32, p []byte) error {
	c.set(wEpoch, c.get(wEpoch)+1)
	return c.fake.ReadMemory(ctx, addr, p)
}

func refuse(addr, _ uint32) string {
	if addr>>28 == 4 {
		return "the registers of peripherals"
	}
	return ""
}

// TestHostileBlocks: what cannot be is one sentence that says what it is.
func TestHostileBlocks(t *testing.T) {
	set := func(pairs ...uint32) func(*fake) {
		return func(f *fake) {
			for i := 0; i < len(pairs); i += 2 {
				f.set(int(pairs[i]), pairs[i+1])
			}
		}
	}
	arc := func(i, next uint32) func(*fake) {
		return func(f *fake) {
			binary.LittleEndian.PutUint32(f.ram[f.get(wArcs)-ramBase+i*arcSize+12:], next)
		}
	}
	for _, c := range []struct {
		name, want string
		change     func(*fake)
	}{
		{"erased", "not called profile_on", set(wVersion, 0)},
		{"flash", "is no mprof_gprof: its version word is 0xffffffff", set(wVersion, math.MaxUint32)},
		{"later layout", "has layout 2", set(wVersion, version+1)},
		{"shorter", "its size is 80 bytes", set(wSize, 80)},
		{"huge", "its size is 4294967295 bytes", set(wSize, math.MaxUint32)},
		{"off", "profile_off", set(wState, 0)},
		{"no room at first", "it wants 70000 bytes", set(wVersion, 0, wWanted, 70000)},
		{"no room", "it wants 70000 bytes", set(wState, 0, wBuckets, 0, wWanted, 70000)},
		{"state", "its state is 77", set(wState, 77)},
		{"upside down", "counts from 0x08000000 to 0x07ffffff", set(wHigh, codeLow-1)},
		{"no buckets", "0 buckets", set(wBuckets, 0)},
		{"buckets of a byte", "buckets are of 2^0", set(wShift, 0)},
		{"shift", "2^200", set(wShift, 200)},
		{"too many", "buckets of", set(wBuckets, math.MaxUint32)},
		{"all there is", "33554432 buckets", set(wLow, 0, wHigh, 1<<31, wShift, 6, wBuckets, 1<<25)},
		{"others", "301 buckets of 4 bytes are not", set(wBuckets, 301)},
		{"timer", "0 cycles of", set(wPeriod, 0)},
		{"clock", "of 0 Hz", set(wHz, 0)},
		{"odd", "cannot be at 0x20000101", set(wCounters, countersAt+1)},
		{"past the end", "cannot be at 0xfffffff0", set(wCounters, 0xFFFFFFF0)},
		{"over the block", "over the block itself", set(wCounters, blockAt+8)},
		{"peripheral", "would lie in the registers", set(wCounters, 0x40000000)},
		{"arcs in a peripheral", "the arcs at 0x40000000+1024 would lie in the registers", set(wArcs, 0x40000000)},
		{"nowhere", "read 300 counters: FAULT", set(wCounters, 0x30000000)},
		{"arcs nowhere", "arcs: FAULT", set(wArcs, 0x30000000)},
		{"arcs", "65 arcs are used of 64", set(wArcsUsed, fakeArcs+1)},
		{"arcs without end", "room for 4294967295 arcs", set(wArcsSize, math.MaxUint32)},
		{"request", "request word is 0x00000007", set(wRequest, 7)},
		{"itself", "the list through arc 3 runs in a circle", arc(3, 4)},
		{"loop", "runs in a circle", func(f *fake) { arc(1, 6)(f); arc(5, 8)(f); arc(7, 2)(f) }},
		{"beyond", "is followed by arc 64 of 64", arc(2, 65)},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := ticked(400, newFake(300, 5))
			c.change(f)
			_, err := Read(t.Context(), f, Place{Addr: blockAt, Refuse: refuse})
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "gmon: ") {
				t.Errorf("%v, want one sentence with %q", err, c.want)
			}
		})
	}
	if _, err := Read(t.Context(), newFake(300, 5), Place{Addr: 0x10000000}); !errors.Is(err, errBus) {
		t.Errorf("a block where nothing is: %v", err)
	}
}

// TestRemarks: what counts lack is said.
func TestRemarks(t *testing.T) {
	for _, c := range []struct {
		name, want string
		change     func(*fake)
	}{
		{"arcs", "found no room for another arc", func(f *fake) { f.set(wArcsLost, 5) }},
		{"outside", "outside of 0x08000000", func(f *fake) {}},
		{"at the end", "1 counters are at 65535", func(f *fake) { copy(f.ram[countersAt-ramBase:], "\xff\xff") }},
		{"saturated", "10 of 2000 ticks (0.5 %) found their counter at 65535", func(f *fake) { f.set(wSaturated, 10) }},
		{"rate", "ticks at 2.5 Hz", func(f *fake) { f.set(wHz, 5); f.set(wPeriod, 2) }},
		{"written over", "something else writes", func(f *fake) { copy(f.ram[countersAt-ramBase+30:], "\x34\x12") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := ticked(2000, newFake(300, 5))
			c.change(f)
			got, err := f.target().Fetch(t.Context(), FetchOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if all := strings.Join(append(got.Exactness(), got.Remarks()...), "\n"); !strings.Contains(all, c.want) {
				t.Errorf("%q lacks %q", all, c.want)
			}
		})
	}
}

// FuzzRead: whatever lies in memory, reading it ends, with counts or one sentence.
func FuzzRead(f *testing.F) {
	good := ticked(300, newFake(200, 1))
	f.Add(good.ram)
	loop := ticked(300, newFake(200, 1))
	binary.LittleEndian.PutUint32(loop.ram[loop.get(wArcs)-ramBase+12:], 1)
	f.Add(loop.ram)
	f.Add(make([]byte, 300))
	f.Fuzz(func(t *testing.T, ram []byte) {
		if len(ram) < 0x100 {
			return
		}
		c, err := Read(t.Context(), &fake{ram: ram, hits: map[uint32]uint64{}}, Place{Addr: blockAt, Refuse: refuse})
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q", err)
			}
			return
		}
		d := c.Data()
		var sum uint64
		for _, b := range d.Buckets {
			sum += b.Count
		}
		if sum != c.Total()*uint64(d.PerSample) || d.Rate == 0 || d.PerSample == 0 {
			t.Errorf("%d in buckets of %d, rate %d", sum, c.Total(), d.Rate)
		}
		(&Fetched{Counts: c}).Exactness()
		c.Remarks()
		if same, ok := c.Since(c); ok && same.Total() != 0 {
			t.Errorf("%d since itself", same.Total())
		}
	})
}
