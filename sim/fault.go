package sim

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mprof/mprof/sim/wire"
)

// Kind is what can go wrong.
type Kind uint8

const (
	none          Kind = iota
	TransferWAIT       // the target answers WAIT
	TransferFAULT      // a bus error: STICKYERR is set and the target answers FAULT until ABORT
	NoAck              // the target misses the request and is deaf until a line reset
	Parity             // read data arrive with a wrong parity, write data likewise (WDATAERR)
	Mismatch           // the core does not act on halt requests, so that waiting for S_HALT fails
	ShortPacket        // the response is cut to Bytes (HID: the rest are zeros)
	LongPacket         // Bytes bytes of something else follow the response, as far as the packet has room
	LatePacket         // the response comes For later
	LostRequest        // the command packet never reaches the probe
	LostResponse       // the command packet is executed and the response never comes
	WrongCount         // DAP_Transfer counts one transfer less than it did
	Unplug             // the probe is gone: for For, or for good
	TargetReset        // the core is reset
	Lockup             // the program faults in its fault handler
	DebugOff           // the debug domain loses power: for For, or for good
	DeepSleepOff       // the debug domain loses power whenever the core is in deep sleep
	BrownOut           // the whole target loses power: for For, or for good; it restarts with its RAM as loaded
	Secure             // an ARMv8-M core in Secure state, secure debug off: as Mismatch, and DAUTHSTATUS says so
	numKinds
)

// Fault is one entry of a Script. It is due when everything set of After,
// Transfer and Packet has come, and then strikes: faults of transfers (WAIT,
// FAULT, NoAck, Parity) and of packets (Short, Long, Late, Lost, WrongCount)
// Count times, the others once.
type Fault struct {
	Kind     Kind
	After    time.Duration // virtual time
	Transfer uint64        // number of SWD transfers, the first is 1
	Packet   uint64        // number of command packets, the first is 1
	Count    int           // 0: once
	Every    uint64        // strike every that many transfers or packets; 0: in a row
	For      time.Duration // how long, where the kind has a duration
	Bytes    int           // ShortPacket, LongPacket
}

// Script is what goes wrong during a run.
type Script []Fault

// faults is a script at work.
type faults struct {
	armed       []armed
	packets     uint64
	ends        [numKinds]wire.Instant // of those that last
	off         bool                   // the debug domain has no power
	dark        bool                   // nor has anything else of the target
	inDeepSleep bool                   // DeepSleepOff is on
	slept       uint64                 // SleepCycles when last looked at
}

type armed struct {
	Fault
	left int
	next uint64 // transfer or packet of the next strike
}

const never = wire.Instant(math.MaxInt64)

// arm checks a script.
func (s Script) arm() (faults, error) {
	var f faults
	for k := range f.ends {
		f.ends[k] = never
	}
	for i, e := range s {
		if e.Kind == none || e.Kind >= numKinds {
			return f, fmt.Errorf("sim: fault %d of the script: kind %d unknown", i, e.Kind)
		}
		f.armed = append(f.armed, armed{Fault: e, left: max(e.Count, 1)})
	}
	return f, nil
}

// ofTransfer and ofPacket sort the kinds; all others are events.
func (k Kind) ofTransfer() bool { return k >= TransferWAIT && k <= Parity }
func (k Kind) ofPacket() bool   { return k >= ShortPacket && k <= WrongCount }

// has tells whether a kind is in the script.
func (s Script) has(k Kind) bool {
	return slices.ContainsFunc(s, func(f Fault) bool { return f.Kind == k })
}

// over is the event that ends a fault which lasts.
func over(k Kind) *Fault { return &Fault{Kind: k, For: -1} }

// timed says that the fault happens at a time and at nothing else.
func (a *armed) timed() bool {
	return a.left > 0 && !a.Kind.ofTransfer() && !a.Kind.ofPacket() && a.Transfer == 0 && a.Packet == 0
}

// nextTimed is the first event up to and including to, and its time; nil and
// to if there is none.
func (f *faults) nextTimed(to wire.Instant) (wire.Instant, *Fault) {
	at, first := to, (*armed)(nil)
	for i := range f.armed {
		if a := &f.armed[i]; a.timed() && wire.Span(a.After) <= at {
			at, first = wire.Span(a.After), a
		}
	}
	ended := none
	for k, end := range f.ends {
		if end <= at {
			at, ended = end, Kind(k)
		}
	}
	switch {
	case ended != none:
		f.ends[ended] = never
		return at, over(ended)
	case first == nil:
		return to, nil
	}
	first.left = 0
	return at, &first.Fault
}

// due counts a strike of a fault that waits for transfers or packets.
func (a *armed) due(now wire.Instant, transfers, packets, number uint64) bool {
	if a.left == 0 || now < wire.Span(a.After) || transfers < a.Transfer || packets < a.Packet || number < a.next {
		return false
	}
	a.left--
	a.next = number + max(a.Every, 1)
	return true
}

// onTransfer is asked once per SWD transfer: which fault strikes it. Events
// that were waiting for it happen.
func (f *faults) onTransfer(b *Board, n uint64) Kind {
	struck := none
	for i := range f.armed {
		a := &f.armed[i]
		if a.Kind.ofPacket() || a.timed() {
			continue
		}
		if !a.Kind.ofTransfer() && a.Transfer == 0 || !a.due(b.at, n, f.packets, n) {
			continue
		}
		if a.Kind.ofTransfer() {
			struck = a.Kind
			continue
		}
		a.left = 0
		b.strike(&a.Fault)
	}
	return struck
}

// onPacket is asked once per command packet: the faults of its response.
// Events that were waiting for it happen.
func (f *faults) onPacket(b *Board) (struck []*Fault) {
	f.packets++
	for i := range f.armed {
		a := &f.armed[i]
		if a.Kind.ofTransfer() || a.timed() || !a.Kind.ofPacket() && a.Transfer != 0 {
			continue
		}
		if !a.due(b.at, b.pins.transfers, f.packets, f.packets) {
			continue
		}
		if a.Kind.ofPacket() {
			struck = append(struck, &a.Fault)
			continue
		}
		a.left = 0
		b.strike(&a.Fault)
	}
	return struck
}

// until is the end of a span from now; 0 has none.
func (b *Board) until(d time.Duration) wire.Instant {
	if d <= 0 {
		return never
	}
	return b.at + wire.Span(d)
}

// Inject adds a fault to the script while the board runs. Its After, Transfer and
// Packet count from now on: a Transfer of 1 is the next one.
func (b *Board) Inject(f Fault) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f.Transfer > 0 {
		f.Transfer += b.pins.transfers
	}
	if f.Packet > 0 {
		f.Packet += b.faults.packets
	}
	if f.After > 0 {
		f.After += max(b.now, b.at).Duration()
	}
	if f.Kind == BrownOut && b.ram == nil {
		return fmt.Errorf("sim: inject a brown-out: the script of the board has none, so its RAM was not kept")
	}
	more, err := Script{f}.arm()
	if err != nil {
		return err
	}
	b.faults.armed = append(slices.DeleteFunc(b.faults.armed, func(a armed) bool { return a.left == 0 }), more.armed...)
	return nil
}

// Pending is how many faults of the script wait for a transfer or a packet.
func (b *Board) Pending() (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.faults.armed {
		if a := &b.faults.armed[i]; a.left > 0 && !a.timed() {
			n++
		}
	}
	return n
}
