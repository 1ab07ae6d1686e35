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
// transfers before the halt come behind the way there. Where packets come at fixed times, the one with the halt began as
// long before its response as one packet is apart from the next.
func (s *Sampler) halting(c *capture) time.Duration {
	costs := s.core.costs
	lead := time.Duration(c.meter.lead)*costs.Transfer + costs.Command
	if c.at > 0 {
		return max(c.sent, c.at)
	}
	if s.planner.slotted() {
		begun := c.heard - time.Duration(max(1, c.behind))*costs.Packet
		for costs.Packet > 0 && begun-costs.Packet*17/16 > c.sent { // the response was late for its turn
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
