package coresight

import (
	"slices"
	"testing"

	"github.com/mprof/mprof/sim/armv7m"
)

// CYCCNT counts outside Debug state, while TRCENA and CYCCNTENA are set.
func TestCYCCNT(t *testing.T) {
	b := newBench(t, Config{})
	if v := b.read(dwtCTRL); v != 0 {
		t.Errorf("DWT_CTRL 0x%08x without TRCENA", v)
	}
	b.write(demcr, TRCENA)
	b.core.run(100)
	if v := b.read(dwtCYCCNT); v != 0 {
		t.Errorf("CYCCNT %d while off", v)
	}
	b.write(dwtCTRL, dwtCYCCNTENA)
	b.core.run(100)
	if v := b.read(dwtCYCCNT); v != 100 {
		t.Errorf("CYCCNT %d, want 100", v)
	}
	b.write(dhcsr, halt)
	b.core.run(1000)
	if v := b.read(dwtCYCCNT); v != 100 {
		t.Errorf("CYCCNT %d in Debug state, want 100", v)
	}
	b.write(dhcsr, resume)
	b.write(dwtCYCCNT, 0xffffffff)
	b.core.run(3)
	if v := b.read(dwtCYCCNT); v != 2 {
		t.Errorf("CYCCNT %d after wrapping, want 2", v)
	}
	b.write(demcr, 0)
	b.core.run(50)
	b.write(demcr, TRCENA)
	if v := b.read(dwtCYCCNT); v != 2 {
		t.Errorf("CYCCNT %d, want 2: it stands without TRCENA", v)
	}
}

// CPICNT counts the cycles beyond one an instruction, in eight bits.
func TestCPICNT(t *testing.T) {
	b := newBench(t, Config{})
	b.write(demcr, TRCENA)
	b.write(dwtCTRL, dwtCPIEVTENA)
	b.core.run(600) // 300 instructions
	if v := b.read(dwtCPICNT); v != 300&0xff {
		t.Errorf("CPICNT %d", v)
	}
}

func TestPCSR(t *testing.T) {
	b := newBench(t, Config{})
	if v := b.read(dwtPCSR); v != 0 {
		t.Errorf("PCSR 0x%08x without TRCENA", v)
	}
	b.write(demcr, TRCENA)
	if v := b.read(dwtPCSR); v != 0x08001234 {
		t.Errorf("PCSR 0x%08x", v)
	}
	b.write(dhcsr, halt)
	if v := b.read(dwtPCSR); v != 0xffffffff {
		t.Errorf("PCSR 0x%08x in Debug state", v)
	}
	b.write(dhcsr, resume)
	b.Ignore(true)
	if v := b.read(dwtPCSR); v != 0xffffffff {
		t.Errorf("PCSR 0x%08x in a state without permission", v)
	}
}

func TestNoPCSR(t *testing.T) {
	b := newBench(t, Config{NoPCSR: true})
	b.write(demcr, TRCENA)
	if v := b.read(dwtPCSR); v != 0 {
		t.Errorf("PCSR 0x%08x in a unit without it", v)
	}
	if v := b.read(dwtCTRL); v == 0 {
		t.Error("DWT_CTRL reads 0")
	}
}

func TestDWTOfARMv6M(t *testing.T) {
	b := newBench(t, Config{Arch: armv7m.V6M})
	b.write(demcr, TRCENA)
	b.write(dwtCTRL, dwtCYCCNTENA)
	b.core.run(100)
	if v := b.read(dwtCTRL); v&(dwtNOCYCCNT|dwtNOPRFCNT) != dwtNOCYCCNT|dwtNOPRFCNT || b.read(dwtCYCCNT) != 0 {
		t.Errorf("DWT_CTRL 0x%08x", v)
	}
}

func TestBreakpoints(t *testing.T) {
	b := newBench(t, Config{})
	if v := b.read(fpCTRL); v != 0x60 {
		t.Errorf("FP_CTRL 0x%08x, want six code comparators", v)
	}
	b.write(fpCOMP0, 0x48000101)    // lower half
	b.write(fpCOMP0+4, 0x88000201)  // upper half
	b.write(fpCOMP0+8, 0xc8000301)  // both
	b.write(fpCOMP0+12, 0x48000400) // off
	b.write(fpCOMP0+24, 0x48000501) // not there
	if len(b.core.breakpoints) != 0 {
		t.Errorf("breakpoints %x before FP_CTRL.ENABLE", b.core.breakpoints)
	}
	b.write(fpCTRL, 1)
	if len(b.core.breakpoints) != 0 {
		t.Error("FP_CTRL without KEY was taken")
	}
	b.write(fpCTRL, 3)
	if want := []uint32{0x08000100, 0x08000202, 0x08000300, 0x08000302}; !slices.Equal(b.core.breakpoints, want) {
		t.Errorf("breakpoints %x, want %x", b.core.breakpoints, want)
	}
	if v := b.read(fpCOMP0 + 8); v != 0xc8000301 {
		t.Errorf("FP_COMP2 0x%08x", v)
	}
	b.write(fpCTRL, 2)
	if len(b.core.breakpoints) != 0 || b.read(fpCTRL) != 0x60 {
		t.Errorf("breakpoints %x after disabling", b.core.breakpoints)
	}
}

// A debugger that walks from the ROM table meets components with good
// identification, of the class that belongs to each (ADIv5.2, D1).
func TestROMTableWalk(t *testing.T) {
	for arch, want := range map[armv7m.Arch][]uint32{
		armv7m.V7EM: {0x00c, 0x002, 0x003}, armv7m.V7M: {0x000, 0x002, 0x003}, armv7m.V6M: {0x008, 0x00a, 0x00b},
	} {
		b := newBench(t, Config{Arch: arch})
		const table = 0xe00ff000
		if class, part := b.identify(table); class != classROMTable || part>>4 != 0x4c {
			t.Errorf("arch %d: ROM table of class %x, part %03x", arch, class, part)
		}
		var parts []uint32
		for at := uint32(table); ; at += 4 {
			entry := b.read(at)
			if entry == 0 {
				break
			}
			if entry&3 != 3 {
				continue
			}
			class, part := b.identify(table + entry&^0xfff)
			if class != classGeneric {
				t.Errorf("arch %d: component of class %x", arch, class)
			}
			parts = append(parts, part)
		}
		if !slices.Equal(parts, want) {
			t.Errorf("arch %d: parts %03x, want %03x", arch, parts, want)
		}
	}
}

// identify reads class and part number and checks preamble and designer.
func (b *bench) identify(base uint32) (class, part uint32) {
	b.Helper()
	id := func(off uint32) uint32 { return b.read(base + off) }
	if id(0xff0) != 0x0d || id(0xff8) != 0x05 || id(0xffc) != 0xb1 || id(0xff4)&0xf != 0 {
		b.Errorf("0x%08x: no CIDR preamble", base)
	}
	if designer := id(0xfe4)>>4 | id(0xfe8)&7<<4; designer != 0x3b || id(0xfe8)&8 == 0 || id(0xfd0) != 4 {
		b.Errorf("0x%08x: designer %02x", base, designer)
	}
	return id(0xff4) >> 4, id(0xfe0) | id(0xfe4)&0xf<<8
}
