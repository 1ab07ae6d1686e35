package armv7m

import "encoding/binary"

// access is how a transfer is made.
type access uint8

const (
	asCore         access = iota // with the privilege the core has now
	asUnprivileged               // LDRT and the like
	asException                  // stacking, vector fetch: always privileged
	asDebugger                   // AHB-AP: privileged, writes ROM
	asMaster                     // another master of the bus: no PPB
)

const (
	ppbBase = 0xe0000000
	ppbLast = 0xe00fffff
	scsBase = 0xe000e000
	scsLast = 0xe000efff
)

// transfer is one aligned access. Result false is a bus error.
func (c *Core) read(addr uint32, size int, how access) (uint32, bool) {
	if r := c.regionAt(addr); r != nil {
		if int(addr-r.base)+size > len(r.data) {
			return 0, false
		}
		return r.read(addr-r.base, size), true
	}
	if addr >= ppbBase && addr <= ppbLast && !c.mayUsePPB(how) {
		return 0, false
	}
	if m := c.mountAt(addr); m != nil {
		c.attendDevice()
		return m.Device.Read(addr-m.Base, size)
	}
	if addr >= scsBase && addr <= scsLast {
		return c.readSCS(addr-scsBase, size, how), true
	}
	if word, bit, ok := c.bitBand(addr); ok {
		v, ok := c.read(word, 4, how)
		return v >> bit & 1, ok
	}
	return 0, false
}

func (c *Core) write(addr uint32, size int, v uint32, how access) bool {
	if r := c.regionAt(addr); r != nil {
		if r.rom && how != asDebugger || int(addr-r.base)+size > len(r.data) {
			return false
		}
		if r.rom {
			c.forgetCode() // literals of ROM are part of decoded instructions
		}
		c.writeRegion(r, addr-r.base, size, v)
		return true
	}
	if addr >= ppbBase && addr <= ppbLast && !c.mayUsePPB(how) && !c.mayTrigger(addr, how) {
		return false
	}
	if m := c.mountAt(addr); m != nil {
		c.attendDevice()
		return m.Device.Write(addr-m.Base, size, v)
	}
	if addr >= scsBase && addr <= scsLast {
		c.writeSCS(addr-scsBase, size, v)
		return true
	}
	if word, bit, ok := c.bitBand(addr); ok {
		old, ok := c.read(word, 4, how)
		return ok && c.write(word, 4, old&^(1<<bit)|v&1<<bit, how)
	}
	return false
}

// mayUsePPB: the Private Peripheral Bus takes privileged accesses only
// (DDI 0403E B3.1.1).
func (c *Core) mayUsePPB(how access) bool {
	return how == asException || how == asDebugger || how == asCore && c.privileged()
}

// attendDevice has devices see what came before this access.
func (c *Core) attendDevice() {
	if c.cycles >= c.eventNext {
		c.fire()
	}
}

// mayTrigger: STIR is open to all where CCR.USERSETMPEND is set.
func (c *Core) mayTrigger(addr uint32, how access) bool {
	return how != asMaster && addr == scsBase+regSTIR && c.ccr&ccrUSERSETMPEND != 0
}

// bitBand finds the word and the bit behind an address in a bit-band alias
// (Cortex-M4 TRM 3.7).
func (c *Core) bitBand(addr uint32) (word uint32, bit uint8, ok bool) {
	if c.arch == V6M || addr>>25 != 0x22000000>>25 && addr>>25 != 0x42000000>>25 {
		return 0, 0, false
	}
	off := addr & 0x1ffffff
	return addr&0xf0000000 | off>>7<<2, uint8(off >> 2 & 31), true
}

// device says whether addr is in Device or Strongly-ordered memory, where an
// access has to be aligned (DDI 0403E A3.5, B3.1).
func device(addr uint32) bool { return executeNever(addr) }

func (c *Core) privileged() bool { return c.ipsr != 0 || c.control&1 == 0 }

// load reads 1, 2 or 4 bytes for the instruction under way. Result false: it
// raised a fault and the instruction ends without effect.
func (c *Core) load(addr uint32, size int, how access) (uint32, bool) {
	if addr&uint32(size-1) == 0 {
		if r := c.regionAt(addr); r != nil && !r.rom {
			c.window(r)
		}
		if v, ok := c.read(addr, size, how); ok {
			return v, true
		}
		return 0, c.dataFault(addr)
	}
	if !c.mayBeUnaligned(addr) {
		return 0, false
	}
	var v uint32
	for i := range size {
		b, ok := c.read(addr+uint32(i), 1, how)
		if !ok {
			return 0, c.dataFault(addr + uint32(i))
		}
		v |= b << (8 * i)
	}
	c.cycles += unalignedCost(addr, size)
	return v, true
}

// store is the reverse of load.
func (c *Core) store(addr uint32, size int, v uint32, how access) bool {
	if addr&uint32(size-1) == 0 {
		if r := c.regionAt(addr); r != nil && !r.rom {
			c.window(r)
		}
		return c.write(addr, size, v, how) || c.dataFault(addr)
	}
	if !c.mayBeUnaligned(addr) {
		return false
	}
	for i := range size {
		if !c.write(addr+uint32(i), 1, v>>(8*i)&0xff, how) {
			return c.dataFault(addr + uint32(i))
		}
	}
	c.cycles += unalignedCost(addr, size)
	return true
}

// unalignedCost is the number of bus transfers beyond the first.
func unalignedCost(addr uint32, size int) uint64 {
	if size == 4 && addr&1 != 0 {
		return 2
	}
	return 1
}

func (c *Core) load32(addr uint32) (uint32, bool) {
	if off := addr - c.ramBase; off < c.ramLimit && addr&3 == 0 {
		return binary.LittleEndian.Uint32(c.ramData[off:]), true
	}
	return c.load(addr, 4, asCore)
}

func (c *Core) load16(addr uint32) (uint32, bool) {
	if off := addr - c.ramBase; off < c.ramLimit && addr&1 == 0 {
		return uint32(binary.LittleEndian.Uint16(c.ramData[off:])), true
	}
	return c.load(addr, 2, asCore)
}

func (c *Core) load8(addr uint32) (uint32, bool) {
	if off := addr - c.ramBase; off < c.ramLimit {
		return uint32(c.ramData[off]), true
	}
	return c.load(addr, 1, asCore)
}

func (c *Core) store32(addr, v uint32) bool {
	if off := addr - c.ramBase; off < c.ramLimit && addr&3 == 0 && !c.ram.coded(off) {
		binary.LittleEndian.PutUint32(c.ramData[off:], v)
		return true
	}
	return c.store(addr, 4, v, asCore)
}

func (c *Core) store16(addr, v uint32) bool {
	if off := addr - c.ramBase; off < c.ramLimit && addr&1 == 0 && !c.ram.coded(off) {
		binary.LittleEndian.PutUint16(c.ramData[off:], uint16(v))
		return true
	}
	return c.store(addr, 2, v, asCore)
}

func (c *Core) store8(addr, v uint32) bool {
	if off := addr - c.ramBase; off < c.ramLimit && !c.ram.coded(off) {
		c.ramData[off] = byte(v)
		return true
	}
	return c.store(addr, 1, v, asCore)
}
