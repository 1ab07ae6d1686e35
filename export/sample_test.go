package export_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/unwind"
)

// firmware is a symbolizer by table, with everything that names and places
// can be: inlining, C++, Rust, one name in two files, code without lines.
type firmware map[uint32][]symbol.Location

func (f firmware) Lookup(pc uint32) []symbol.Location              { return f[pc&^1] }
func (f firmware) HandlerAt(exc uint16, _ uint32) (string, string) { return f.Handler(exc), "" }
func (f firmware) Region(uint32) string                            { return "" }
func (f firmware) Handler(exc uint16) string {
	switch exc {
	case 15:
		return "SysTick"
	case 21:
		return "IRQ 5 (TIM2_IRQHandler)"
	}
	return fmt.Sprintf("IRQ %d", int(exc)-16)
}

type place struct {
	name, linkage, file string
	line                int
	low                 uint32
}

func (p place) function() symbol.Function {
	linkage := p.linkage
	if linkage == "" {
		linkage = p.name
	}
	return symbol.Function{Name: p.name, Linkage: linkage, File: p.file, Line: p.line, Low: p.low, High: p.low + 0x100}
}

func (p place) at(line int) symbol.Location {
	return symbol.Location{Function: p.function(), CallFile: p.file, CallLine: line, CallColumn: 3}
}

func (p place) inlined(outer place, line int) symbol.Location {
	l := p.at(line)
	l.Low, l.High, l.Inlined = outer.low, outer.low+0x100, true
	return l
}

var (
	mainFn  = place{"main", "", "/fw/src/main.c", 10, 0x08000100}
	sortFn  = place{"quicksort", "", "/fw/src/sort.c", 20, 0x08000200}
	swap    = place{"swap", "", "/fw/src/sort.c", 5, 0}
	less    = place{"less", "", "/fw/src/sort.h", 2, 0}
	filter  = place{"dsp::Filter<int, 8>::feed(int)", "_ZN3dsp6FilterIiLi8EE4feedEi", "/fw/src/dsp.cc", 40, 0x08000300}
	uart    = place{"init", "", "/fw/drivers/uart.c", 7, 0x08000400}
	spi     = place{"init", "", "/fw/drivers/spi.c", 9, 0x08000500}
	rust    = place{"<core::fmt::Arguments as core::fmt::Display>::fmt", "_ZN4core3fmt3fooE", "/rust/fmt.rs", 300, 0x08000600}
	lambda  = place{"run()::{lambda(int)#1}::operator()(int) const; odd", "", "/fw/src/dsp.cc", 60, 0x08000700}
	memcpy  = place{"memcpy", "", "", 0, 0x08000800}
	idle    = place{"idle_task", "", "/fw/src/rtos.c", 80, 0x08000900}
	tick    = place{"SysTick_Handler", "", "/fw/src/tick.c", 3, 0x08000a00}
	timer   = place{"TIM2_IRQHandler", "", "/fw/src/tick.c", 30, 0x08000b00}
	ramFn   = place{"fast_copy", "", "/fw/src/ram.c", 4, 0x20000100}
	program = firmware{
		0x08000110: {mainFn.at(12)}, 0x08000112: {mainFn.at(13)}, 0x08000120: {swap.inlined(mainFn, 6), mainFn.at(15)},
		0x08000210: {sortFn.at(22)}, 0x08000220: {swap.inlined(sortFn, 6), sortFn.at(25)},
		0x08000230: {less.inlined(sortFn, 3), swap.inlined(sortFn, 7), sortFn.at(26)},
		0x08000310: {filter.at(42)}, 0x08000410: {uart.at(8)}, 0x08000510: {spi.at(11)}, 0x08000610: {rust.at(310)},
		0x08000710: {lambda.at(61)}, 0x08000810: {memcpy.at(0)}, 0x08000910: {idle.at(82)}, 0x08000a10: {tick.at(4)},
		0x08000b10: {timer.at(33)}, 0x20000110: {ramFn.at(5)},
	}
)

var mapping = profile.Mapping{
	Path: "/fw/build/app.elf", Name: "app.elf", LoadBase: 0x08000000, Low: 0x08000000, High: 0x20001000, HasLines: true, HasFunction: true,
	BuildID: []byte{0xe0, 0x04, 0x25, 0x3f, 0x89, 0x4f, 0xd3, 0x11, 0x9a, 0x0c, 0x03, 0x05, 0xe8, 0x2c, 0x33, 0x01, 0x5a, 0x6b, 0x7c, 0x8d},
}

func leaf(pc uint32) unwind.Frame        { return unwind.Frame{PC: pc, Kind: unwind.Leaf} }
func caller(pc uint32) unwind.Frame      { return unwind.Frame{PC: pc + 2, Kind: unwind.Caller} }
func interrupted(pc uint32) unwind.Frame { return unwind.Frame{PC: pc, Kind: unwind.Interrupted} }
func boundary(exc uint16) unwind.Frame   { return unwind.Frame{ExcNum: exc, Kind: unwind.Exception} }

// rich builds a profile of n samples with everything that a profile can hold;
// the same for the same n.
func rich(tb testing.TB, n int) *profile.Profile {
	tb.Helper()
	period := 10 * time.Millisecond
	b := profile.NewBuilder(program, profile.Options{
		Start: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), Period: period, Mapping: mapping, Thread: "Core 0",
		Source: func(file string) (string, bool) {
			return "// " + file + "\nint x; /* </script> & \u00e4 */\n", file == "/fw/src/sort.c"
		},
	})
	r := rand.New(rand.NewPCG(1, 2))
	now := time.Duration(0)
	for i := range n {
		step := period/2 + time.Duration(r.Int64N(int64(period)))
		now += step
		s := &snapshot.Snapshot{Seq: uint64(i), Time: now, Weight: step, Halted: time.Duration(20+r.IntN(30)) * time.Microsecond}
		frames, stop := stack(r, s)
		b.Add(s, frames, stop)
	}
	return b.Finish(profile.Acquisition{
		Command: []string{"mprof", "sample", "--rate", "100", "app.elf"}, Version: "0.1.0", Device: "Cortex-M4 r0p1", Probe: "simulated probe",
		EndReason: "duration reached", Remarks: []string{"no call frame information (.debug_frame): stacks can end early; compile with -g"},
		Seed: 7, RateHz: 100, SWCLKHz: 10_000_000, ClockLabel: "virtual time",
	}, now)
}

// stack makes up one sample.
func stack(r *rand.Rand, s *snapshot.Snapshot) ([]unwind.Frame, unwind.Stop) {
	sorting := []unwind.Frame{leaf([]uint32{0x08000210, 0x08000220, 0x08000230}[r.IntN(3)])}
	for range r.IntN(5) {
		sorting = append(sorting, caller(0x08000210))
	}
	sorting = append(sorting, caller(0x08000110))
	switch k := r.IntN(100); {
	case k < 25:
		return sorting, unwind.Stop{}
	case k < 45:
		s.State = snapshot.Sleeping
		return []unwind.Frame{leaf(0x08000910), caller(0x08000112)}, unwind.Stop{}
	case k < 55:
		return []unwind.Frame{leaf(0x08000310), caller(0x08000120)}, unwind.Stop{}
	case k < 60:
		return []unwind.Frame{leaf(0x08000410), caller(0x08000112)}, unwind.Stop{}
	case k < 63:
		return []unwind.Frame{leaf(0x08000510), caller(0x08000112)}, unwind.Stop{}
	case k < 67:
		return []unwind.Frame{leaf(0x08000610), caller(0x08000710), caller(0x08000112)}, unwind.Stop{}
	case k < 74:
		return append([]unwind.Frame{leaf(0x08000a10), boundary(15), interrupted(sorting[0].PC)}, sorting[1:]...), unwind.Stop{}
	case k < 78:
		return []unwind.Frame{leaf(0x08000b10), boundary(21), interrupted(0x08000a10), boundary(15), interrupted(0x08000910), caller(0x08000112)}, unwind.Stop{}
	case k < 84:
		return []unwind.Frame{leaf(0x08000810), caller(0x08000310)}, unwind.Stop{Reason: unwind.NotCaptured, Addr: 0x20002000}
	case k < 86:
		return []unwind.Frame{leaf(0x1fff1000 + uint32(r.IntN(3))*2)}, unwind.Stop{Reason: unwind.NoRule}
	case k < 90:
		return []unwind.Frame{leaf(0x20000110), {PC: 0x08000112, Kind: unwind.Caller, Method: unwind.FromScan}}, unwind.Stop{Reason: unwind.NoRule, Addr: 0x20000110}
	case k < 91:
		s.State = snapshot.Reset
		return []unwind.Frame{leaf(0x08000110)}, unwind.Stop{}
	case k < 92:
		s.Miss = snapshot.TargetFault
		return nil, unwind.Stop{Reason: unwind.NoSample}
	case k < 94:
		s.Miss = snapshot.OffTarget
		return nil, unwind.Stop{Reason: unwind.NoSample}
	}
	return []unwind.Frame{leaf(0x08000110 + uint32(r.IntN(2))*2)}, unwind.Stop{}
}
