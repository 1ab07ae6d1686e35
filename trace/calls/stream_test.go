package calls

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/trace"
)

const (
	main_ = iota
	work
	leaf1
	irq
)

// at is a record of a call.
func at(context uint16, depth, f int, entry, exit uint32) trace.Record {
	return trace.Record{Func: address(f), Entry: entry, Duration: exit - entry, Context: context, Depth: uint16(depth)}
}

// microseconds is what a target says whose ticks are so long.
func microseconds() trace.Metadata {
	return trace.Metadata{Version: 2, TimerHz: 1e6, Known: trace.KnownTickShift}
}

func records(b *Builder, r ...trace.Record) { b.Records(trace.Batch{Version: 2, Records: r}) }

// timeline writes the calls of a profile in the order of their entries.
func timeline(p *profile.Profile) (all []string) {
	for _, t := range p.Threads {
		for _, c := range t.Calls {
			var path []string
			for _, f := range p.Callers(c.Stack) {
				path = append(path, p.Functions[f.Function].Name)
			}
			slices.Reverse(path)
			line := fmt.Sprintf("%s: %s at %v: %v, net %v", t.Name, strings.Join(path, ";"), c.Time, c.Duration, c.Net)
			if c.AtLeast {
				line += ", or longer"
			}
			all = append(all, line)
		}
	}
	return all
}

func expect(t *testing.T, p *profile.Profile, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, timeline(p)); diff != "" {
		t.Errorf("%s\n%v", diff, p.Taken.Remarks)
	}
}

func remarks(t *testing.T, p *profile.Profile, want ...string) {
	t.Helper()
	all := strings.Join(p.Taken.Remarks, "\n")
	for _, w := range want {
		if !strings.Contains(all, w) {
			t.Errorf("no remark %q: %q", w, all)
		}
	}
}

// Times that wrap go on.
func TestWrap(t *testing.T) {
	b := NewBuilder(names{}, Options{})
	b.Metadata(microseconds())
	records(b, at(0, 1, leaf1, 0xFFFFFF00, 0xFFFFFF80), at(0, 1, leaf1, 0xFFFFFFF0, 0x10), at(0, 0, work, 0xFFFFFE00, 0x100))
	records(b, at(0, 0, work, 0x80000000, 0x80000100), at(0, 0, work, 0x100, 0x200)) // half an hour each
	expect(t, finish(t, b), "Thread mode: f1 at 0s: 768µs, net 768µs", "Thread mode: f1;f2 at 256µs: 128µs, net 128µs",
		"Thread mode: f1;f2 at 496µs: 32µs, net 32µs", "Thread mode: f1 at 35m47.48416s: 256µs, net 256µs", "Thread mode: f1 at 1h11m34.968064s: 256µs, net 256µs")
}

// A silence of more than 2^32 ticks shows on the clock of the host.
func TestSilence(t *testing.T) {
	b := NewBuilder(names{}, Options{})
	b.Metadata(microseconds())
	b.Arrived(time.Second)
	records(b, at(0, 0, work, 100, 200))
	b.Arrived(3*time.Hour + time.Second + 20*time.Millisecond)
	records(b, at(0, 0, work, 2210065408+100, 2210065408+200)) // three hours modulo 2^32
	p := finish(t, b)
	if at := p.Threads[0].Calls[1].Time; at < 3*time.Hour-time.Second || at > 3*time.Hour+time.Second {
		t.Errorf("the second call was at %v", at)
	}
	remarks(t, p, "longer than its clock takes to wrap, 2 wraps")
}

// After a reset, nothing lies in what was before; the time goes on.
func TestReset(t *testing.T) {
	for _, arrived := range []bool{false, true} {
		b := NewBuilder(names{}, Options{})
		m := microseconds()
		m.Flags = trace.FlagStarted
		b.Metadata(m) // it has just started, which is no reset
		b.Arrived(0)
		records(b, at(0, 1, leaf1, 5000, 5100))
		if arrived {
			b.Arrived(time.Second)
		}
		b.Metadata(m)
		records(b, at(0, 0, main_, 10, 200))
		p := finish(t, b)
		second := "100µs"
		if arrived {
			second = "999.91ms"
		}
		expect(t, p, "Thread mode: <lost caller>;f2 at 0s: 100µs, net 100µs", "Thread mode: f0 at "+second+": 190µs, net 190µs")
		if p.Trace.Resets != 1 || p.Taken.Resets != 1 || len(p.Events) != 1 || p.Events[0].Name != "Reset" {
			t.Errorf("%d resets, %+v", p.Trace.Resets, p.Events)
		}
	}
}

// After a reset, a target that has other ticks is understood, and one that goes back a
// little is not half an hour late.
func TestOtherTicks(t *testing.T) {
	b := NewBuilder(names{}, Options{})
	b.Metadata(microseconds())
	records(b, at(0, 0, work, 100, 200), at(0, 0, work, 195, 199), at(0, 0, work, 300, 400))
	m := microseconds()
	m.Flags, m.TickShift = trace.FlagStarted, 1
	b.Metadata(m)
	records(b, at(0, 0, work, 100, 200))
	p := finish(t, b)
	expect(t, p, "Thread mode: f1 at 0s: 100µs, net 100µs", "Thread mode: f1 at 95µs: 4µs, net 4µs", "Thread mode: f1 at 200µs: 100µs, net 100µs",
		"Thread mode: f1 at 300µs: 200µs, net 200µs")
	if p.Trace.Version != 2 || p.Trace.TickHz != 5e5 || p.Trace.Resets != 1 || b.doubts.units != 0 {
		t.Errorf("%+v, %q", p.Trace, p.Taken.Remarks)
	}
	m.Flags, m.TickShift = 0, 0
	b = NewBuilder(names{}, Options{})
	b.Metadata(microseconds())
	records(b, at(0, 1, work, 100, 200))
	m.TickShift = 1
	b.Metadata(m)
	records(b, at(0, 0, main_, 50, 200))
	p = finish(t, b)
	expect(t, p, "Thread mode: <lost caller>;f1 at 0s: 100µs, net 100µs", "Thread mode: f0 at 100µs: 300µs, net 300µs")
	remarks(t, p, "the unit of times changed")
}

// Records before METADATA wait for the unit of their times; without it, they are counted.
func TestEarly(t *testing.T) {
	b := NewBuilder(names{}, Options{})
	records(b, at(0, 0, work, 100, 200))
	b.Loss(trace.Loss{Kind: trace.LostRecords, Records: 3})
	records(b, at(0, 0, work, 300, 400))
	b.Metadata(trace.Metadata{TimerHz: 2e6, TickShift: 1, Known: trace.KnownTickShift})
	records(b, at(0, 0, work, 500, 600))
	p := finish(t, b)
	expect(t, p, "Thread mode: f1 at 0s: 100µs, net 100µs", "Thread mode: f1 at 200µs: 100µs, net 100µs", "Thread mode: f1 at 400µs: 100µs, net 100µs")
	if len(p.Events) != 1 || p.Events[0].Time != 100*time.Microsecond || p.Events[0].Duration != 100*time.Microsecond || !p.Events[0].Off {
		t.Errorf("%+v", p.Events)
	}

	b = NewBuilder(names{}, Options{})
	for range 100_000 {
		records(b, at(0, 0, work, 100, 200))
	}
	p = finish(t, b)
	if p.Trace.Calls != 0 || p.Trace.LostCalls != 100_000 {
		t.Errorf("%d calls, %d lost", p.Trace.Calls, p.Trace.LostCalls)
	}
	remarks(t, p, "100000 calls came without METADATA")

	for _, m := range []trace.Metadata{{Known: trace.KnownTickShift}, {TimerHz: 1e6, TickShift: 31, Known: trace.KnownTickShift}} {
		b = NewBuilder(names{}, Options{})
		b.Metadata(m)
		records(b, at(0, 0, work, 100, 200))
		p = finish(t, b)
		remarks(t, p, fmt.Sprintf("1 call was left out: the target says that its clock has %d >> %d Hz", m.TimerHz, m.TickShift))
	}
}

// A duration that did not fit is a lower bound; what waits lies in it.
func TestSaturated(t *testing.T) {
	b := NewBuilder(names{}, Options{})
	b.Metadata(trace.Metadata{TimerHz: 1e9, Known: trace.KnownTickShift})
	records(b, at(0, 1, leaf1, 1000, 2000))
	for i := range uint32(5) {
		records(b, at(0, 1, leaf1, i*1e9, i*1e9+1000))
	}
	records(b, trace.Record{Func: address(main_), Duration: trace.Saturated, Entry: 500_000_001})
	p := finish(t, b)
	lines := timeline(p)
	if len(lines) != 7 || !strings.HasPrefix(lines[0], "Thread mode: f0 at 0s") || !strings.HasSuffix(lines[0], ", or longer") {
		t.Errorf("%s", strings.Join(lines, "\n"))
	}
	for _, f := range p.Trace.Functions {
		if f.AtLeast != (p.Functions[f.Function].Name == "f0") {
			t.Errorf("%+v", f)
		}
	}
}

// What was still running is the caller of what it called.
func TestStillRunning(t *testing.T) {
	b := NewBuilder(names{}, Options{})
	b.Metadata(microseconds())
	records(b, at(0, 3, leaf1, 10, 20), at(0, 2, work, 5, 30), at(0, 2, work, 40, 50))
	records(b, at(256+15, 1, leaf1, 60, 61))
	b.Loss(trace.Loss{Kind: trace.LostBytes, Bytes: 100})
	records(b, at(0, 2, work, 70, 80))
	p := finish(t, b)
	expect(t, p, "Thread mode: <unknown caller>;f1 at 0s: 25µs, net 25µs", "Thread mode: <unknown caller>;f1;f2 at 5µs: 10µs, net 10µs",
		"Thread mode: <unknown caller>;f1 at 35µs: 10µs, net 10µs", "Thread mode: <still running>;f1 at 65µs: 10µs, net 10µs",
		"Exception 15: <exception: Exception 15>;<unknown caller>;f2 at 55µs: 1µs, net 1µs")
	for _, f := range p.Trace.Functions {
		if f.Open && (p.Functions[f.Function].Name != "<still running>" || f.Total != 10*time.Microsecond || f.Calls != 0) {
			t.Errorf("%+v", f)
		}
	}
	remarks(t, p, "the time of calls that are missing is in the calls around them")
}

// Costs are taken from callers and from the calls themselves, and never make a time
// negative.
func TestCalibration(t *testing.T) {
	m := microseconds()
	m.PairCost, m.InnerCost, m.Known = 3*256, 1*256, trace.KnownCosts
	run := func(o Options) *profile.Profile {
		b := NewBuilder(names{}, o)
		b.Metadata(m)
		records(b, at(256+15, 0, irq, 26, 28), at(0, 2, leaf1, 20, 30), at(0, 2, leaf1, 40, 40), at(0, 1, work, 10, 50), at(0, 0, main_, 0, 100))
		return finish(t, b)
	}
	p := run(Options{})
	expect(t, p, "Thread mode: f0 at 0s: 87µs, net 87µs", "Thread mode: f0;f1 at 10µs: 30µs, net 30µs",
		"Thread mode: f0;f1;f2 at 20µs: 6µs, net 5µs", "Thread mode: f0;f1;f2 at 40µs: 0s, net 0s",
		"Exception 15: <exception: Exception 15>;f3 at 26µs: 1µs, net 1µs")
	if tr := p.Trace; !tr.Calibrated || tr.PairCost != 3*time.Microsecond || tr.InnerCost != time.Microsecond {
		t.Errorf("%+v", tr)
	}
	remarks(t, p, "in 1 call, what was subtracted for tracing and what they called add up to 1 µs more")
	p = run(Options{NoCalibrate: true})
	expect(t, p, "Thread mode: f0 at 0s: 100µs, net 98µs", "Thread mode: f0;f1 at 10µs: 40µs, net 38µs",
		"Thread mode: f0;f1;f2 at 20µs: 10µs, net 8µs", "Thread mode: f0;f1;f2 at 40µs: 0s, net 0s",
		"Exception 15: <exception: Exception 15>;f3 at 26µs: 2µs, net 2µs")
	if tr := p.Trace; tr.Calibrated || tr.PairCost != 3*time.Microsecond {
		t.Errorf("%+v", tr)
	}
}

// An interrupt that switches tasks (PendSV) interrupted one task before the switch, and the other
// one behind it.
func TestSwitchInInterrupt(t *testing.T) {
	b := NewBuilder(names{}, Options{NoCalibrate: true})
	b.Metadata(microseconds())
	records(b, at(0, 0, leaf1, 10, 20),
		trace.Record{Entry: 60, Context: 1}, at(256+14, 0, irq, 50, 70), at(1, 1, leaf1, 80, 100),
		trace.Record{Entry: 150}, at(256+14, 0, irq, 145, 155), at(0, 0, main_, 30, 200),
		trace.Record{Entry: 250, Context: 1}, at(1, 0, work, 75, 300))
	expect(t, finish(t, b), "Task 0: f2 at 0s: 10µs, net 10µs", "Task 0: f0 at 20µs: 170µs, net 65µs",
		"Task 1: f1 at 65µs: 225µs, net 120µs", "Task 1: f1;f2 at 70µs: 20µs, net 20µs",
		"Exception 14: <exception: Exception 14>;f3 at 40µs: 20µs, net 20µs", "Exception 14: <exception: Exception 14>;f3 at 135µs: 10µs, net 10µs")
}

// Where the firmware does not tell of switches, other tasks have run when they were seen.
func TestUnseenSwitches(t *testing.T) {
	b := NewBuilder(names{}, Options{})
	b.Metadata(microseconds())
	records(b, at(0, 0, leaf1, 0, 10), at(1, 0, leaf1, 30, 40), at(1, 0, leaf1, 50, 60), at(0, 0, main_, 20, 100))
	p := finish(t, b)
	expect(t, p, "Task 0: f2 at 0s: 10µs, net 10µs", "Task 0: f0 at 20µs: 80µs, net 50µs",
		"Task 1: f2 at 30µs: 10µs, net 10µs", "Task 1: f2 at 50µs: 10µs, net 10µs")
	remarks(t, p, "2 context switches were not seen")
}

// What was dropped cost time where it is missing; the rest of the call is not touched.
func TestCostOfDropped(t *testing.T) {
	b := NewBuilder(names{}, Options{})
	m := microseconds()
	m.PairCost, m.InnerCost, m.Known = 4*256, 1*256, trace.KnownCosts
	b.Metadata(m)
	records(b, at(0, 1, leaf1, 10, 21))
	b.Loss(trace.Loss{Kind: trace.Dropped, Records: 5})
	records(b, at(0, 1, leaf1, 80, 91), at(0, 0, main_, 0, 121))
	p := finish(t, b)
	// 121 - 1 of its own - 2 calls of 11 - 2 * 3 outside of them - 5 * 4
	expect(t, p, "Thread mode: f0 at 0s: 92µs, net 92µs", "Thread mode: f0;f2 at 10µs: 10µs, net 10µs", "Thread mode: f0;f2 at 80µs: 10µs, net 10µs")
	if e := p.Events; len(e) != 1 || !e[0].Off || e[0].Time != 21*time.Microsecond || e[0].Duration != 59*time.Microsecond || e[0].Name != "Dropped by the target" {
		t.Errorf("%+v", e)
	}
	remarks(t, p, "what tracing them cost was subtracted there")
	if p.Trace.LostCalls != 5 || len(p.Trace.Losses) != 1 || p.Trace.Losses[0].Calls != 5 {
		t.Errorf("%+v", p.Trace)
	}
}

// Without symbols, what was called at two addresses is two functions.
func TestUnknownFunctions(t *testing.T) {
	b := NewBuilder(stripped{}, Options{})
	b.Metadata(microseconds())
	records(b, at(0, 0, work, 100, 200), at(0, 0, leaf1, 300, 350), at(0, 0, work, 400, 500))
	p := finish(t, b)
	var all []string
	for _, f := range p.Trace.Functions {
		all = append(all, fmt.Sprintf("%s: %d calls, %v", p.Functions[f.Function].Name, f.Calls, f.Total))
	}
	want := []string{
		fmt.Sprintf("0x%08x [code without symbols]: 2 calls, 200µs", address(work)),
		fmt.Sprintf("0x%08x [code without symbols]: 1 calls, 50µs", address(leaf1)),
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Error(diff)
	}
}

// stripped has code and no symbols.
type stripped struct{ names }

func (stripped) Lookup(uint32) []symbol.Location { return nil }
func (stripped) Region(uint32) string            { return "[code without symbols]" }
