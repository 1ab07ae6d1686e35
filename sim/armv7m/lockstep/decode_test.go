package lockstep

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

func FuzzReadState(f *testing.F) {
	f.Add([]byte("R00=00000001 R01=00000001 R02=00000000 R03=00000000\n"))
	f.Add([]byte(printed(State{})))
	f.Fuzz(func(t *testing.T, text []byte) {
		in := bufio.NewReader(bytes.NewReader(text))
		for {
			s := new(State)
			if err := readState(in, s); err != nil {
				return
			}
			if err := readFP(in, s); err != nil {
				return
			}
		}
	})
}

// TestReadState reads back what is printed in the way of the emulator.
func TestReadState(t *testing.T) {
	var want, got State
	for i := range want.R {
		want.R[i] = 0x9abcdef0 + uint32(i)*0x01234567
	}
	for i := range want.S {
		want.S[i] = 0x3f800000 + uint32(i)*0x12345
	}
	want.XPSR, want.FPSCR = 0x61000003, 0x60000011
	in := bufio.NewReader(strings.NewReader(printed(want)))
	if err := readState(in, &got); err != nil {
		t.Fatal(err)
	}
	if err := readFP(in, &got); err != nil || got != want {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

// printed is a state as the emulator's log has it.
func printed(s State) string {
	var b strings.Builder
	for i, v := range s.R {
		fmt.Fprintf(&b, "R%02d=%08x%c", i, v, "   \n"[i%4])
	}
	fmt.Fprintf(&b, "XPSR=%08x -ZC- T handler\n", s.XPSR)
	for i := 0; i < 32; i += 2 {
		fmt.Fprintf(&b, "s%02d=%08x s%02d=%08x d%02d=%08x%08x\n", i, s.S[i], i+1, s.S[i+1], i/2, s.S[i+1], s.S[i])
	}
	fmt.Fprintf(&b, "FPSCR: %08x\n", s.FPSCR)
	return b.String()
}

// TestDifferenceIsFound runs a program against itself with one instruction
// changed: the comparison stops there and shows it.
func TestDifferenceIsFound(t *testing.T) {
	var c code
	c.word(RAMBase + 0x1000)
	for range 15 {
		c.word(0x101)
	}
	for c.pos() < 0x100 {
		c.half(nop)
	}
	for range 4 {
		c.half(0x3001) // ADDS r0, #1
	}
	c.half(0xe7fe)
	changed := bytes.Clone(c.flash)
	binary.LittleEndian.PutUint16(changed[0x104:], 0x3002)
	p := Program{Flash: c.flash, Done: 0x108}
	a, err := StartSimulated(Boards[1], p)
	if err != nil {
		t.Fatal(err)
	}
	b, err := StartSimulated(Boards[1], Program{Flash: changed})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Lockstep(p, a, b, 100, nil)
	d, ok := err.(*Difference)
	if !ok || d.Before.R[15] != 0x104 || d.Want.R[0] != 3 || d.Got.R[0] != 4 {
		t.Fatalf("%v", err)
	}
	for _, part := range []string{"0x00000104", "01 30", "0x00000003 0x00000004  <- differs"} {
		if !strings.Contains(d.Error(), part) {
			t.Errorf("no %q in %s", part, d)
		}
	}
}
