package calls

import (
	"testing"
	"time"

	"github.com/mprof/mprof/trace"
)

// numbered is a batch of version 2 with the number of its first record.
func numbered(b *Builder, number uint32, r ...trace.Record) {
	b.Records(trace.Batch{Version: 2, Number: number, Numbered: true, Records: r})
}

// A target that begins again with its numbers and its clock was reset: that is no hour
// of silence, and nothing from before lies in a call behind it.
func TestUnsaidReset(t *testing.T) {
	for name, again := range map[string]func(*Builder){
		"numbers": func(*Builder) {},
		"START":   func(b *Builder) { b.Answer(trace.CommandStart, 0) },
	} {
		b := NewBuilder(names{}, Options{})
		b.Metadata(microseconds())
		numbered(b, 70, at(0, 1, leaf1, 500_000, 500_100))
		again(b)
		numbered(b, 0, at(0, 0, main_, 10, 200))
		p := finish(t, b)
		expect(t, p, "Thread mode: <lost caller>;f2 at 0s: 100µs, net 100µs", "Thread mode: f0 at 100µs: 190µs, net 190µs")
		remarks(t, p, "clock of the target went back 1 time,")
		if p.Trace.Resets != 1 {
			t.Errorf("%s: %d resets", name, p.Trace.Resets)
		}
	}
}

// What is none: numbers that begin again while the clock goes on, as after a START whose
// ACK got lost; a clock that wraps; numbers that wrap.
func TestNoUnsaidReset(t *testing.T) {
	for _, c := range []struct {
		before, after uint32 // numbers
		next          uint32 // entry
	}{{70, 0, 600_000}, {70, 71, 500_090}, {70, 71, 400_000}, {0xFFFFFFFF, 0, 500_099}} {
		b := NewBuilder(names{}, Options{})
		b.Metadata(microseconds())
		numbered(b, c.before, at(0, 0, leaf1, 500_000, 500_100))
		numbered(b, c.after, at(0, 0, main_, c.next, c.next))
		if p := finish(t, b); p.Trace.Resets != 0 || len(p.Taken.Remarks) != 0 {
			t.Errorf("%+v: %d resets, %q", c, p.Trace.Resets, p.Taken.Remarks)
		}
	}
}

// In version 1 only the clock tells; where the host saw that an hour passed, it wrapped.
func TestUnsaidResetOfVersion1(t *testing.T) {
	for _, c := range []struct {
		next    uint32        // exit
		arrived time.Duration // of the second record; 0: the host has no clock
		resets  uint64
	}{
		{100, 0, 1}, {100, time.Second, 1}, {100, 71 * time.Minute, 0}, {4_500_000, 0, 0}, {6_000_000, 0, 0},
	} {
		b := NewBuilder(names{}, Options{})
		if c.arrived > 0 {
			b.Arrived(0)
		}
		b.Records(trace.Batch{Version: 1, Records: []trace.Record{{Func: address(main_), Entry: 5_000_000, Duration: 100, Context: trace.NoContext}}})
		if c.arrived > 0 {
			b.Arrived(c.arrived)
		}
		b.Records(trace.Batch{Version: 1, Records: []trace.Record{{Func: address(main_), Entry: c.next - 50, Duration: 50, Context: trace.NoContext}}})
		p := finish(t, b)
		if p.Trace.Resets != c.resets || p.Duration > time.Hour != (c.arrived > time.Hour) {
			t.Errorf("%+v: %d resets in %v, %q", c, p.Trace.Resets, p.Duration, p.Taken.Remarks)
		}
	}
}
