package cortexm

import "time"

// moment is when the core stood still, on the clock of the run: by the probe's
// clock where it has one, else by what the host knows of the way there.
func (s *Sampler) moment(c *capture, begin, end time.Duration) time.Duration {
	if c.sent == 0 {
		c.sent = begin
	}
	if c.heard == 0 {
		c.heard = end
	}
	low, high := s.halting(c), c.heard
	if k := &s.probeClock; k.hz != 0 && c.sawHalt {
		return max(c.sent, k.moment(c.halt, low, high))
	}
	return min(low, high)
}

// halting is when the halt was written, if nothing held the request up: the
// transfers before the halt come behind the way there. Where packets come at fixed
// times, the first began whole frames before a response was heard, in the frame
// behind the request.
func (s *Sampler) halting(c *capture) time.Duration {
	costs := s.core.costs
	lead := time.Duration(c.meter.lead)*costs.Transfer + costs.Command
	if c.at > 0 {
		return max(c.sent, c.at)
	}
	if s.planner.slotted() {
		begun := c.heard - costs.Packet
		for begun-costs.Packet*(framePart+1)/framePart > c.sent {
			begun -= costs.Packet
		}
		return max(c.sent, begun+c.delay+lead)
	}
	return c.sent + costs.Away + lead
}

// ProbeClock tells whether times are those of the probe's clock.
func (s *Sampler) ProbeClock() bool { return s.probeClock.hz != 0 }

// Remarks are sentences about the run that a user should know.
func (s *Sampler) Remarks() (remarks []string) {
	if s.probeClock.why != "" {
		remarks = append(remarks, s.probeClock.why+"; halted times are those between requests and responses")
	}
	return remarks
}
