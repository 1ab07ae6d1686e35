package armv7m

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// encoding is a test of one instruction, or a few in sequence: what the state
// is before and what of it is different after. States are written as
// "r0=12 sp=20001000 [20000010]=5 N Z C V Q ge=3", numbers in hexadecimal; of the
// flags after, those not mentioned are clear, or all are as before with "same". PC after is behind the code,
// unless it is mentioned.
type encoding struct {
	asm     string
	code    []uint16
	in, out string
}

// state is what an instruction can change.
type state struct {
	Registers map[string]uint32
	Memory    map[uint32]uint32
	Flags     string
	GE        uint32
}

func parseState(t *testing.T, text string, s state) state {
	t.Helper()
	before := s.Flags
	s.Flags = ""
	for _, word := range strings.Fields(text) {
		name, value, given := strings.Cut(word, "=")
		if name == "same" {
			s.Flags = before
			continue
		}
		if !given {
			s.Flags += name
			continue
		}
		v, err := strconv.ParseUint(value, 16, 32)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		switch {
		case name == "ge":
			s.GE = uint32(v)
		case name[0] == '[':
			a, err := strconv.ParseUint(name[1:len(name)-1], 16, 32)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			s.Memory[uint32(a)] = uint32(v)
		default:
			s.Registers[name] = uint32(v)
		}
	}
	return s
}

var registerNames = [16]string{"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "sp", "lr", "pc"}

func (s state) put(t *testing.T, c *Core) {
	for i, name := range registerNames {
		c.WriteReg(uint8(i), s.Registers[name])
	}
	psr := uint32(psrT) | s.GE<<16
	for i, f := range "NZCVQ" {
		if strings.ContainsRune(s.Flags, f) {
			psr |= 1 << (31 - i)
		}
	}
	c.WriteReg(16, psr)
	for a, v := range s.Memory {
		if !c.WriteBus(a, 4, v) {
			t.Fatalf("0x%08x is not memory", a)
		}
	}
}

func stateOf(c *Core) state {
	s := state{Registers: map[string]uint32{}, Memory: map[uint32]uint32{}}
	for i, name := range registerNames {
		s.Registers[name], _ = c.ReadReg(uint8(i))
	}
	psr, _ := c.ReadReg(16)
	for i, f := range "NZCVQ" {
		if psr>>(31-i)&1 != 0 {
			s.Flags += string(f)
		}
	}
	s.GE = psr >> 16 & 15
	ram := c.regions[1]
	for off := 0; off < len(ram.data); off += 4 {
		if v := binary.LittleEndian.Uint32(ram.data[off:]); v != 0 {
			s.Memory[ram.base+uint32(off)] = v
		}
	}
	return s
}

// length is the number of instructions in code, up to data behind NOPs.
func (e encoding) length() int {
	n := len(strings.Split(e.asm, ";"))
	if strings.Contains(e.asm, ".word") {
		return 1
	}
	return n
}

func checkEncodings(t *testing.T, tests []encoding) {
	t.Helper()
	for _, e := range tests {
		name := fmt.Sprintf("%s, %s", e.asm, e.in)
		c := machine(t, Config{}, e.code...)
		reset := stateOf(c)
		in := parseState(t, e.in, reset)
		in.put(t, c)
		for range e.length() {
			c.Step()
		}
		want := in
		want.Registers["pc"] = 0x100 + 2*uint32(len(e.code))
		if e.length() == 1 && strings.Contains(e.asm, ".word") {
			want.Registers["pc"] = 0x102 + 2*uint32(e.code[0]>>11/0x1d)
		}
		want = parseState(t, e.out, want)
		for a, v := range want.Memory {
			if v == 0 {
				delete(want.Memory, a)
			}
		}
		if d := cmp.Diff(want, stateOf(c)); d != "" {
			t.Errorf("%s: (-want +got)\n%s", name, d)
		}
	}
}
