package armv7m

// systick is the SysTick timer (DDI 0403E B3.3). It counts the core clock only
// (there is no reference clock) and stands still in Debug state.
type systick struct {
	stEnabled, stInterrupt, stFlag bool
	stReload                       uint32
	stValue                        uint32 // at stTime
	stTime                         uint64 // in cycles outside Debug state
	systickNext                    uint64 // cycle at which it pends its exception
}

const (
	csrENABLE    = 1 << 0
	csrTICKINT   = 1 << 1
	csrCLKSOURCE = 1 << 2
	csrCOUNTFLAG = 1 << 16
	calibNOREF   = 1 << 31
)

func (c *Core) resetSysTick() {
	c.systick = systick{systickNext: never}
}

// syncSysTick brings the counter up to now. The counter takes stReload+1
// cycles from reload to reload; at each 1 to 0 it sets COUNTFLAG and pends.
func (c *Core) syncSysTick() {
	now := c.cycles - c.haltedCycles
	elapsed := now - c.stTime
	c.stTime = now
	if c.stEnabled && elapsed != 0 {
		c.countDown(elapsed)
	}
	c.planSysTick()
}

func (c *Core) countDown(elapsed uint64) {
	if c.stValue == 0 {
		if c.stReload == 0 {
			return
		}
		c.stValue = c.stReload
		elapsed--
	}
	if elapsed < uint64(c.stValue) {
		c.stValue -= uint32(elapsed)
		return
	}
	elapsed -= uint64(c.stValue)
	c.stFlag = true
	if c.stInterrupt {
		c.setPending(excSysTick)
	}
	c.stValue = 0
	if c.stReload == 0 {
		return
	}
	if elapsed %= uint64(c.stReload) + 1; elapsed > 0 {
		c.stValue = c.stReload - uint32(elapsed-1)
	}
}

// planSysTick works out when the next exception is due.
func (c *Core) planSysTick() {
	c.systickNext = never
	if !c.stEnabled || !c.stInterrupt {
		return
	}
	switch {
	case c.stValue != 0:
		c.systickNext = c.cycles + uint64(c.stValue)
	case c.stReload != 0:
		c.systickNext = c.cycles + 1 + uint64(c.stReload)
	}
}

func (c *Core) readSysTick(off uint32) uint32 {
	c.syncSysTick()
	switch off {
	case regSYSTCSR:
		v := uint32(csrCLKSOURCE)
		if c.stEnabled {
			v |= csrENABLE
		}
		if c.stInterrupt {
			v |= csrTICKINT
		}
		if c.stFlag {
			v |= csrCOUNTFLAG
		}
		return v
	case regSYSTRVR:
		return c.stReload
	case regSYSTCVR:
		return c.stValue
	}
	return calibNOREF
}

func (c *Core) writeSysTick(off, v uint32) {
	c.syncSysTick()
	switch off {
	case regSYSTCSR:
		c.stEnabled = v&csrENABLE != 0
		c.stInterrupt = v&csrTICKINT != 0
	case regSYSTRVR:
		c.stReload = v & 0xffffff
	case regSYSTCVR:
		c.stValue = 0
		c.stFlag = false
	}
	c.planSysTick()
	c.attention()
}
