package stm32

import "testing"

const tim2Base, tim3Base = 0x40000000, 0x40000400

// timerRig has the clocks of TIM2 to TIM5.
func timerRig(t *testing.T) *rig {
	r := newRig(t)
	r.want("clock off", tim2Base+timARR, 0)
	r.write(rccBase+0x40, 15)
	return r
}

// The counter counts from 0 to ARR, and each overflow pends the interrupt.
func TestTimerCounts(t *testing.T) {
	for _, c := range []struct {
		name              string
		base              uint32
		irq               int
		ppre, psc, arr, n uint32
		step              uint64
	}{
		{"TIM2", tim2Base, 28, 0, 0, 999, 1, 1},
		{"TIM5 divided", 0x40000c00, 50, 0, 6, 99, 1, 7},
		{"TIM3, bus divided by 4", tim3Base, 29, 5, 2, 49, 1, 6},
		{"TIM4, bus divided by 2", 0x40000800, 30, 4, 0, 500, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := timerRig(t)
			r.write(rccBase+0x08, c.ppre<<10)
			r.write(c.base+timPSC, c.psc)
			r.write(c.base+timARR, c.arr)
			r.write(c.base+timCR1, timURS)
			r.write(c.base+timEGR, 1)
			r.want("UG with URS sets no flag", c.base+timSR, 0)
			r.write(c.base+timDIER, 1)
			r.write(c.base+timCR1, timURS|timCEN)
			start := r.core.Cycles()
			period := (uint64(c.arr) + 1) * c.step
			overflows := uint64(0)
			for n := uint64(0); n < 5*period; n = r.core.Cycles() - start {
				r.want("CNT", c.base+timCNT, uint32(n%period/c.step))
				if n/period > overflows {
					overflows = n / period
					if !r.pending(c.irq) {
						t.Fatalf("%d cycles on: not pending", n)
					}
					r.want("UIF", c.base+timSR, 1)
					r.write(c.base+timSR, 0)
					r.pending(c.irq)
				} else if r.pending(c.irq) {
					t.Fatalf("%d cycles on: pending", n)
				}
				r.run(13)
			}
			if overflows != 4 {
				t.Errorf("%d overflows", overflows)
			}
		})
	}
}

// PSC waits for an update; ARR does with ARPE only.
func TestTimerPreload(t *testing.T) {
	r := timerRig(t)
	r.write(tim2Base+timARR, 99)
	r.write(tim2Base+timCR1, timCEN|timARPE)
	start := r.core.Cycles()
	r.write(tim2Base+timPSC, 9)
	r.write(tim2Base+timARR, 19)
	r.run(start + 90 - r.core.Cycles())
	r.want("old prescaler", tim2Base+timCNT, uint32(r.core.Cycles()-start))
	r.run(start + 150 - r.core.Cycles())
	r.want("new prescaler", tim2Base+timCNT, uint32(r.core.Cycles()-start-100)/10)
	r.run(start + 305 - r.core.Cycles())
	r.want("new reload", tim2Base+timCNT, uint32(r.core.Cycles()-start-300)/10)
	r.write(tim2Base+timCR1, timCEN)
	r.write(tim2Base+timARR, 1000)
	r.run(400)
	r.want("reload at once", tim2Base+timCNT, uint32(r.core.Cycles()-start-300)/10)
}

func TestTimerDetails(t *testing.T) {
	r := timerRig(t)
	r.want("ARR of TIM2", tim2Base+timARR, 0xffffffff)
	r.want("ARR of TIM3", tim3Base+timARR, 0xffff)
	r.write(tim2Base+timCNT, 0xfffffff0)
	r.write(tim2Base+timARR, 10)
	r.write(tim2Base+timCR1, timCEN)
	r.run(8)
	r.write(tim2Base+timCR1, 0)
	if v := r.read(tim2Base + timCNT); v < 0xfffffff8 {
		t.Errorf("above ARR it goes on to its end: 0x%x", v)
	}
	r.write(tim2Base+timEGR, 1)
	r.want("UG", tim2Base+timCNT, 0)
	r.want("UG", tim2Base+timSR, 1)
	r.want("EGR", tim2Base+timEGR, 0)
	r.write(tim2Base+timSR, 0xfffffffe)
	r.write(tim2Base+timCR1, timCEN|timOPM)
	r.run(100)
	r.want("one pulse", tim2Base+timCR1, timOPM)
	r.want("one pulse", tim2Base+timCNT, 0)
	r.want("one pulse", tim2Base+timSR, 1)
	r.write(tim2Base+timSR, 0)
	r.write(tim2Base+timCR1, timCEN|timUDIS)
	r.run(100)
	r.want("UDIS", tim2Base+timSR, 0)
	r.write(tim2Base+timARR, 0)
	v := r.read(tim2Base + timCNT)
	r.run(100)
	r.want("ARR 0 stops it", tim2Base+timCNT, v)
	r.write(tim2Base+timDIER, 1)
	r.write(rccBase+0x20, 1) // TIM2RST
	r.write(rccBase+0x20, 0)
	r.want("reset", tim2Base+timDIER, 0)
	r.want("reset", tim2Base+timARR, 0xffffffff)
	r.core.Reset()
	r.want("clock off", tim2Base+timARR, 0)
}
