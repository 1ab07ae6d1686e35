package armv7m

import "testing"

// TestCyclesVFP: the model of cycles.go for floating point.
func TestCyclesVFP(t *testing.T) {
	for _, x := range []struct {
		asm    string
		code   []uint16
		cycles uint64
	}{
		{"vadd", []uint16{0xee71, 0x0a21}, 1},
		{"vmul", []uint16{0xee61, 0x0a21}, 1},
		{"vnmul", []uint16{0xee61, 0x0a61}, 1},
		{"vmla", []uint16{0xee41, 0x0a21}, 3},
		{"vnmls", []uint16{0xee51, 0x0a21}, 3},
		{"vfma", []uint16{0xeee1, 0x0a21}, 3},
		{"vfnms", []uint16{0xeed1, 0x0a21}, 3},
		{"vdiv", []uint16{0xeec1, 0x0a21}, 14},
		{"vsqrt", []uint16{0xeef1, 0x0ae1}, 14},
		{"vabs", []uint16{0xeef0, 0x0ae1}, 1},
		{"vcmp", []uint16{0xeef4, 0x0a61}, 1},
		{"vcvt", []uint16{0xeefd, 0x0ae1}, 1},
		{"vmov constant", []uint16{0xeef8, 0x0a04}, 1},
		{"vmov s1, r2", []uint16{0xee00, 0x2a90}, 1},
		{"vmov d1, r3, r4", []uint16{0xec44, 0x3b11}, 2},
		{"vmov r3, r4, s1, s2", []uint16{0xec54, 0x3a30}, 2},
		{"vmrs", []uint16{0xeef1, 0xfa10}, 1},
		{"vmsr", []uint16{0xeee1, 0x3a10}, 1},
		{"vldr.32", []uint16{0xedd2, 0x0a02}, 2},
		{"vldr.64", []uint16{0xed92, 0x1b02}, 3},
		{"vstr.32", []uint16{0xedc2, 0x0a02}, 2},
		{"vstr.64", []uint16{0xed82, 0x1b02}, 3},
		{"vldm of 3", []uint16{0xecd2, 0x0a03}, 4},
		{"vstm of 3 doubles", []uint16{0xeca2, 0x1b06}, 7},
		{"vpush of 8 doubles", []uint16{0xed2d, 0x8b10}, 17},
		{"vpop of 2", []uint16{0xecbd, 0x8a02}, 3},
	} {
		c := vfpMachine(t, x.code...)
		c.WriteReg(2, 0x20000100)
		start := c.Cycles()
		c.Step()
		if n := c.Cycles() - start; n != x.cycles || c.cfsr != 0 {
			t.Errorf("%s: %d cycles, want %d", x.asm, n, x.cycles)
		}
	}
}
