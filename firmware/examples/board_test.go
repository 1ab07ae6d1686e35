package examples_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mprof/mprof/firmware/examples/examplestest"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/sim/truth"
)

// onBoard builds an example for the simulated board, which keeps its calls.
func onBoard(t testing.TB, b examplestest.Build, calls []string) (board *sim.Board, elf string) {
	t.Helper()
	elf = b.ELF(t)
	hooks := []string{enterHook, exitHook}
	if b.NoHooks {
		hooks = []string{}
	}
	return boardOf(t, elf, b, calls, hooks), elf
}

func boardOf(t testing.TB, elf string, b examplestest.Build, calls, hooks []string) *sim.Board {
	t.Helper()
	data, err := os.ReadFile(elf)
	if err != nil {
		t.Fatal(err)
	}
	board, err := sim.New(sim.Options{ELF: data, CoreHz: uint32(b.CoreHz), Calls: calls, Hooks: hooks})
	if err != nil {
		t.Fatal(err)
	}
	return board
}

// meanOnBoard is meanTruth by the cycles of the simulated board.
func meanOnBoard(t *testing.T, example string, hz int) map[string]time.Duration {
	t.Helper()
	b, _ := onBoard(t, examplestest.Build{Example: example, Board: "stm32f405", CoreHz: hz, NoHooks: true}, called[example])
	b.Core().Run(uint64(hz) / 4)
	n, sum := map[string]uint64{}, map[string]uint64{}
	for _, c := range b.Calls() {
		n[c.Function]++
		sum[c.Function] += c.Net().Cycles
	}
	mean := map[string]time.Duration{}
	for f := range n {
		mean[f] = time.Duration(float64(sum[f]) / float64(n[f]) * 1e9 / float64(hz))
	}
	return mean
}

func spansOnBoard(calls []truth.Call) []span {
	all := make([]span, len(calls))
	for i, c := range calls {
		all[i] = span{c.Function, c.Enter, c.Exit}
	}
	return all
}

var onTheBoard = []struct {
	example     string
	hz, version int
}{{"bare", 168_000_000, 2}, {"tasks", 168_000_000, 2}, {"tasks", 168_000_000, 1}, {"bare", 16_000_000, 2}, {"tasks", 16_000_000, 2}}

// leastCycles is the length from which on a function is judged: a call and its return, which tracing
// cannot see from inside, take 3 cycles and more.
const leastCycles = 1600

// The same as on QEMU, with the cycles of a Cortex-M4, its cycle counter, and a UART
// by DMA with the speed of its baud rate.
func TestAccuracyOnTheBoard(t *testing.T) {
	var rows []string
	for i, c := range onTheBoard {
		if testing.Short() && i != 3 {
			continue
		}
		t.Run(fmt.Sprintf("%d MHz/%s/v%d", c.hz/1e6, c.example, c.version), func(t *testing.T) {
			truth := meanOnBoard(t, c.example, c.hz)
			b, elf := onBoard(t, examplestest.Build{Example: c.example, Board: "stm32f405", CoreHz: c.hz},
				append(slices.Clone(called[c.example]), "mprof_start", "mprof_stop"))
			u, err := b.UART("USART2")
			if err != nil {
				t.Fatal(err)
			}
			r := record(t, u, elf, c.version, time.Second)
			t.Logf("%d records, %d dropped, high water %d of %d; pair %d/256 cycles", r.status.Sent, r.status.Dropped, r.status.HighWater, r.metadata.BufferBytes, r.metadata.PairCost)
			if r.status.Dropped != 0 {
				t.Errorf("%d records dropped", r.status.Dropped)
			}
			everyCall(t, c.example, r, spansOnBoard(b.Calls()))
			v := judge(t, c.example, r.profile(t), truth, time.Duration(leastCycles*1e9/c.hz))
			rows = append(rows, v.row(fmt.Sprintf("simulated Cortex-M4, %d MHz", c.hz/1e6), c.example, r))
		})
	}
	hold(t, "accuracy on the board", accuracyHead+strings.Join(rows, ""))
}
