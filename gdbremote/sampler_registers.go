package gdbremote

import (
	"slices"

	"github.com/mprof/mprof/snapshot"
)

// extraRegisters are those beyond what all samples have: of each, whether unwinding
// needed it. Where requests follow one another without waiting they are read always;
// otherwise each costs a round trip, and only those that were needed are, after the
// first samples.
type extraRegisters struct {
	offered []snapshot.Reg
	needed  []snapshot.Reg
	lessons int
	dear    bool
}

// extraLessons are the samples that read all of them.
const extraLessons = 64

// specialRegisters are what unwinding can ask for: the stack pointers of both modes
// and security states, and why a hart took its trap.
var specialRegisters = [...]snapshot.Reg{
	snapshot.MSP, snapshot.PSP, snapshot.CONTROL,
	snapshot.MSPNS, snapshot.PSPNS, snapshot.MSPS, snapshot.PSPS,
	snapshot.MEPC, snapshot.MCAUSE,
}

func newExtraRegisters(c *Client) extraRegisters {
	x := extraRegisters{dear: !c.pipelines}
	for _, r := range specialRegisters {
		if c.Has(r) {
			x.offered = append(x.offered, r)
		}
	}
	return x
}

// now are those to read with the next sample.
func (x *extraRegisters) now() []snapshot.Reg {
	if x.dear && x.lessons >= extraLessons {
		return x.needed
	}
	return x.offered
}

// learn takes in what unwinding needed.
func (x *extraRegisters) learn(needs func(snapshot.Reg) bool) {
	x.lessons++
	if !x.dear {
		return
	}
	for _, r := range x.offered {
		if (needs == nil || needs(r)) && !slices.Contains(x.needed, r) {
			x.needed = append(x.needed, r)
		}
	}
}

// Learn is told which stack memory unwinding a snapshot used, or wanted and did not
// have.
func (s *Sampler) Learn(sp *snapshot.Snapshot, used []Range) {
	if s.options.RegistersOnly || sp.Miss != snapshot.Taken {
		return
	}
	s.stacks.learn(sp, used)
	s.extra.learn(s.options.Needs)
}
