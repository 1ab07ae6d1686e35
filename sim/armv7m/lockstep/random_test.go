package lockstep

import (
	"errors"
	"os"
	"strconv"
	"testing"
)

// firstSeed is where the seeds of random programs begin; MPROF_LOCKSTEP_SEED
// changes it.
func firstSeed(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("MPROF_LOCKSTEP_SEED")
	if text == "" {
		return 1
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("MPROF_LOCKSTEP_SEED=%q: want a number", text)
	}
	return n
}

// TestStepped is the main judge: random programs, one step at a time by the gdb
// remote protocol.
func TestStepped(t *testing.T) {
	needTools(t)
	for _, b := range Boards {
		t.Run(b.String(), func(t *testing.T) {
			t.Parallel()
			budget := 12_000 * factor(t)
			units := 500
			if testing.Short() {
				budget, units = 1, 96
			}
			c := NewCoverage(b.Arch)
			n := randomPrograms(t, b, c, StartStepped, units, budget)
			t.Logf("%d instructions equal, %d exceptions", n, c.Exceptions)
		})
	}
}

// TestLogged is the volume: random programs by QEMU's own log of states. Every
// pattern of the table must have been executed.
func TestLogged(t *testing.T) {
	needTools(t)
	for _, b := range Boards {
		t.Run(b.String(), func(t *testing.T) {
			t.Parallel()
			budget, units := 250_000*factor(t), 15_000
			if testing.Short() {
				budget, units = 15_000, 2000
			}
			c := NewCoverage(b.Arch)
			n := randomPrograms(t, b, c, StartLogged, units, budget)
			t.Logf("%d instructions equal, %d exceptions, %d UNDEFINED\n%s", n, c.Exceptions, c.Undefined, c)
			if testing.Short() {
				return
			}
			for _, name := range c.Missing() {
				t.Errorf("never executed: %s", name)
			}
		})
	}
}

// randomPrograms runs programs of successive seeds until budget instructions
// were compared.
func randomPrograms(t *testing.T, b Board, c *Coverage, start func(Board, Program) (Machine, error), units int, budget uint64) (n uint64) {
	t.Helper()
	for seed := firstSeed(t); n < budget; seed++ {
		s, err := NewStream(b, seed, units)
		if err != nil {
			t.Fatal(err)
		}
		for r, k := range s.LeftOut {
			c.LeftOut[r] += k
		}
		n += randomProgram(t, b, s, c, start)
	}
	return n
}

func randomProgram(t *testing.T, b Board, s *Stream, c *Coverage, start func(Board, Program) (Machine, error)) uint64 {
	t.Helper()
	ref, err := start(b, s.Program)
	if err != nil {
		t.Fatal(err)
	}
	defer ref.Close()
	core, err := StartSimulated(b, s.Program)
	if err != nil {
		t.Fatal(err)
	}
	n, err := Lockstep(s.Program, ref, core, uint64(len(s.Flash))*4, func(before, after *State) {
		if err := c.Add(s, before, after); err != nil {
			t.Errorf("seed %d: %v", s.Seed, err)
		}
	})
	var d *Difference
	if errors.As(err, &d) {
		t.Fatalf("seed %d (MPROF_LOCKSTEP_SEED=%d repeats it): %v", s.Seed, s.Seed, d)
	}
	if err != nil {
		t.Fatalf("seed %d: %v", s.Seed, err)
	}
	if err := SameMemory(ref, core, RAMBase, min(b.RAMSize, 256<<10)); err != nil {
		t.Fatalf("seed %d: %v", s.Seed, err)
	}
	return n
}
