package armv7m

// Event is something that a device does at a certain cycle: a byte has left its
// shift register, a transfer is due.
type Event struct {
	do     func(at uint64)
	at     uint64
	queued bool
}

// NewEvent returns an event that is not due. do is told the cycle for which it
// was scheduled; Cycles may be a few later.
func NewEvent(do func(at uint64)) *Event { return &Event{do: do} }

// Due is the cycle at which e happens; false where it is not scheduled.
func (e *Event) Due() (at uint64, ok bool) { return e.at, e.queued }

// events are those that are scheduled, in the order in which they were.
type events struct {
	due       []*Event
	eventNext uint64 // cycle of the first of them
	firing    bool
}

// Schedule has e happen once, when Cycles has reached at, instead of when it was
// due before. It happens between instructions, asleep and in Debug state, too,
// and before any access to a device that comes after it: late by the
// instruction under way at most. Of events at one cycle the one that was
// scheduled first happens first. A cycle in the past is as soon as possible.
func (c *Core) Schedule(e *Event, at uint64) {
	c.Cancel(e)
	e.at, e.queued = at, true
	c.due = append(c.due, e)
	c.eventNext = min(c.eventNext, at)
	c.horizon = min(c.horizon, at)
}

// Cancel takes back Schedule.
func (c *Core) Cancel(e *Event) {
	if !e.queued {
		return
	}
	e.queued = false
	for i, d := range c.due {
		if d == e {
			c.due = append(c.due[:i], c.due[i+1:]...)
			break
		}
	}
	c.planEvents()
}

// planEvents finds the first of the events.
func (c *Core) planEvents() {
	c.eventNext = never
	for _, e := range c.due {
		c.eventNext = min(c.eventNext, e.at)
	}
}

// fire makes the events happen that are due by now, the earliest first. What an
// event does to a device fires no others meanwhile.
func (c *Core) fire() {
	if c.firing {
		return
	}
	c.firing = true
	for c.cycles >= c.eventNext {
		for _, e := range c.due {
			if e.at == c.eventNext {
				c.Cancel(e)
				e.do(e.at)
				break
			}
		}
	}
	c.firing = false
}

// catchUp brings SysTick and devices up to now.
func (c *Core) catchUp() {
	if c.cycles >= c.systickNext {
		c.syncSysTick()
	}
	if c.cycles >= c.eventNext {
		c.fire()
	}
}

// nextEvent is the cycle at which time may no longer pass unattended.
func (c *Core) nextEvent() uint64 { return min(c.systickNext, c.eventNext) }
