package armv7m

import "testing"

// TestUndefinedVFP has encodings of coprocessors 10 and 11 that are UNDEFINED or
// UNPREDICTABLE in FPv4-SP (DDI 0403E A6.3 to A6.7): NOCP while access is
// closed.
func TestUndefinedVFP(t *testing.T) {
	for _, x := range []struct {
		what string
		code []uint16
	}{
		{"VADD.F64", []uint16{0xee32, 0x1b03}},
		{"VMOV.F64 of registers", []uint16{0xeeb0, 0x1b42}},
		{"VMOV.F64 of a constant", []uint16{0xeeb7, 0x1b00}},
		{"VCVT.F64.F32", []uint16{0xeeb7, 0x1ae1}},
		{"VCVT.F32.F64", []uint16{0xeeb7, 0x1bc1}},
		{"VCVTB.F64.F16", []uint16{0xeeb2, 0x1b41}},
		{"VSEL (FPv5)", []uint16{0xfe00, 0x0a00}},
		{"VMAXNM (FPv5)", []uint16{0xfe80, 0x0a00}},
		{"VRINTZ (FPv5)", []uint16{0xeeb6, 0x0ac0}},
		{"VRINTX (FPv5)", []uint16{0xeeb7, 0x0a40}},
		{"opc1 1x00 with bit 6", []uint16{0xee80, 0x0a40}},
		{"VCVT of 16 bits with 17 behind the point", []uint16{0xeeba, 0x0a68}},
		{"VMOV.8 to a lane", []uint16{0xee40, 0x0b10}},
		{"VMOV.16 to a lane", []uint16{0xee00, 0x0b30}},
		{"VMOV.32 to a half of D16", []uint16{0xee00, 0x0b90}},
		{"VDUP", []uint16{0xee80, 0x0b10}},
		{"VMOV to S0 from SP", []uint16{0xee00, 0xda10}},
		{"VMOV to PC from S0", []uint16{0xee10, 0xfa10}},
		{"VMRS from FPSID", []uint16{0xeef0, 0x0a10}},
		{"VMSR to FPEXC", []uint16{0xeee8, 0x0a10}},
		{"VMRS to SP", []uint16{0xeef1, 0xda10}},
		{"VMSR from PC", []uint16{0xeee1, 0xfa10}},
		{"VMRS with T", []uint16{0xfef1, 0x0a10}},
		{"VMOV of two registers to S31 and on", []uint16{0xec41, 0x0a3f}},
		{"VMOV of two singles to one register", []uint16{0xec50, 0x0a10}},
		{"VMOV of two registers to D16", []uint16{0xec41, 0x0b30}},
		{"VMOV of two registers, bits 7:6", []uint16{0xec41, 0x0a50}},
		{"VMOV of two registers, bit 4", []uint16{0xec41, 0x0a00}},
		{"VLDR of D16", []uint16{0xedd0, 0x0b00}},
		{"VSTR to PC", []uint16{0xed8f, 0x0a00}},
		{"VLDM of nothing", []uint16{0xec90, 0x0a00}},
		{"VLDM of half a double", []uint16{0xec90, 0x0b01}},
		{"VLDM beyond S31", []uint16{0xecd0, 0xfa02}},
		{"VLDM beyond D15", []uint16{0xec90, 0xfb04}},
		{"VLDM of D16", []uint16{0xecd0, 0x0b02}},
		{"VLDM from PC", []uint16{0xec9f, 0x0a01}},
		{"VLDM with P and U and W", []uint16{0xedb0, 0x0a01}},
	} {
		c := vfpMachine(t, x.code...)
		c.Step()
		c.Step()
		if c.ipsr != excHardFault || c.cfsr != ufsrUNDEFINSTR {
			t.Errorf("%s: exception %d, CFSR 0x%08x", x.what, c.ipsr, c.cfsr)
		}
		c = machine(t, Config{FPU: true}, x.code...)
		c.Step()
		if c.cfsr != ufsrNOCP {
			t.Errorf("%s with access closed: CFSR 0x%08x, want NOCP", x.what, c.cfsr)
		}
	}
}

// TestOtherCoprocessors: those beside 10 and 11 are not there, FPU or not.
func TestOtherCoprocessors(t *testing.T) {
	for _, code := range [][]uint16{{0xee00, 0x0910}, {0xed90, 0x0c00}, {0xec41, 0x0710}, {0xfe00, 0x0000}} {
		c := vfpMachine(t, code...)
		c.Step()
		if c.cfsr != ufsrNOCP {
			t.Errorf("%04x: CFSR 0x%08x, want NOCP", code, c.cfsr)
		}
	}
}

// TestVFPInIT: conditional like the rest, with the flags that VMRS brings.
func TestVFPInIT(t *testing.T) {
	// vcmp s0, s1; vmrs; ite mi; vmovmi s2, s0; vmovpl s2, s1
	c := vfpMachine(t, 0xeeb4, 0x0a60, 0xeef1, 0xfa10, 0xbf4c, 0xeeb0, 0x1a40, 0xeeb0, 0x1a60)
	c.s[0], c.s[1] = 0xbf800000, 0x3f800000
	start := c.Cycles()
	for range 5 {
		c.Step()
	}
	if c.s[2] != 0xbf800000 || c.pc != 0x112 || c.Cycles()-start != 5 {
		t.Errorf("S2 0x%08x at 0x%x after %d cycles", c.s[2], c.pc, c.Cycles()-start)
	}
	// it ne; an UNDEFINED instruction whose condition fails
	c = vfpMachine(t, 0xbf18, 0xee32, 0x1b03)
	c.setFlags(psrZ)
	c.Step()
	c.Step()
	if c.pc != 0x106 || c.cfsr != 0 {
		t.Errorf("UNDEFINED with a failed condition: at 0x%x, CFSR 0x%08x", c.pc, c.cfsr)
	}
}

// TestVFPFaults: a load or store that faults leaves registers, base and, but for
// the words stored before, memory as they were (B1.5.14).
func TestVFPFaults(t *testing.T) {
	for _, x := range []struct {
		what       string
		code       []uint16
		base       uint32
		cfsr, bfar uint32
	}{
		{"vldr s1, unaligned", []uint16{0xedd2, 0x0a00}, 0x20000102, ufsrUNALIGNED, 0},
		{"vldr d1, unaligned", []uint16{0xed92, 0x1b00}, 0x20000101, ufsrUNALIGNED, 0},
		{"vstr s1, unaligned", []uint16{0xedc2, 0x0a00}, 0x20000102, ufsrUNALIGNED, 0},
		{"vldmia r2!, {s1-s3}, unaligned", []uint16{0xecf2, 0x0a03}, 0x20000102, ufsrUNALIGNED, 0},
		{"vstmdb r2!, {s1-s3}, unaligned", []uint16{0xed62, 0x0a03}, 0x20000102, ufsrUNALIGNED, 0},
		{"vldr s1, nowhere", []uint16{0xedd2, 0x0a00}, 0x90000000, bfsrPRECISERR | bfsrBFARVALID, 0x90000000},
		{"vldr d1, second word nowhere", []uint16{0xed92, 0x1b00}, 0x2000fffc, bfsrPRECISERR | bfsrBFARVALID, 0x20010000},
		{"vldmia r2!, {s1-s3}, third word nowhere", []uint16{0xecf2, 0x0a03}, 0x2000fff8, bfsrPRECISERR | bfsrBFARVALID, 0x20010000},
		{"vstmia r2!, {s1-s3}, third word nowhere", []uint16{0xece2, 0x0a03}, 0x2000fff8, bfsrPRECISERR | bfsrBFARVALID, 0x20010000},
		{"vstr s1 to ROM", []uint16{0xedc2, 0x0a00}, 0x200, bfsrPRECISERR | bfsrBFARVALID, 0x200},
	} {
		c := vfpMachine(t, x.code...)
		c.r[2] = x.base
		for i := range c.s {
			c.s[i] = uint32(0x100 + i)
		}
		before := c.s
		c.Step()
		if c.cfsr != x.cfsr || c.bfar != x.bfar || c.s != before || c.r[2] != x.base {
			t.Errorf("%s: CFSR 0x%08x, BFAR 0x%08x, R2 0x%08x", x.what, c.cfsr, c.bfar, c.r[2])
		}
	}
}

// TestVFPSelfModifying: what a store of extension registers writes over code is
// executed.
func TestVFPSelfModifying(t *testing.T) {
	c := vfpMachine(t, 0xeca2, 0x0a02) // vstmia r2!, {s0, s1}
	poke(t, c, 0x20000100, 0x20012001) // movs r0, #1
	c.WriteReg(15, 0x20000100)
	c.Step()
	c.Step()
	c.WriteReg(15, 0x100)
	c.r[2] = 0x200000fc
	c.s[1] = 0x20032002
	c.Step()
	c.WriteReg(15, 0x20000100)
	c.Step()
	if c.r[0] != 2 {
		t.Errorf("r0 %d", c.r[0])
	}
}
