package armv7m

import "math/bits"

// readNVIC reads ISER to IPR, DDI 0403E B3.4.
func (c *Core) readNVIC(off uint32) uint32 {
	if off >= regIPR {
		return c.readPriorities(int(off-regIPR) + excIRQ0)
	}
	var s *excSet
	switch off &^ 0x7f {
	case regISER, regICER:
		s = &c.enabled
	case regISPR, regICPR:
		s = &c.pending
	case regIABR:
		s = &c.active
	default:
		return 0
	}
	return s.irqWord(off & 0x7f / 4)
}

// irqWord is 32 external interrupts from 32*i.
func (s *excSet) irqWord(i uint32) uint32 {
	n := excIRQ0 + int(i)*32
	if n >= 256 {
		return 0
	}
	v := s[n>>6] >> (n & 63)
	if n&63 > 32 && n>>6 < 3 {
		v |= s[n>>6+1] << (64 - n&63)
	}
	return uint32(v)
}

func (c *Core) writeNVIC(off, v uint32) {
	for ; v != 0; v &= v - 1 {
		irq := int(off&0x7f)*8 + bits.TrailingZeros32(v)
		if irq >= c.irqs {
			return
		}
		exc := irq + excIRQ0
		switch off &^ 0x7f {
		case regISER:
			c.enabled.add(exc)
		case regICER:
			c.enabled.drop(exc)
		case regISPR:
			c.setPending(exc)
		case regICPR:
			c.pending.drop(exc)
			c.repend(exc)
		}
	}
}

func (c *Core) readPriorities(exc int) uint32 {
	var v uint32
	for i := range 4 {
		if e := exc + i; e < 256 {
			v |= uint32(c.priority[e]) << (8 * i)
		}
	}
	return v
}

func (c *Core) writePriorities(exc int, v, mask uint32) {
	for i := range 4 {
		e := exc + i
		if mask>>(8*i)&0xff == 0 || e >= c.irqs+excIRQ0 || !c.hasPriority(e) {
			continue
		}
		c.priority[e] = uint8(v>>(8*i)) & c.priorityMask
	}
}

// hasPriority leaves out the reserved exceptions.
func (c *Core) hasPriority(exc int) bool {
	switch exc {
	case excMemManage, excBusFault, excUsageFault, excDebugMon:
		return c.arch != V6M
	case excSVCall, excPendSV, excSysTick:
		return true
	}
	return exc >= excIRQ0
}
