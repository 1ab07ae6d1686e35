package lockstep

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/mprof/mprof/sim/armv7m"
)

// TestFPContexts walks at random through exceptions under floating point, by
// QEMU's log and by the gdb remote protocol: what is compared are the registers
// at every step, into which the program loads frames, FPCCR, FPCAR, CONTROL and
// S0 to S31, and the RAM at the end.
func TestFPContexts(t *testing.T) {
	needTools(t)
	for _, how := range []struct {
		name  string
		start func(Board, Program) (Machine, error)
		walks uint64
		steps int
	}{{"logged", StartLogged, 2 * factor(t), 500}, {"stepped", StartStepped, 1, 30}} {
		t.Run(how.name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() {
				how.walks, how.steps = 1, min(how.steps, 200)
			}
			met := events{}
			var n uint64
			for seed := firstSeed(t); seed < firstSeed(t)+how.walks; seed++ {
				n += met.walk(t, walk(t, seed, how.steps), how.start)
			}
			t.Logf("%d instructions equal in %d walks: %v", n, how.walks, met)
			for _, e := range wantedEvents {
				if met[e] == 0 && how.name == "logged" && !testing.Short() {
					t.Errorf("never met: %s", e)
				}
			}
		})
	}
}

// events counts what happened to floating-point state.
type events map[string]int

var wantedEvents = []string{
	"entry fffffff1", "entry fffffffd", "entry ffffffe1", "entry ffffffed",
	"state put off", "state stored at once", "preserved", "kept in the registers", "restored", "NOCP", "LSPERR",
}

// walk compares one walk.
func (m events) walk(t *testing.T, p Program, start func(Board, Program) (Machine, error)) uint64 {
	t.Helper()
	ref, err := start(WithFPU, p)
	if err != nil {
		t.Fatal(err)
	}
	defer ref.Close()
	test, err := StartSimulated(WithFPU, p)
	if err != nil {
		t.Fatal(err)
	}
	core := test.(*simulated).core
	pending := false
	n, err := Lockstep(p, ref, test, 100_000_000, func(before, after *State) {
		was := pending
		pending = word(core, fpccr)&1 != 0
		if was && !pending && before.XPSR&0x1ff == after.XPSR&0x1ff {
			m["preserved"]++
		}
		if before.XPSR&0x1ff != after.XPSR&0x1ff {
			m.exception(core, after, was, pending)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := SameMemory(ref, test, RAMBase, 16<<10); err != nil {
		t.Fatal(err)
	}
	return n
}

// exception counts an entry or a return; was and pending are FPCCR.LSPACT.
func (m events) exception(core *armv7m.Core, after *State, was, pending bool) {
	excReturn := after.R[14]
	entered := after.XPSR&0x1ff != 0 && excReturn>>28 == 0xf
	control, _ := core.ReadReg(20)
	switch {
	case entered && pending && !was:
		m["state put off"]++
	case entered && !pending && excReturn&0x10 == 0:
		m["state stored at once"]++
	case !entered && was && !pending:
		m["kept in the registers"]++
	case !entered && !pending && control>>26&1 != 0:
		m["restored"]++
	}
	if !entered {
		return
	}
	m[fmt.Sprintf("entry %08x", excReturn)]++
	cfsr := word(core, 0xe000ed28)
	switch n := after.XPSR & 0x1ff; {
	case n == 6 && cfsr&(1<<19) != 0:
		m["NOCP"]++
	case n == 5 && cfsr&(1<<13) != 0:
		m["LSPERR"]++
	}
}

func word(core *armv7m.Core, addr uint32) uint32 {
	v, _ := core.ReadBus(addr, 4)
	return v
}

// walk builds the program of testdata/fpcontext.
func walk(t *testing.T, seed uint64, steps int) Program {
	t.Helper()
	out := filepath.Join(t.TempDir(), "walk.elf")
	cmd := exec.Command("make", "-s", "-C", "testdata/fpcontext", fmt.Sprintf("SEED=%d", seed), fmt.Sprintf("STEPS=%d", steps), "OUT="+out)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("make: %v: %s", err, text)
	}
	p, err := LoadELF(out, "done")
	if err != nil {
		t.Fatal(err)
	}
	return p
}
