package cmsdk

import (
	"github.com/mprof/mprof/sim/armv7m"
	"github.com/mprof/mprof/sim/serial"
)

// Registers of the APB timer (DDI 0479C, 4.1.2).
const (
	timCTRL   = 0x00
	timVALUE  = 0x04
	timRELOAD = 0x08
	timINT    = 0x0c

	timEnable   = 1 << 0
	timExternal = 3 << 1 // enable or clock by an input that nothing drives
	timInt      = 1 << 3
)

// Timer is an APB timer: 32 bits that count the core's clock down, and begin
// anew at RELOAD behind 0.
type Timer struct {
	core           serial.Core
	irq            int
	ctrl           uint32
	reload, status uint32
	value          uint32 // at the cycle since
	since          uint64
	zero           *armv7m.Event
}

// NewTimer returns a timer that is not connected yet.
func NewTimer(irq int) *Timer {
	t := &Timer{irq: irq}
	t.zero = armv7m.NewEvent(t.atZero)
	return t
}

// Attach connects the core, once, before it runs.
func (t *Timer) Attach(c serial.Core) {
	t.core = c
	c.OnReset(func() {
		*t = Timer{core: t.core, irq: t.irq, zero: t.zero}
		c.Cancel(t.zero)
		c.SetLine(t.irq, false)
	})
}

func (t *Timer) counts() bool { return t.ctrl&(timEnable|timExternal) == timEnable }

// now brings the counter up to a cycle. From 0 it goes to RELOAD; a reload of 0
// leaves it there.
func (t *Timer) now(at uint64) {
	d := at - t.since
	t.since = at
	if !t.counts() {
		return
	}
	if d <= uint64(t.value) {
		t.value -= uint32(d)
		return
	}
	d -= uint64(t.value) + 1
	t.value = t.reload - uint32(d%(uint64(t.reload)+1))
}

// plan schedules the interrupt: the cycle at which the counter comes to 0.
func (t *Timer) plan() {
	t.core.Cancel(t.zero)
	switch {
	case !t.counts():
	case t.value > 0:
		t.core.Schedule(t.zero, t.since+uint64(t.value))
	case t.reload > 0:
		t.core.Schedule(t.zero, t.since+1+uint64(t.reload))
	}
}

func (t *Timer) atZero(at uint64) {
	t.now(at)
	if t.ctrl&timInt != 0 {
		t.status = 1
		t.core.SetLine(t.irq, true)
	}
	t.plan()
}

// Read reads a register.
func (t *Timer) Read(offset uint32, size int) (uint32, bool) {
	var v uint32
	switch offset &^ 3 {
	case timCTRL:
		v = t.ctrl
	case timVALUE:
		t.now(t.core.Cycles())
		v = t.value
	case timRELOAD:
		v = t.reload
	case timINT:
		v = t.status
	default:
		if v = identification(offset &^ 3); offset&^3 == regID+0x10 {
			v = 0x22 // PID0: component 0x822
		}
	}
	return v >> (8 * (offset & 3)) & uint32(1<<(8*size)-1), true
}

// Write writes a register.
func (t *Timer) Write(offset uint32, _ int, v uint32) bool {
	t.now(t.core.Cycles())
	switch offset {
	case timCTRL:
		t.ctrl = v & 15
	case timVALUE:
		t.value = v
	case timRELOAD:
		t.reload = v
	case timINT:
		t.status &^= v
		t.core.SetLine(t.irq, t.status != 0)
	}
	t.plan()
	return true
}
