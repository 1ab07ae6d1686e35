package mprof_test

import (
	"fmt"
	"testing"
)

// TestSysTick takes time from the SysTick of an application that has a tick of its
// own, on a core without cycle counter: times do not jump where it wraps, whoever
// looks first.
func TestSysTick(t *testing.T) {
	if testing.Short() {
		t.Skip("executes some hundred thousand instructions")
	}
	quiet := buildMachine(t, "-mcpu=cortex-m0", "-O2").undisturbed(t)
	for _, period := range []int{1999, 2503, 16000} {
		w := &window{wrap: 32, machine: buildMachine(t, "-mcpu=cortex-m0", "-O2", "-DREPEAT=50", fmt.Sprintf("-DTICK=%d", period))}
		w.durations = map[uint32]uint32{}
		for _, name := range []string{"inner", "outer"} {
			w.durations[w.symbols[name]&^1] = quiet.durations[quiet.symbols[name]&^1]
		}
		c := w.start(t, modeCall)
		begins := c.Cycles()
		w.runTo(t, c, "window_end")
		cycles := c.Cycles() - begins
		h := w.finish(t, c)
		ticks, calls := 0, 0
		var first, last uint32
		for _, r := range h.records {
			switch r.Func {
			case w.symbols["SysTick_Handler"] &^ 1:
				ticks++
			case w.symbols["outer"] &^ 1:
				if calls++; calls == 1 {
					first = r.Entry
				}
				last = r.Exit()
			}
		}
		if calls != 50 || ticks < int(cycles)/period-1 || ticks == 0 || h.status.Dropped+h.status.Unmatched != 0 {
			t.Errorf("period %d: %d calls, %d ticks in %d cycles; %+v", period, calls, ticks, cycles, h.status)
		}
		w.nested(h.records, modeCall, func(format string, args ...any) {
			t.Helper()
			t.Errorf("period %d: "+format, append([]any{period}, args...)...)
		})
		if took := uint64(last - first); took > cycles+2000 || took+2000 < cycles {
			t.Errorf("period %d: %d cycles on the clock, %d on the core", period, took, cycles)
		}
	}
}
