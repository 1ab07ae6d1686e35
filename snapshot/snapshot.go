// Package snapshot is the frozen core. In: what a probe or a stub copied out
// of a target. Out: one value per sample (registers, windows of memory, time)
// and the recording file that keeps those values as they arrive.
package snapshot

import (
	"context"
	"encoding/binary"
	"time"
)

// Window is a piece of target memory copied while the core stood still.
type Window struct {
	Addr uint32
	Data []byte
}

// State is what the debug unit said of the core around a sample (DHCSR,
// ARMv7-M ARM C1.6.2).
type State uint8

const (
	Sleeping      State = 1 << iota // S_SLEEP before the halt, or a PC behind WFI or WFE: the core was in one of them
	Lockup                          // S_LOCKUP
	Reset                           // S_RESET_ST: a reset since the sample before
	AlreadyHalted                   // S_HALT before our halt: somebody else stopped the core
	Shortened                       // words of stack were left out to keep the halt short
)

// Miss says why a requested sample has no registers. The zero value is a
// sample that was taken.
type Miss uint8

const (
	Taken          Miss = iota
	NotHalted           // S_HALT did not come in time
	NotReady            // S_REGRDY was clear where a register was read
	TargetFault         // the debug port answered FAULT
	TargetWait          // the debug port answered WAIT until the retries ran out
	NoAck               // nobody answered on the wire, or with bad parity
	ProbeTimeout        // the probe did not answer the host in time
	BadResponse         // the probe's answer does not fit the request
	OffTarget           // the debug domain is off, or the target is gone
	Secure              // the core is in Secure state and may not be halted there (ARMv8-M)
	ProbeGone           // the probe was unplugged, or its connection is lost
	Stopped             // the core stood halted before: a breakpoint, or another debugger
	ResetMeanwhile      // the core was reset in the middle of the sample
	Refused             // the GDB server refused, or gave no PC
	ServerTimeout       // the GDB server did not answer in time
	ServerGone          // the connection to the GDB server is lost
	NumMisses
)

var missText = [NumMisses]string{"taken", "core did not halt", "register transfer not ready",
	"target answered FAULT", "target answered WAIT", "no acknowledge", "probe did not answer in time", "answer does not fit the request", "target off",
	"core in Secure state", "probe gone", "core halted by others", "core reset meanwhile",
	"GDB server refused", "GDB server did not answer in time", "GDB server gone"}

func (m Miss) String() string {
	if m < NumMisses {
		return missText[m]
	}
	return "unknown miss"
}

// Snapshot is one sample of one core, or a Block of many. A PC-only sample is a
// Snapshot without windows; a sample that failed has Miss set and no registers.
type Snapshot struct {
	Seq     uint64        // number of the request in its run, from 0
	Time    time.Duration // of the halt, since the start of the run, on the clock of the run
	Weight  time.Duration // the running time of the target that this sample stands for
	Halted  time.Duration // how long the core stood still for it, as measured by the probe or bracketed by the host
	State   State
	Miss    Miss
	Regs    Registers
	Windows []Window
	// Block: the samples are PCs that were read while the core ran. Time is that
	// of the first, Weight that of all, State holds for each of them, and there
	// are neither registers nor windows.
	Block *Block
}

// Block is a row of PCs, read one after the other from DWT_PCSR (ARMv7-M ARM,
// C1.8.6) in one transfer of the probe.
type Block struct {
	Spacing time.Duration // from one PC to the next
	PCs     []uint32      // as they were read, what is no PC among them
	// Lost is how many more were asked for and did not come, for the reason in
	// Snapshot.Miss.
	Lost int
}

// Samples counts the samples that were asked for.
func (s *Snapshot) Samples() int {
	if s.Block == nil {
		return 1
	}
	return len(s.Block.PCs) + s.Block.Lost
}

// Word reads a little-endian word of captured memory.
func (s *Snapshot) Word(addr uint32) (uint32, bool) {
	for i := range s.Windows {
		w := &s.Windows[i]
		off := addr - w.Addr
		if addr >= w.Addr && uint64(off)+4 <= uint64(len(w.Data)) {
			return binary.LittleEndian.Uint32(w.Data[off:]), true
		}
	}
	return 0, false
}

// Source yields snapshots in the order of their time. io.EOF ends it.
type Source interface {
	Next(ctx context.Context) (*Snapshot, error)
}
