package cortexm

import (
	"math/rand/v2"
	"time"

	"github.com/mprof/mprof/probe"
)

// Where packets come at fixed times (HID: one each millisecond) a halt would fall
// at the same moment of every frame, and beat with whatever the program does each
// millisecond. The probe therefore waits (DAP_Delay) for a random part of the frame
// before it halts the core, which runs on meanwhile. What is lost is that the answer
// then takes a frame more in about every second sample; the probe uses that frame
// for a longer guess.

// newWaits are the random numbers for it: a stream of their own, so that other
// probes draw the same intervals.
func newWaits(seed int64) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), 0x7068617365)) }

// frameWait is how long the probe waits before the halt of the next sample; 0 where
// packets come as they are sent.
func (s *Sampler) frameWait() time.Duration {
	if s.planner.placeholder() == 0 {
		return 0
	}
	frame := max(1, min(s.planner.costs.Packet, longestWait/2))
	return time.Microsecond + time.Duration(s.waits.Int64N(int64(frame)))
}

// longestWait is that of DAP_Delay.
const longestWait = (1<<16 - 1) * time.Microsecond

// placeholder is a delay to lay packets out with, in microseconds; 0: none.
func (pl *planner) placeholder() uint16 {
	if !pl.slotted() || !pl.l.delay {
		return 0
	}
	return 1
}

// waiting is a packet of its own before a sample that fills one: the probe waits
// in it for a frame and a part, and the next is done when it is over.
func (pl *planner) waiting() []*transfer {
	if pl.placeholder() == 0 {
		return nil
	}
	t := &transfer{delay: pl.placeholder()}
	t.write(probe.WriteSELECT, pl.steps.memory)
	return []*transfer{t}
}

// shift sets how long the probe waits before a sample of registers alone.
func (s *Sampler) shift(c *capture) {
	q := s.plan.seq
	if q.packets[0].transfers[0].delay == 0 {
		return
	}
	if d := s.frameWait(); d > 0 {
		c.delay = s.planner.costs.Packet + d
		q.packets[0].wait(c.delay)
		q.requests[0] = q.packets[0].raw
	}
}

// wait sets how long the probe waits before the halt.
func (o *opening) wait(d time.Duration) { o.packets[0].wait(d) }

func (p *packet) wait(d time.Duration) {
	if t := p.transfers[0]; t.delay > 0 {
		t.delay = uint16(max(1, d.Microseconds()))
		p.encode()
	}
}

// slack is the longest wait with which the answer still leaves in the same frame.
// A seventh of the time is left for the bus, and the calibration is good to 1/400 of
// it.
func (pl *planner) slack() time.Duration {
	transfers := 2 + 1 + 2 + 4*len(pl.regs) // DHCSR before, halt, S_HALT, registers
	work := time.Duration(transfers) * (pl.costs.Transfer + pl.costs.Packet/calibrationTransfers)
	return max(0, pl.costs.Packet*6/7-work)
}

// late is the planner for samples whose answer takes a frame more.
func (pl *planner) late() *planner {
	p := *pl
	p.spare = pl.costs.Packet
	return &p
}
