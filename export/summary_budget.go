package export

import (
	"fmt"
	"time"

	"github.com/mprof/mprof/profile"
)

// reached is the rate of the samples of a run, in Hz.
func reached(p *profile.Profile) float64 {
	if p.Duration <= 0 {
		return 0
	}
	return float64(p.Samples()) / p.Duration.Seconds()
}

// delayedShare is the part of the samples from which on a run counts as slowed
// down, in samples that were late and in samples that it lacks: the first ones,
// which are dear, are late in many, and a run can make up for them.
const delayedShare = 0.05

func slowedDown(p *profile.Profile) bool {
	a := &p.Taken
	return a.Budget.MaxOverhead > 0 && float64(a.Budget.Delayed) > delayedShare*float64(a.Asked) && reached(p) < (1-delayedShare)*a.RateHz
}

// budgetLines say what was done to keep the run within its budget: one
// sentence for the rate, one for the depth of stacks.
func budgetLines(p *profile.Profile) (lines []string) {
	a, b := &p.Taken, &p.Taken.Budget
	if slowedDown(p) {
		lines = append(lines, fmt.Sprintf("asked %s, lowered to %s to keep the core halted at most %.4g %% of the time (%s)",
			hertz(a.RateHz), hertz(reached(p)), 100*b.MaxOverhead, percent(p.HaltedShare())))
	}
	if b.MaxHalt > 0 && b.Shortened+b.Longer > 0 {
		what := "no halt was shortened"
		switch {
		case b.Shortened > 0 && b.Depth > 0:
			what = fmt.Sprintf("%d stacks cut at %d words", b.Shortened, b.Depth)
		case b.Shortened > 0:
			what = fmt.Sprintf("%d samples without their stack", b.Shortened)
		}
		lines = append(lines, fmt.Sprintf("%s to keep each halt within %s (99th percentile %s, %d longer)", what, brief(b.MaxHalt), micros(a.HaltedP99), b.Longer))
	}
	return lines
}

// hertz prints a rate without a prefix, so that two of them compare at sight.
func hertz(hz float64) string {
	if hz < 10 {
		return fmt.Sprintf("%.2g Hz", hz)
	}
	return fmt.Sprintf("%.0f Hz", hz)
}

// brief is a limit as it was typed: 200 µs, 1.5 ms.
func brief(d time.Duration) string {
	if d < time.Millisecond {
		return fmt.Sprintf("%g µs", float64(d)/1e3)
	}
	return fmt.Sprintf("%g ms", float64(d)/1e6)
}

// jsonBudget is what the target was allowed to lose, where there is a limit.
type jsonBudget struct {
	MaxOverhead float64 `json:"max_overhead,omitempty"`
	Delayed     uint64  `json:"delayed_samples"`
	MaxHaltUs   float64 `json:"max_halt_us,omitempty"`
	Shortened   uint64  `json:"shortened_stacks"`
	Depth       int     `json:"stack_words,omitempty"`
	Longer      uint64  `json:"longer_halts"`
}

func budgetJSON(b profile.Budget) *jsonBudget {
	if b.MaxOverhead == 0 && b.MaxHalt == 0 {
		return nil
	}
	return &jsonBudget{b.MaxOverhead, b.Delayed, float64(b.MaxHalt) / 1e3, b.Shortened, b.Depth, b.Longer}
}
