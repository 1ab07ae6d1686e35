//go:build linux && cgo

package strangers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/sim/wire"
)

// peersTime is how long each profiler works on the board.
const peersTime = 10 * time.Second

// pause is what OpenOCD waits after each sample of its halting mode, on purpose
// ("Halting and resuming the target as often as we can", its manual, "profile").
const pause = 10 * time.Millisecond

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
	lines []*contestant
}

// contestant is one line of a table: a profiler twice on the board, whose clock
// followed the wall clock, and then only the packets.
type contestant struct {
	name        string
	wall, board *outcome
	pause       time.Duration // that it makes per sample
	lag         time.Duration // that the board's clock lost to the wall clock
}

// best is samples per second of the board's clock: what there would be on a
// machine that needs no time of its own, but the host's turn-round of the model.
func (c *contestant) best() float64 {
	return float64(c.board.samples) / (c.board.elapsed + time.Duration(c.board.samples)*c.pause).Seconds()
}

func newContest(t testing.TB, model string) *contest {
	m, err := wire.ByName(model)
	if err != nil {
		t.Fatal(err)
	}
	c := &contest{t: t, model: m}
	halting := c.enter("OpenOCD `profile`, halting", pause, sim.Options{NoPCSR: true}, func(r *rig, d time.Duration) *outcome {
		return profileOpenOCD(t, r, d)
	})
	own := fmt.Sprintf("%.0f", halting.wall.rate())
	for _, flags := range []string{"--rate " + own, "--rate 5000", "--rate 5000 --max-overhead none"} {
		c.enter("`mprof sample "+flags+"`", 0, sim.Options{NoPCSR: true}, func(r *rig, d time.Duration) *outcome {
			return profileMprof(t, r, d, strings.Fields(flags)...)
		})
	}
	c.enter("OpenOCD `profile`, PCSR", 0, sim.Options{}, func(r *rig, d time.Duration) *outcome {
		return profileOpenOCD(t, r, d)
	})
	c.enter("`mprof sample --method pcsr`", 0, sim.Options{}, func(r *rig, d time.Duration) *outcome {
		return profileMprof(t, r, d, "--method", "pcsr")
	})
	return c
}

// enter lets a profiler work on the board, by the one clock and by the other.
func (c *contest) enter(name string, pause time.Duration, o sim.Options, profile func(r *rig, d time.Duration) *outcome) *contestant {
	o.Model, o.Seed = c.model.Name, 1
	paced := newPacedRig(c.t, o)
	x := &contestant{name: name, pause: pause, wall: profile(paced, peersTime)}
	x.lag = paced.board.Lag()
	paced.close()
	alone := newRig(c.t, o)
	x.board = profile(alone, peersTime/2)
	alone.close()
	c.lines = append(c.lines, x)
	return x
}

func (c *contest) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s, SWCLK %d MHz:\n\n", c.model.Name, c.model.SWCLK(peersSWCLK)/1_000_000)
	s.WriteString("| profiler | samples | samples/s | at best | halted share | halted per sample | at best | error | by chance |\n")
	s.WriteString("|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, l := range c.lines {
		fmt.Fprintf(&s, "| %s | %d | %.0f | %.0f | %.1f %% | %s | %s | %.1f %% | %.1f %% |\n", l.name, l.wall.samples, l.wall.rate(), l.best(),
			100*l.wall.share(), micros(l.wall.perSample()), micros(l.board.perSample()), 100*l.wall.distance(), 100*l.wall.chance())
	}
	halting, fastest, pcsr, blocks := c.lines[0], c.lines[3], c.lines[4], c.lines[5]
	limit := pcsrLimit(c.model)
	fmt.Fprintf(&s, "\nHalting: mprof takes %.1f times as many samples per second (at best %.1f), each for %.2f of the halted time (at best %.2f).\n",
		fastest.wall.rate()/halting.wall.rate(), fastest.best()/halting.best(),
		ratio(fastest.wall.perSample(), halting.wall.perSample()), ratio(fastest.board.perSample(), halting.board.perSample()))
	fmt.Fprintf(&s, "PCSR: the wire carries %.0f samples/s. OpenOCD takes %.1f %% of it (at best %.1f %%), mprof %.1f %% (at best %.1f %%).\n", limit,
		100*pcsr.wall.rate()/limit, 100*pcsr.best()/limit, 100*blocks.wall.rate()/limit, 100*blocks.best()/limit)
	for _, l := range c.lines {
		if l.lag > peersTime/100 {
			fmt.Fprintf(&s, "This machine was too slow for %v of the time of %s.\n", l.lag.Round(time.Millisecond), l.name)
		}
	}
	return s.String()
}

func micros(d time.Duration) string { return fmt.Sprintf("%.0f us", float64(d)/1e3) }

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

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
