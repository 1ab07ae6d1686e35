package reliability

import (
	"fmt"
	"sync"

	"github.com/mprof/mprof/sim"
	"github.com/mprof/mprof/snapshot"
)

// outcome is what one fault did at all points of one method.
type outcome struct {
	points int
	left   int // points where the core stood halted when all was over
	stood  int // where it stood halted while the probe or the process was gone
	lost   int // most samples that one point cost
	ended  int // points where the run ended
	reason string
	wrong  string // a sample that was not the truth
	where  string // the first point with anything of this
}

func (o *outcome) add(p outcome, where string) {
	o.points += p.points
	o.left, o.stood, o.ended = o.left+p.left, o.stood+p.stood, o.ended+p.ended
	o.lost = max(o.lost, p.lost)
	if o.reason == "" {
		o.reason = p.reason
	}
	if p.left > 0 || p.wrong != "" || p.lost > 1 || p.ended > 0 {
		if o.where == "" {
			o.where = where
		}
	}
	if o.wrong == "" {
		o.wrong = p.wrong
	}
}

// span counts the transfers and packets of the longest of a few samples; of
// PCSR, whose blocks overlap, those of a few blocks.
func (x *bench) span() (transfers, packets int, err error) {
	const few = 8
	first, firstPacket := x.board.Transfers(), x.board.Packets()
	for range few {
		t, p := x.board.Transfers(), x.board.Packets()
		if _, err := x.sample(); err != nil {
			return 0, 0, err
		}
		transfers = max(transfers, int(x.board.Transfers()-t))
		packets = max(packets, int(x.board.Packets()-p))
	}
	for x.pcs != nil && x.board.Packets()-firstPacket < few {
		if _, err := x.sample(); err != nil {
			return 0, 0, err
		}
		transfers, packets = int(x.board.Transfers()-first)/2, int(x.board.Packets()-firstPacket)/2
	}
	return transfers, packets, nil
}

// mostMissed bounds how long a fault that is over may go on costing samples.
const mostMissed, mostBlocks = 40, 800

// strike injects a fault into the sample that comes, and samples until all is
// well again.
func (x *bench) strike(in injection, point int) outcome {
	if in.kill {
		x.wire.armed, x.wire.left = true, point-1
		return x.survive(in)
	}
	return x.survive(in, in.at(point))
}

// survive injects faults and samples until all is well again. in says what is
// expected of them.
func (x *bench) survive(in injection, faults ...sim.Fault) (o outcome) {
	o.points = 1
	x.away, x.stood, x.wrong, x.moves = false, false, "", in.moves
	for _, f := range faults {
		if err := x.board.Inject(f); err != nil {
			o.ended, o.reason = 1, err.Error()
			return o
		}
	}
	well, most := 0, mostMissed
	if x.pcs != nil {
		most = mostBlocks
	}
	for tries := 0; well < 3 && tries < most && o.ended == 0; tries++ {
		s, err := x.sample()
		switch {
		case err != nil:
			o.ended, o.reason = 1, err.Error()
			continue
		case s.Miss != snapshot.Taken:
			well = 0
			o.lost++
		case x.board.Pending() == 0:
			well++
		}
		if s.State&snapshot.Lockup != 0 { // for ever, but for a reset
			_ = x.board.Inject(sim.Fault{Kind: sim.TargetReset, After: 1})
		}
	}
	if well < 3 && o.ended == 0 {
		o.ended, o.reason = 1, fmt.Sprintf("%d samples missed", o.lost)
	}
	if in.lasts || x.pcs != nil { // of PCSR, the blocks in flight
		o.lost = 0
	}
	x.wire.armed = false
	if x.board.CoreState().Halted {
		o.left = 1
	}
	if x.stood {
		o.stood = 1
	}
	if v, _ := x.board.Core().ReadBus(addrDEMCR, 4); v != 0 && x.pcs == nil {
		x.lie(fmt.Sprintf("DEMCR was written: 0x%08x", v))
		x.board.Core().WriteBus(addrDEMCR, 4, 0)
	}
	o.wrong = x.wrong
	return o
}

// addrDEMCR is next to DHCSR, and BD3 where SELECT is not what a packet expects.
const addrDEMCR = 0xE000EDFC

// pcsrStride is how many transfers of PCSR, which are all alike, make a point.
const pcsrStride = 5

// sampling tries a fault at every point of a few samples.
func sampling(m method, in injection, stride int) (o outcome) {
	x, err := idle(m)
	if err != nil {
		return outcome{ended: 1, reason: err.Error()}
	}
	defer func() { rest(m, x) }()
	transfers, packets, err := x.span()
	if err != nil {
		return outcome{ended: 1, reason: err.Error()}
	}
	last := transfers
	if m.way == pcsr {
		stride *= pcsrStride
	}
	if in.packet {
		last, stride = packets, 1
	}
	for point := 1; point <= last; point += stride {
		p := x.strike(in, point)
		o.add(p, fmt.Sprintf("point %d of %d", point, last))
		if p.ended > 0 || p.left > 0 {
			if x, err = newRun(m); err != nil {
				return o
			}
		}
	}
	return o
}

// resting are runs that have nothing to do, by their method: it takes seventy
// samples until one samples as it will for long.
var (
	resting = map[method][]*bench{}
	atRest  sync.Mutex
)

// idle is a run of a method that is well.
func idle(m method) (*bench, error) {
	atRest.Lock()
	if n := len(resting[m]); n > 0 {
		x := resting[m][n-1]
		resting[m] = resting[m][:n-1]
		atRest.Unlock()
		return x, nil
	}
	atRest.Unlock()
	return newRun(m)
}

func rest(m method, x *bench) {
	if x == nil {
		return
	}
	atRest.Lock()
	defer atRest.Unlock()
	resting[m] = append(resting[m], x)
}

func newRun(m method) (*bench, error) {
	x, err := newBench(m.model)
	if err != nil {
		return nil, err
	}
	if err := x.attach(); err != nil {
		return nil, err
	}
	return x, x.start(m.way)
}
