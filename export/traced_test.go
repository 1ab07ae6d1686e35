package export_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/mprof/mprof/profile"
)

// machine executes made-up calls of two contexts, a task and an interrupt that
// stops it, and notes what a perfect tracer would: pieces of self time, calls, and
// statistics from all single calls.
type machine struct {
	random *rand.Rand
	p      *profile.Profile
	stacks map[profile.Stack]profile.StackIndex
	now    time.Duration
	next   time.Duration // of the interrupt
	nested time.Duration // taken by interrupts up to now
	nets   map[profile.FunctionIndex][]time.Duration
	times  map[profile.FunctionIndex]*profile.FunctionTimes
	limit  int // calls
}

const (
	task = iota
	interrupt
)

func newMachine(seed uint64, calls int) *machine {
	m := &machine{random: rand.New(rand.NewPCG(seed, 1)), stacks: map[profile.Stack]profile.StackIndex{}, limit: calls,
		nets: map[profile.FunctionIndex][]time.Duration{}, times: map[profile.FunctionIndex]*profile.FunctionTimes{}}
	m.p = &profile.Profile{Mapping: mapping, Threads: []profile.ThreadTrack{{Name: "Task 0"}, {Name: "SysTick"}}, Trace: &profile.Trace{Version: 2, TickHz: 168e6}}
	for i, f := range []place{mainFn, sortFn, filter, uart, memcpy, tick} {
		category := profile.Thread
		if f == tick {
			category = profile.Interrupt
		}
		m.p.Functions = append(m.p.Functions, profile.Function{Name: f.name, Linkage: f.function().Linkage, File: f.file, Line: f.line})
		m.p.Symbols = append(m.p.Symbols, profile.Symbol{Name: f.function().Linkage, Low: f.low, High: f.low + 0x100})
		m.p.Frames = append(m.p.Frames, profile.Frame{Function: profile.FunctionIndex(i), Symbol: profile.SymbolIndex(i), Addr: f.low, File: f.file, Line: f.line, Category: category})
	}
	m.next = 50 * time.Microsecond
	return m
}

// spend is time in the leaf itself, which interrupts cut into pieces.
func (m *machine) spend(context int, at profile.StackIndex, d time.Duration) {
	f := m.p.Frames[m.p.Stacks[at].Frame].Function
	piece := func(d time.Duration) {
		t := &m.p.Threads[context]
		t.Samples = append(t.Samples, profile.Sample{Time: m.now, Weight: d, Stack: at})
		m.function(f).Self += d
		m.now += d
	}
	for context == task && m.now+d > m.next {
		before := max(m.next-m.now, 1)
		piece(min(before, d))
		d -= min(before, d)
		start := m.now
		m.call(interrupt, profile.None, 5, 0)
		m.nested += m.now - start
		m.next = m.now + 50*time.Microsecond
	}
	if d > 0 {
		piece(d)
	}
}

func (m *machine) function(f profile.FunctionIndex) *profile.FunctionTimes {
	if m.times[f] == nil {
		m.times[f] = &profile.FunctionTimes{Function: f}
	}
	return m.times[f]
}

// call runs function f from its entry to its return.
func (m *machine) call(context int, prefix profile.StackIndex, f profile.FrameIndex, depth int) {
	key := profile.Stack{Prefix: prefix, Frame: f}
	at, ok := m.stacks[key]
	if !ok {
		at = profile.StackIndex(len(m.p.Stacks))
		m.stacks[key] = at
		m.p.Stacks = append(m.p.Stacks, key)
	}
	t := &m.p.Threads[context]
	slot := len(t.Calls)
	t.Calls = append(t.Calls, profile.Call{Stack: at, Time: m.now})
	m.p.Trace.Calls++
	entry, nested := m.now, m.nested
	m.spend(context, at, time.Duration(100+m.random.IntN(5000)))
	for context == task && depth < 5 && m.random.IntN(3) > 0 && m.p.Trace.Calls < uint64(m.limit) {
		m.call(context, at, profile.FrameIndex(1+m.random.IntN(4)), depth+1)
		m.spend(context, at, time.Duration(50+m.random.IntN(900)))
	}
	call := &m.p.Threads[context].Calls[slot]
	call.Duration = m.now - entry
	call.Net = call.Duration - (m.nested - nested)
	samples := m.p.Threads[context].Samples
	samples[len(samples)-1].Count++
	m.returned(at, call)
}

// returned adds a call to the statistics.
func (m *machine) returned(at profile.StackIndex, c *profile.Call) {
	f := m.p.Frames[m.p.Stacks[at].Frame].Function
	times := m.function(f)
	times.Calls++
	if times.Calls == 1 || c.Net > times.Max {
		times.Max, times.Longest, times.LongestAt = c.Net, c.Duration, c.Time
	}
	m.nets[f] = append(m.nets[f], c.Net)
	outermost := true
	for above, frame := range m.p.Callers(at) {
		outermost = outermost && (above == at || frame.Function != f)
	}
	if outermost {
		times.Total += c.Net
	}
}

// traced is a profile of about that many calls.
func traced(tb testing.TB, calls int) *profile.Profile {
	tb.Helper()
	m := newMachine(7, calls)
	for m.p.Trace.Calls < uint64(calls) {
		m.call(task, profile.None, 0, 0)
		m.now += 3 * time.Microsecond // nothing traced runs
	}
	p := m.p
	for f, times := range m.times {
		nets := m.nets[f]
		slices.Sort(nets)
		var sum time.Duration
		for _, d := range nets {
			sum += d
		}
		n := len(nets)
		times.Min, times.Mean, times.P50, times.P99 = nets[0], sum/time.Duration(n), nets[n/2], nets[n*99/100]
		p.Trace.Functions = append(p.Trace.Functions, *times)
	}
	slices.SortFunc(p.Trace.Functions, func(a, b profile.FunctionTimes) int { return cmp.Compare(b.Total, a.Total) })
	p.Start, p.Duration = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), m.now
	p.Trace.Kept = p.Trace.Calls
	p.Taken = profile.Acquisition{Command: []string{"mprof", "trace", "--port=/dev/ttyUSB0", "app.elf"}, Version: "0.1.0", Method: profile.MethodTrace,
		Probe: "/dev/ttyUSB0, 921600 baud", EndReason: "duration reached", Remarks: []string{"one thing to know"}}
	if err := p.Check(); err != nil {
		tb.Fatal(err)
	}
	return p
}

// lossy is a small trace with all that can go wrong.
func lossy(tb testing.TB) *profile.Profile {
	p := traced(tb, 60)
	t := p.Trace
	t.Firmware = "pump"
	t.LostCalls, t.TooDeep, t.Unmatched, t.Resets, t.Bytes = 30, 2, 1, 1, 4321
	t.Losses = []profile.Loss{{What: "packets with a wrong CRC", Pieces: 1, Bytes: 130, Calls: 22}, {What: "records dropped by the target", Pieces: 8, Calls: 8}}
	t.HighWater, t.Buffer, t.Calibrated, t.PairCost, t.InnerCost = 3000, 4096, true, 420*time.Nanosecond, 150*time.Nanosecond
	t.Kept -= 2
	for i := range p.Threads[0].Calls[:1] {
		p.Threads[0].Calls[i].AtLeast = true
	}
	t.Functions[0].AtLeast, t.Functions[1].Open = true, true
	p.Functions = append(p.Functions, profile.Function{Name: "<still running>", Label: true})
	t.Functions = append(t.Functions, profile.FunctionTimes{Function: profile.FunctionIndex(len(p.Functions) - 1), Total: 20 * time.Microsecond, Open: true})
	gap := 10 * time.Microsecond
	p.Events = []profile.Event{
		{Time: 20 * time.Microsecond, Duration: gap, Name: "Lost", Detail: "a packet did not arrive", Off: true},
		{Time: 40 * time.Microsecond, Name: "Reset", Detail: "the target started again"},
	}
	p.Taken.Away = []profile.Away{{Name: "Lost", Pieces: 1, Time: gap}}
	return p
}
