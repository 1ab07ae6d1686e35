package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/demo"
	"github.com/mprof/mprof/firmware/shares"
	"github.com/mprof/mprof/unwind"
)

// budgetCases are runs that are asked for more than their budget allows.
var budgetCases = []accuracyCase{
	{"demo", demo.ELF, "mcu-link", 1000, 40, 11, false, []string{"--max-overhead", "2%"}},
	{"shares", shares.ELF, "mcu-link", 1000, 40, 12, true, []string{"--max-overhead", "2%"}},
	{"demo", demo.ELF, "debugprobe", 1000, 40, 13, true, []string{"--max-overhead", "2%"}},
	{"shares", shares.ELF, "debugprobe", 1000, 40, 14, false, []string{"--max-overhead", "2%"}},
	{"demo", demo.ELF, "mcu-link", 100, 30, 15, false, []string{"--max-halt", "200us"}},
	{"demo", demo.ELF, "debugprobe", 100, 30, 16, true, []string{"--max-halt", "200us"}},
	{"demo", demo.ELF, "debugprobe", 100, 30, 17, false, []string{"--max-halt", "1ms"}},
	{"shares", shares.ELF, "mcu-link", 1000, 40, 18, true, []string{"--max-overhead", "2%", "--max-halt", "200us"}},
}

// Shares stay right when the budget throttles or cuts: they are as near to the
// truth as so many random samples, the frames that are there are the true ones,
// and a stack that is cut says so. The board's own account keeps to the budget.
func TestAccuracyWithinABudget(t *testing.T) {
	fmt.Println("| firmware | probe | flags | samples | halted | longest | distance by time | by count | random: 99.9 % | complete | cut for it | inner frames true |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, c := range budgetCases {
		if c.long && testing.Short() {
			continue
		}
		t.Run(fmt.Sprintf("%s/%s/%v", c.firmware, c.model, c.flags), func(t *testing.T) {
			j := judge(t, c)
			_, bound := randomDistance(j.wanted, j.taken)
			share := j.witness.board.HaltedTime().Seconds() / float64(c.seconds)
			percent := func(n int) float64 { return 100 * float64(n) / float64(j.taken) }
			fmt.Printf("| %s | %s | --rate %g %s | %d | %.2f %% | %v | %.2f %% | %.2f %% | %.2f %% | %.2f %% | %.2f %% | %.2f %% |\n", c.firmware, c.model, c.rate, strings.Join(c.flags, " "), j.taken,
				100*share, j.longest.Round(time.Microsecond), 100*j.distance, 100*j.ofCounts, 100*bound, percent(j.complete), percent(j.short), percent(j.inner))
			if d := max(j.distance, j.ofCounts); d > bound {
				t.Errorf("the self shares are %.2f %% from the truth; 99.9 %% of runs with %d random samples are within %.2f %%", 100*d, j.taken, 100*bound)
			}
			if percent(j.inner) < 99.5 {
				t.Errorf("%.2f %% of the stacks are the inner frames of the true one, want 99.5 %%", percent(j.inner))
			}
			overhead, halt := c.limits(t)
			if overhead > 0 && share > overhead {
				t.Errorf("halted for %.2f %%, the budget is %.2f %%", 100*share, 100*overhead)
			}
			if halt > 0 && j.longer > j.taken/200 {
				t.Errorf("%d of %d halts were longer than %v, the longest %v", j.longer, j.taken, halt, j.longest)
			}
			if halt == 0 && percent(j.complete) < 95 || halt > 0 && j.unsaid > j.taken/100 {
				t.Errorf("%.2f %% complete, %.2f %% cut for the budget, %d cut for no reason: %s", percent(j.complete), percent(j.short), j.unsaid, j.firstDifference)
			}
		})
	}
}

// limits are what the flags of a row allow.
func (c accuracyCase) limits(t *testing.T) (overhead float64, halt time.Duration) {
	for i := 0; i+1 < len(c.flags); i += 2 {
		var o overheadFlag
		var h haltFlag
		switch c.flags[i] {
		case "--max-overhead":
			if err := o.Set(c.flags[i+1]); err != nil {
				t.Fatal(err)
			}
			overhead = float64(o)
		case "--max-halt":
			if err := h.Set(c.flags[i+1]); err != nil {
				t.Fatal(err)
			}
			halt = time.Duration(h)
		}
	}
	return overhead, halt
}

// unsaidStop is an end that is neither the stack's nor the budget's: cut for want
// of memory or of a register.
func unsaidStop(r unwind.Reason) bool { return r == unwind.NotCaptured || r == unwind.NoRegister }
