package gproftest

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/firmware/examples/examplestest"
	"github.com/mprof/mprof/gmon/counters"
	"github.com/mprof/mprof/sim/truth"
)

type calls struct {
	from     uint32 // return address
	function string
}

// onBoards are the simulated boards that the example runs on, with buckets of one instruction.
var onBoards = []struct {
	board string
	hz    int
}{{"stm32f405", 16_000_000}, {"stm32f405", 168_000_000}, {"mps2-an385", 25_000_000}}

const finest = "-DGPROF_BUCKET=2 -DGPROF_WORDS=3000"

func eachBoard(t *testing.T, f func(t *testing.T, p *program, hz int)) {
	for i, on := range onBoards {
		if testing.Short() && i > 0 {
			continue
		}
		t.Run(fmt.Sprintf("%s, %d MHz", on.board, on.hz/1_000_000), func(t *testing.T) {
			b := examplestest.Build{Board: on.board, Defines: finest}
			if on.board == "stm32f405" {
				b.CoreHz = on.hz
			}
			f(t, build(t, b), on.hz)
		})
	}
}

// Every arc and every count is what the board's shadow stack has: recursion, tail calls, pointers, handlers that
// interrupt anything, mcount too.
func TestArcsAreTrue(t *testing.T) {
	eachBoard(t, func(t *testing.T, p *program, hz int) {
		b := p.board(t, hz)
		for range 3 {
			b.Core().Run(b.Core().Cycles() + uint64(hz)/3)
			p.restful(t, b.Core())
			c := p.fetched(t, coreMemory{b.Core()})
			want := p.trueArcs(b.Truth().Arcs())
			if diff := cmp.Diff(want, p.arcs(t, c), cmp.AllowUnexported(calls{})); diff != "" {
				t.Fatalf("arcs (-true +counted):\n%s", diff)
			}
			if c.After.ArcsLost != 0 || len(want) < 20 {
				t.Errorf("%d arcs, %d calls lost", len(want), c.After.ArcsLost)
			}
		}
	})
}

// trueArcs are those of functions that are profiled.
func (p *program) trueArcs(all []truth.Arc) map[calls]uint64 {
	m := map[calls]uint64{}
	for _, a := range all {
		if p.profiled[a.Function] {
			m[calls{a.From &^ 1, a.Function}] += a.Count
		}
	}
	return m
}

func (p *program) arcs(t *testing.T, c *counters.Counts) map[calls]uint64 {
	m := map[calls]uint64{}
	for _, a := range c.Arcs {
		if a.From&1 == 0 || a.Self&1 == 0 {
			t.Errorf("no Thumb bit: %+v", a)
		}
		if a.Count > 0 {
			m[calls{a.From &^ 1, p.function(a.Self &^ 1)}] += uint64(a.Count)
		}
	}
	return m
}

// skid is how many cycles of a call or return may be seen as time of the other function: an interrupt finds the PC of
// the instruction that comes next.
const skid = 4

// transfers are the calls into functions and out of them.
func (p *program) transfers(arcs []truth.Arc) map[string]uint64 {
	m := map[string]uint64{}
	for _, a := range arcs {
		m[a.Function] += a.Count
		m[p.function(a.From-2)] += a.Count
	}
	return m
}

// The histogram's shares are those of the board's cycles within the noise of sampling (four standard deviations) and
// skid, and no tick is lost. What the profiler's own interrupt takes is in no share: it does not interrupt itself.
func TestHistogramIsTrue(t *testing.T) {
	eachBoard(t, func(t *testing.T, p *program, hz int) {
		b := p.board(t, hz)
		before := b.Truth().Self()
		start := b.Core().Cycles()
		b.Core().Run(start + 2*uint64(hz))
		c := p.fetched(t, coreMemory{b.Core()})
		self := b.Truth().Self()
		var all uint64
		for f := range self {
			self[f] -= before[f]
			if f == "gprof_irq" || f == "gprof_tick" || f == "gprof_timer_clear" || f == "gprof_hit" {
				delete(self, f)
			}
			all += self[f]
		}
		ticks, took := uint64(c.After.Ticks), b.Core().Cycles()-start
		// Intervals are even in [7/8, 9/8): a standard deviation of 1/4/sqrt(12) each.
		if want := float64(took) / float64(hz) / c.After.Interval(); math.Abs(float64(ticks)-want) > 2+4*math.Sqrt(want/12)/4 {
			t.Errorf("%d ticks, want %.1f", ticks, want)
		}
		if c.Total()+uint64(c.After.Outside) != ticks || c.After.Outside != 0 || c.After.Saturated != 0 {
			t.Errorf("%d in counters: %+v", c.Total(), c.After)
		}
		got := map[string]uint64{}
		for i, n := range c.Counters {
			if n > 0 {
				got[p.function(c.After.Low+uint32(i)<<c.After.BucketShift)] += uint64(n)
			}
		}
		transfers := p.transfers(b.Truth().Arcs())
		var rows strings.Builder
		for _, f := range slices.SortedFunc(maps.Keys(self), func(a, b string) int { return int(self[b]) - int(self[a]) }) {
			fmt.Fprintf(&rows, "%-24s true %8s  counted %8s\n", f, share(self[f], all), share(got[f], ticks))
			q := float64(self[f]) / float64(all)
			skids := skid * float64(transfers[f]) / float64(all)
			if d := math.Abs(float64(got[f])/float64(ticks) - q); d > 4*math.Sqrt(q*(1-q)/float64(ticks))+1/float64(ticks)+skids {
				t.Errorf("%s: %s, in truth %s", f, share(got[f], ticks), share(self[f], all))
			}
			delete(got, f)
		}
		if len(got) > 0 {
			t.Errorf("counted where nothing ran: %v", got)
		}
		t.Logf("%d ticks\n%s", ticks, rows.String())
	})
}
