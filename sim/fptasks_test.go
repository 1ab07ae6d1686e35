package sim_test

import (
	"bytes"
	"context"
	"debug/elf"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/mprof/mprof/sim"
)

// hostFP is what the program of fptasks.c computes, operation by operation in
// float32; the conversions keep Go from fusing them.
type hostFP struct{ logistic, filter [400]float32 }

func newHostFP() (h hostFP) {
	x, sum := float32(0.3), float32(0)
	for i := range h.logistic {
		for range 20 {
			x = float32(float32(3.9)*x) * float32(1-x)
			sum = float32(sum*0.5) + hostPolynomial(x)
		}
		h.logistic[i] = sum
	}
	s := [8]float32{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}
	weights := [8]float32{0, 0.5, -0.25, 0.125, -0.3125, 0.1875, 0.4375, -0.0625}
	for i := range h.filter {
		for k := range 20 {
			copy(s[1:], s[:7])
			a := float32(float32(float32((i*20+k)&63)-31.5) * 0.0625)
			for j := 1; j < 8; j++ {
				a = float32(a + float32(s[j]*weights[j]))
			}
			s[0] = a
		}
		h.filter[i] = s[0] + float32(math.Sqrt(float64(float32(float32(s[7]*s[7])+1))))
	}
	return h
}

func hostPolynomial(x float32) float32 {
	v := float32(0.125)
	for _, c := range []float32{0.25, -0.75, 1.5, -0.0625} {
		v = float32(float32(v*x) + c)
	}
	return v / float32(x+3)
}

// hostTicks is what SysTick computed after n of them, hostUrgents the other.
func hostTicks(n uint32) float32 {
	state := float32(1)
	for i := range n {
		if i%3 == 0 {
			continue
		}
		if s := float32(state * 1.0009765625); s > 4 {
			state = s - 3
		} else {
			state = s + 0.001953125
		}
	}
	return state
}

func hostUrgents(n uint32) float32 {
	state := float32(0.5)
	for range n {
		state = hostPolynomial(state) * 0.5
	}
	return state
}

// Interrupts and task switches in the middle of floating-point functions leave
// no trace in their results, whether state is put off or stored at once.
func TestFPTasks(t *testing.T) {
	want := newHostFP()
	for _, c := range []struct {
		lazy int
		opt  string
	}{{1, "-O2"}, {0, "-O2"}, {1, "-O0"}, {0, "-Os"}} {
		t.Run(fmt.Sprintf("LSPEN=%d%s", c.lazy, c.opt), func(t *testing.T) {
			image := cross(t, "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard", "-ffp-contract=off", "-fno-math-errno", c.opt,
				fmt.Sprintf("-DLAZY=%d", c.lazy), "testdata/fptasks.c")
			b := newBoard(t, sim.Options{ELF: image})
			memory := newSymbols(t, b, image)
			for range 100 {
				if memory.word("finished", 0) == 2 {
					break
				}
				b.Sleep(context.Background(), 10*time.Millisecond)
			}
			if n := memory.word("finished", 0); n != 2 {
				t.Fatalf("%d tasks finished: %+v", n, b.CoreState())
			}
			b.Sleep(context.Background(), time.Millisecond)
			for i := range want.logistic {
				if got := memory.float("logistic_out", i); got != want.logistic[i] {
					t.Fatalf("logistic %d: %v, the host has %v", i, got, want.logistic[i])
				}
				if got := memory.float("filter_out", i); got != want.filter[i] {
					t.Fatalf("filter %d: %v, the host has %v", i, got, want.filter[i])
				}
			}
			ticks, urgents := memory.word("ticks", 0), memory.word("urgents", 0)
			if got := memory.float("tick_out", 0); got != hostTicks(ticks) {
				t.Errorf("%d ticks: %v, the host has %v", ticks, got, hostTicks(ticks))
			}
			if got := memory.float("urgent_out", 0); got != hostUrgents(urgents) {
				t.Errorf("%d urgent interrupts: %v, the host has %v", urgents, got, hostUrgents(urgents))
			}
			switches, extended, putOff := memory.word("switches", 0), memory.word("extended", 0), memory.word("put_off", 0)
			t.Logf("%d ticks, %d urgent interrupts, %d switches, %d of a floating-point context, %d with state put off", ticks, urgents, switches, extended, putOff)
			if ticks < 500 || urgents < 50 || extended < switches/2 || (putOff > 0) != (c.lazy == 1) {
				t.Error("too little happened, or not what was asked for")
			}
			self := b.Truth().Self()
			for _, f := range []string{"step", "polynomial", "filter", "systick_handler", "urgent_handler", "pendsv_handler"} {
				if self[f] == 0 {
					t.Errorf("no time in %s: %v", f, self)
				}
			}
			if self["<unknown>"] != 0 {
				t.Errorf("%d cycles in unknown code", self["<unknown>"])
			}
		})
	}
}

// symbols reads variables of a program by name.
type symbols struct {
	t     *testing.T
	board *sim.Board
	at    map[string]uint32
}

func newSymbols(t *testing.T, b *sim.Board, image []byte) symbols {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		t.Fatal(err)
	}
	all, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	s := symbols{t, b, map[string]uint32{}}
	for _, sym := range all {
		s.at[sym.Name] = uint32(sym.Value)
	}
	return s
}

func (s symbols) word(name string, i int) uint32 {
	s.t.Helper()
	v, ok := s.board.Core().ReadBus(s.at[name]+4*uint32(i), 4)
	if !ok || s.at[name] == 0 {
		s.t.Fatalf("no variable %s", name)
	}
	return v
}

func (s symbols) float(name string, i int) float32 {
	s.t.Helper()
	return math.Float32frombits(s.word(name, i))
}
