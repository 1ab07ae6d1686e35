package cortexm

import "time"

// What MaxHalt leaves for samples step by step.

// replyMemory is how many samples a slow answer of the host is remembered for.
const replyMemory = 128

// stepsTime is what a sample step by step takes without a stack.
func (pl *planner) stepsTime() time.Duration {
	if pl.slotted() {
		return 3 * pl.costs.Packet // the frame of the halt, that of the answer, that of the resume
	}
	transfers := 3 + 4*(len(pl.regs)+3) + 8 // halt, registers, SELECT, TAR, RDBUFF, resume
	return time.Duration(transfers)*pl.costs.Transfer + pl.costs.Command + pl.costs.RoundTrip
}

// stepsDepth is how many words fit behind that.
func (pl *planner) stepsDepth() int { return pl.wordsIn(pl.limit - pl.stepsTime()) }

// wordsIn is how many words are read in a time: by the transfers and by the packets.
func (pl *planner) wordsIn(d time.Duration) int {
	if d <= 0 {
		return 0
	}
	n := (pl.l.bytes - 3) / 4 // of a packet, which ends with a fetch of the last
	if pl.slotted() {
		return int(d/pl.costs.Packet) * n
	}
	packet := max(time.Duration(n+1)*pl.costs.Transfer+pl.costs.Command, pl.costs.Packet)
	return int(d * time.Duration(n) / max(1, packet))
}

// spent is how long the core will have stood still when the next step begins and
// resumes it at once.
func (g *guided) spent() time.Duration {
	c := g.pl.costs
	resume := 12*c.Transfer + 2*c.Command // of two windows
	if g.pl.slotted() {
		return g.clock.Now() + c.Packet - g.trace.halt + resume
	}
	return g.capture.halted + g.clock.Now() - g.heard + g.reply + resume
}

// allow cuts windows to what fits into the rest of the time, from the outer end.
func (g *guided) allow(windows []Extent) []Extent {
	if g.pl.limit == 0 {
		return windows
	}
	left := g.pl.wordsIn(g.pl.limit - g.spent())
	out := []Extent{}
	for _, w := range windows {
		n := min(w.words(), left)
		g.capture.short = g.capture.short || n < w.words()
		if left -= n; n > 0 {
			out = append(out, Extent{w.Low, w.Low + 4*uint32(n)})
		}
	}
	return out
}

// mayAsk tells whether there is time for a step more.
func (g *guided) mayAsk() bool {
	if g.pl.limit == 0 || g.spent()+max(g.reply, g.pl.costs.Packet) <= g.pl.limit {
		return true
	}
	g.capture.short = true
	return false
}
