package armv7m

// SetLine sets the level of the line of external interrupt n, from 0, as a
// device drives it. A rising edge pends the interrupt. A line that is still high
// when its handler returns, or when software clears the pending state, pends it
// again; one that falls leaves it pending (Cortex-M4 Devices Generic User Guide,
// DUI 0553, 4.2.9). Other numbers are ignored.
func (c *Core) SetLine(n int, high bool) {
	if n < 0 || n >= c.irqs {
		return
	}
	exc := n + excIRQ0
	if c.lines.has(exc) == high {
		return
	}
	if !high {
		c.lines.drop(exc)
		return
	}
	c.lines.add(exc)
	c.setPending(exc)
}

// deactivate ends the active state of exc.
func (c *Core) deactivate(exc int) {
	c.active.drop(exc)
	c.repend(exc)
}

// repend pends an interrupt whose line is high and whose handler does not run.
func (c *Core) repend(exc int) {
	if c.lines.has(exc) && !c.active.has(exc) {
		c.setPending(exc)
	}
}
