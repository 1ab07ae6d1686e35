package gproftest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/examples/examplestest"
	"github.com/mprof/mprof/gmon/counters"
	"github.com/mprof/mprof/sim/qemu"
)

// stubMemory is the memory of a machine that its gdb server has halted.
type stubMemory struct{ *qemu.Stub }

const mostBytes = 1024 // in one packet

func (m stubMemory) ReadMemory(_ context.Context, addr uint32, p []byte) error {
	for len(p) > 0 {
		n := min(len(p), mostBytes)
		if err := m.Stub.ReadMemory(addr, p[:n]); err != nil {
			return err
		}
		addr, p = addr+uint32(n), p[n:]
	}
	return nil
}

func (stubMemory) WriteMemory(context.Context, uint32, []byte) error {
	return errors.New("this test does not write")
}

// ratios are calls of one function for each of another, in every program: both are called only by it.
var ratios = []struct {
	function, each string
	calls          uint64
}{{"takes_20", "round_of_all", 1}, {"takes_30", "round_of_all", 1}, {"takes_40", "round_of_all", 1}, {"calls_thrice", "round_of_all", 1},
	{"chooses", "round_of_all", 1}, {"tick_work", "board_tick", 1}}

// On QEMU's boards the example counts, and what it holds is consistent: calls come in the numbers that the source
// says, and the four functions of known lengths take the time that they take.
func TestOnQEMU(t *testing.T) {
	for i, board := range []string{"mps2-an385", "mps2-an386", "microbit", "netduinoplus2"} {
		if testing.Short() && i > 0 {
			continue
		}
		t.Run(board, func(t *testing.T) {
			p := build(t, examplestest.Build{Board: board})
			m := qemu.Start(t, qemu.Options{Board: board, ELF: p.path, Silent: true, GDB: true})
			ticks := p.address(t, counters.Symbol) + 11*4
			for {
				n, err := m.Word(ticks)
				if err != nil {
					t.Fatal(err)
				}
				if n > 8000 {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			s, err := m.Stub()
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			p.plausible(t, p.fetched(t, stubMemory{s}))
		})
	}
}

func (p *program) plausible(t *testing.T, c *counters.Counts) {
	t.Helper()
	b := c.After
	if got := c.Total() + uint64(b.Outside) + uint64(b.Saturated); got+1 < uint64(b.Ticks) || got > uint64(b.Ticks) || b.Outside != 0 {
		t.Errorf("%d ticks, %d counted: %+v", b.Ticks, got, b)
	}
	if us := b.Interval() * 1e6; us < 96.9 || us > 97.1 {
		t.Errorf("an interval of %.2f us", us)
	}
	calls := map[string]uint64{}
	for a, n := range p.arcs(t, c) {
		calls[a.function] += n
	}
	for _, r := range ratios { // the machine was stopped anywhere: one call may be under way
		if got, want := calls[r.function], calls[r.each]*r.calls; want == 0 || got > want+1 || got+1 < want {
			t.Errorf("%s: %d calls, %d of %s", r.function, got, calls[r.each], r.each)
		}
	}
	time := map[string]uint64{}
	for i, n := range c.Counters {
		time[p.function(b.Low+uint32(i)<<b.BucketShift)] += uint64(n)
	}
	for f, tens := range map[string]float64{"takes_20": 2, "takes_30": 3} {
		if got := float64(time[f]) / float64(time["takes_40"]) * 4; got < 0.85*tens || got > 1.15*tens {
			t.Errorf("%s: %.2f tens of microseconds where takes_40 has 4", f, got)
		}
	}
	t.Logf("%d ticks; %v", b.Ticks, time)
}
