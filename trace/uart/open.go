package uart

import (
	"errors"
	"fmt"

	"go.bug.st/serial"
)

// Port is an open serial port.
type Port struct {
	name   string
	serial serial.Port
	stream *stream
}

// Open opens a port with 8 data bits, no parity, 1 stop bit and no flow control, at a
// baud rate in bits per second. What the system had received before is dropped.
//
// DTR and RTS are asserted while it is open, as systems do on opening
// whatever a program wants: boards that wire DTR to reset through a capacitor (Arduino and its
// relatives) start anew. Boards that need DTR and RTS to differ for a
// reset (ESP32) run on. Pseudo-terminals take any baud rate.
//
// The error wraps ErrNotFound, ErrBusy, ErrNotSerial or ErrBaud, or is a *PermissionError.
func Open(name string, baud int) (*Port, error) {
	if baud <= 0 {
		return nil, &Error{name, fmt.Errorf("%w: %d", ErrBaud, baud)}
	}
	stream, err := openStream(name)
	if err != nil {
		return nil, translate(name, baud, err)
	}
	if err := shared(name); err != nil {
		return nil, errors.Join(err, stream.Close())
	}
	s, err := serial.Open(name, &serial.Mode{BaudRate: baud, DataBits: 8})
	if err != nil {
		_ = stream.Close()
		return nil, translate(name, baud, err)
	}
	stream.attach(s)
	p := &Port{name, s, stream}
	if err := p.prepare(baud); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// off is the part of the baud rate by which a driver may miss it: 3 %, of which a
// receiver tolerates 5.
const off = 33

// misses tells whether a driver that runs at a speed missed the baud rate; 0:
// nobody knows the speed.
func misses(speed, baud int) bool {
	return speed != 0 && (speed < baud-baud/off || speed > baud+baud/off)
}

// prepare checks what the driver made of the baud rate, and drops what is old.
func (p *Port) prepare(baud int) error {
	if got := p.stream.speed(); misses(got, baud) {
		return &Error{p.name, fmt.Errorf("%w: it runs at %d instead of %d", ErrBaud, got, baud)}
	}
	if err := p.serial.ResetInputBuffer(); err != nil {
		return &Error{p.name, err}
	}
	return nil
}

// Name is the one that it was opened with.
func (p *Port) Name() string { return p.name }

// Read returns what has come, as soon as there is a byte. It ends when the port
// is closed or gone.
func (p *Port) Read(b []byte) (int, error) {
	n, err := p.stream.Read(b)
	if err != nil {
		err = lost(p.name, err)
	}
	return n, err
}

// Write returns when the system has taken all of b.
func (p *Port) Write(b []byte) (int, error) {
	n, err := p.stream.Write(b)
	if err != nil {
		err = lost(p.name, err)
	}
	return n, err
}

// Close ends Read and Write.
func (p *Port) Close() error {
	return errors.Join(p.stream.Close(), p.serial.Close())
}
