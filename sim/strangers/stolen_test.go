//go:build linux && cgo

package strangers

import (
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/shares"
	"github.com/mprof/mprof/sim"
)

// TestStolenTime: on the board's own clock, which no busy machine disturbs, a
// sample of mprof with its stack costs the core no more than a sample of
// OpenOCD, which is the PC alone.
func TestStolenTime(t *testing.T) {
	for _, model := range []string{"mcu-link", "debugprobe"} {
		t.Run(model, func(t *testing.T) {
			o := sim.Options{Model: model, NoPCSR: true, Seed: 1}
			theirs := profileOpenOCD(t, newRig(t, o), time.Second)
			ours := profileMprof(t, newRig(t, o), time.Second, "--rate", "5000", "--max-overhead", "none")
			t.Logf("OpenOCD: %d samples, %v each; mprof: %d samples, %v each", theirs.samples, theirs.perSample(), ours.samples, ours.perSample())
			if theirs.samples < fewestSamples || ours.samples < fewestSamples {
				t.Fatal("too few samples")
			}
			if ours.perSample() > theirs.perSample() {
				t.Errorf("a sample of mprof costs %v, one of OpenOCD %v", ours.perSample(), theirs.perSample())
			}
		})
	}
}

// TestSelfShares: each profiler finds the shares of a program that has few and
// even functions, as far as chance lets so many samples find them.
func TestSelfShares(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of real time for each profiler")
	}
	const d = 2 * time.Second
	for _, c := range []struct {
		name    string
		noPCSR  bool
		profile func(r *rig) *outcome
	}{
		{"OpenOCD halting", true, func(r *rig) *outcome { return profileOpenOCD(t, r, d) }},
		{"OpenOCD PCSR", false, func(r *rig) *outcome { return profileOpenOCD(t, r, d) }},
		{"mprof", true, func(r *rig) *outcome { return profileMprof(t, r, d, "--rate", "500") }},
		{"mprof PCSR", false, func(r *rig) *outcome { return profileMprof(t, r, d, "--method", "pcsr") }},
	} {
		r := newPacedRig(t, sim.Options{ELF: shares.ELF, NoPCSR: c.noPCSR, Seed: 1})
		o := c.profile(r)
		r.close()
		t.Logf("%s: %d samples; error %.1f %%, by chance %.1f %%", c.name, o.samples, 100*o.distance(), 100*o.chance())
		if o.samples < fewestSamples {
			t.Errorf("%s: too few samples", c.name)
		}
		if limit := 2*o.chance() + 0.05; o.distance() > limit {
			t.Errorf("%s: the shares are %.1f %% away from the truth, at most %.1f %% were to be expected", c.name, 100*o.distance(), 100*limit)
		}
	}
}
