package gproftest

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mprof/mprof/firmware/examples/examplestest"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/sim/armv7m"
)

var update = flag.Bool("update", false, "write the table of costs into docs/firmware.md")

const document = "../../../docs/firmware.md"

// cost is what was executed between two instructions.
type cost struct{ instructions, cycles uint64 }

func costOf(c *armv7m.Core, until func() bool) cost {
	before := cost{c.Instructions(), c.Cycles()}
	for !until() {
		c.Step()
	}
	return cost{c.Instructions() - before.instructions, c.Cycles() - before.cycles}
}

func exception(c *armv7m.Core) uint32 {
	xpsr, _ := c.ReadReg(16)
	return xpsr & 0x1ff
}

func pcOf(c *armv7m.Core) uint32 {
	pc, _ := c.ReadReg(15)
	return pc
}

// mcount is the costs of calls of mcount in the main program that nothing interrupts, n of them.
func (p *program) mcount(t *testing.T, c *armv7m.Core, n int) (all []cost) {
	for len(all) < n {
		stepTo(t, c, p.address(t, "__gnu_mcount_nc"), 0)
		lr, _ := c.ReadReg(14)
		interrupted := false
		one := costOf(c, func() bool {
			interrupted = interrupted || exception(c) != 0
			return pcOf(c) == lr&^1
		})
		if !interrupted {
			all = append(all, one)
		}
	}
	return all
}

// costs are those of a core.
type costs struct {
	first, further, fresh, off, tick cost
}

func (p *program) costs(t *testing.T, c *armv7m.Core, tick int) (all costs) {
	stepTo(t, c, p.address(t, "gprof_timer_start"), 0)
	stepTo(t, c, p.address(t, "main"), uint32(p.symbols["main"].Size))
	begun := p.mcount(t, c, 4) // round_of_all, takes_10, takes_20, takes_30: each a new arc
	all.fresh = slices.MinFunc(begun, byInstructions)
	c.Run(c.Cycles() + 2_000_000)
	known := slices.SortedFunc(slices.Values(p.mcount(t, c, 300)), byInstructions)
	known = slices.Compact(known)
	all.first, all.further = known[0], cost{known[1].instructions - known[0].instructions, known[1].cycles - known[0].cycles}
	for range 40 {
		c.Pend(tick)
		for pcOf(c) != p.address(t, "gprof_irq") {
			c.Step()
		}
		one := costOf(c, func() bool { return exception(c) != uint32(16+tick) })
		if all.tick.instructions == 0 || byInstructions(one, all.tick) < 0 {
			all.tick = one
		}
	}
	c.WriteBus(p.address(t, "mprof_gprof")+8, 4, 0)
	all.off = p.mcount(t, c, 20)[19]
	return all
}

func byInstructions(a, b cost) int {
	if a.instructions != b.instructions {
		return int(a.instructions) - int(b.instructions)
	}
	return int(a.cycles) - int(b.cycles)
}

// What a call and a tick cost, counted on the simulated core: the table of docs/firmware.md (-update writes it).
func TestCost(t *testing.T) {
	var b strings.Builder
	b.WriteString("| core | call: the arc is the first of its slot | each arc before it | a new arc | profiler off | tick, with timer |\n|---|---|---|---|---|---|\n")
	for _, on := range []struct {
		core, board, timer string
		irq                int
		most               uint64 // instructions of a call
	}{{"Cortex-M0", "microbit", "nRF51 TIMER1", 9, 60}, {"Cortex-M3", "mps2-an385", "CMSDK", 9, 45}, {"Cortex-M4", "stm32f405", "STM32 TIM5", 50, 45}} {
		p := build(t, examplestest.Build{Board: on.board})
		board, err := sim.New(sim.Options{ELF: p.file})
		if err != nil {
			t.Fatal(err)
		}
		c := p.costs(t, board.Core(), on.irq)
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d (%s) |\n", on.core, c.first.instructions, c.further.instructions, c.fresh.instructions, c.off.instructions, c.tick.instructions, on.timer)
		if on.core == "Cortex-M4" {
			fmt.Fprintf(&b, "| cycles of it | %d | %d | %d | %d | %d |\n", c.first.cycles, c.further.cycles, c.fresh.cycles, c.off.cycles, c.tick.cycles)
		}
		if c.first.instructions > on.most || c.off.instructions >= c.first.instructions || c.fresh.instructions <= c.first.instructions || c.tick.instructions > 80 {
			t.Errorf("%s: %+v", on.core, c)
		}
	}
	hold(t, "gprof", b.String())
}

// hold logs a table, and with -update writes it into the document.
func hold(t *testing.T, name, table string) {
	t.Helper()
	t.Logf("%s:\n%s", name, table)
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->\n"
	head, rest, found := strings.Cut(string(text), begin)
	_, tail, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for the table %q", document, name)
	}
	if !*update {
		return
	}
	if err := os.WriteFile(document, []byte(head+begin+table+end+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}
