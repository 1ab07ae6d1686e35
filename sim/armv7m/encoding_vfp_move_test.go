package armv7m

import "testing"

// Between core and extension registers: DDI 0403E A6.6, A6.7.
func TestVFPMove(t *testing.T) {
	checkVFP(t, []encoding{
		{"vmov s1, r2", []uint16{0xee00, 0x2a90}, "r2=12345678", "s1=12345678"},
		{"vmov r2, s1", []uint16{0xee10, 0x2a90}, "s1=12345678", "r2=12345678"},
		{"vmov s1, s2, r3, r4", []uint16{0xec44, 0x3a30}, "r3=3 r4=4", "s1=3 s2=4"},
		{"vmov r3, r4, s1, s2", []uint16{0xec54, 0x3a30}, "s1=1 s2=2", "r3=1 r4=2"},
		{"vmov d1, r3, r4", []uint16{0xec44, 0x3b11}, "r3=3 r4=4", "s2=3 s3=4"},
		{"vmov r3, r4, d1", []uint16{0xec54, 0x3b11}, "s2=2 s3=3", "r3=2 r4=3"},
		{"vmov.32 d1[0], r3", []uint16{0xee01, 0x3b10}, "r3=3 s3=1", "s2=3"},
		{"vmov.32 d1[1], r3", []uint16{0xee21, 0x3b10}, "r3=3 s2=1", "s3=3"},
		{"vmov.32 r3, d1[0]", []uint16{0xee11, 0x3b10}, "s2=2 s3=3", "r3=2"},
		{"vmov.32 r3, d1[1]", []uint16{0xee31, 0x3b10}, "s2=2 s3=3", "r3=3"},
		{"vmsr fpscr, r3", []uint16{0xeee1, 0x3a10}, "r3=ffffffff", "fpscr=f7c0009f"},
		{"vmrs r3, fpscr", []uint16{0xeef1, 0x3a10}, "fpscr=f7c0009f", "r3=f7c0009f"},
	})
}

// Loads and stores: DDI 0403E A6.5.
func TestVFPMemory(t *testing.T) {
	const ram = "r2=20000100 [200000f4]=a [200000f8]=b [200000fc]=c [20000100]=1 [20000104]=2 [20000108]=3 "
	const regs = "r2=20000100 s1=11 s2=12 s3=13 s4=14 s5=15 s6=16 s7=17"
	checkVFP(t, []encoding{
		{"vldr s1, [r2, #8]", []uint16{0xedd2, 0x0a02}, ram, "s1=3"},
		{"vldr d1, [r2, #-8]", []uint16{0xed12, 0x1b02}, ram, "s2=b s3=c"},
		{"vldr s1, [pc, #0]; .word", []uint16{0xeddf, 0x0a00, 0x1234, 0x5678}, "", "s1=56781234"},
		{"vstr s1, [r2, #8]", []uint16{0xedc2, 0x0a02}, regs, "[20000108]=11"},
		{"vstr d1, [r2, #-8]", []uint16{0xed02, 0x1b02}, regs, "[200000f8]=12 [200000fc]=13"},
		{"vldmia r2, {s1-s3}", []uint16{0xecd2, 0x0a03}, ram, "s1=1 s2=2 s3=3"},
		{"vldmia r2!, {s1-s3}", []uint16{0xecf2, 0x0a03}, ram, "s1=1 s2=2 s3=3 r2=2000010c"},
		{"vldmdb r2!, {s1-s3}", []uint16{0xed72, 0x0a03}, ram, "s1=a s2=b s3=c r2=200000f4"},
		{"vldmia r2!, {d1-d3}", []uint16{0xecb2, 0x1b06}, ram, "s2=1 s3=2 s4=3 r2=20000118"},
		{"vldmdb r2!, {d1-d3}", []uint16{0xed32, 0x1b06}, "r2=2000010c [20000104]=2", "s6=2 r2=200000f4"},
		{"vstmia r2, {s1-s3}", []uint16{0xecc2, 0x0a03}, regs, "[20000100]=11 [20000104]=12 [20000108]=13"},
		{"vstmia r2!, {s1-s3}", []uint16{0xece2, 0x0a03}, regs, "[20000100]=11 [20000104]=12 [20000108]=13 r2=2000010c"},
		{"vstmdb r2!, {s1-s3}", []uint16{0xed62, 0x0a03}, regs, "[200000f4]=11 [200000f8]=12 [200000fc]=13 r2=200000f4"},
		{"vpush {s16-s17}", []uint16{0xed2d, 0x8a02}, "sp=20000100 s16=1 s17=2", "[200000f8]=1 [200000fc]=2 sp=200000f8"},
		{"vpop {s16-s17}", []uint16{0xecbd, 0x8a02}, "sp=200000f8 [200000f8]=1 [200000fc]=2", "s16=1 s17=2 sp=20000100"},
		{"fldmiax r2!, {d1-d3}", []uint16{0xecb2, 0x1b07}, ram, "s2=1 s3=2 s4=3 r2=2000011c"},
		{"fstmdbx r2!, {d1-d3}", []uint16{0xed22, 0x1b07}, regs, "[200000e4]=12 [200000e8]=13 [200000ec]=14 [200000f0]=15 [200000f4]=16 [200000f8]=17 r2=200000e4"},
	})
}
