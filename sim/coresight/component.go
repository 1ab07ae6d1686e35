package coresight

import "github.com/mprof/mprof/sim/armv7m"

// Component classes (ADIv5.2, D1.2.2).
const (
	classROMTable = 0x1
	classGeneric  = 0xe
)

// component is the block of identification registers at the end of a
// component's 4 KiB: PIDR4-7, PIDR0-3, CIDR0-3 (ADIv5.2, D1.2). part is
// REVISION, DESIGNER and PART as in PIDR2 to PIDR0; the designer is ARM.
type component struct {
	part  uint32
	class uint8
}

// identification is the value at an offset from the component's base plus
// 0xFD0.
func (c component) identification(offset uint32) uint32 {
	switch i := offset / 4; i {
	case 0:
		return 0x04 // PIDR4: 4 KiB, JEP106 continuation 4
	case 4, 5, 6, 7: // PIDR0-3
		return c.part >> (8 * (i - 4)) & 0xff
	case 8, 9, 10, 11: // CIDR0-3: 0x0D, class, 0x05, 0xB1
		return [...]uint32{0x0d, uint32(c.class) << 4, 0x05, 0xb1}[i-8]
	}
	return 0
}

// Read reads an identification register.
func (c component) Read(offset uint32, size int) (uint32, bool) {
	return lanes(c.identification(offset&^3), offset, size), true
}

// Write does nothing: the registers are read-only.
func (component) Write(uint32, int, uint32) bool { return true }

// identified puts the identification registers behind a device of 4 KiB.
type identified struct {
	armv7m.Device
	id component
}

func (d identified) Read(offset uint32, size int) (uint32, bool) {
	if offset >= 0xfd0 {
		return d.id.Read(offset-0xfd0, size)
	}
	return d.Device.Read(offset, size)
}

// Part numbers with JEP106 designer 0x3B and revision, PIDR3 to PIDR0, as on
// Cortex-M3 (DDI 0337, table 3-1 ff.), Cortex-M4 (DDI 0439) and Cortex-M0+
// (DDI 0484, 6.2).
func scsPart(a armv7m.Arch) uint32 {
	switch a {
	case armv7m.V6M:
		return 0x000bb008
	case armv7m.V7M:
		return 0x000bb000
	}
	return 0x000bb00c
}

func dwtPart(a armv7m.Arch) uint32 {
	if a == armv7m.V6M {
		return 0x000bb00a
	}
	return 0x003bb002
}

func fpbPart(a armv7m.Arch) uint32 {
	if a == armv7m.V6M {
		return 0x000bb00b
	}
	return 0x002bb003
}

func romPart(a armv7m.Arch) uint32 {
	switch a {
	case armv7m.V6M:
		return 0x000bb4c0
	case armv7m.V7M:
		return 0x000bb4c3
	}
	return 0x000bb4c4
}

// romTable is the table at 0xE00FF000 (DDI 0403E, table C1-3): offsets of the
// components, bit 1 for the format, bit 0 where the component is there.
type romTable struct {
	entries []uint32
	id      component
}

func newROMTable(a armv7m.Arch) romTable {
	t := romTable{
		entries: []uint32{
			0xfff0f003, // SCS 0xE000E000
			0xfff02003, // DWT 0xE0001000
			0xfff03003, // FPB 0xE0002000
		},
		id: component{part: romPart(a), class: classROMTable},
	}
	if a != armv7m.V6M {
		t.entries = append(t.entries,
			0xfff01002, // ITM 0xE0000000: absent
			0xfff41002, // TPIU 0xE0040000: absent
			0xfff42002, // ETM 0xE0041000: absent
		)
	}
	return t
}

// Read reads an entry, MEMTYPE (system memory is on this bus) or an
// identification register. The entry after the last reads as zero and ends the
// table.
func (t romTable) Read(offset uint32, size int) (uint32, bool) {
	var v uint32
	switch i := offset / 4; {
	case i < uint32(len(t.entries)):
		v = t.entries[i]
	case offset&^3 == 0xfcc:
		v = 1
	case offset >= 0xfd0:
		return t.id.Read(offset-0xfd0, size)
	}
	return lanes(v, offset, size), true
}

// Write does nothing: the table is read-only.
func (romTable) Write(uint32, int, uint32) bool { return true }
