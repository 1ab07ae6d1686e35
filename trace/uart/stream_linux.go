package uart

import (
	"os"

	"go.bug.st/serial"
	"golang.org/x/sys/unix"
)

// stream is a second file on a port, through which bytes go: it does not block the
// thread, so that closing it ends a Write that nobody takes. It also tells what the
// driver has really set.
type stream struct{ *os.File }

func openStream(name string) (*stream, error) {
	f, err := os.OpenFile(name, os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	s := &stream{f}
	if _, err := s.settings(unix.TCGETS); err != nil {
		_ = f.Close()
		return nil, unix.ENOTTY
	}
	if err := s.lock(); err != nil {
		_ = f.Close()
		return nil, err
	}
	return s, nil
}

// lock keeps out who asks for the same lock, flock(2), as terminal programs do: where
// users are root, and at a pseudo-terminal, nothing else does. A file system without
// locks is no reason not to open.
func (s *stream) lock() error {
	raw, err := s.SyscallConn()
	if err != nil {
		return err
	}
	controlErr := raw.Control(func(fd uintptr) { err = unix.Flock(int(fd), unix.LOCK_EX|unix.LOCK_NB) })
	if controlErr != nil {
		return controlErr
	}
	if err == unix.EWOULDBLOCK {
		return unix.EBUSY
	}
	return nil
}

func (s *stream) attach(serial.Port) {}

// settings are those of ioctl_tty(2).
func (s *stream) settings(request uint) (t *unix.Termios, err error) {
	raw, err := s.SyscallConn()
	if err != nil {
		return nil, err
	}
	controlErr := raw.Control(func(fd uintptr) { t, err = unix.IoctlGetTermios(int(fd), request) })
	if controlErr != nil {
		err = controlErr
	}
	return t, err
}

// speed is in bits per second, 0 if nobody knows.
func (s *stream) speed() int {
	if tcgets2 == 0 {
		return 0
	}
	t, err := s.settings(tcgets2)
	if err != nil {
		return 0
	}
	return int(t.Ospeed)
}
