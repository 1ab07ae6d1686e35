package armv7m

import (
	"encoding/binary"
	"testing"
)

// machine is a core with code at 0, from 0x100, and 64 KiB of RAM.
func machine(t testing.TB, cfg Config, code ...uint16) *Core {
	t.Helper()
	rom := make([]byte, 0x10000)
	binary.LittleEndian.PutUint32(rom, 0x20008000)
	for i := 1; i < 64; i++ {
		binary.LittleEndian.PutUint32(rom[4*i:], uint32(0x1001+0x20*i))
	}
	binary.LittleEndian.PutUint32(rom[4:], 0x101)
	for i, h := range code {
		binary.LittleEndian.PutUint16(rom[0x100+2*i:], h)
	}
	// Every handler is B to itself.
	for i := 2; i < 64; i++ {
		binary.LittleEndian.PutUint16(rom[0x1000+0x20*i:], 0xe7fe)
	}
	cfg.Regions = append(cfg.Regions, Region{Base: 0, Data: rom, ROM: true}, Region{Base: 0x20000000, Data: make([]byte, 0x10000)})
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSmoke(t *testing.T) {
	// movs r0,#10; movs r1,#0; loop: adds r1,r0; subs r0,#1; bne loop; push {r0,r1,lr}; pop {r2,r3}; b .
	c := machine(t, Config{}, 0x200a, 0x2100, 0x1809, 0x3801, 0xd1fc, 0xb503, 0xbc0c, 0xe7fe)
	c.Run(1000)
	if c.r[1] != 55 || c.r[3] != 55 || c.pc != 0x10e {
		t.Errorf("r1 %d r3 %d pc 0x%x", c.r[1], c.r[3], c.pc)
	}
}
