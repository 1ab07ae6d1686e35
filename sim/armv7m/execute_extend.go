package armv7m

import "math/bits"

// Extension, DDI 0403E A4.4.6: register m rotated right by sh, extended and,
// where there is one, added to n.

func (c *Core) rotated(o *op) uint32 { return bits.RotateLeft32(c.r[o.m], -int(o.sh)) }

func execSXTH(c *Core, o *op) { c.r[o.d] = uint32(int16(c.rotated(o))) }
func execSXTB(c *Core, o *op) { c.r[o.d] = uint32(int8(c.rotated(o))) }
func execUXTH(c *Core, o *op) { c.r[o.d] = c.rotated(o) & 0xffff }
func execUXTB(c *Core, o *op) { c.r[o.d] = c.rotated(o) & 0xff }

func execSXTAH(c *Core, o *op) { c.r[o.d] = c.r[o.n] + uint32(int16(c.rotated(o))) }
func execSXTAB(c *Core, o *op) { c.r[o.d] = c.r[o.n] + uint32(int8(c.rotated(o))) }
func execUXTAH(c *Core, o *op) { c.r[o.d] = c.r[o.n] + c.rotated(o)&0xffff }
func execUXTAB(c *Core, o *op) { c.r[o.d] = c.r[o.n] + c.rotated(o)&0xff }

// addHalves adds the halves without carry from one to the other.
func addHalves(a, b uint32) uint32 {
	return (a&0xffff0000 + b&0xffff0000) | (a+b)&0xffff
}

// execSXTB16 is SXTAB16 and, with slotZero for n, SXTB16.
func execSXTB16(c *Core, o *op) {
	v := c.rotated(o)
	c.r[o.d] = addHalves(c.r[o.n], uint32(int8(v))&0xffff|uint32(int8(v>>16))<<16)
}

func execUXTB16(c *Core, o *op) {
	c.r[o.d] = addHalves(c.r[o.n], c.rotated(o)&0x00ff00ff)
}
