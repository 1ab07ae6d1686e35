package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/mprof/mprof/firmware/corpus"
	"github.com/mprof/mprof/session/sampling"
	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/sim/armv7m"
	"github.com/mprof/mprof/sim/truth"
	"github.com/mprof/mprof/snapshot"
	"github.com/mprof/mprof/symbol"
	"github.com/mprof/mprof/unwind"
)

// moment is a point of a run: the core's registers, the true stack and ours.
type moment struct {
	at        int        // instructions executed
	registers [19]uint32 // R0-R15, xPSR, MSP, PSP
	changed   []change   // RAM since the point before
	want      []truth.Frame
	ours      bool
}

type change struct {
	addr uint32
	data []byte
}

// pickMoments runs a program twice: once for its length, once to stop at n points
// that are spread evenly at random.
func pickMoments(t *testing.T, path string, n int) []moment {
	t.Helper()
	length := 0
	runCorpus(t, path, func(*armv7m.Core, []truth.Frame) { length++ })
	random := rand.New(rand.NewPCG(1, uint64(length)))
	var at []int
	for i := range n {
		at = append(at, i*length/n+random.IntN(length/n))
	}
	image, err := symbol.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	u, err := unwind.New(sampling.UnwindProgram(alone(image)))
	if err != nil {
		t.Fatal(err)
	}
	var out []moment
	var before []byte
	var snap snapshot.Snapshot
	step := 0
	runCorpus(t, path, func(core *armv7m.Core, want []truth.Frame) {
		if len(out) < n && step == at[len(out)] {
			m := moment{at: step, want: slices.Clone(want)}
			freeze(core, &snap)
			for r := range m.registers {
				m.registers[r], _ = core.ReadReg(uint8(r))
			}
			frames, stop := u.Unwind(nil, &snap)
			v := verdict{places: map[place]*example{}}
			v.add(frames, stop, want, &snap, image)
			m.ours = v.equal == 1
			ram := core.Memory(0x20000000)
			if before == nil {
				before = make([]byte, len(ram))
			}
			m.changed = changes(before, ram)
			out = append(out, m)
		}
		step++
	})
	return out
}

// runCorpus calls visit before every instruction up to the end of the program.
func runCorpus(t *testing.T, path string, visit func(core *armv7m.Core, want []truth.Frame)) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	board, err := sim.New(sim.Options{ELF: data})
	if err != nil {
		t.Fatal(err)
	}
	core := board.Core()
	var want []truth.Frame
	for range mostInstructions {
		core.Step()
		if want = trueStack(want[:0], board); want[0].Function == corpus.Done {
			return
		}
		visit(core, want)
	}
	t.Fatalf("%s was not reached", corpus.Done)
}

// changes brings old up to date and says where it was not.
func changes(old, now []byte) (out []change) {
	const page = 64
	for off := 0; off < len(now); off += page {
		end := min(off+page, len(now))
		if bytes.Equal(old[off:end], now[off:end]) {
			continue
		}
		addr := uint32(0x20000000 + off)
		if k := len(out) - 1; k >= 0 && out[k].addr+uint32(len(out[k].data)) == addr {
			out[k].data = append(out[k].data, now[off:end]...)
		} else {
			out = append(out, change{addr, slices.Clone(now[off:end])})
		}
	}
	copy(old, now)
	return out
}
