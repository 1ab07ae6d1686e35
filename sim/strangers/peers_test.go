//go:build linux && cgo

package strangers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/sim/wire"
)

const (
	// slowMotion is how much slower the board's clock goes than the wall clock. A
	// packet costs the host some 0.3 ms of work with umockdev, and a tenth of that
	// with a kernel's usbfs; and a busy machine disturbs the less.
	slowMotion = 8
	// peersTime is how long each profiler works on the board, by the wall clock.
	peersTime = 16 * time.Second
	// pause is what OpenOCD waits after each sample in its halting mode, so as to
	// take less than 100 samples a second. It waits by the wall clock.
	pause = 10 * time.Millisecond
)

// BenchmarkPeers prints the tables of docs/overhead.md: OpenOCD's profiler and
// mprof, one after the other, on the same board behind the same probe.
func BenchmarkPeers(b *testing.B) {
	for b.Loop() {
		for _, model := range []string{"mcu-link", "debugprobe"} {
			fmt.Println("\n" + newContest(b, model).String()) // b.Log keeps ten lines
		}
	}
}

// contest is one table.
type contest struct {
	t     testing.TB
	model wire.Model

	halting, own, stacks, registers, pcsr, blocks *contestant
}

// contestant is one line of a table.
type contestant struct {
	name string
	*outcome
	pause time.Duration // after each sample
	lag   time.Duration // that the board's clock lost to the wall clock
}

// time is how long it all takes on the board's clock, with pauses in full
// length.
func (c *contestant) time() time.Duration {
	return c.elapsed + time.Duration(c.samples)*c.pause*(slowMotion-1)/slowMotion
}

func (c *contestant) rate() float64 { return float64(c.samples) / c.time().Seconds() }

// share is how much of the time the core stood still.
func (c *contestant) share() float64 { return float64(c.halted) / float64(c.time()) }

func newContest(t testing.TB, model string) *contest {
	m, err := wire.ByName(model)
	if err != nil {
		t.Fatal(err)
	}
	c := &contest{t: t, model: m}
	c.halting = c.openocd("OpenOCD `profile`, halting", true)
	c.halting.pause = pause
	own := c.halting.rate()
	c.own = c.mprof(fmt.Sprintf("`mprof sample --rate %.0f`", own), true, "--rate", fmt.Sprintf("%.2f", own/slowMotion))
	c.stacks = c.mprof("`mprof sample`, as fast as it can", true, "--rate", "5000", "--max-overhead", "none")
	c.registers = c.mprof("`mprof sample --method pc`, as fast as it can", true, "--rate", "5000", "--max-overhead", "none", "--method", "pc")
	c.pcsr = c.openocd("OpenOCD `profile`, PCSR", false)
	c.blocks = c.mprof("`mprof sample --method pcsr`", false, "--method", "pcsr")
	return c
}

func (c *contest) openocd(name string, noPCSR bool) *contestant {
	return c.enter(name, noPCSR, func(r *rig) *outcome { return profileOpenOCD(c.t, r, peersTime) })
}

func (c *contest) mprof(name string, noPCSR bool, flags ...string) *contestant {
	return c.enter(name, noPCSR, func(r *rig) *outcome { return profileMprof(c.t, r, peersTime, flags...) })
}

// enter lets a profiler work on a board of its own.
func (c *contest) enter(name string, noPCSR bool, profile func(r *rig) *outcome) *contestant {
	r := plugIn(c.t, sim.Options{Model: c.model.Name, NoPCSR: noPCSR, Seed: 1}, func(b *sim.Board) probe.Transport {
		b.SlowMotion(slowMotion)
		return b.PacedTransport()
	})
	defer r.close()
	x := &contestant{name: name, outcome: profile(r)}
	x.lag = r.board.Lag()
	return x
}

func (c *contest) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s, SWCLK %d MHz:\n\n", c.model.Name, c.model.SWCLK(peersSWCLK)/1_000_000)
	s.WriteString("| profiler | samples | samples/s | halted share | halted per sample | error | by chance |\n")
	s.WriteString("|---|--:|--:|--:|--:|--:|--:|\n")
	lines := []*contestant{c.halting, c.own, c.stacks, c.registers, c.pcsr, c.blocks}
	for _, l := range lines {
		fmt.Fprintf(&s, "| %s | %d | %.0f | %.1f %% | %s | %.1f %% | %.1f %% |\n", l.name, l.samples, l.rate(),
			100*l.share(), micros(l.perSample()), 100*l.distance(), 100*l.chance())
	}
	limit := pcsrLimit(c.model)
	fmt.Fprintf(&s, "\nHalting: mprof takes %.1f times as many samples per second, each for %.2f of the halted time.\n",
		c.stacks.rate()/c.halting.rate(), float64(c.stacks.perSample())/float64(c.halting.perSample()))
	fmt.Fprintf(&s, "PCSR: the wire carries %.0f samples/s; OpenOCD takes %.1f %% of it, mprof %.1f %%.\n", limit,
		100*c.pcsr.rate()/limit, 100*c.blocks.rate()/limit)
	for _, l := range lines {
		if l.lag > l.elapsed/100 {
			fmt.Fprintf(&s, "This machine was too slow for %v of %v of %s.\n", l.lag.Round(time.Millisecond), l.elapsed.Round(time.Millisecond), l.name)
		}
	}
	return s.String()
}

func micros(d time.Duration) string { return fmt.Sprintf("%.0f us", float64(d)/1e3) }

// pcsrLimit is how many words per second a probe can read in blocks, in packets
// that wait for nobody: N+1 transfers for N samples.
func pcsrLimit(m wire.Model) float64 {
	const packets = 1000
	n := (m.PacketSize - 4) / 4 // behind command, count and acknowledge
	loads := make([]wire.Load, packets)
	for i := range loads {
		loads[i] = wire.Load{Commands: 1, Transfers: n + 1}
	}
	return float64(packets*n) / m.BatchTime(loads, peersSWCLK).Seconds()
}
