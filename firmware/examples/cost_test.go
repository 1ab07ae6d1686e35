package examples_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/examples/examplestest"
	"github.com/mprof/mprof/sim/qemu"
	"github.com/mprof/mprof/sim/truth"
	"github.com/mprof/mprof/trace"
)

// usual is the third quartile: of hooks, what those take that find profiling on and nothing in the way.
func usual(all []uint64) uint64 {
	slices.Sort(all)
	return all[len(all)*3/4]
}

// hooksOnQEMU is instructions of both hooks.
func hooksOnQEMU(t *testing.T, b examplestest.Build) (enter, exit uint64) {
	t.Helper()
	elf := b.ELF(t)
	hooks := []string{enterHook, exitHook}
	m := qemu.Start(t, qemu.Options{Board: b.Board, ELF: elf, Count: &qemu.Count{Functions: append(hooks, "mprof_start", "mprof_stop"), Hooks: hooks}})
	record(t, openPty(t, m.Pty), elf, 1, time.Second)
	counted, err := m.Counted()
	if err != nil {
		t.Fatal(err)
	}
	ran := map[span]bool{}
	for _, c := range window(spansOf(counted.Calls)) {
		ran[c] = true
	}
	all := map[string][]uint64{}
	for _, c := range counted.Calls {
		if ran[span{c.Function, c.Entry, c.Exit}] {
			all[c.Function] = append(all[c.Function], c.Own)
		}
	}
	if len(all[enterHook]) < 100 || len(all[exitHook]) < 100 {
		t.Fatalf("%d and %d calls of hooks between START and STOP", len(all[enterHook]), len(all[exitHook]))
	}
	return usual(all[enterHook]), usual(all[exitHook])
}

// started runs an example on the simulated board and starts profiling by hand, in
// virtual time.
func started(t *testing.T, b examplestest.Build, calls []string, version byte) (c *console, elf string) {
	t.Helper()
	b.CoreHz = 168_000_000
	b.Board = "stm32f405"
	elf = b.ELF(t)
	board := boardOf(t, elf, b, calls, []string{"-"})
	u, err := board.UART("USART2")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { u.Close() })
	c = &console{t: t, board: board, uart: u}
	c.pass(20 * time.Millisecond)
	if version == 2 {
		c.say(trace.CommandGetMetadata, 2, 0xFF)
	}
	c.say(trace.CommandStart)
	return c, elf
}

// hooksOnTheBoard is instructions and cycles of both hooks.
func hooksOnTheBoard(t *testing.T, module string) (enter, exit truth.Cost) {
	c, _ := started(t, examplestest.Build{Example: "rate", Module: module}, []string{enterHook, exitHook}, 1)
	begin := len(c.board.Calls())
	c.pass(100 * time.Millisecond)
	instructions, cycles := map[string][]uint64{}, map[string][]uint64{}
	for _, call := range c.board.Calls()[begin:] {
		instructions[call.Function] = append(instructions[call.Function], call.Net().Instructions)
		cycles[call.Function] = append(cycles[call.Function], call.Net().Cycles)
	}
	cost := func(hook string) truth.Cost {
		return truth.Cost{Instructions: usual(instructions[hook]), Cycles: usual(cycles[hook])}
	}
	return cost(enterHook), cost(exitHook)
}

// application is what rate.c does itself.
var application = []string{"main", "work", "board_tick"}

// shares are parts of the processor's time, in percent, and bytes on the wire in a second.
type shares struct {
	hooks, rest float64 // rest: mprof_poll and the port's interrupts
	bytes       int
}

// shareAt5000 is what 5000 calls a second cost.
func shareAt5000(t *testing.T, module string, version byte) shares {
	c, _ := started(t, examplestest.Build{Example: "rate", Module: module}, []string{enterHook, exitHook}, version)
	self := func() (app uint64) {
		all := c.board.Truth().Self()
		for _, name := range application {
			app += all[name]
		}
		return app
	}
	app, from, calls, bytes := self(), c.board.Truth().RunningCycles(), len(c.board.Calls()), len(c.got)
	c.pass(time.Second)
	app, whole := self()-app, c.board.Truth().RunningCycles()-from
	var hooks uint64
	for _, call := range c.board.Calls()[calls:] {
		hooks += call.Net().Cycles
	}
	percent := func(n uint64) float64 { return 100 * float64(n) / float64(whole) }
	return shares{percent(hooks), percent(whole - app - hooks), len(c.got) - bytes}
}

// sizes are bytes of the module and of a port, as size tells them.
func sizes(t *testing.T, b examplestest.Build) (module, port [3]int) {
	t.Helper()
	elf := b.ELF(t)
	files, err := filepath.Glob(elf + ".objects/mprof/*/*.o")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	out, err := exec.Command("arm-none-eabi-size", files...).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(out), "\n")[1:] {
		var n [3]int
		var sum int
		var hex, name string
		if _, err := fmt.Sscan(line, &n[0], &n[1], &n[2], &sum, &hex, &name); err != nil {
			continue
		}
		into := &module
		if strings.Contains(name, "mprof/port/") {
			into = &port
		}
		for i := range n {
			into[i] += n[i]
		}
	}
	return module, port
}
