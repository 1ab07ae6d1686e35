package calls

import (
	"fmt"
	"time"
)

// pace compares the clock of the target with that of the host. They cannot agree to
// better than records wait in the target's buffer, so only a clock that is far off
// shows: a frequency that the firmware states wrongly, a timer that stops in sleep, a
// SysTick whose wraps nobody counts.
type pace struct {
	known        bool
	target, host int64 // at the first records of the epoch, ns
	spanT, spanH int64 // of this epoch
	allT, allH   int64 // of the epochs before
	records      uint64
}

const (
	// leastPaced is how long a run must be before its clock is judged.
	leastPaced = 2 * time.Second
	// mostOff is the part by which clocks may differ, beside mostDelayed: an RC oscillator is
	// some percent off.
	mostOff     = 0.15
	mostDelayed = 500 * time.Millisecond
	// leastRecord is the least that a record takes in a buffer, bytes; anyBuffer the size
	// of one of which nothing is known.
	leastRecord, anyBuffer = 12, 64 << 10
)

// note takes the latest exit of so many records and when their bytes arrived.
func (p *pace) note(now int64, arrived time.Duration, records int) {
	p.records += uint64(records)
	if !p.known {
		p.known, p.target, p.host = true, now, int64(arrived)
	}
	p.spanT, p.spanH = now-p.target, int64(arrived)-p.host
}

// restart begins a new epoch.
func (p *pace) restart() {
	p.allT, p.allH = p.allT+p.spanT, p.allH+p.spanH
	p.known, p.spanT, p.spanH = false, 0, 0
}

// remark is a sentence, where the clocks do not agree. What waits in a buffer of so many
// bytes comes the later, the slower the line is.
func (p *pace) remark(buffer uint32) string {
	target, host := time.Duration(p.allT+p.spanT), time.Duration(p.allH+p.spanH)
	if host < leastPaced {
		return ""
	}
	if buffer == 0 {
		buffer = anyBuffer
	}
	most := mostOff*float64(host) + float64(mostDelayed)
	late := float64(buffer) / leastRecord * float64(host) / float64(p.records)
	if off := float64(host - target); off < most+late && off > -most {
		return ""
	}
	return fmt.Sprintf("by the clock of the target the calls came in %.3g s, by that of the host in %.3g s: one of them is wrong, and the times may be; "+
		"is the frequency right that the firmware gives to mprof_init, does its timer stop in sleep, does the handler of SysTick call mprof_systick?",
		target.Seconds(), host.Seconds())
}
