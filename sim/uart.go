package sim

import (
	"fmt"
	"io/fs"
	"time"

	"github.com/mprof/mprof/sim/wire"
)

// UART is a host's end of a serial port of the board, an io.ReadWriteCloser. It
// has the rate that the firmware has set. A byte of the firmware's is there when
// its stop bit is through; while no host has the port open, it is gone. Bytes
// to the firmware come one frame after the other; what it does not read in time
// its UART loses, as on any wire without flow control.
//
// Several hosts of one port share its bytes.
type UART struct {
	port    *port
	paced   bool
	closed  bool
	patient bool // Read waits for ever
	timeout wire.Instant
}

// UART opens a serial port, by its name or with "" the first that the firmware
// uses, in virtual time: Read lets time pass on the board until a byte is there.
// While a paced host is open, it waits for the wall clock instead. What happens
// is deterministic as long as the calls are.
func (b *Board) UART(name string) (*UART, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.openUART(name)
}

// PacedUART opens a serial port in real time, as PacedTransport does the probe:
// the board's clock follows the wall clock while one of either is open.
func (b *Board) PacedUART(name string) (*UART, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	u, err := b.openUART(name)
	if err != nil {
		return nil, err
	}
	u.paced = true
	b.joinPace()
	return u, nil
}

func (b *Board) openUART(name string) (*UART, error) {
	p, err := b.portByName(name)
	if err != nil {
		return nil, err
	}
	p.hosts++
	return &UART{port: p, patient: true}, nil
}

// Name is the port's, as in "USART2".
func (u *UART) Name() string { return u.port.name }

// SetReadTimeout bounds how long Read waits: after d of the board's time it
// returns 0 and nil. A negative d has it wait for ever, as at the beginning.
func (u *UART) SetReadTimeout(d time.Duration) error {
	b := u.port.board
	b.mu.Lock()
	defer b.mu.Unlock()
	u.patient, u.timeout = d < 0, wire.Span(d)
	b.moved.Broadcast()
	return nil
}

// Close ends the connection and a Read under way; the last paced one stops the
// board's clock.
func (u *UART) Close() error {
	b := u.port.board
	b.mu.Lock()
	if u.closed {
		b.mu.Unlock()
		return nil
	}
	u.closed = true
	if u.port.hosts--; u.port.hosts == 0 {
		u.port.came = nil
	}
	b.moved.Broadcast()
	var stopped chan struct{}
	if u.paced {
		stopped = b.leavePace()
	}
	b.mu.Unlock()
	wait(stopped)
	return nil
}

// patience is a piece of virtual time that a Read waits for.
const patience = 10 * time.Microsecond

// Read waits for a byte and returns what is there. Errors: the port is closed.
func (u *UART) Read(p []byte) (int, error) {
	b := u.port.board
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(p) == 0 {
		return 0, nil
	}
	for start := b.present(); ; {
		if err := u.check("read"); err != nil {
			return 0, err
		}
		now := b.present()
		if n := u.port.take(p, now); n > 0 {
			return n, nil
		}
		if !u.patient && now >= start+u.timeout {
			return 0, nil
		}
		b.letPass(patience)
	}
}

// present is the host's time.
func (b *Board) present() wire.Instant {
	if b.pace.open > 0 {
		return b.follow()
	}
	return b.now
}

// letPass lets a piece of time pass: on the board's clock, or of the wall clock
// where that leads. The lock is free meanwhile.
func (b *Board) letPass(d time.Duration) {
	if b.pace.open > 0 {
		b.waitFor(b.follow() + wire.Span(paceTick))
		return
	}
	b.elapse(b.now + wire.Span(d))
	b.mu.Unlock()
	b.mu.Lock()
}

// mostWaiting is how many bytes to the firmware wait on the line before Write
// waits, too.
const mostWaiting = 16 << 10

// Write hands bytes to the line at this moment. It waits where more are on
// their way than a host's system keeps. Errors: the port is closed.
func (u *UART) Write(p []byte) (n int, err error) {
	b := u.port.board
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		if err := u.check("write"); err != nil {
			return n, err
		}
		now := b.present()
		if room := mostWaiting - u.port.line.Waiting(); room > 0 {
			part := p[n:min(len(p), n+room)]
			u.port.line.Send(part, max(now-b.stood, 0).Count(b.hz))
			n += len(part)
		}
		if n == len(p) {
			return n, nil
		}
		b.letPass(patience)
	}
}

func (u *UART) check(what string) error {
	if u.closed {
		return fmt.Errorf("sim: %s %s: %w", what, u.port.name, fs.ErrClosed)
	}
	return nil
}

// Take returns the bytes that are there, with their times, and lets no time
// pass.
func (u *UART) Take() (all []Byte) {
	b := u.port.board
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.present()
	var n int
	for _, a := range u.port.came {
		if a.at > now {
			break
		}
		all = append(all, Byte{a.b, a.at.Duration()})
		n++
	}
	u.port.came = u.port.came[n:]
	return all
}

// Answer has f called with every byte that the firmware sends on this port, at
// the moment when the host has it; what f returns is sent back from that
// moment on. nil ends it. f must not call methods of the board or the UART.
func (u *UART) Answer(f func(Byte) []byte) {
	b := u.port.board
	b.mu.Lock()
	defer b.mu.Unlock()
	u.port.answer = f
}

// Lost is how many bytes of the firmware's no host has read in time: the port
// keeps 4 MiB of them.
func (u *UART) Lost() uint64 {
	b := u.port.board
	b.mu.Lock()
	defer b.mu.Unlock()
	return u.port.lost
}

// Baud is the rate that the firmware has set, 0 where it has none.
func (u *UART) Baud() int {
	b := u.port.board
	b.mu.Lock()
	defer b.mu.Unlock()
	return u.port.baud()
}
