package armv7m

import (
	"strings"
	"testing"
)

// TestFetchWaits steps a compiled program on a core with a slow flash and on
// one without, and counts the lines from the addresses of its instructions.
func TestFetchWaits(t *testing.T) {
	for _, w := range []FetchWait{{Cycles: 5}, {Cycles: 3, Line: 8}, {Cycles: 1, Line: 4}, {Cycles: 7, Line: 1024}} {
		fast := program(t, "testdata/bench/bench.elf", Config{})
		slow := program(t, "testdata/bench/bench.elf", Config{FetchWait: w})
		line, last, want := max(w.Line, 4), uint32(1), uint64(0)
		if w.Line == 0 {
			line = 16
		}
		for range 200_000 {
			fast.Step()
			slow.Step()
			if fast.LastPC() != slow.LastPC() {
				t.Fatalf("%+v: at 0x%08x, without waiting at 0x%08x", w, slow.LastPC(), fast.LastPC())
			}
			pc := fast.LastPC()
			half, _ := fast.readMemory(pc, 2)
			ends := pc
			if half>>11 >= 0x1d {
				ends += 2
			}
			for _, addr := range []uint32{pc, ends} {
				if addr/line != last && addr < 0x20000000 {
					last = addr / line
					want += uint64(w.Cycles)
				}
			}
		}
		if slow.FetchWaits() != want || want == 0 {
			t.Errorf("%+v: waited %d cycles, the addresses say %d", w, slow.FetchWaits(), want)
		}
		if slow.Cycles()-fast.Cycles() != want {
			t.Errorf("%+v: %d cycles, %d without waiting: %d more, of which waited %d", w, slow.Cycles(), fast.Cycles(), slow.Cycles()-fast.Cycles(), want)
		}
	}
}

// TestFetchFromRAM: the same loop in ROM, across two lines, and in RAM.
func TestFetchFromRAM(t *testing.T) {
	loop := []uint16{0x1c40, 0x1c40, 0x1c40, 0x1c40, 0x1c40, 0x1c40, 0x1c40, 0x1c40, 0xe7f6} // adds r0,r0,#1 eight times; b to the first
	const cycles = 8 + 3
	c := machine(t, Config{FetchWait: FetchWait{Cycles: 10}}, loop...)
	for range 9 * 10 {
		c.Step()
	}
	if want := uint64(10 * (cycles + 2*10)); c.Cycles() != want {
		t.Errorf("in ROM: %d cycles, want %d", c.Cycles(), want)
	}
	for i, h := range loop {
		c.WriteBus(0x20000100+uint32(2*i), 2, uint32(h))
	}
	c.pc = 0x20000100
	before, waited := c.Cycles(), c.FetchWaits()
	for range 9 * 10 {
		c.Step()
	}
	if c.Cycles()-before != 10*cycles || c.FetchWaits() != waited {
		t.Errorf("in RAM: %d cycles, want %d", c.Cycles()-before, 10*cycles)
	}
}

// TestFetchAcrossLines: a 32-bit instruction in an IT block across two lines,
// executed and not.
func TestFetchAcrossLines(t *testing.T) {
	for _, it := range []uint16{0xbf08, 0xbf18} { // IT EQ, IT NE
		c := machine(t, Config{FetchWait: FetchWait{Cycles: 10}}, 0xbf00, 0xbf00, 0xbf00, 0xbf00, 0xbf00, 0xbf00, it, 0xf100, 0x0001)
		for range 8 {
			c.Step()
		}
		if c.FetchWaits() != 20 || c.Cycles() != 8+20 {
			t.Errorf("IT 0x%04x: waited %d of %d cycles, want 20 of 28", it, c.FetchWaits(), c.Cycles())
		}
	}
}

func TestFetchLineRefused(t *testing.T) {
	for _, line := range []uint32{1, 2, 12, 2048} {
		_, err := New(Config{Regions: []Region{{Base: 0, Data: make([]byte, 1024), ROM: true}}, FetchWait: FetchWait{1, line}})
		if err == nil || !strings.Contains(err.Error(), "flash line") {
			t.Errorf("line of %d bytes: %v", line, err)
		}
	}
}
