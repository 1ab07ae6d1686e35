package armv7m

import (
	"slices"
	"testing"
)

// alarm is a device: a write schedules its event so many cycles ahead, a read
// gives how often it has happened.
type alarm struct {
	core  *Core
	event *Event
	fired []uint64
	irq   int
}

func newAlarm(t *testing.T, cfg Config, code ...uint16) (*alarm, *Core) {
	a := &alarm{irq: -1}
	a.event = NewEvent(func(at uint64) {
		a.fired = append(a.fired, at)
		if a.irq >= 0 {
			a.core.SetLine(a.irq, true)
		}
	})
	cfg.Mounts = []Mount{{Base: 0x40000000, Size: 0x1000, Device: a}}
	a.core = machine(t, cfg, code...)
	return a, a.core
}

func (a *alarm) Read(uint32, int) (uint32, bool) { return uint32(len(a.fired)), true }
func (a *alarm) Write(_ uint32, _ int, v uint32) bool {
	if v == 0 {
		a.core.SetLine(a.irq, false)
		return true
	}
	a.core.Schedule(a.event, a.core.Cycles()+uint64(v))
	return true
}

// A store brings the horizon nearer, and a load sees what happened before it.
func TestEventOfAStore(t *testing.T) {
	// movs r0,#4; lsls r0,#28; movs r1,#10; str r1,[r0]; then eight times
	// ldr r2,[r0]; nop; and b .
	code := []uint16{0x2004, 0x0700, 0x210a, 0x6001}
	for range 8 {
		code = append(code, 0x6802, 0xbf00)
	}
	a, c := newAlarm(t, Config{}, append(code, 0xe7fe)...)
	for c.pc != 0x108 {
		c.Step()
	}
	stored := c.Cycles()
	seen := uint64(0)
	for range 16 {
		c.Step()
		if c.r[2] != 0 && seen == 0 {
			seen = c.Cycles()
		}
	}
	if !slices.Equal(a.fired, []uint64{stored + 10}) {
		t.Errorf("stored at %d, happened at %v", stored, a.fired)
	}
	if seen < stored+10 || seen > stored+13 {
		t.Errorf("the program saw it at %d, the event was at %d", seen, stored+10)
	}
}

// In one long Run an event comes at its cycle, too: asleep, in Debug state, and
// at the last cycle of the run.
func TestEventWhileNothingRuns(t *testing.T) {
	for name, prepare := range map[string]func(*Core){
		"running": func(*Core) {},
		"halted":  func(c *Core) { c.Halt() },
		"asleep":  func(c *Core) { c.sleep = sleepWFI },
		"locked":  func(c *Core) { c.lockUp() },
	} {
		t.Run(name, func(t *testing.T) {
			a, c := newAlarm(t, Config{}, 0xe7fe)
			c.Run(10)
			prepare(c)
			c.Schedule(a.event, 500)
			c.Run(499 - 3)
			if len(a.fired) != 0 {
				t.Errorf("happened at %v of 500", a.fired)
			}
			var at uint64
			a.event.do = func(uint64) { at = c.Cycles() }
			c.Run(500)
			if at < 500 || at > 503 {
				t.Errorf("happened at %d, want 500", at)
			}
			if halted := c.HaltedCycles(); (halted > 400) != (name == "halted") {
				t.Errorf("%d cycles in Debug state", halted)
			}
		})
	}
}

// Of two events at one cycle the first scheduled is the first; a cancelled one
// does not happen; one scheduled anew happens once.
func TestEventOrder(t *testing.T) {
	_, c := newAlarm(t, Config{}, 0xe7fe)
	var order []int
	event := func(n int) *Event { return NewEvent(func(uint64) { order = append(order, n) }) }
	e := []*Event{event(0), event(1), event(2), event(3), event(4)}
	c.Schedule(e[0], 300)
	c.Schedule(e[1], 200)
	c.Schedule(e[2], 200)
	c.Schedule(e[3], 100)
	c.Schedule(e[4], 150)
	c.Schedule(e[1], 200) // now behind e[2]
	c.Cancel(e[3])
	c.Schedule(e[0], 50)
	c.Run(1000)
	if !slices.Equal(order, []int{0, 4, 2, 1}) {
		t.Errorf("order %v", order)
	}
	if _, ok := e[0].Due(); ok {
		t.Error("an event that has happened is due")
	}
}

// A line that stays high makes its interrupt pending again at the return, and
// one that falls does not.
func TestLine(t *testing.T) {
	a, c := newAlarm(t, Config{}, 0xe7fe)
	a.irq = 3
	// The handler of IRQ 3 (exception 19) counts in R7 and returns.
	for i, h := range []uint16{0x3701, 0x4770} { // adds r7,#1; bx lr
		c.WriteBus(0x1000+0x20*19+uint32(2*i), 2, uint32(h))
	}
	c.WriteBus(0xe000e100, 4, 1<<3)
	c.Schedule(a.event, 100)
	c.Run(90)
	if c.r[7] != 0 {
		t.Fatalf("%d interrupts before the event", c.r[7])
	}
	c.Run(1000)
	if c.r[7] < 10 {
		t.Errorf("%d interrupts with the line high", c.r[7])
	}
	c.SetLine(3, false)
	c.Run(1100) // one may be pending or under way
	n := c.r[7]
	c.Run(2000)
	if c.r[7] != n {
		t.Errorf("%d interrupts with the line low", c.r[7]-n)
	}
	// Cleared by software while the line is high, it is pending again; while it
	// is low, it is not. Disabled meanwhile.
	c.WriteBus(0xe000e180, 4, 1<<3)
	c.SetLine(3, true)
	c.WriteBus(0xe000e280, 4, 1<<3)
	if v, _ := c.ReadBus(0xe000e200, 4); v != 1<<3 {
		t.Errorf("ISPR %#x with the line high", v)
	}
	c.SetLine(3, false)
	if v, _ := c.ReadBus(0xe000e200, 4); v != 1<<3 {
		t.Errorf("ISPR %#x: the fall of a line took the interrupt back", v)
	}
	c.WriteBus(0xe000e280, 4, 1<<3)
	if v, _ := c.ReadBus(0xe000e200, 4); v != 0 {
		t.Errorf("ISPR %#x with the line low", v)
	}
	c.SetLine(-1, true)
	c.SetLine(240, true)
}

// Another master of the bus reaches memory and devices, and neither writes ROM
// nor sees the core's own registers.
func TestMaster(t *testing.T) {
	_, c := newAlarm(t, Config{}, 0xe7fe)
	if !c.WriteMaster(0x20000004, 2, 0xbeef) {
		t.Error("RAM takes no write")
	}
	if v, ok := c.ReadMaster(0x20000004, 4); !ok || v != 0xbeef {
		t.Errorf("RAM reads %#x, %v", v, ok)
	}
	if v, ok := c.ReadMaster(0x40000000, 4); !ok || v != 0 {
		t.Errorf("a device reads %#x, %v", v, ok)
	}
	c.WriteBus(0xe000ed14, 4, 1<<1) // CCR.USERSETMPEND
	for _, addr := range []uint32{0x100, 0xe000ed08, 0xe000ef00, 0x60000000, 0x20000002} {
		if c.WriteMaster(addr, 4, 0) {
			t.Errorf("0x%08x takes a write", addr)
		}
	}
	if _, ok := c.ReadMaster(0xe000ed00, 4); ok {
		t.Error("CPUID can be read")
	}
}
