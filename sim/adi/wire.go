package adi

// Wire is one SWCLK and SWDIO with the ports that share it (multidrop; ADIv5.2,
// B4.3.4). With one port it is that port's Line.
type Wire struct {
	lines []*Line
}

// NewWire connects ports, the one that answers by default first.
func NewWire(ports ...*Port) *Wire {
	w := &Wire{}
	for _, p := range ports {
		w.lines = append(w.lines, NewLine(p))
	}
	return w
}

// PowerOn puts every port and its pins back into the power-on state.
func (w *Wire) PowerOn() {
	for _, l := range w.lines {
		l.port.PowerOn()
		l.PowerOn()
	}
}

// Selected is the port that whole transfers go to: the one that is settled, or
// the first.
func (w *Wire) Selected() *Port {
	for _, l := range w.lines {
		if l.Settled() {
			return l.port
		}
	}
	return w.lines[0].port
}

// Settled says that one port takes transfers and that no other listens before
// the next line reset, so that transfers need not go bit by bit.
func (w *Wire) Settled() bool {
	settled := 0
	for _, l := range w.lines {
		switch {
		case l.Settled():
			settled++
		case len(w.lines) > 1 && l.mode == swd && !(l.lost && l.phase == idle):
			return false
		}
	}
	return settled == 1
}

// Whole is Line.Whole for every port.
func (w *Wire) Whole() {
	for _, l := range w.lines {
		l.Whole()
	}
}

// Lose is Line.Lose for every port.
func (w *Wire) Lose() {
	for _, l := range w.lines {
		l.Lose()
	}
}

// Named is how often TARGETSEL named port i.
func (w *Wire) Named(i int) int { return w.lines[i].named }

// Clock is one cycle of SWCLK for every port. Where several drive SWDIO, a low
// level wins.
func (w *Wire) Clock(drive, host bool) bool {
	if len(w.lines) == 1 {
		return w.lines[0].Clock(drive, host)
	}
	level, driven := true, false
	for _, l := range w.lines {
		if v, on := l.output(); on {
			level, driven = level && v, true
		}
	}
	if !driven {
		level = !drive || host
	}
	for _, l := range w.lines {
		l.take(level)
	}
	return level
}
