package countingtest

import (
	"context"
	"os"
	"testing"

	"github.com/mprof/mprof/gmon/counters"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/symbol"
)

// The simulated board that the program is for.
const (
	SimOptions = "board=mps2-an385,clock=25M" // behind --probe sim:MODEL, or --port sim:
	board      = "mps2-an385"
	coreHz     = 25_000_000
)

// NewBoard is such a board, with the program of an ELF file.
func NewBoard(t testing.TB, elf string) *sim.Board {
	t.Helper()
	raw, err := os.ReadFile(elf)
	if err != nil {
		t.Fatal(err)
	}
	b, err := sim.New(sim.Options{ELF: raw, Board: board, CoreHz: coreHz})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Block is the address of the block mprof_gprof.
func Block(t testing.TB, elf string) uint32 {
	t.Helper()
	im, err := symbol.Open(elf)
	if err != nil {
		t.Fatal(err)
	}
	r, ok := im.Object(counters.Symbol)
	if !ok {
		t.Fatal("no " + counters.Symbol)
	}
	return r.Low
}

// Held is what a board that stands still has counted.
func Held(t testing.TB, b *sim.Board, elf string) *counters.Counts {
	t.Helper()
	c, err := counters.Read(t.Context(), memory{b}, counters.Place{Addr: Block(t, elf)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// memory is that of a simulated board that stands still.
type memory struct{ *sim.Board }

func (m memory) ReadMemory(_ context.Context, addr uint32, p []byte) error {
	copy(p, m.Core().Memory(addr))
	return nil
}

func (m memory) WriteMemory(context.Context, uint32, []byte) error { panic("a test that writes") }
