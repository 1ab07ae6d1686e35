package cortexm

import "time"

// packet is a spare one, or new.
func (s *PCSampler) packet() *pcPacket {
	if n := len(s.spare); n > 0 {
		p := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return p
	}
	return &pcPacket{}
}

// compose draws the next packet of the stream. A round begins with a pause, so
// that rounds do not keep step with the program either, and a check.
func (s *PCSampler) compose() *pcPacket {
	l, p := &s.layout, s.packet()
	if l.slow {
		s.composeSlow(p)
		return p
	}
	n := l.least + s.rand.IntN(l.most-l.least+1)
	switch {
	case s.round == 0 && l.delayed > 0 && !l.gaps:
		s.round = l.every - 1
		p.check(*l, min(n, l.delayed), s.draw(mostDelay), false)
	case s.round == 0 && !l.gaps: // the pause has a packet of its own, the check comes next
		s.round = -1
		p.pause(*l, s.draw(mostDelay))
	case s.round <= 0:
		s.round = l.every - 1
		p.check(*l, n, 0, false)
	default:
		s.round--
		p.block(*l, n)
	}
	return p
}

// composeSlow is for a connection of one packet a frame.
func (s *PCSampler) composeSlow(p *pcPacket) {
	l := &s.layout
	s.round++
	check := s.round%l.every == 0
	switch {
	case l.wait < 2*time.Microsecond:
		p.check(*l, l.least+s.rand.IntN(l.most-l.least+1), 0, false)
	case check:
		p.check(*l, l.delayed, s.draw(l.wait), false)
	default:
		p.wait(*l, l.waiting, s.draw(l.wait))
	}
}

// draw is a pause of 1 us up to d.
func (s *PCSampler) draw(d time.Duration) time.Duration {
	return time.Microsecond + time.Duration(s.rand.Int64N(int64(d)))
}
