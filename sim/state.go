package sim

import "time"

// CoreState is what a run leaves behind in the core.
type CoreState struct {
	Halted       bool // Debug state
	DebugEnabled bool // C_DEBUGEN
	Sleeping     bool
	LockedUp     bool
}

// CoreState waits until the probe is done with what it was sent, and looks at
// the core. The host's clock does not move.
func (b *Board) CoreState() CoreState {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.usb.queue) > 0 {
		b.executeNext()
	}
	return b.state()
}

// HaltedTime is how long the core has stood in Debug state since time 0.
func (b *Board) HaltedTime() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.cycles(b.core.HaltedCycles())
}

// Transfers is the number of SWD transfers, and Packets of command packets, so
// far: the units of a Script.
func (b *Board) Transfers() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.pins.transfers
}

// Packets is the number of command packets that the probe has begun.
func (b *Board) Packets() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.faults.packets
}
