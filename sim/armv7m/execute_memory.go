package armv7m

import (
	"encoding/binary"
	"math/bits"
)

// Loads and stores, DDI 0403E A5.3.5 to A5.3.10. The address is register n
// plus register m shifted plus imm; either register may be slotZero.

func (c *Core) address(o *op) uint32 { return c.r[o.n] + c.r[o.m]<<(o.sh&31) + o.imm }

func execLDR(c *Core, o *op) {
	if v, ok := c.load32(c.address(o)); ok {
		c.r[o.d] = v
	}
}

func execLDRH(c *Core, o *op) {
	if v, ok := c.load16(c.address(o)); ok {
		c.r[o.d] = v
	}
}

func execLDRB(c *Core, o *op) {
	if v, ok := c.load8(c.address(o)); ok {
		c.r[o.d] = v
	}
}

func execLDRSH(c *Core, o *op) {
	if v, ok := c.load16(c.address(o)); ok {
		c.r[o.d] = uint32(int16(v))
	}
}

func execLDRSB(c *Core, o *op) {
	if v, ok := c.load8(c.address(o)); ok {
		c.r[o.d] = uint32(int8(v))
	}
}

func execSTR(c *Core, o *op)  { c.store32(c.address(o), c.r[o.d]) }
func execSTRH(c *Core, o *op) { c.store16(c.address(o), c.r[o.d]) }
func execSTRB(c *Core, o *op) { c.store8(c.address(o), c.r[o.d]) }

// execLDRPC is a load into PC, without or with writeback (as execIndexed).
func execLDRPC(c *Core, o *op) {
	v, ok := c.load32(c.address(o))
	if ok {
		c.interwork(v)
	}
}

// Multiple transfers: imm is the register list, aux its size in bytes.
const (
	multipleDB        = 1 << 0 // decrement before, not increment after
	multipleWriteback = 1 << 1
)

// bounds returns the lowest address and what the base becomes.
func (c *Core) bounds(o *op) (first, base uint32) {
	n := c.r[o.n]
	if o.kind&multipleDB != 0 {
		return n - uint32(o.aux), n - uint32(o.aux)
	}
	return n, n + uint32(o.aux)
}

// fast returns the bytes of RAM from addr where all size of them are there and
// addr is a multiple of 4.
func (c *Core) fast(addr, size uint32) []byte {
	off := addr - c.ramBase
	if addr&3 != 0 || off >= c.ramLimit || uint32(len(c.ramData))-off < size {
		return nil
	}
	return c.ramData[off : off+size]
}

func execLDM(c *Core, o *op) {
	first, base := c.bounds(o)
	if b := c.fast(first, uint32(o.aux)); b != nil && o.imm&(1<<15) == 0 {
		if o.kind&multipleWriteback != 0 {
			c.r[o.n] = base
		}
		for list := o.imm; list != 0 && len(b) >= 4; list &= list - 1 {
			c.r[bits.TrailingZeros16(uint16(list))] = binary.LittleEndian.Uint32(b)
			b = b[4:]
		}
		return
	}
	if !c.aligned(first, 4) {
		return
	}
	var got [16]uint32
	for list, a := o.imm, first; list != 0; list &= list - 1 {
		v, ok := c.load32(a)
		if !ok {
			return
		}
		got[bits.TrailingZeros16(uint16(list))] = v
		a += 4
	}
	if o.kind&multipleWriteback != 0 {
		c.r[o.n] = base
	}
	for list := o.imm & 0x7fff; list != 0; list &= list - 1 {
		i := bits.TrailingZeros16(uint16(list))
		c.r[i] = got[i]
	}
	if o.imm&(1<<15) != 0 {
		c.interwork(got[15])
	}
}

func execSTM(c *Core, o *op) {
	first, base := c.bounds(o)
	if b := c.fast(first, uint32(o.aux)); b != nil && !c.ram.coded(first-c.ramBase) && !c.ram.coded(first-c.ramBase+uint32(o.aux)-4) {
		for list := o.imm; list != 0 && len(b) >= 4; list &= list - 1 {
			binary.LittleEndian.PutUint32(b, c.r[bits.TrailingZeros16(uint16(list))])
			b = b[4:]
		}
		if o.kind&multipleWriteback != 0 {
			c.r[o.n] = base
		}
		return
	}
	if !c.aligned(first, 4) {
		return
	}
	for list, a := o.imm, first; list != 0; list &= list - 1 {
		if !c.store32(a, c.r[bits.TrailingZeros16(uint16(list))]) {
			return
		}
		a += 4
	}
	if o.kind&multipleWriteback != 0 {
		c.r[o.n] = base
	}
}
