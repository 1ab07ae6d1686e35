package cortexm

import "time"

// frames retraces what a probe did whose packets come at fixed times (HID: one
// each millisecond and direction). When a response arrives says little by itself: it
// waits for its turn. But every packet begins with its arrival, which is as far from
// a response as whole frames are, or with the end of the one before it; and what is
// in it is known.
type frames struct {
	costs       Costs
	arrive, end time.Duration // of the packet before
	heard       time.Duration // its response
	begun       bool

	halt, resume time.Duration // of the core
}

// framePart is the part of a frame that a response must be ready before its turn,
// and that a packet takes on the bus: 51 us on full speed.
const framePart = 16

// load is what a packet had the probe do.
type load struct {
	handed, heard time.Duration // when the host sent it, and heard its response
	delay, work   time.Duration
	halt, resume  time.Duration // how far into the work, where it holds them; 0: not
}

// add takes the next packet.
func (f *frames) add(l load) {
	frame := f.costs.Packet
	if frame <= 0 {
		return
	}
	arrive := f.arrive + frame
	if !f.begun {
		arrive = l.heard - frame
		for arrive-frame*(framePart+1)/framePart > l.handed { // its response had to wait
			arrive -= frame
		}
		// A request takes a part of a frame to arrive: where that leaves two answers,
		// the one that the response agrees with.
		if earlier := arrive - frame; earlier > l.handed+frame/framePart/2 && f.turn(earlier, earlier+l.delay+l.work) > l.heard-frame/2 {
			arrive = earlier
		}
	}
	for arrive <= l.handed+frame/framePart/2 {
		arrive += frame
	}
	begin := f.begin(arrive)
	turn := max(f.turn(arrive, begin+l.delay+l.work), f.heard+frame)
	if late := l.heard - turn; f.begun && late > frame/2 { // the host was slow to send it
		arrive += (late + frame/2) / frame * frame
		begin = f.begin(arrive)
	}
	if l.halt > 0 {
		f.halt = begin + l.delay + l.halt
	}
	if l.resume > 0 {
		f.resume = begin + l.delay + l.resume
	}
	f.begun, f.arrive, f.end, f.heard = true, arrive, begin+l.delay+l.work, l.heard
}

func (f *frames) begin(arrive time.Duration) time.Duration {
	if f.begun {
		return max(arrive, f.end)
	}
	return arrive
}

// turn is the first moment for a response that is ready at the given time.
func (f *frames) turn(arrive, ready time.Duration) time.Duration {
	frame := f.costs.Packet
	n := (ready - arrive + frame/framePart + frame - 1) / frame
	return arrive + max(1, n)*frame
}
