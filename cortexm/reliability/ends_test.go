package reliability

import (
	"fmt"

	"github.com/mprof/mprof/cortexm"
)

// attaching tries a fault at every packet of opening the probe and taking over
// the core: where it does not succeed the core must run all the same.
func attaching(model string, in injection, stride int) (o outcome) {
	x, err := newBench(model)
	if err == nil {
		err = x.attach()
	}
	if err != nil {
		return outcome{ended: 1, reason: err.Error()}
	}
	packets := int(x.board.Packets())
	for point := 1; point <= packets; point += stride {
		o.add(attachOnce(model, in, point), fmt.Sprintf("packet %d of %d", point, packets))
	}
	return o
}

func attachOnce(model string, in injection, packet int) (o outcome) {
	o.points = 1
	f := in.fault
	f.Packet = uint64(packet)
	x, err := newBench(model, f)
	if err != nil {
		return outcome{ended: 1, reason: err.Error()}
	}
	if err := x.attach(); err != nil {
		o.ended, o.reason = 1, err.Error()
	} else if err := x.core.Detach(ctx); err != nil {
		o.ended, o.reason = 1, err.Error()
	}
	if s := x.board.CoreState(); s.Halted || s.DebugEnabled && o.ended == 0 {
		o.left = 1
	}
	return o
}

// detaching tries a fault at every point of the detach.
func detaching(model string, in injection, stride int) (o outcome) {
	x, err := newRun(method{model: model, way: registersOnly})
	if err != nil {
		return outcome{ended: 1, reason: err.Error()}
	}
	t, p := x.board.Transfers(), x.board.Packets()
	if err := x.core.Detach(ctx); err != nil {
		return outcome{ended: 1, reason: err.Error()}
	}
	last := int(x.board.Transfers() - t)
	if in.packet {
		last, stride = int(x.board.Packets()-p), 1
	}
	for point := 1; point <= last; point += stride {
		if x.core, err = cortexm.Attach(ctx, x.probe, cortexm.AttachOptions{Clock: x.board}); err != nil {
			o.add(outcome{ended: 1, reason: err.Error()}, "attach again")
			return o
		}
		o.add(x.detachOnce(in, point), fmt.Sprintf("point %d of %d", point, last))
		if x, err = newRun(method{model: model, way: registersOnly}); err != nil {
			return o
		}
		_ = x.core.Detach(ctx)
	}
	return o
}

func (x *bench) detachOnce(in injection, point int) (o outcome) {
	o.points = 1
	if err := x.board.Inject(in.at(point)); err != nil {
		return outcome{points: 1, ended: 1, reason: err.Error()}
	}
	if err := x.core.Detach(ctx); err != nil {
		o.ended, o.reason = 1, err.Error()
	}
	if s := x.board.CoreState(); s.Halted || s.DebugEnabled && o.ended == 0 {
		o.left = 1
	}
	return o
}
