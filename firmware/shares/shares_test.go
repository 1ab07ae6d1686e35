package shares_test

import (
	"bytes"
	"debug/elf"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mprof/mprof/firmware/firmwaretest"
	"github.com/mprof/mprof/firmware/shares"
)

func TestRebuild(t *testing.T) { firmwaretest.Rebuild(t, shares.ELF, "shares.elf") }

// The header as a reader sees it: of 100 units a round, amber has 3 in dawn and
// 2 in dusk, and so on; the interrupt takes 5000 of 1600000 cycles.
func TestShares(t *testing.T) {
	const tick = 5000. / 1600000
	rest := func(share float64) float64 { return share * (1 - tick) }
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })
	self := map[string]float64{"amber": rest(.05), "blue": rest(.20), "coral": rest(.20), "denim": rest(.30), "ebony": rest(.25), "flash": tick}
	if diff := cmp.Diff(self, shares.Self(), near); diff != "" {
		t.Errorf("self (-want +got):\n%s", diff)
	}
	total := map[string]float64{"amber": .05, "blue": .20, "coral": .20, "denim": .30, "ebony": .25, "flash": tick,
		"dawn": .10, "noon": .30, "dusk": .35, "day": .75, "night": .25, "main": 1, "Reset_Handler": 1, "SysTick_Handler": tick}
	if diff := cmp.Diff(total, shares.Total(), near); diff != "" {
		t.Errorf("total (-want +got):\n%s", diff)
	}
	if len(shares.Calls()) != 11 || shares.NightDepth() != 4 || shares.UnitCycles() != 5000 {
		t.Errorf("%d calls, depth %d, unit %d cycles", len(shares.Calls()), shares.NightDepth(), shares.UnitCycles())
	}
}

func TestIdenticalBodies(t *testing.T) { checkBodies(t, shares.ELF) }

// checkBodies: the workers' code is the same, byte for byte.
func checkBodies(t *testing.T, image []byte) {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string][]byte{}
	for _, s := range symbols {
		if _, worker := shares.Self()[s.Name]; worker {
			bodies[s.Name] = make([]byte, s.Size)
			text := f.Sections[s.Section]
			if _, err := text.ReadAt(bodies[s.Name], int64(s.Value&^1-text.Addr)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(bodies) != len(shares.Self()) {
		t.Fatalf("workers %v", bodies)
	}
	for name, body := range bodies {
		if diff := cmp.Diff(bodies["amber"], body); diff != "" || len(body) == 0 {
			t.Errorf("%s has other code than amber:\n%s", name, diff)
		}
	}
}

func TestSource(t *testing.T) {
	for _, name := range []string{"firmware/shares/src/shares.c", "firmware/shares/src/shares.h", "firmware/shares/src/startup.c"} {
		if text, ok := shares.Source(name); !ok || text == "" {
			t.Errorf("no source %q", name)
		}
	}
	if _, ok := shares.Source("shares.c"); ok {
		t.Error("a name without its folder was found")
	}
}
