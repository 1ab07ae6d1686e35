package armv7m

import (
	"encoding/binary"
	"testing"
)

// TestSelfModifying: what is written over code is executed from then on, from
// the core and from the debug port, in either half of a 32-bit instruction.
func TestSelfModifying(t *testing.T) {
	c := machine(t, Config{}, 0x8008, 0x4710) // STRH r0,[r1]; BX r2
	at := uint32(0x20000100)
	poke(t, c, at, 0x2001|0x4718<<16) // MOVS r0,#1; BX r3
	run := func() uint32 {
		c.WriteReg(15, at)
		c.WriteReg(3, 0x109)
		c.Step()
		return c.r[0]
	}
	if v := run(); v != 1 {
		t.Fatalf("r0 %d", v)
	}
	c.WriteReg(15, 0x100)
	c.WriteReg(0, 0x2002)
	c.WriteReg(1, at)
	c.Step()
	if v := run(); v != 2 {
		t.Errorf("after STRH: r0 %d", v)
	}
	c.WriteBus(at, 1, 3)
	if v := run(); v != 3 {
		t.Errorf("after WriteBus: r0 %d", v)
	}
	poke(t, c, at, 0x0005f240) // MOVW r0,#5
	if v := run(); v != 5 {
		t.Errorf("MOVW: r0 %d", v)
	}
	c.WriteBus(at+2, 1, 6)
	if v := run(); v != 6 {
		t.Errorf("second half: r0 %d", v)
	}
}

// TestROMLiteral: a debugger's write to a literal in flash is seen.
func TestROMLiteral(t *testing.T) {
	c := machine(t, Config{}, 0x4800, 0xe7fd, 0x1111, 0x1111)
	c.Step()
	c.Step()
	poke(t, c, 0x104, 0x2222)
	c.Step()
	if c.r[0] != 0x2222 {
		t.Errorf("r0 %x", c.r[0])
	}
}

// TestNew: what cannot be built.
func TestNew(t *testing.T) {
	ram := make([]byte, 0x1000)
	for _, x := range []struct {
		what string
		cfg  Config
	}{
		{"no memory", Config{}},
		{"overlap", Config{Regions: []Region{{Base: 0, Data: ram}, {Base: 0x800, Data: ram}}}},
		{"empty region", Config{Regions: []Region{{Base: 0, Data: ram}, {Base: 0x8000}}}},
		{"beyond 4 GiB", Config{Regions: []Region{{Base: 0, Data: ram}, {Base: 0xfffff800, Data: ram}}}},
		{"unaligned region", Config{Regions: []Region{{Base: 0, Data: ram}, {Base: 0x8002, Data: ram}}}},
		{"device over memory", Config{Regions: []Region{{Base: 0, Data: ram}}, Mounts: []Mount{{Base: 0xfff, Size: 4}}}},
		{"odd vector table", Config{Regions: []Region{{Base: 0, Data: ram}}, VTOR: 4}},
		{"vector table outside", Config{Regions: []Region{{Base: 0, Data: ram}}, VTOR: 0x1000}},
		{"architecture", Config{Regions: []Region{{Base: 0, Data: ram}}, Arch: 7}},
		{"interrupts", Config{Regions: []Region{{Base: 0, Data: ram}}, IRQs: 241}},
		{"priority bits", Config{Regions: []Region{{Base: 0, Data: ram}}, PriorityBits: 9}},
	} {
		if _, err := New(x.cfg); err == nil {
			t.Errorf("%s: no error", x.what)
		} else {
			t.Log(err)
		}
	}
}

// FuzzCore executes any bytes as code, on every architecture, with SysTick
// running and handlers made of the same bytes. Nothing may panic, and time has
// to pass.
func FuzzCore(f *testing.F) {
	f.Add([]byte{0x00, 0xbf}, uint8(0))
	f.Add([]byte{0x30, 0xbf, 0xff, 0xe7, 0x00, 0xdf}, uint8(1))
	f.Add([]byte{0x00, 0xde, 0xf0, 0xf7, 0x00, 0xa0, 0xbd, 0xe8, 0x00, 0x80}, uint8(2))
	f.Add([]byte{0x06, 0xbf, 0x00, 0xdf, 0x70, 0x47, 0x6f, 0xf0, 0x00, 0x00, 0x00, 0x47}, uint8(0))
	f.Add([]byte{0xb2, 0xec, 0x10, 0x8b, 0x71, 0xee, 0x21, 0x0a, 0xc1, 0xee, 0x21, 0x0a, 0xf1, 0xee, 0xe1, 0x0a, 0xa7, 0xec, 0x20, 0x0a}, uint8(48))
	f.Fuzz(func(t *testing.T, code []byte, how uint8) {
		mem := make([]byte, 0x2000)
		for i := copy(mem[0x200:], code); i < 0x1000 && len(code) > 0; i += len(code) {
			copy(mem[0x200+i:0x1200], code)
		}
		binary.LittleEndian.PutUint32(mem, 0x20000f00)
		for i := 1; i < 0x80; i++ {
			binary.LittleEndian.PutUint32(mem[4*i:], 0x201+0x20*uint32(i-1))
		}
		ram := make([]byte, 0x1000)
		c, err := New(Config{Arch: Arch(how % 3), FPU: how%3 == 0 && how&16 != 0, Regions: []Region{{Base: 0, Data: mem, ROM: how&4 != 0}, {Base: 0x20000000, Data: ram}}, Tracer: &log{core: new(Core)}})
		if err != nil {
			t.Fatal(err)
		}
		c.SetDebugEnabled(how&8 != 0)
		c.writeSCS(regSYSTRVR, 4, 300)
		c.writeSCS(regCPACR, 4, 0xf<<20)
		c.writeSCS(regSYSTCSR, 4, 3)
		for i := range uint8(13) {
			c.WriteReg(i, uint32(i)*0x13579bdf>>(i&7))
		}
		c.WriteReg(2, 0x20000800)
		c.WriteReg(7, 0xe000ed00)
		for c.Cycles() < 20_000 && !c.Halted() {
			before := c.Cycles()
			c.Run(before + 1000)
			if c.Cycles() < before+1000 {
				t.Fatalf("Run(%d) ended at %d", before+1000, c.Cycles())
			}
			c.Step()
		}
		if c.r[sp]&3 != 0 || c.pc&1 != 0 || c.otherSP&3 != 0 {
			t.Fatalf("SP %x, %x, PC %x", c.r[sp], c.otherSP, c.pc)
		}
	})
}
