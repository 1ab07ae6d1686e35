package gprof_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/mprof/mprof/sim/armv7m"
)

// What IRQ0 does (testdata/arm/interrupted.c).
const (
	modeCall = iota
	modeReset
	modeRequest
	modeRestart
	modes
)

// IRQ1 calls, too; IRQ2 is the tick.
const tick = 2

// cores are those that differ in mcount, in the interrupt's way to the PC, and in the frame.
var cores = []struct {
	name  string
	flags []string
}{
	{"Cortex-M0", []string{"-mcpu=cortex-m0"}},
	{"Cortex-M4", []string{"-mcpu=cortex-m4"}},
	{"Cortex-M4, process stack", []string{"-mcpu=cortex-m4", "-DPROCESS_STACK"}},
	{"Cortex-M4, floating point", []string{"-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"}},
	{"Cortex-M0, process stack", []string{"-mcpu=cortex-m0", "-DPROCESS_STACK"}},
}

// eachCore builds the program for each, optimised for speed and for size.
func eachCore(t *testing.T, f func(t *testing.T, m *machine, step int)) {
	if testing.Short() {
		t.Skip("executes a program some thousand times")
	}
	for i, core := range cores {
		for _, o := range []string{"-O2", "-Os"} {
			step := 1
			if o == "-Os" || i > 1 {
				step = 5
			}
			t.Run(core.name+" "+o, func(t *testing.T) { f(t, buildMachine(t, append(core.flags, o)...), step) })
		}
	}
}

// length is how many instructions the window has.
func (m *machine) length(t *testing.T) (n int) {
	c := m.start(t, modeCall)
	for ; pcOf(c) != m.at("window_end"); n++ {
		c.Step()
	}
	return n
}

// The tick at every instruction, mcount's among them, counts the instruction that it interrupted, and nothing else.
func TestTickAtEveryInstruction(t *testing.T) {
	eachCore(t, func(t *testing.T, m *machine, step int) {
		n := m.length(t)
		quiet := m.counted(t, m.start(t, modeCall))
		for at := 0; at < n && !t.Failed(); at += step {
			c := m.start(t, modeCall)
			for range at {
				c.Step()
			}
			c.Pend(tick)
			interrupted := pcOf(c)
			for pcOf(c) != m.at("gprof_irq") {
				interrupted = pcOf(c) // it executes where the interrupt is masked
				c.Step()
			}
			h := m.counted(t, c)
			if h.Ticks != 1 || h.Outside != 0 || h.counters[(interrupted-h.Low)/2] != 1 {
				t.Errorf("instruction %d, 0x%08x: %+v", at, interrupted, h.block)
			}
			if !maps.Equal(h.calls(t), quiet.calls(t)) {
				t.Errorf("instruction %d: calls %x, want %x", at, h.calls(t), quiet.calls(t))
			}
		}
	})
}

// Interrupts that call the same functions come at every instruction, and a second one within some of the first:
// every call is counted once.
func TestCallsAtEveryInstruction(t *testing.T) {
	eachCore(t, func(t *testing.T, m *machine, step int) {
		n := m.length(t)
		run := func(at, later int) map[string]uint32 {
			c := m.start(t, modeCall)
			for range at {
				c.Step()
			}
			c.Pend(0)
			for range max(later, 0) {
				c.Step()
			}
			if later >= 0 {
				c.Pend(1)
			}
			h := m.counted(t, c)
			if h.ArcsLost != 0 {
				t.Errorf("instruction %d: %d calls lost", at, h.ArcsLost)
			}
			return m.named(&h)
		}
		one, two := run(n, -1), run(n, 0)
		if one["exception IRQ0_Handler"] != 1 || two["exception IRQ1_Handler"] != 1 {
			t.Fatal(one, two)
		}
		for at := 0; at < n && !t.Failed(); at += step {
			if got := run(at, -1); !maps.Equal(got, one) {
				t.Errorf("instruction %d: %v, want %v", at, got, one)
			}
			if got := run(at, at*7%300); at%5 == 0 && !maps.Equal(got, two) {
				t.Errorf("instruction %d, another %d later: %v, want %v", at, at*7%300, got, two)
			}
		}
	})
}

// Whoever clears at any instruction leaves the calls that come after it: those, and at most the one under way.
func TestClearedAtEveryInstruction(t *testing.T) {
	eachCore(t, func(t *testing.T, m *machine, step int) {
		n := m.length(t)
		for mode := uint32(modeReset); mode < modes; mode++ {
			for at := 0; at < n && !t.Failed(); at += step {
				m.clear(t, mode, at)
			}
		}
	})
}

func (m *machine) clear(t *testing.T, mode uint32, at int) {
	t.Helper()
	c := m.start(t, mode)
	under := 0 // calls that are being counted
	for range at {
		begun, left := m.step(c)
		under += begun - left
	}
	before := m.held(t, c)
	c.Pend(0)
	after := 0
	for pcOf(c) != m.at("finished") {
		thread := exception(c) == 0
		begun, _ := m.step(c)
		if thread {
			after += begun
		}
	}
	h := m.counted(t, c)
	sum := 0
	for call, n := range m.named(&h) {
		if call != "exception IRQ0_Handler" {
			sum += int(n)
		}
	}
	if sum < after || sum > after+under {
		t.Errorf("mode %d, instruction %d: %d calls, want %d and at most %d more: %v", mode, at, sum, after, under, m.named(&h))
	}
	if h.Epoch == before.Epoch || h.State != 1 || h.ArcsLost != 0 || h.Request != 0 {
		t.Errorf("mode %d, instruction %d: %+v", mode, at, h.block)
	}
}

// A program clears its counts itself, and is interrupted by calls at every instruction of that, which come before, meanwhile
// or afterwards. What it called afterwards is there, and what the interrupt called is so as a whole or up to an end.
func TestClearingIsInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("executes a program some thousand times")
	}
	for _, core := range cores[:2] {
		t.Run(core.name, func(t *testing.T) {
			m := buildMachine(t, append(core.flags, "-O2", "-DRESETS")...)
			n := m.length(t)
			quiet := m.counted(t, m.start(t, modeCall))
			want := m.named(&quiet)
			for at := 0; at < n && !t.Failed(); at++ {
				c := m.start(t, modeCall)
				for range at {
					c.Step()
				}
				c.Pend(0)
				h := m.counted(t, c)
				for call, n := range m.named(&h) {
					own := want[call]
					most := 2*own + 1
					if own > 0 && strings.HasSuffix(call, "outer") {
						most = own // from main
					}
					if n < own || n > most {
						t.Errorf("instruction %d: %d times %s, %d afterwards", at, n, call, own)
					}
				}
				if len(m.named(&h)) < len(want) || h.ArcsLost != 0 {
					t.Errorf("instruction %d: %v, want %v and more", at, m.named(&h), want)
				}
			}
		})
	}
}

// step executes an instruction, and says whether it was the first of mcount, or its return.
func (m *machine) step(c *armv7m.Core) (begun, left int) {
	n := c.Instructions()
	c.Step()
	last := c.LastPC()
	switch end := m.at("__gnu_mcount_nc") + uint32(m.symbols["__gnu_mcount_nc"].Size); {
	case c.Instructions() == n:
	case last == m.at("__gnu_mcount_nc"):
		return 1, 0
	case last == end-2: // bx ip
		return 0, 1
	}
	return 0, 0
}

func exception(c *armv7m.Core) uint32 {
	xpsr, _ := c.ReadReg(16)
	return xpsr & 0x1ff
}

// mcount gives back all registers but ip, LR as it was at the function's first instruction, and the stack.
func TestRegistersKept(t *testing.T) {
	eachCore(t, func(t *testing.T, m *machine, _ int) {
		c := m.start(t, modeCall)
		calls := 0
		for pcOf(c) != m.at("window_end") {
			if pcOf(c) != m.at("__gnu_mcount_nc") {
				c.Step()
				continue
			}
			calls++
			var before [16]uint32
			for i := range before {
				before[i], _ = c.ReadReg(uint8(i))
			}
			saved, _ := c.ReadBus(before[13], 4)
			for pcOf(c) != before[14]&^1 {
				if pcOf(c) == m.at("gprof_call") {
					if sp, _ := c.ReadReg(13); sp%8 != 0 && (before[13]+4)%8 == 0 {
						t.Errorf("gprof_call with SP 0x%08x, mcount with 0x%08x", sp, before[13])
					}
				}
				c.Step()
			}
			for i := range before {
				want := before[i]
				switch i {
				case 12, 15:
					continue
				case 13:
					want += 4
				case 14:
					want = saved
				}
				if v, _ := c.ReadReg(uint8(i)); v != want {
					t.Errorf("call %d: r%d is 0x%08x, want 0x%08x", calls, i, v, want)
				}
			}
		}
		if calls != 2*6 {
			t.Errorf("%d calls", calls)
		}
	})
}
