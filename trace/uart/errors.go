package uart

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"

	"go.bug.st/serial"
)

// Causes of an Error.
var (
	ErrNotFound  = errors.New("there is no such port")
	ErrBusy      = errors.New("another program has the port open")
	ErrNotSerial = errors.New("it is no serial port")
	ErrBaud      = errors.New("the port cannot be set to this baud rate")
	ErrGone      = errors.New("the device went away, or the port was closed")
)

// Error is what went wrong with a port.
type Error struct {
	Port string
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("uart: %s: %v", e.Port, e.Err) }
func (e *Error) Unwrap() error { return e.Err }

// translate gives the causes above to what opening a port said.
func translate(name string, baud int, err error) error {
	var p *serial.PortError
	if errors.As(err, &p) {
		switch p.Code() {
		case serial.PortBusy:
			return busy(name)
		case serial.PortNotFound:
			return &Error{name, ErrNotFound}
		case serial.PermissionDenied:
			return permission(name)
		case serial.InvalidSpeed:
			return &Error{name, fmt.Errorf("%w: %d", ErrBaud, baud)}
		case serial.InvalidSerialPort:
			return &Error{name, fmt.Errorf("%w: %w", ErrNotSerial, err)}
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENXIO), errors.Is(err, syscall.ENODEV):
		return &Error{name, ErrNotFound}
	case errors.Is(err, fs.ErrPermission):
		return permission(name)
	case errors.Is(err, syscall.EBUSY):
		return busy(name)
	case errors.Is(err, syscall.ENOTTY), errors.Is(err, syscall.EISDIR):
		return &Error{name, ErrNotSerial}
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return &Error{name, err}
}

// lost says that an open port went away, in the words of the system if they are
// others.
func lost(name string, err error) error {
	var p *serial.PortError
	closed := errors.As(err, &p) && p.Code() == serial.PortClosed
	for _, gone := range [...]error{io.EOF, fs.ErrClosed, syscall.EIO, syscall.ENXIO, syscall.ENODEV, syscall.EBADF} {
		closed = closed || errors.Is(err, gone)
	}
	if closed {
		err = ErrGone
	}
	return &Error{name, err}
}

// PermissionError is a port that this user may not open.
type PermissionError struct {
	Port string
	// Group may open it and the user is not in it; "" if no group helps. Joined: the user is
	// a member since the session began.
	Group  string
	Joined bool
	Owner  string // of the port; "" if it is not known
}

func (e *PermissionError) Error() string {
	s := fmt.Sprintf("uart: %s: permission denied", e.Port)
	switch {
	case e.Group != "" && e.Joined:
		return s + fmt.Sprintf(": you joined its group %s after this login", e.Group)
	case e.Group != "":
		return s + fmt.Sprintf(": you are not in its group %s", e.Group)
	case e.Owner != "":
		return s + fmt.Sprintf(": only %s may open it", e.Owner)
	}
	return s
}

func (e *PermissionError) Unwrap() error { return fs.ErrPermission }
