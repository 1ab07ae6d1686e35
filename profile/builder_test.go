package profile_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/unwind"
)

// program is a symbolizer by table: pc to locations.
type program map[uint32][]symbol.Location

func (p program) Lookup(pc uint32) []symbol.Location              { return p[pc&^1] }
func (p program) HandlerAt(exc uint16, _ uint32) (string, string) { return p.Handler(exc), "" }
func (p program) Region(uint32) string                            { return "" }
func (p program) Handler(exc uint16) string {
	if exc == 15 {
		return "SysTick"
	}
	return fmt.Sprintf("IRQ %d", int(exc)-16)
}

func function(name, file string, line int, low uint32) symbol.Function {
	return symbol.Function{Name: name, Linkage: name, File: file, Line: line, Low: low, High: low + 0x100}
}

func at(f symbol.Function, line int) symbol.Location {
	return symbol.Location{Function: f, CallFile: f.File, CallLine: line}
}

var (
	mainFn  = function("main", "main.c", 10, 0x08000100)
	fib     = function("fib", "main.c", 30, 0x08000200)
	mix     = symbol.Function{Name: "mix", Linkage: "mix", File: "mix.h", Line: 3, Low: 0x08000200, High: 0x08000300}
	handler = function("SysTick_Handler", "tick.c", 5, 0x08000400)
	idle    = function("idle", "rtos.c", 50, 0x08000500)
)

var firmware = program{
	0x08000110: {at(mainFn, 12)},
	0x08000202: {at(fib, 31)},
	0x08000210: {{Function: mix, CallFile: "mix.h", CallLine: 4, Inlined: true}, at(fib, 33)},
	0x08000404: {at(handler, 6)},
	0x08000502: {at(idle, 51)},
}

func leaf(pc uint32) unwind.Frame   { return unwind.Frame{PC: pc, Kind: unwind.Leaf} }
func caller(pc uint32) unwind.Frame { return unwind.Frame{PC: pc + 2, Kind: unwind.Caller} } // LookupPC is pc+1, in the call at pc
func boundary(exc uint16) unwind.Frame {
	return unwind.Frame{ExcNum: exc, Kind: unwind.Exception}
}
func interrupted(pc uint32) unwind.Frame { return unwind.Frame{PC: pc, Kind: unwind.Interrupted} }

var complete = unwind.Stop{}

func sample(ms int) *snapshot.Snapshot {
	return &snapshot.Snapshot{Time: time.Duration(ms) * time.Millisecond, Weight: 10 * time.Millisecond, Halted: 100 * time.Microsecond}
}

func inException(s *snapshot.Snapshot, exc uint32) *snapshot.Snapshot {
	s.Regs.Set(snapshot.XPSR, 1<<24|exc)
	return s
}

// folded writes a profile as its stacks, root first.
func folded(p *profile.Profile) (lines []string) {
	for _, s := range p.ByStack() {
		var names []string
		for _, f := range p.Callers(s.Stack) {
			names = append([]string{p.Functions[f.Function].Name}, names...)
		}
		lines = append(lines, fmt.Sprintf("%s %d", strings.Join(names, ";"), s.Samples))
	}
	return lines
}

func build(t *testing.T, add func(b *profile.Builder)) *profile.Profile {
	t.Helper()
	b := profile.NewBuilder(firmware, profile.Options{Period: 10 * time.Millisecond})
	add(b)
	p := b.Finish(profile.Acquisition{}, time.Second)
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestStacks(t *testing.T) {
	p := build(t, func(b *profile.Builder) {
		fibs := []unwind.Frame{leaf(0x08000210), caller(0x08000202), caller(0x08000202), caller(0x08000110)}
		b.Add(sample(10), fibs, complete)
		b.Add(sample(20), fibs, complete)
		b.Add(sample(30), []unwind.Frame{leaf(0x08000404), boundary(15), interrupted(0x08000202), caller(0x08000110)}, complete)
		b.Add(sample(40), []unwind.Frame{leaf(0x08000202)}, unwind.Stop{Reason: unwind.NotCaptured, Addr: 0x20001000})
		b.Add(inException(sample(50), 15), []unwind.Frame{leaf(0x08000404)}, unwind.Stop{Reason: unwind.BadRA, Addr: 3})
		b.Add(sample(60), []unwind.Frame{leaf(0x1fff0000), caller(0x08000110)}, complete)
		b.Add(sample(70), nil, unwind.Stop{Reason: unwind.InLockup})
		b.Add(sample(80), nil, complete)
		asleep := sample(90)
		asleep.State = snapshot.Sleeping
		b.Add(asleep, []unwind.Frame{leaf(0x08000502)}, complete)
	})
	want := []string{
		"main;fib;fib;fib;mix 2",
		"main;fib;<exception: SysTick>;SysTick_Handler 1",
		"<cut: stack memory not captured>;fib 1",
		"<cut: return address not in code>;<exception: SysTick>;SysTick_Handler 1",
		"main;0x1fff0000 1",
		"<lockup> 1",
		"<no frames> 1",
		"idle 1",
	}
	if diff := cmp.Diff(want, folded(p)); diff != "" {
		t.Error(diff)
	}
	category := map[string]profile.Category{}
	for _, s := range p.ByStack() {
		for _, f := range p.Callers(s.Stack) {
			category[p.Functions[f.Function].Name] = f.Category
			break
		}
	}
	wantCategory := map[string]profile.Category{"mix": profile.Thread, "SysTick_Handler": profile.Interrupt, "fib": profile.Thread,
		"0x1fff0000": profile.Unknown, "<lockup>": profile.Unknown, "<no frames>": profile.Unknown, "idle": profile.Idle}
	if diff := cmp.Diff(wantCategory, category); diff != "" {
		t.Error(diff)
	}
	a := p.Taken
	if a.Asked != 9 || a.Sleeping != 1 || a.Stops[unwind.Complete] != 6 || a.Stops[unwind.NotCaptured] != 1 || a.Stops[unwind.InLockup] != 1 {
		t.Errorf("acquisition %+v", a)
	}
}

// Inlined frames share the symbol and the address of the physical one.
func TestInlinedFrames(t *testing.T) {
	p := build(t, func(b *profile.Builder) { b.Add(sample(10), []unwind.Frame{leaf(0x08000210)}, complete) })
	if len(p.Frames) != 2 || len(p.Symbols) != 1 {
		t.Fatalf("%+v", p)
	}
	outer, inner := p.Frames[0], p.Frames[1]
	if outer.Depth != 0 || inner.Depth != 1 || outer.Symbol != inner.Symbol || outer.Addr != 0x08000210 || inner.Addr != outer.Addr ||
		outer.Line != 33 || inner.Line != 4 {
		t.Errorf("outer %+v, inner %+v", outer, inner)
	}
}

// Recursion counts once in total, leaf once in self.
func TestTop(t *testing.T) {
	p := build(t, func(b *profile.Builder) {
		for i := range 30 {
			b.Add(sample(10*i), []unwind.Frame{leaf(0x08000202), caller(0x08000202), caller(0x08000110)}, complete)
		}
		for i := range 10 {
			b.Add(sample(300+10*i), []unwind.Frame{leaf(0x08000110)}, complete)
		}
	})
	top := p.Top()
	if len(top) != 2 || top[0].Name != "fib" || top[0].Self != 30 || top[0].Total != 30 || top[1].Self != 10 || top[1].Total != 40 {
		t.Fatalf("%+v", top)
	}
	if top[0].SelfTime != 300*time.Millisecond || top[1].TotalTime != 400*time.Millisecond {
		t.Errorf("times %+v", top)
	}
	// sqrt(0.75 * 0.25 / 40)
	if s := top[0].SelfShare; s.Value != 0.75 || math.Abs(s.Error-0.0684653) > 1e-6 {
		t.Errorf("self share %+v", s)
	}
	if s := top[1].TotalShare; s.Value != 1 || s.Error != 0 {
		t.Errorf("total share %+v", s)
	}
	if top[0].SelfShare != top[0].SelfTimeShare {
		t.Error("with equal weights, shares of time are shares of samples")
	}
}

// Unequal weights: n' = (sum w)^2 / sum w^2.
func TestEffectiveSamples(t *testing.T) {
	p := build(t, func(b *profile.Builder) {
		for i, w := range []int{30, 10, 10, 10} {
			s := sample(i)
			s.Weight = time.Duration(w) * time.Millisecond
			pc := uint32(0x08000110)
			if i == 0 {
				pc = 0x08000202
			}
			b.Add(s, []unwind.Frame{leaf(pc)}, complete)
		}
	})
	for _, e := range p.Top() {
		if n := 60.0 * 60 / (900 + 300); e.SelfTimeShare.Value != 0.5 || math.Abs(e.SelfTimeShare.Error-math.Sqrt(0.25/n)) > 1e-12 {
			t.Errorf("%s: %+v", e.Name, e.SelfTimeShare)
		}
	}
}

func TestAcquisition(t *testing.T) {
	p := build(t, func(b *profile.Builder) {
		for i := range 100 {
			s := sample(10 * i)
			s.Halted = time.Duration(i+1) * time.Microsecond
			b.Add(s, []unwind.Frame{leaf(0x08000110)}, complete)
		}
		for i := range 3 {
			b.Add(&snapshot.Snapshot{Time: time.Duration(1000+i) * time.Millisecond, Miss: snapshot.TargetFault}, nil, unwind.Stop{Reason: unwind.NoSample})
		}
		b.Add(&snapshot.Snapshot{Time: 1003 * time.Millisecond, Miss: snapshot.NoAck, Halted: 4 * time.Millisecond}, nil, unwind.Stop{Reason: unwind.NoSample})
		s := sample(1010)
		s.State = snapshot.Reset | snapshot.Lockup | snapshot.AlreadyHalted
		s.Weight = 0
		b.Add(s, []unwind.Frame{leaf(0x08000110)}, complete)
		b.Event(profile.Event{Time: time.Millisecond, Name: "Note", Detail: "by the caller"})
	})
	a := p.Taken
	if a.Asked != 105 || a.Missed[snapshot.TargetFault] != 3 || a.Missed[snapshot.NoAck] != 1 || a.MissedSamples() != 4 || a.Resets != 1 || p.Samples() != 101 {
		t.Errorf("%+v", a)
	}
	if a.HaltedP50 != 51*time.Microsecond || a.HaltedP99 != 100*time.Microsecond || a.Halted != 9150*time.Microsecond { // the core stood still for the missed one, too
		t.Errorf("halted p50 %v, p99 %v, in all %v", a.HaltedP50, a.HaltedP99, a.Halted)
	}
	var events []string
	for _, e := range p.Events {
		events = append(events, fmt.Sprintf("%v+%v %s: %s", e.Time, e.Duration, e.Name, e.Detail))
	}
	want := []string{
		"1ms+0s Note: by the caller",
		"1s+3ms Missed samples: 3: target answered FAULT",
		"1.003s+7ms Missed samples: 1: no acknowledge",
		"1.01s+0s Halted by others: the core stood still before the sample: a breakpoint or another debugger",
		"1.01s+0s Lockup: the core is locked up: a fault inside a fault handler",
		"1.01s+0s Reset: the core was reset since the sample before",
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Error(diff)
	}
	if s := p.Threads[0].Samples; s[len(s)-1].Weight != 10*time.Millisecond {
		t.Error("a sample without weight stands for a period")
	}
}

// Functions of one name stay apart under names of their own; the clones and
// differently spelled paths of one function are one.
func TestUniqueNames(t *testing.T) {
	code := program{
		2:  {at(function("init", "/fw/drivers/uart.c", 1, 0), 1)},
		4:  {at(function("init", "/fw/drivers/spi.c", 1, 0), 1)},
		6:  {at(function("poll", "/fw/a/io.c", 7, 0), 1)},
		8:  {at(function("poll", "/fw/b/io.c", 7, 0), 1)},
		10: {at(function("twice", "x.c", 1, 0), 1)},
		12: {at(function("twice", "x.c", 9, 0), 1)},
		14: {at(function("bare", "", 0, 0x100), 0)},
		16: {at(function("bare", "", 0, 0x200), 0)},
		18: {{Function: symbol.Function{Name: "same", Linkage: "same", File: "/fw/inc/s.h", Line: 2, Low: 0x300}}},
		20: {{Function: symbol.Function{Name: "same", Linkage: "same.constprop.0", File: "/fw/build/../inc/s.h", Line: 2, Low: 0x400}}},
		22: {at(function("init (uart.c)", "z.c", 1, 0), 1)},
		24: {at(function("0x00001000", "odd.c", 1, 0), 1)},
	}
	b := profile.NewBuilder(code, profile.Options{})
	for pc := uint32(2); pc <= 24; pc += 2 {
		b.Add(sample(int(pc)), []unwind.Frame{leaf(pc)}, complete)
	}
	b.Add(sample(100), []unwind.Frame{leaf(0x1000)}, complete)
	p := b.Finish(profile.Acquisition{}, time.Second)
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	want := []string{"init (uart.c)' 1", "init (spi.c) 1", "poll (a/io.c) 1", "poll (b/io.c) 1", "twice (x.c:1) 1", "twice (x.c:9) 1",
		"bare (0x00000100) 1", "bare (0x00000200) 1", "same 1", "same 1", "init (uart.c) 1", "0x00001000 (odd.c) 1", "0x00001000 1"}
	if diff := cmp.Diff(want, folded(p)); diff != "" {
		t.Error(diff)
	}
	if top := p.Top(); len(top) != 12 {
		t.Errorf("%d functions", len(top))
	}
}

func TestSources(t *testing.T) {
	asked := map[string]int{}
	b := profile.NewBuilder(firmware, profile.Options{Source: func(file string) (string, bool) {
		asked[file]++
		return "text of " + file, file == "mix.h"
	}})
	b.Add(sample(1), []unwind.Frame{leaf(0x08000210), caller(0x08000110)}, complete)
	p := b.Finish(profile.Acquisition{}, time.Second)
	if diff := cmp.Diff(map[string]string{"mix.h": "text of mix.h"}, p.Sources); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{"mix.h": 1, "main.c": 1}, asked); diff != "" {
		t.Error(diff)
	}
}

func TestCheckFinds(t *testing.T) {
	for name, damage := range map[string]func(p *profile.Profile){
		"function": func(p *profile.Profile) { p.Frames[0].Function = 99 },
		"symbol":   func(p *profile.Profile) { p.Frames[0].Symbol = -2 },
		"caller":   func(p *profile.Profile) { p.Stacks[0].Prefix = 0 },
		"frame":    func(p *profile.Profile) { p.Stacks[0].Frame = -1 },
		"stack":    func(p *profile.Profile) { p.Threads[0].Samples[0].Stack = 77 },
		"earlier":  func(p *profile.Profile) { p.Threads[0].Samples[0].Time = time.Hour },
		"weight":   func(p *profile.Profile) { p.Threads[0].Samples[0].Weight = -1 },
		"both":     func(p *profile.Profile) { p.Functions = append(p.Functions, p.Functions[0]) },
		"no name":  func(p *profile.Profile) { p.Functions[0].Name = "" },
		"category": func(p *profile.Profile) { p.Frames[0].Category = profile.NumCategories },
		"thread":   func(p *profile.Profile) { p.Threads = nil },
		"duration": func(p *profile.Profile) { p.Duration = -1 },
	} {
		p := build(t, func(b *profile.Builder) {
			b.Add(sample(1), []unwind.Frame{leaf(0x08000210)}, complete)
			b.Add(sample(2), []unwind.Frame{leaf(0x08000110)}, complete)
		})
		damage(p)
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzBuilder feeds frames of any shape; the profile always passes Check and
// loses no sample.
func FuzzBuilder(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	f.Add([]byte{0xff, 0x0f, 0, 0x10, 0x33, 0, 0x21, 0x42, 5, 5, 5, 5})
	pcs := []uint32{0x08000110, 0x08000202, 0x08000210, 0x08000404, 0x08000502, 0, 1, 0xffffffff, 0xfffffffe}
	f.Fuzz(func(t *testing.T, data []byte) {
		b := profile.NewBuilder(firmware, profile.Options{})
		taken, missed := 0, uint64(0)
		for len(data) > 4 {
			s := &snapshot.Snapshot{Time: time.Duration(data[0]) * time.Millisecond, Weight: time.Duration(int8(data[1])), State: snapshot.State(data[2])}
			s.Miss = snapshot.Miss(data[3] % 12)
			s.Regs.Set(snapshot.XPSR, uint32(data[1])*3)
			n := min(int(data[4]%16), len(data)-5)
			var frames []unwind.Frame
			for _, c := range data[5 : 5+n] {
				frames = append(frames, unwind.Frame{PC: pcs[int(c)%len(pcs)], Kind: unwind.Kind(c >> 6), ExcNum: uint16(c), Method: unwind.Method(c % 8)})
			}
			b.Add(s, frames, unwind.Stop{Reason: unwind.Reason(data[2] % 12)})
			if s.Miss == snapshot.Taken {
				taken++
			} else if s.Miss < snapshot.NumMisses {
				missed++
			}
			data = data[5+n:]
		}
		p := b.Finish(profile.Acquisition{}, 0)
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		self := 0
		for _, e := range p.Top() {
			if e.Self > e.Total || e.Total > taken {
				t.Fatalf("%+v of %d", e, taken)
			}
			self += e.Self
		}
		if self != taken || p.Samples() != taken || p.Taken.MissedSamples() != missed {
			t.Fatalf("%d samples, %d in self, %d in the profile", taken, self, p.Samples())
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	build := profile.NewBuilder(firmware, profile.Options{})
	frames := []unwind.Frame{leaf(0x08000210), caller(0x08000202), caller(0x08000202), caller(0x08000202), boundary(15), caller(0x08000202), caller(0x08000110)}
	s := sample(1)
	for b.Loop() {
		build.Add(s, frames, complete)
	}
}

// Time of which nothing is known is one event for each reason and row, and adds
// up; a sample that a reset has cost is told from others.
func TestAway(t *testing.T) {
	p := build(t, func(b *profile.Builder) {
		for i, miss := range []snapshot.Miss{0, snapshot.OffTarget, snapshot.OffTarget, snapshot.ProbeGone, 0, snapshot.Secure, 0, snapshot.NoAck, 0, 0, snapshot.OffTarget} {
			s := &snapshot.Snapshot{Time: time.Duration(i) * time.Second, Miss: miss}
			if i == 8 {
				s.State = snapshot.Reset
			}
			b.Add(s, []unwind.Frame{leaf(0x08000110)}, unwind.Stop{})
		}
		b.Event(profile.Event{Time: 20 * time.Second, Duration: 3 * time.Second, Name: "Gap"})
	})
	want := []profile.Away{
		{Name: "Target off", Pieces: 2, Time: 2 * time.Second}, {Name: "Probe gone", Pieces: 1, Time: time.Second},
		{Name: "Secure state", Pieces: 1, Time: time.Second}, {Name: "Gap", Pieces: 1, Time: 3 * time.Second},
	}
	if d := cmp.Diff(want, p.Taken.Away); d != "" {
		t.Error(d)
	}
	if p.Taken.LostResets != 1 {
		t.Errorf("%d samples lost to resets", p.Taken.LostResets)
	}
	if d := profile.OffBetween(p.Events, 2500*time.Millisecond, 21*time.Second); d != 3500*time.Millisecond {
		t.Errorf("nothing known of %v", d)
	}
}
