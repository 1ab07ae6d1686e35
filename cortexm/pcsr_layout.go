package cortexm

import (
	"fmt"
	"math"
	"time"

	"github.com/mprof/mprof/probe"

	"github.com/mprof/mprof/schedule"
)

// pcLayout says how the packets of a PCSampler look on one probe. A plain block is
// a DAP_TransferBlock; a checked one is a DAP_Transfer that reads DHCSR first.
// Both hold the same number of PCs: the response of the one has 4 bytes around
// them, that of the other 3 and the word of DHCSR.
type pcLayout struct {
	most     int           // PCs of a plain block, and of a checked one
	least    int           // of either
	delayed  int           // most PCs of a checked block behind a delay in its packet; 0: delays have packets of their own
	waiting  int           // the same of a plain block, where the connection is slow
	both     int           // most PCs between two reads of DHCSR
	every    int           // packets from one check to the next
	together int           // packets that are taken and sent at once: their work covers a turn of the host
	slow     bool          // the connection takes longer for a packet than the probe for its work
	gaps     bool          // the probe waits for the host between packets: they are full, and need no other pause
	wait     time.Duration // longest wait of a block
	packet   time.Duration // one more of them
	transfer time.Duration // one SWD transfer
	command  time.Duration
	trip     time.Duration
}

const (
	// checkInterval is about how often DHCSR is read: sleeps that are shorter
	// are told by what PCSR gave in others.
	checkInterval = 2 * time.Millisecond
	// mostDelay is the longest pause between two rounds. It need not be longer
	// than a few PCs are apart: the lengths of blocks do the rest.
	mostDelay = 24 * time.Microsecond
	// leastFrame tells a connection of one packet a frame of 1 ms from a host
	// that is busy.
	leastFrame = 800 * time.Microsecond
	// checkTransfers are the entries of a DAP_Transfer besides its PCs: two of TAR, one
	// of DHCSR.
	checkTransfers = 3
)

func newPCLayout(l limits, c Costs, inFlight int) pcLayout {
	p := pcLayout{packet: c.Packet, transfer: max(c.Transfer, time.Microsecond), command: c.Command, trip: c.RoundTrip}
	p.most = min((l.bytes-4)/4, probe.MaxTransfers-checkTransfers)
	p.both = min((l.bytes-3-2*4)/4, l.bytes-25, probe.MaxTransfers-2*checkTransfers)
	if l.delay {
		p.delayed = min((l.bytes-2-2-3-4)/4, p.most)
	}
	p.least = p.most - 2
	if p.most >= 32 {
		p.least = p.most * 3 / 4
	}
	work := p.work(p.most)
	p.slow = p.packet > max(leastFrame, work+work/4)
	p.every = max(1, int(checkInterval/max(work, p.packet)))
	p.together = min(max(1, int((c.RoundTrip+work-1)/work)), max(1, inFlight/2))
	switch {
	case p.slow:
		p.spread(l, work)
	case time.Duration(p.together)*work < c.RoundTrip:
		p.least, p.gaps = p.most, true
	}
	return p
}

// spread is for a connection of one packet a frame (HID), on which packets arrive at
// one moment of each frame: every block waits for a drawn part of it, as long as the
// mean leaves time for its work. Reports have a fixed length, so that a response may
// fill one: no empty packet is ever needed to end it.
func (p *pcLayout) spread(l limits, work time.Duration) {
	if !l.delay {
		p.least, p.every = p.most-1, 1
		return
	}
	p.delayed = min((l.bytes+1-2-2-3-4)/4, p.most)
	p.waiting = (l.bytes + 1 - 2 - 2 - 4) / 4
	p.least, p.every = p.delayed, slowChecks
	p.wait = min(p.packet, 2*(p.packet*9/10-work-p.command))
}

// slowChecks is the number of packets from one check to the next where a packet
// takes a frame.
const slowChecks = 8

// work is what the probe does for a plain block of n PCs: a read each and one of
// RDBUFF.
func (p pcLayout) work(n int) time.Duration { return time.Duration(n+1)*p.transfer + p.command }

// checkWork is what a read of DHCSR adds: TAR, DRW, RDBUFF, TAR.
func (p pcLayout) checkWork() time.Duration { return 4 * p.transfer }

// pace is how the rate is kept.
type pace struct {
	rate     float64 // Hz; 0: unlimited
	spaced   bool    // single blocks at drawn times; else a stream that is held up
	n        int     // PCs of a spaced block
	schedule schedule.Schedule
	begin    time.Duration // of the stream
	asked    uint64        // PCs since then
}

// fewRoundTrips is the least mean interval of spaced blocks, in round trips: the
// host must be free to choose the moment.
const fewRoundTrips = 4

// pace chooses spaced blocks, as short as the round trip allows, up to half of
// what the wire carries: short ones at independent times say more than long
// ones.
func (p pcLayout) pace(rate float64, seed int64, start time.Duration) pace {
	if rate == 0 {
		return pace{begin: start}
	}
	n := max(1, int(math.Ceil(rate*(fewRoundTrips*p.trip).Seconds())))
	interval := time.Duration(float64(n) / rate * float64(time.Second))
	if n > p.both || 2*(p.work(n)+2*p.checkWork()) > interval {
		return pace{rate: rate, begin: start}
	}
	return pace{rate: rate, spaced: true, n: n, schedule: schedule.New(rate/float64(n), seed, start)}
}

// ahead is how much time passes until the rate allows another PC.
func (p *pace) ahead(now time.Duration) time.Duration {
	if p.rate == 0 || p.spaced {
		return 0
	}
	return time.Duration(float64(p.asked)/p.rate*float64(time.Second)) - (now - p.begin)
}

func (p pcLayout) describe(pc pace, inFlight int) string {
	if pc.spaced {
		return fmt.Sprintf("PCSR, %d at a time, with the state of the core before and after", pc.n)
	}
	return fmt.Sprintf("PCSR in blocks of %d to %d, %d in flight, the state of the core every %d blocks", p.least, p.most, inFlight, p.every)
}
