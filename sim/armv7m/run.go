package armv7m

// Run executes until Cycles reaches until; the last instruction may end a few
// cycles later. Asleep, locked up or in Debug state time passes without
// instructions.
func (c *Core) Run(until uint64) {
	for {
		if c.halted {
			c.passHalted(until)
			return
		}
		if c.cycles >= until {
			c.attendDevice()
			return
		}
		if c.attend() {
			continue
		}
		if c.sleep != awake || c.locked {
			c.rest(until)
			continue
		}
		c.horizon = min(until, c.nextEvent())
		c.advance()
	}
}

// Step executes exactly one instruction or makes one exception entry, also
// while halted (the core is halted afterwards as it was before). An instruction
// that faults, or SVC, is one step and the entry to its handler the next; an
// exception return with the entry that it tail-chains to is one. Asleep or
// locked up one cycle passes. At a breakpoint nothing is executed.
func (c *Core) Step() {
	if c.halted {
		c.halted = false
		defer func() {
			c.enterDebug(DFSRHALTED)
			c.dfsr |= DFSRHALTED
		}()
	}
	entered, resets, count := c.entries, c.resets, c.instructions
	for {
		if c.attend() {
			if c.entries != entered || c.halted || c.resets != resets {
				return
			}
			continue
		}
		if c.sleep != awake || c.locked {
			c.rest(c.cycles + 1)
			return
		}
		c.horizon = c.cycles + 1
		c.advance()
		if c.instructions != count || c.halted {
			return
		}
	}
}

// advance executes instructions until the horizon.
func (c *Core) advance() {
	if c.wait != 0 {
		c.executeWaiting()
		return
	}
	c.execute()
}

// execute is the inner loop: instructions until the horizon. Events (SysTick,
// devices, pended exceptions, halt requests) bring the horizon nearer, so that the clock
// is all it has to look at.
func (c *Core) execute() {
	for c.cycles < c.horizon {
		pc := c.pc
		p := c.page
		i := pc - p.base
		if i >= p.limit {
			c.turnPage(pc)
			continue
		}
		if c.it != 0 {
			c.executeIT(p, pc)
			continue
		}
		o := &p.ops[i/2%pageOps]
		c.at = pc
		c.pc = pc + uint32(o.size)
		c.cycles += uint64(o.cost)
		c.instructions++
		o.do(c, o)
	}
}

// executeIT executes one instruction of an IT block (DDI 0403E A7.3.2).
func (c *Core) executeIT(p *codePage, pc uint32) {
	if p.it == nil {
		p.it = newOps(new([pageOps]op))
	}
	o := &p.it[(pc-p.base)/2%pageOps]
	c.at = pc
	c.pc = pc + uint32(o.size)
	c.instructions++
	if o.size == 0 {
		o.do(c, o)
		return
	}
	it := c.it
	if o.flow != flowTrap && !c.condition(it>>4) {
		c.cycles++
		c.advanceIT()
		if o.falls {
			c.tracer.Jump(pc, c.pc, c.r[sp])
		}
		return
	}
	c.cycles += uint64(o.cost)
	o.do(c, o)
	if !c.faulted {
		c.advanceIT()
	}
}

// advanceIT is ITAdvance (DDI 0403E A7.3.2).
func (c *Core) advanceIT() {
	if c.it&7 == 0 {
		c.it = 0
		return
	}
	c.it = c.it&0xe0 | c.it<<1&0x1f
}

// attend brings SysTick and devices up to now and takes the most urgent exception, if one
// may be taken. It returns whether the core is now somewhere else.
func (c *Core) attend() bool {
	c.faulted = false
	if c.resetRequested {
		c.Reset()
		return true
	}
	c.catchUp()
	if c.sleep != awake && c.mustWake() {
		c.sleep = awake
	}
	if exc := c.takable(); exc != 0 {
		c.locked = false
		c.enter(exc)
		return true
	}
	if c.thumb || c.locked || c.sleep != awake {
		return false
	}
	c.at = c.pc
	c.raise(excUsageFault, ufsrINVSTATE)
	return true
}

// rest lets time pass until the next event.
func (c *Core) rest(until uint64) {
	next := max(min(until, c.nextEvent()), c.cycles)
	if c.sleep != awake {
		c.sleepCycles += next - c.cycles
	}
	c.cycles = next
}

// passHalted lets time pass in Debug state. Devices go on.
func (c *Core) passHalted(until uint64) {
	for c.eventNext <= until && c.halted {
		c.haltUntil(c.eventNext)
		c.fire()
	}
	if c.halted {
		c.haltUntil(until)
	}
}

// haltUntil is a piece of time in Debug state, where SysTick stands still.
func (c *Core) haltUntil(until uint64) {
	if until <= c.cycles {
		return
	}
	d := until - c.cycles
	c.cycles = until
	c.haltedCycles += d
	if c.systickNext != never {
		c.systickNext += d
	}
}
