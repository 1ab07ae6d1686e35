package romtable

import (
	"encoding/binary"
	"fmt"
)

// The identification block (ADIv5.2, D1.2; ADIv6, C1.1): words from DEVARCH on.
const (
	idFirst   = 0xFBC
	idWords   = (0x1000 - idFirst) / 4
	atDEVARCH = 0xFBC
	atDEVID   = 0xFC8
	atDEVTYPE = 0xFCC
	atPIDR4   = 0xFD0
	atPIDR0   = 0xFE0
	atCIDR0   = 0xFF0
)

// Classes of components, CIDR1 bits 7 to 4.
const (
	classROMTable  = 0x1
	classCoreSight = 0x9
	classGeneric   = 0xE
	classPrimeCell = 0xF
)

// archROM is DEVARCH.ARCHID of a ROM table.
const archROM = 0x0AF7

// Component is what occupies 4 KiB of a target's debug address space.
type Component struct {
	Addr    uint32
	Class   uint8  // CIDR1 bits 7 to 4
	PIDR    uint64 // PIDR4 to PIDR7 above PIDR0 to PIDR3, a byte each
	DEVARCH uint32 // 0 where the class has none
	DEVTYPE uint8
	Valid   bool   // the identification has its preamble
	Problem string // why less is known than could be; "" for nothing

	Children []*Component // of a ROM table
}

// identify takes the identification block; format is that of a class 9 table.
func (c *Component) identify(b *[idWords * 4]byte) (format uint32) {
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at-idFirst:]) }
	var cidr uint32
	for i := range 4 {
		cidr |= word(atCIDR0+4*i) & 0xFF << (8 * i)
		c.PIDR |= uint64(word(atPIDR0+4*i)&0xFF) << (8 * i)
		c.PIDR |= uint64(word(atPIDR4+4*i)&0xFF) << (32 + 8*i)
	}
	const preamble, mask = 0xB105000D, 0xFFFF0FFF
	if c.Valid = cidr&mask == preamble; !c.Valid {
		c.Problem = fmt.Sprintf("no identification (CIDR 0x%08x)", cidr)
		return 0
	}
	c.Class = uint8(cidr >> 12 & 0xF)
	if c.Class == classCoreSight {
		const archPresent = 1 << 20
		if v := word(atDEVARCH); v&archPresent != 0 {
			c.DEVARCH = v
		}
		c.DEVTYPE = uint8(word(atDEVTYPE))
		format = word(atDEVID) & 0xF
	}
	return format
}

// isTable says whether it lists others.
func (c *Component) isTable() bool {
	return c.Valid && (c.Class == classROMTable || c.Class == classCoreSight && c.DEVARCH&0xFFFF == archROM)
}

// Part is the part number in PIDR bits 11 to 0.
func (c *Component) Part() uint16 { return uint16(c.PIDR & 0xFFF) }

// Designer is the JEP106 code in PIDR: continuation in PIDR4 bits 3 to 0,
// identity in PIDR2 bits 2 to 0 and PIDR1 bits 7 to 4. 0 where PIDR2 says that it
// is not one of JEDEC's.
func (c *Component) Designer() Designer {
	const usesJEP106 = 1 << 19
	if c.PIDR&usesJEP106 == 0 {
		return 0
	}
	return Designer(c.PIDR>>32&0xF<<7 | c.PIDR>>12&0x7F)
}

// Revision is PIDR2 bits 7 to 4.
func (c *Component) Revision() uint8 { return uint8(c.PIDR >> 20 & 0xF) }

// Each calls f for c and all below it, tables before what they list.
func (c *Component) Each(f func(c *Component, depth int)) { c.each(f, 0) }

func (c *Component) each(f func(*Component, int), depth int) {
	f(c, depth)
	for _, child := range c.Children {
		child.each(f, depth+1)
	}
}
