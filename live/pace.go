package live

import "time"

// pace is how many samples or calls came lately, by the clock of the target.
type pace struct {
	slots  [paceSlots]uint64
	number [paceSlots]int64 // of the slot, plus 1: time / paceSlot
	last   time.Duration
	came   time.Time // the latest, on the clock of this machine
}

const (
	paceSlots = 16
	paceSlot  = 100 * time.Millisecond
	paceTime  = 10 * paceSlot
)

func (p *pace) add(at time.Duration, n uint64) {
	number := int64(at/paceSlot) + 1
	i := number & (paceSlots - 1)
	if p.number[i] != number {
		if p.number[i] > number { // late
			return
		}
		p.number[i], p.slots[i] = number, 0
	}
	p.slots[i] += n
	p.last = max(p.last, at)
}

// rate is per second over the last whole second, of a shorter run over all of it; 0 where
// nothing came for longer.
func (p *pace) rate(running bool) float64 {
	if !running || p.last == 0 || time.Since(p.came) > 2*paceTime {
		return 0
	}
	end := int64(p.last / paceSlot) // number of the last whole slot
	n := uint64(0)
	for i, number := range p.number {
		if number > end-int64(paceTime/paceSlot) && number <= end {
			n += p.slots[i]
		}
	}
	whole := min(time.Duration(end)*paceSlot, paceTime)
	if whole == 0 {
		return 0
	}
	return float64(n) / whole.Seconds()
}
