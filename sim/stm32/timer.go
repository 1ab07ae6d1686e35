package stm32

import (
	"github.com/mprof/mprof/sim/armv7m"
	"github.com/mprof/mprof/sim/serial"
)

// Registers of a general-purpose timer (RM0090, 18.4).
const (
	timCR1  = 0x00
	timDIER = 0x0c
	timSR   = 0x10
	timEGR  = 0x14
	timCNT  = 0x24
	timPSC  = 0x28
	timARR  = 0x2c
	timEnd  = 0x54
)

const (
	timCEN  = 1 << 0
	timUDIS = 1 << 1
	timURS  = 1 << 2
	timOPM  = 1 << 3
	timARPE = 1 << 7

	timUpdate = 1 << 0 // DIER.UIE, SR.UIF, EGR.UG
)

// timer is TIM2 to TIM5 as a time base: it counts up by the timer clock of APB1 and
// makes updates. Down and centre-aligned counting, the four channels, triggers and
// slave modes are not there: their registers take writes and do nothing.
type timer struct {
	core serial.Core
	rcc  *RCC
	irq  int
	mask uint32 // of the counter's bits

	reg      [timEnd / 4]uint32 // what was written; PSC and ARR act from an update on
	psc, arr uint32             // those that act
	sr       uint32
	cnt      uint32 // at the cycle since
	since    uint64
	rest     uint64 // cycles of the tick under way, then
	step     uint64 // cycles of a tick
	overflow *armv7m.Event
}

// timerPlaces are base, bit of RCC_APB1ENR, interrupt and width (RM0090, 2.3, 7.3.13,
// table 62, 18.1).
var timerPlaces = []struct {
	base, bit uint32
	irq       int
	mask      uint32
}{{0x40000000, 0, 28, 0xffffffff}, {0x40000400, 1, 29, 0xffff}, {0x40000800, 2, 30, 0xffff}, {0x40000c00, 3, 50, 0xffffffff}}

func newTimer(rcc *RCC, irq int, mask uint32) *timer {
	t := &timer{rcc: rcc, irq: irq, mask: mask}
	t.overflow = armv7m.NewEvent(t.overflows)
	return t
}

func (t *timer) attach(c serial.Core) {
	t.core = c
	t.reset()
}

func (t *timer) reset() {
	t.core.Cancel(t.overflow)
	t.reg = [timEnd / 4]uint32{timARR / 4: t.mask}
	t.psc, t.arr, t.sr, t.cnt, t.rest, t.since = 0, t.mask, 0, 0, 0, t.core.Cycles()
	t.drive()
}

func (t *timer) cr1(bit uint32) bool { return t.reg[timCR1/4]&bit != 0 }

// clock is the core cycles of a cycle of the timer clock: that of APB1, twice that where
// the bus is divided (RM0090, 7.2).
func (t *timer) clock() uint64 { return max(1, t.rcc.prescaler(apb1)/2) }

func (t *timer) counts() bool { return t.cr1(timCEN) && t.arr != 0 }

// now brings the counter up to a cycle; overflows lie between events.
func (t *timer) now(at uint64) {
	d := at - t.since
	t.since = at
	if !t.counts() || t.step == 0 {
		return
	}
	d += t.rest
	t.cnt, t.rest = (t.cnt+uint32(d/t.step))&t.mask, d%t.step
}

// plan schedules the overflow, and takes the clock as it is now.
func (t *timer) plan() {
	t.step = t.clock() * uint64(t.psc+1)
	t.rest %= t.step
	t.core.Cancel(t.overflow)
	if t.counts() {
		t.core.Schedule(t.overflow, t.since+(uint64((t.arr-t.cnt)&t.mask)+1)*t.step-t.rest)
	}
}

func (t *timer) overflows(at uint64) {
	t.now(at)
	t.cnt, t.rest = 0, 0
	if t.cr1(timOPM) {
		t.reg[timCR1/4] &^= timCEN
	}
	if !t.cr1(timUDIS) {
		t.update(true)
	}
	t.plan()
}

// update is an update event; flag says whether it is one that sets UIF.
func (t *timer) update(flag bool) {
	t.psc, t.arr = t.reg[timPSC/4], t.reg[timARR/4]
	if flag {
		t.sr |= timUpdate
	}
	t.drive()
}

func (t *timer) drive() { t.core.SetLine(t.irq, t.sr&t.reg[timDIER/4]&timUpdate != 0) }

// Read reads a register.
func (t *timer) Read(offset uint32, size int) (uint32, bool) {
	if offset >= timEnd {
		return 0, true
	}
	t.now(t.core.Cycles())
	return lanes(t.word(offset&^3), offset, size), true
}

func (t *timer) word(offset uint32) uint32 {
	switch offset {
	case timSR:
		return t.sr
	case timEGR:
		return 0
	case timCNT:
		return t.cnt
	}
	return t.reg[offset/4]
}

// Write writes a register.
func (t *timer) Write(offset uint32, size int, v uint32) bool {
	if offset >= timEnd {
		return true
	}
	t.now(t.core.Cycles())
	word := offset &^ 3
	old := t.word(word)
	if word == timSR {
		old = 0xffffffff // of the lanes that are not written
	}
	t.set(word, merged(old, offset, size, v))
	t.drive()
	t.plan()
	return true
}

func (t *timer) set(word, v uint32) {
	switch word {
	case timCR1:
		t.reg[word/4] = v & 0x3ff
	case timSR:
		t.sr &= v // rc_w0
	case timEGR:
		if v&timUpdate != 0 {
			t.cnt, t.rest = 0, 0
			if !t.cr1(timUDIS) {
				t.update(!t.cr1(timURS))
			}
		}
	case timCNT:
		t.cnt = v & t.mask
	case timPSC:
		t.reg[word/4] = v & 0xffff
	case timARR:
		t.reg[word/4] = v & t.mask
		if !t.cr1(timARPE) {
			t.arr = v & t.mask
		}
	default:
		t.reg[word/4] = v
	}
}
