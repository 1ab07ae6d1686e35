package armv7m

import (
	"fmt"
	"math/bits"
)

// Exception numbers, DDI 0403E B1.5.2.
const (
	excNMI        = 2
	excHardFault  = 3
	excMemManage  = 4
	excBusFault   = 5
	excUsageFault = 6
	excSVCall     = 11
	excDebugMon   = 12
	excPendSV     = 14
	excSysTick    = 15
	excIRQ0       = 16
)

// Priorities below the configurable ones; the lower, the more urgent.
const (
	priorityNMI       = -2
	priorityHardFault = -1
	priorityThread    = 256 // nothing active, nothing masked
)

// excSet is a set of exception numbers.
type excSet [4]uint64

func (s *excSet) has(n int) bool { return s[n>>6&3]>>(n&63)&1 != 0 }
func (s *excSet) add(n int)      { s[n>>6&3] |= 1 << (n & 63) }
func (s *excSet) drop(n int)     { s[n>>6&3] &^= 1 << (n & 63) }
func (s *excSet) empty() bool    { return s[0]|s[1]|s[2]|s[3] == 0 }
func (s *excSet) count() int {
	return bits.OnesCount64(s[0]) + bits.OnesCount64(s[1]) + bits.OnesCount64(s[2]) + bits.OnesCount64(s[3])
}

// nvic is the state of all exceptions.
type nvic struct {
	irqs         int
	priorityMask uint8
	pending      excSet
	active       excSet
	lines        excSet // driven high by devices
	enabled      excSet // faults by SHCSR; those without an enable always
	priority     [256]uint8
	prigroup     uint8 // AIRCR.PRIGROUP
	entries      uint64
}

func (c *Core) sizeNVIC(cfg Config) error {
	irqs, width, most := cfg.IRQs, cfg.PriorityBits, 240
	if cfg.Arch == V6M {
		most = 32
	}
	if irqs == 0 {
		irqs = most
	}
	if width == 0 {
		width = 4
		if cfg.Arch == V6M {
			width = 2
		}
	}
	if irqs < 0 || irqs > most {
		return fmt.Errorf("armv7m: %d interrupts: the most is %d", irqs, most)
	}
	if width < 2 || width > 8 {
		return fmt.Errorf("armv7m: %d priority bits: 2 to 8 exist", width)
	}
	c.irqs = irqs
	c.priorityMask = uint8(0xff << (8 - width))
	return nil
}

func (c *Core) resetNVIC() {
	n := &c.nvic
	*n = nvic{irqs: n.irqs, priorityMask: n.priorityMask, entries: n.entries}
	for _, e := range []int{excNMI, excHardFault, excSVCall, excDebugMon, excPendSV, excSysTick} {
		n.enabled.add(e)
	}
}

// SetIRQ sets or clears the pending state of external interrupt n, from 0.
// Negative n are the system exceptions as CMSIS numbers them: -14 NMI, -2
// PendSV, -1 SysTick. Others are ignored.
func (c *Core) SetIRQ(n int, pending bool) {
	exc := n + excIRQ0
	if n >= c.irqs || n < 0 && exc != excNMI && exc != excPendSV && exc != excSysTick {
		return
	}
	if pending {
		c.setPending(exc)
	} else {
		c.pending.drop(exc)
	}
}

// Pend is SetIRQ(n, true).
func (c *Core) Pend(n int) { c.SetIRQ(n, true) }

// setPending pends exc; with SCR.SEVONPEND that is an event for WFE
// (DDI 0403E B1.5.18).
func (c *Core) setPending(exc int) {
	if c.scr&scrSEVONPEND != 0 && !c.pending.has(exc) {
		c.event = true
	}
	c.pending.add(exc)
	c.attention()
}

// groupPriority is the part of the priority of exc that decides preemption
// (DDI 0403E B1.5.4).
func (c *Core) groupPriority(exc int) int {
	switch exc {
	case excNMI:
		return priorityNMI
	case excHardFault:
		return priorityHardFault
	}
	return c.group(c.priority[exc&0xff])
}

func (c *Core) group(p uint8) int {
	if c.arch == V6M {
		return int(p)
	}
	return int(p) &^ (1<<(c.prigroup+1) - 1)
}

// activePriority is the execution priority that active exceptions alone give.
func (c *Core) activePriority() int {
	p := priorityThread
	for w, set := range c.active {
		for ; set != 0; set &= set - 1 {
			p = min(p, c.groupPriority(w*64+bits.TrailingZeros64(set)))
		}
	}
	return p
}

// executionPriority is ExecutionPriority (DDI 0403E B1.5.4).
func (c *Core) executionPriority() int {
	p := c.activePriority()
	if c.basepri != 0 {
		p = min(p, c.group(c.basepri))
	}
	if c.primask {
		p = min(p, 0)
	}
	if c.faultmask {
		p = min(p, priorityHardFault)
	}
	return p
}

// mostUrgent returns the pending and enabled exception with the highest
// priority, of equals the one with the lowest number, and its group priority;
// 0 where there is none.
func (c *Core) mostUrgent() (exc, priority int) {
	best := 1 << 16
	for w := range c.pending {
		for set := c.pending[w] & c.enabled[w]; set != 0; set &= set - 1 {
			e := w*64 + bits.TrailingZeros64(set)
			if c.masked(e) {
				continue
			}
			p := int(c.priority[e&0xff])
			if e <= excHardFault {
				p = c.groupPriority(e)
			}
			if p < best {
				best, exc = p, e
			}
		}
	}
	if exc == 0 {
		return 0, priorityThread
	}
	return exc, c.groupPriority(exc)
}

// masked: C_MASKINTS hides PendSV, SysTick and external interrupts
// (DDI 0403E C1.6.2).
func (c *Core) masked(exc int) bool {
	return c.maskInts && c.debugEnabled && exc >= excPendSV
}

// takable returns the exception that preempts what executes now, or 0.
func (c *Core) takable() int {
	if c.pending.empty() {
		return 0
	}
	if exc, p := c.mostUrgent(); exc != 0 && p < c.executionPriority() {
		return exc
	}
	return 0
}
