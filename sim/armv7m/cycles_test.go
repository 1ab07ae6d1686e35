package armv7m

import (
	"fmt"
	"testing"
)

// TestCycles: the model of cycles.go, instruction by instruction.
func TestCycles(t *testing.T) {
	for _, x := range []struct {
		asm    string
		code   []uint16
		cycles uint64
	}{
		{"adds", []uint16{0x1888}, 1},
		{"ldr", []uint16{0x6808}, 2},
		{"ldr literal", []uint16{0x4801}, 2},
		{"str immediate", []uint16{0x6008}, 1},
		{"str register", []uint16{0x5108}, 2},
		{"ldrd", []uint16{0xe9d1, 0x0500}, 3},
		{"strd", []uint16{0xe9c1, 0x0500}, 3},
		{"push of 3", []uint16{0xb503}, 4},
		{"pop of 2", []uint16{0xbc03}, 3},
		{"ldm of 2", []uint16{0xc90c}, 3},
		{"beq not taken", []uint16{0xd000}, 1},
		{"bne taken", []uint16{0xd100}, 3},
		{"b", []uint16{0xe000}, 3},
		{"bl", []uint16{0xf000, 0xf800}, 3},
		{"bx", []uint16{0x4718}, 3},
		{"cbz taken", []uint16{0xb100}, 3},
		{"cbnz not taken", []uint16{0xb900}, 1},
		{"mov pc", []uint16{0x469f}, 3},
		{"tbb", []uint16{0xe8d1, 0xf000}, 4},
		{"ldr pc", []uint16{0xf8d1, 0xf000}, 4},
		{"mul", []uint16{0x4348}, 1},
		{"smlal", []uint16{0xfbc0, 0x4502}, 1},
		{"udiv of 0 by 0", []uint16{0xfbb0, 0xf0f4}, 2},
		{"udiv of 9 by 2", []uint16{0xfbb6, 0xf0f2}, 3},
		{"udiv of 2^32-1 by 1", []uint16{0xfbb7, 0xf0f8}, 12},
		{"sdiv of -1 by 1", []uint16{0xfb97, 0xf0f8}, 3},
		{"ldr unaligned by 2", []uint16{0x68a8}, 3},
		{"ldr unaligned by 1", []uint16{0xf8d1, 0x0001}, 4},
		{"ldrh unaligned", []uint16{0xf8b1, 0x0001}, 3},
		{"it", []uint16{0xbf08}, 1},
		{"dsb", []uint16{0xf3bf, 0x8f4f}, 1},
		{"mrs", []uint16{0xf3ef, 0x8010}, 1},
	} {
		c := machine(t, Config{}, x.code...)
		c.WriteReg(1, 0x20000000)
		c.WriteReg(2, 2)
		c.WriteReg(3, 0x201)
		c.WriteReg(5, 0x2000000a-8)
		c.WriteReg(6, 9)
		c.WriteReg(7, 0xffffffff)
		c.WriteReg(8, 1)
		c.Step()
		if c.Cycles() != x.cycles || c.Instructions() != 1 {
			t.Errorf("%s: %d cycles, want %d", x.asm, c.Cycles(), x.cycles)
		}
	}
}

// TestDivideCost: 2 to 12 and never less for a longer quotient.
func TestDivideCost(t *testing.T) {
	last := uint64(0)
	for n := range 32 {
		got := divideCost(1<<n, 1)
		if got < last || got < 2 || got > 12 {
			t.Errorf("1<<%d by 1: %d after %d", n, got, last)
		}
		last = got
	}
	if last != 12 {
		t.Errorf("the longest takes %d", last)
	}
}

// TestFailedCondition: an instruction whose condition fails takes one cycle.
func TestFailedCondition(t *testing.T) {
	c := machine(t, Config{}, 0xbf08, 0x6808)
	c.Step()
	c.Step()
	if c.Cycles() != 2 {
		t.Errorf("%d cycles", c.Cycles())
	}
}

// TestRunIsExact: Run in any slices comes to the same state at the same time.
func TestRunIsExact(t *testing.T) {
	end := func(slice uint64) string {
		c := program(t, "testdata/bench/bench.elf", Config{})
		for c.Cycles() < 200_000 {
			c.Run(min(c.Cycles()+slice, 200_000))
		}
		return fmt.Sprint(c.Cycles(), c.Instructions(), c.r[:16], c.pc)
	}
	want := end(200_000)
	for _, slice := range []uint64{1, 7, 1000} {
		if got := end(slice); got != want {
			t.Errorf("slices of %d: %s, want %s", slice, got, want)
		}
	}
}
