// Package serial is the wire between a UART of the simulated board and a host.
// In: bytes of either side. Out: the same on the other side, when their frames
// are through.
package serial

import "github.com/mprof/mprof/sim/armv7m"

// Core is the processor as a device sees it; *armv7m.Core is one.
type Core interface {
	Cycles() uint64
	Schedule(e *armv7m.Event, at uint64)
	Cancel(e *armv7m.Event)
	SetLine(n int, high bool)
	ReadMaster(addr uint32, size int) (uint32, bool)
	WriteMaster(addr uint32, size int, v uint32) bool
	OnReset(f func())
}

// UART is the target's end of a line.
type UART interface {
	// Frame is how many cycles a frame takes as the UART is set now; 0: it has no
	// rate.
	Frame() uint64
	// Receive is a byte whose stop bit is through.
	Receive(b byte, at uint64)
}

// Line is the wire. The host has no rate of its own: it sends and receives at
// that of the UART.
type Line struct {
	core   Core
	uart   UART
	noRate uint64 // cycles of a frame where the UART has no rate

	waiting []sent // from the host, behind the byte under way
	under   byte   // the byte under way
	busy    bool
	began   uint64 // when its start bit did
	free    uint64 // when the line to the target is free

	start, arrival *armv7m.Event

	// ToHost is called with every byte that the UART has sent, when its stop bit
	// is through.
	ToHost func(b byte, at uint64)
}

// sent is a byte of the host's that does not begin before a cycle.
type sent struct {
	b  byte
	at uint64
}

// NewLine returns a line that nobody listens to. Bytes to a UART without a rate
// take so many cycles each as noRate says.
func NewLine(uart UART, noRate uint64) *Line {
	l := &Line{uart: uart, noRate: max(noRate, 1)}
	l.start, l.arrival = armv7m.NewEvent(l.begin), armv7m.NewEvent(l.arrive)
	return l
}

// Attach connects the core, once, before it runs.
func (l *Line) Attach(c Core) { l.core = c }

// Transmit is a byte of the UART's whose stop bit is through.
func (l *Line) Transmit(b byte, at uint64) {
	if l.ToHost != nil {
		l.ToHost(b, at)
	}
}

// Send is bytes of the host's, which go one behind the other from a cycle on,
// or when the line is free.
func (l *Line) Send(p []byte, at uint64) {
	at = max(at, l.core.Cycles())
	for _, b := range p {
		l.waiting = append(l.waiting, sent{b, at})
	}
	if !l.busy {
		l.next()
	}
}

// Waiting is how many bytes of the host's have not arrived.
func (l *Line) Waiting() int {
	if l.busy {
		return len(l.waiting) + 1
	}
	return len(l.waiting)
}

// Receiving says whether a frame of the host's is on the line at this cycle.
func (l *Line) Receiving(at uint64) bool {
	due, ok := l.arrival.Due()
	return ok && at >= l.began && at < due
}

func (l *Line) frame() uint64 {
	if n := l.uart.Frame(); n > 0 {
		return n
	}
	return l.noRate
}

// next turns to the first byte that waits.
func (l *Line) next() {
	l.busy = len(l.waiting) > 0
	if !l.busy {
		l.waiting = nil
		return
	}
	s := l.waiting[0]
	l.waiting = l.waiting[1:]
	l.under = s.b
	if start := max(s.at, l.free); start > l.core.Cycles() {
		l.core.Schedule(l.start, start)
	} else {
		l.begin(start)
	}
}

// begin is the start bit, at the rate that the UART has now.
func (l *Line) begin(at uint64) {
	l.began, l.free = at, at+l.frame()
	l.core.Schedule(l.arrival, l.free)
}

func (l *Line) arrive(at uint64) {
	b := l.under
	l.next()
	l.uart.Receive(b, at)
}
