package armv7m

// sleepKind is why the core sleeps.
type sleepKind uint8

const (
	awake sleepKind = iota
	sleepWFI
	sleepWFE
)

// Sleeping says whether the core waits in WFI, WFE or by SLEEPONEXIT.
func (c *Core) Sleeping() bool { return c.sleep != awake }

// DeepSleep says whether it does so with SCR.SLEEPDEEP set.
func (c *Core) DeepSleep() bool { return c.sleep != awake && c.scr&scrSLEEPDEEP != 0 }

// mustWake: WFI ends with an exception that would preempt if PRIMASK were
// clear, WFE also with an event (DDI 0403E B1.5.18, B1.5.19).
func (c *Core) mustWake() bool {
	if c.sleep == sleepWFE && c.event {
		c.event = false
		return true
	}
	exc, p := c.mostUrgent()
	if exc == 0 {
		return false
	}
	primask := c.primask
	if c.sleep == sleepWFI {
		c.primask = false
	}
	now := c.executionPriority()
	c.primask = primask
	return p < now
}

func execWFI(c *Core, _ *op) {
	c.sleep = sleepWFI
	c.attention()
}

func execWFE(c *Core, _ *op) {
	if c.event {
		c.event = false
		return
	}
	c.sleep = sleepWFE
	c.attention()
}

func execSEV(c *Core, _ *op) { c.event = true }
