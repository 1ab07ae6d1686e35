package cortexm

import (
	"github.com/mprof/mprof/probe"
	"github.com/mprof/mprof/snapshot"
)

// Phase is a part of what a sample spends SWD transfers on while the core stands still.
type Phase uint8

const (
	PhaseHalt      Phase = iota // waiting for S_HALT
	PhaseRegisters              // DCRSR, DHCSR, DCRDR
	PhaseMatches                // value matches: those that fail, and the one that holds
	PhaseSetUp                  // SELECT and TAR for the words
	PhaseWords                  // words of stack, and RDBUFF behind each run
	PhaseResume                 // TAR and the write that lets the core run
	NumPhases
)

var phaseNames = [NumPhases]string{"halt", "registers", "matches", "set-up", "words", "resume"}

func (p Phase) String() string { return phaseNames[p] }

// phaseOf is what a request belongs to.
func phaseOf(r probe.Req) Phase {
	read, match := r.Op&probe.RnW != 0, r.Op&probe.MatchValue != 0
	switch {
	case r.Op == probe.WriteBD1 && r.Data <= uint32(snapshot.CONTROLNS): // at the place of TAR in its bank
		return PhaseRegisters
	case r.Op&probe.APnDP == 0, r.Op == probe.WriteTAR && r.Data != addrDHCSR:
		return PhaseSetUp
	case r.Op == probe.WriteTAR, !read && (r.Data == dhcsrRun || r.Data == dhcsrHalt):
		return PhaseResume
	case read && match && r.Op&^probe.MatchValue == probe.ReadBD0:
		return PhaseHalt
	case read && match:
		return PhaseMatches
	case r.Op == probe.ReadDRW:
		return PhaseWords
	}
	return PhaseRegisters
}
