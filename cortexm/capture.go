package cortexm

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/snapshot"
)

// errNotDone marks a transfer whose response did not come.
var errNotDone = errors.New("cortexm: no response")

// capture collects what the transfers of one sample brought back.
type capture struct {
	meter               meter
	before, after       uint32 // DHCSR
	sawBefore, sawAfter bool
	reset, resetAfter   bool   // S_RESET_ST, in any DHCSR word up to the resume and after it
	resetHalted         bool   // it came while the core stood still for this sample
	halt, resume        uint32 // probe clock
	sawHalt, sawResume  bool
	halted              time.Duration // as bracketed by the host
	sent, heard         time.Duration // when the request with the halt was sent, and its response heard
	delay               time.Duration // that the probe waited before the halt
	at                  time.Duration // of the halt, where the times of its packets tell; 0: not known

	stepped bool // taken step by step, not by the plan
	regs    snapshot.Registers
	windows []snapshot.Window
	status  uint32 // DHCSR of the register that comes next
	ready   int    // registers that S_REGRDY was set for
	miss    snapshot.Miss

	frozen  bool          // the words that come were read before the resume
	resumed bool          // a transfer with a resume was done
	list    []alternative // that the transfers were made of
	taken   *alternative  // whose window was read
	faulted bool          // a window ran into a bus fault
	short   bool          // words were left out to keep the halt short
	lost    bool          // a read failed: TAR is not where the reads behind it expect it
}

// collect walks through the transfers of one transaction in the order in which
// the probe did them.
func (c *capture) collect(transfers []*transfer) {
	for _, t := range transfers {
		c.meter.add(t)
		c.frozen = !c.resumed
		switch t.role {
		case roleRegisters:
			t.decode(c.take)
			switch {
			case t.err == nil && t.sure > 0:
				c.taking(t)
				c.resumed = true
			case t.err == nil:
				c.resumed = c.resumed || t.resumes()
			case t.sure > 0 && t.mismatch() && t.answer.Count >= t.sure: // another alternative
			case c.miss == snapshot.Taken:
				c.miss = missOf(t)
			}
		case roleWindow, roleChain, roleSelect, roleShared:
			c.collectWindow(t)
		case roleResume, roleGuard:
			t.decode(c.take)
			c.resumed = c.resumed || t.err == nil
		default:
			t.decode(c.take)
		}
		c.lost = c.lost || t.err != nil && !t.mismatch()
	}
}

// collectWindow takes the words of a transfer whose match held. Those of a
// transfer that ended in a fault are good up to there.
func (c *capture) collectWindow(t *transfer) {
	if t.mismatch() {
		t.decode(c.take) // what came before the match
		return
	}
	if errors.Is(t.err, errNotDone) {
		return
	}
	if t.role == roleShared && c.taken == nil {
		c.resumed = c.resumed || t.err == nil && t.resumes()
		return
	}
	t.decode(c.take)
	if t.err != nil {
		c.faulted = c.faulted || len(t.answer.Data) > 0
		return
	}
	if c.resumed {
		return
	}
	c.short = c.short || t.short
	switch t.role {
	case roleSelect:
		c.taken = &c.list[t.arg]
	case roleChain:
		c.tellSP(&c.list[t.arg])
	case roleWindow:
		c.taking(t)
		c.resumed = true
	case roleShared:
		c.resumed = t.resumes()
	}
}

// taking notes that the probe went through an alternative to its end.
func (c *capture) taking(t *transfer) {
	c.taken = &c.list[t.arg]
	c.tellSP(c.taken)
}

// tellSP takes the stack pointer from a match that leaves no doubt of it. Behind a
// handler's alternative the match is on PSP.
func (c *capture) tellSP(a *alternative) {
	if _, ok := c.regs.Value(snapshot.SP); !ok && a.exact() {
		c.regs.Set(snapshot.SP, a.value)
	}
}

// take puts one word to its place.
func (c *capture) take(m mark, v uint32) {
	switch m.meaning {
	case statusBefore:
		c.before, c.sawBefore = v, true
		c.noticeReset(v, &c.reset)
	case statusHalted:
		c.status = v
		if c.frozen {
			c.noticeReset(v, &c.reset)
			c.noticeReset(v, &c.resetHalted)
		}
	case registerValue:
		c.takeRegister(snapshot.Reg(m.arg), v)
	case swiftValue:
		c.takeSwift(snapshot.Reg(m.arg), v)
	case stackWord:
		if c.frozen && !c.lost {
			c.takeWord(m.arg, v)
		}
	case sharedWord:
		if c.frozen && !c.lost && c.taken != nil { // nil: behind a match that nobody saw
			c.takeWord(c.taken.tail+m.arg, v)
		}
	case statusAfter:
		c.after, c.sawAfter = v, true
		c.noticeReset(v, &c.resetAfter)
	case haltStamp:
		c.halt, c.sawHalt = v, true
	case resumeStamp:
		if !c.sawResume {
			c.resume, c.sawResume = v, true
		}
	}
}

// noticeReset keeps S_RESET_ST: reading DHCSR clears it.
func (c *capture) noticeReset(dhcsr uint32, seen *bool) {
	if dhcsr&dhcsrZero == 0 && dhcsr&sResetSt != 0 {
		*seen = true
	}
}

// takeRegister believes DCRDR only if the DHCSR read before it says that the
// core was halted and the transfer to DCRDR was done.
func (c *capture) takeRegister(r snapshot.Reg, v uint32) {
	switch {
	case !c.frozen:
	case c.status&dhcsrZero != 0:
		c.fail(snapshot.BadResponse)
	case c.status&sHalt == 0:
		c.fail(snapshot.NotHalted)
	case c.status&sRegRdy == 0:
		c.fail(snapshot.NotReady)
	default:
		c.regs.Set(r, v)
		c.ready++
	}
	c.status = 0
}

// takeSwift believes a register that a checked one stands for. Behind a handler's
// alternative SP is known, and DCRDR holds PSP.
func (c *capture) takeSwift(r snapshot.Reg, v uint32) {
	if _, ok := c.regs.Value(r); c.frozen && !(ok && r == snapshot.SP) {
		c.regs.Set(r, v)
	}
}

func (c *capture) fail(m snapshot.Miss) {
	if c.miss == snapshot.Taken {
		c.miss = m
	}
}

// takeWord appends a word to the window that it continues, or begins one.
func (c *capture) takeWord(addr, v uint32) {
	if n := len(c.windows); n > 0 {
		w := &c.windows[n-1]
		if w.Addr+uint32(len(w.Data)) == addr {
			w.Data = binary.LittleEndian.AppendUint32(w.Data, v)
			return
		}
	}
	c.windows = append(c.windows, snapshot.Window{Addr: addr, Data: appendWord(make([]byte, 0, 256), v)})
}

// joined are the windows in the order of their addresses, those that touch as
// one.
func (c *capture) joined() (out []snapshot.Window) {
	slices.SortFunc(c.windows, func(a, b snapshot.Window) int { return cmp.Compare(a.Addr, b.Addr) })
	for _, w := range c.windows {
		if n := len(out); n > 0 && out[n-1].Addr+uint32(len(out[n-1].Data)) == w.Addr {
			out[n-1].Data = append(out[n-1].Data, w.Data...)
			continue
		}
		out = append(out, w)
	}
	return out
}

// missOf says why the registers of a sample did not come.
func missOf(t *transfer) snapshot.Miss {
	var refused *probe.TransferError
	switch {
	case t.mismatch():
		return snapshot.NotHalted
	case errors.As(t.err, &refused):
		switch refused.Ack &^ probe.Mismatch {
		case probe.WAIT:
			return snapshot.TargetWait
		case probe.FAULT:
			return snapshot.TargetFault
		}
		return snapshot.NoAck
	}
	return snapshot.BadResponse
}

// missOfError says why a whole transaction failed.
func missOfError(err error) snapshot.Miss {
	if errors.Is(err, probe.ErrDisconnected) {
		return snapshot.ProbeGone
	}
	if errors.Is(err, probe.ErrTimeout) || errors.Is(err, context.DeadlineExceeded) {
		return snapshot.ProbeTimeout
	}
	return snapshot.BadResponse
}

// state is what DHCSR said before the halt.
func (c *capture) state() (s snapshot.State) {
	if c.reset {
		s |= snapshot.Reset
	}
	if !c.sawBefore || c.before&dhcsrZero != 0 {
		return s
	}
	for _, b := range []struct {
		bit   uint32
		state snapshot.State
	}{{sSleep, snapshot.Sleeping}, {sLockup, snapshot.Lockup}, {sHalt, snapshot.AlreadyHalted}} {
		if c.before&b.bit != 0 {
			s |= b.state
		}
	}
	return s
}

// running tells whether the core was seen to run after the sample.
func (c *capture) running() bool {
	return c.sawAfter && c.after&dhcsrZero == 0 && c.after&cDebugEn != 0 && c.after&sHalt == 0
}

// halted is the time between the two stamps, in a clock of hz that wraps at
// 2^32; false without both.
func (c *capture) haltedTime(hz uint32) (time.Duration, bool) {
	if hz == 0 || !c.sawHalt || !c.sawResume {
		return 0, false
	}
	return time.Duration(uint64(c.resume-c.halt) * uint64(time.Second) / uint64(hz)), true
}
